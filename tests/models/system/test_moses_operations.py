"""Moses' operation sequence models: what is taken over, what is refused, and what comes back."""

import gzip

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.coverage import cover_spans, empty_coverage
from hyperbaton.foundation.progress import Reporter
from hyperbaton.models.distortion.interface import Steps
from hyperbaton.models.language_model.kenlm_model import MAGIC
from hyperbaton.models.system.folder import load_distortion, load_phrases, read_system
from hyperbaton.models.system.moses_exchange import export_moses, import_moses
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests.decoder.systems import HAND, find_options, make_system
from tests.refusals import refusals
from tests.tiny_systems import write_corpus

LN10 = np.log(10)
OPERATIONS = """\
\\data\\
ngram 1=8
ngram 2=2

\\1-grams:
-3\t<unk>
-99\t<s>\t-0.5
-1\t</s>
-0.9\t_TRANS_X_TO_a\t-0.25
-1.1\t_TRANS_SLF_
-1.2\t_DEL_the
-1.3\t_JMP_BCK_1
-1.4\t_TRANS_lost

\\2-grams:
-0.2\t<s> _TRANS_X_TO_a
-0.3\t_TRANS_X_TO_a _DEL_the

\\end\\
"""
LINE = "OpSequenceModel name=OSM0 num-features=5 path=operationLM\n"
WEIGHTS = "OSM0= 0.2 -0.1 0.3 0 0.4\n"
INI = f"""\
[feature]
PhraseDictionaryMemory name=TM0 path=phrase-table
KENLM name=LM0 path=lm.arpa order=2
{LINE}[weight]
TM0= 0.1 0.2 0.3 0.4
LM0= 0.7
{WEIGHTS}"""
FEATURES = ["osm.logp", "osm.gap_width", "osm.gaps", "osm.open_gaps", "osm.insertions"]


@pytest.fixture
def moses(write):
    rows = ["a ||| X the ||| 1 1 1 1 ||| 0-0", "b ||| b ||| 1 1 1 1 ||| 0-0"]
    write("phrase-table", "\n".join(rows) + "\n")
    write(
        "lm.arpa",
        "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t0\n-1\t</s>\n-0.3\tX\n\n\\end\\\n",
    )
    write("operationLM", OPERATIONS)
    return lambda old="", new="": write("moses.ini", INI.replace(old, new) if old else INI)


def osm_weights(system):
    return [read_system(system)["weights"][name] for name in FEATURES]


def test_an_operation_model_by_hand(moses, tmp_path):
    said = []
    import_moses(moses(), tmp_path / "m", Reporter(said.append))
    [line] = [line for line in said if line.startswith("distortion_osm: ")]
    # the three of language models, the four without words, and the other four of the file
    assert "order 2, 11 operations, 1 of an unknown form, which no step performs" in line
    assert osm_weights(tmp_path / "m") == pytest.approx([0.2 / LN10, 0.1, -0.3, 0.0, -0.4])
    translator = Translator.load(tmp_path / "m")
    # TRANS a → X after <s>, DEL the after it
    features = translator.translate("a").features
    assert features["osm.logp"] == pytest.approx((-0.2 - 0.3) * LN10)
    assert [features[name] for name in FEATURES[1:]] == [0, 0, 0, 0]
    # a word that the operations lack: copied by a phrase pair, or unknown; after the backoff of <s>
    copied = translator.translate("b").features["osm.logp"]
    with pytest.warns(UserWarning, match="1 of 1 words are unknown"):
        unknown = translator.translate("z").features["osm.logp"]
    assert [copied, unknown] == pytest.approx([(-0.5 - 1.1) * LN10] * 2)


def test_a_model_without_support_features(moses, tmp_path):
    text = INI.replace("num-features=5", "num-features=1 support-features=no")
    import_moses(moses(INI, text.replace(WEIGHTS, "OSM0= 0.3\n")), tmp_path / "m")
    assert osm_weights(tmp_path / "m") == pytest.approx([0.3 / LN10, 0, 0, 0, 0])


def test_the_text_beside_a_binary_is_used(moses, write, tmp_path):
    write("operationLM.bin", MAGIC)
    said = []
    ini = moses("path=operationLM", "path=operationLM.bin")
    import_moses(ini, tmp_path / "m", Reporter(said.append))
    text = tmp_path / "operationLM"
    assert said[0].startswith(f"OSM0: using {text}, because a KenLM binary does not list")
    assert load_distortion(tmp_path / "m")[1].order == 2


def test_a_packed_operation_model_is_read(moses, write, tmp_path):
    (tmp_path / "operationLM").unlink()
    write("operationLM.gz", gzip.compress(OPERATIONS.encode()))
    import_moses(moses(), tmp_path / "m")
    assert load_distortion(tmp_path / "m")[1].order == 2


@refusals(
    ("path=operationLM", "path=lone.bin", "lone.bin: OSM0 has a KenLM … ARPA … binary was made"),
    ("path=operationLM", "path=operation", "operation: no such file … did you mean"),
    ("path=operationLM", "path=phrase-table", "phrase-table … no \\data\\ line"),
    ("num-f", "input-factor=1 num-f", "moses.ini:4: OSM0 has input-factor=1 … expected factor 0"),
    ("num-f", "output-factor=2 num-f", "moses.ini:4: OSM0 has output-factor=2 … remove the f"),
    (WEIGHTS, "OSM0= 1\n", "moses.ini: OSM0 has 1 weights … expected 5"),
    ("num-f", "support-features=no num-f", "moses.ini: OSM0 has 5 weights … expected 1"),
)
def test_what_cannot_be_taken_over_is_named(moses, write, tmp_path, old, new):
    write("lone.bin", MAGIC)
    import_moses(moses(old, new), tmp_path / "m")


def test_a_second_operation_model_is_left_out(moses, tmp_path):
    said = []
    second = LINE.replace("OSM0", "OSM1").replace("num", "input-factor=1 num")
    ini = moses(LINE, LINE + second)
    import_moses(ini, tmp_path / "m", Reporter(said.append))
    assert said[0] == f"left out, because it is not supported: {ini}:5: OpSequenceModel"


def derivation_features(table, model, words, seed):
    """The features of a derivation, the same one for the same seed."""
    random = np.random.default_rng(seed)
    options = find_options(words, table, make_system(HAND)[1])
    scorer = model.prepare(Sentence.parse(" ".join(words)), options)
    target_words = [*table.target_vocabulary.words, "copied"]
    texts = [[target_words[word] for word in row] for row in options.target_words]
    chosen, place = [], 0
    while place < len(words):
        rows = np.flatnonzero(options.start == place).tolist()
        rows.sort(key=lambda row: (options.end[row], texts[row]))  # the numbers of options differ
        chosen.append(rows[random.integers(len(rows))])
        place = int(options.end[chosen[-1]])
    random.shuffle(chosen)
    coverage, state = empty_coverage(1, len(words)), np.array([scorer.initial_state])
    total = np.zeros(5)
    for option in chosen:
        step = Steps(np.array([-1]), np.array([option]), coverage, state)
        total += scorer.features(step)[0]
        state = scorer.advance(step)
        cover_spans(coverage, options.start[[option]], options.end[[option]])
    return total


def test_an_operation_model_comes_back(tmp_path):
    """Of words; that of classes is left out. GPS is copied, and was seen once."""
    pairs = {
        "source": "hon o katta\nkare wa hon o yonda\nGPS o katta\n" + "^_^ to x_TO_y\n" * 2,
        "target": "bought a book\nhe read a book\nbought GPS\n" + "^_^ and x_TO_y\n" * 2,
        "alignment": "0-2 2-0\n0-0 2-3 4-1\n0-1 2-0\n" + "0-0 2-2\n" * 2,
    }
    files = write_corpus(tmp_path, times=1, **pairs)
    models = ["linear", "osm,order=3,prune=0", "osm,units=classes"]
    train_system(files, tmp_path / "m", TrainingSettings(distortion=models))
    said = []
    export_moses(tmp_path / "m", tmp_path / "out", said.append)
    assert "left out, because Moses has no such feature: osm.classes.logp" in said
    assert not any("feature: osm.logp" in line for line in said)
    content = gzip.decompress((tmp_path / "out" / "operationLM.arpa.gz").read_bytes()).decode()
    for name in ("_TRANS_bought_TO_katta", "_INS_o", "_TRANS_SLF_", "_TRANS_x_TO_y_TO_x_TO_y"):
        assert f"\t{name}\t" in content
    import_moses(tmp_path / "out" / "moses.ini", tmp_path / "n")
    assert osm_weights(tmp_path / "n") == pytest.approx(osm_weights(tmp_path / "m"))
    systems = [
        (load_phrases(tmp_path / name), *load_distortion(tmp_path / name, ["osm,units=words"]))
        for name in "mn"
    ]
    known = ["hon", "o", "katta", "kare", "GPS", "^_^", "x_TO_y", "zz"]
    for seed in range(200):
        words = np.random.default_rng(seed).choice(known, 5).tolist()
        one, other = (derivation_features(*system, words, seed) for system in systems)
        np.testing.assert_allclose(other, one, rtol=1e-5)
