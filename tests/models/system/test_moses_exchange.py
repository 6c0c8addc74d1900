"""Systems of Moses: what is taken over, what is refused, and what is written for it."""

import gzip

import numpy as np
import pytest
import tomli_w

from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.progress import Reporter
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import NAME, load_language_model, load_phrases, read_system
from hyperbaton.models.system.moses_exchange import export_moses, import_moses
from tests.models.language_model.test_kenlm_model import KENLM
from tests.refusals import refusals, refused

INI = """\
[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
Distortion
PhraseDictionaryMemory name=TM0 num-features=4 path=phrase-table
LexicalReordering name=LR0 type=wbe-msd-bidirectional-fe-allff path=reordering-table
KENLM name=LM0 path=lm.arpa order=2
[distortion-limit]
-1
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.5
PhrasePenalty0= 0.1
Distortion0= 0.4
TM0= 0.1 0.2 0.3 0.4
LR0= 1 2 3 4 5 6
LM0= 0.7
"""


@pytest.fixture
def moses(write):
    """A Moses system whose file names lack the endings, as Moses allows."""
    write("phrase-table", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||\n")
    write("reordering-table.wbe-msd-bidirectional-fe", "a ||| X ||| 0.6 0.2 0.2 0.2 0.2 0.6\n")
    write(
        "lm.arpa",
        "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\t0\n-1\t</s>\n-0.3\tX\n\n\\end\\\n",
    )
    return lambda old="", new="": write("moses.ini", INI.replace(old, new) if old else INI)


def test_weights_and_limits_come_with_the_import(moses, tmp_path):
    import_moses(moses(), tmp_path / "m")
    content = read_system(tmp_path / "m")
    assert content["search"]["distortion_limit"] == -1
    assert content["weights"] == {
        "translation.inverse_phrase": 0.1,
        "translation.inverse_lexical": 0.2,
        "translation.direct_phrase": 0.3,
        "translation.direct_lexical": 0.4,
        "lm": 0.7,
        "unknown": 1.0,
        "word_penalty": -0.5,
        "phrase_penalty": 0.1,
        "linear": 0.4,
        "msd.backward.monotone": 1.0,
        "msd.backward.swap": 2.0,
        "msd.backward.discontinuous": 3.0,
        "msd.forward.monotone": 4.0,
        "msd.forward.swap": 5.0,
        "msd.forward.discontinuous": 6.0,
    }
    assert load_language_model(tmp_path / "m").score(["X"]) == pytest.approx(-1.3 * np.log(10))


def test_what_is_not_supported_is_named(moses, tmp_path):
    said = []
    ini = moses(
        "[distortion-limit]\n", "GlobalLexicalModel path=m\n[threads]\n4\n[distortion-limit]\n"
    )
    import_moses(ini, tmp_path / "m", Reporter(said.append))
    prefix = "left out, because it is not supported: "
    assert [line.removeprefix(prefix) for line in said if line.startswith(prefix)] == [
        f"{ini}:9: GlobalLexicalModel",
        f"{ini}:11: [threads] 4",
    ]


@refusals(
    ("KENLM", "NeuralLM", "has 0 features for the language model … one line of KENLM"),
    (
        "DictionaryMemory",
        "DictionaryCompact",
        "the phrase table … Compact: give the text table",
    ),
    ("LM0= 0.7", "", "LM0 has 0 weights … expected 1 in the section"),
    ("TM0= 0.1 0.2 0.3 0.4", "TM0= 1", "TM0 has 1 weights … expected 4"),
    ("LM0= 0.7", "LM0= x", "moses.ini:18: 'LM0= x' is not a weight … as LM0= 0.5"),
    ("LM0= 0.7", "LM0", "moses.ini:18: 'LM0' is not a weight"),
    ("LM0= 0.7", "LM0= nan", "moses.ini:18: 'LM0= nan' is not a weight"),
    ("LM0= 0.7", "LM0= -inf", "moses.ini:18: 'LM0= -inf' is not a weight"),
    ("type=wbe-msd", "type=wbe-mds", "moses.ini:7: unknown part 'mds' in 'wbe-mds- … did"),
    ("-1\n[w", "six\n[w", "moses.ini:10: 'six' is not a whole number"),
    ("path=lm.arpa ", "", "moses.ini:8: LM0 has no path"),
    ("path=lm.arpa", "path=lm.arp", "lm.arp: no such file … did you mean … lm.arpa?"),
    (INI, b"\xff", "moses.ini:1: byte 0xff"),
)
def test_broken_configurations_are_named(moses, write, tmp_path, old, new):
    ini = write("moses.ini", new) if old == INI else moses(old, new)
    import_moses(ini, tmp_path / "m")


def test_too_long_phrases_are_counted(moses, write, tmp_path):
    long = " ".join("abcdefghi")
    write("phrase-table", f"{long} ||| X ||| 1 1 1 1\na ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n")
    said = []
    import_moses(moses(), tmp_path / "m", Reporter(said.append))
    assert said[0] == "1 phrase pair left out: longer than 8 words"


def test_kenlm_binaries_and_further_models_come_and_go(moses, write, tmp_path):
    """Two language models, of which one is a KenLM binary: imported, used and handed back."""
    binary = (KENLM / "trie.kenlm").read_bytes()
    write("lm.binary", binary)
    text = INI.replace("KENLM", "KENLM name=LM1 path=lm.binary order=3\nKENLM")
    moses()
    ini = write("moses.ini", text.replace("LM0= 0.7", "LM0= 0.7\nLM1= 0.2"))
    said = []
    import_moses(ini, tmp_path / "m", Reporter(said.append))
    assert not any("left out" in line for line in said)
    content = read_system(tmp_path / "m")
    assert (content["weights"]["lm"], content["weights"]["lm.2"]) == (0.2, 0.7)
    models = load_language_model(tmp_path / "m")
    assert models.feature_names == ("lm", "lm.2")
    assert [model.order for model in models.models] == [3, 1]
    assert Translator.load(tmp_path / "m").translate("a").text == "X"
    export_moses(tmp_path / "m", tmp_path / "again")
    assert (tmp_path / "again" / "lm.kenlm").read_bytes() == binary
    import_moses(tmp_path / "again" / "moses.ini", tmp_path / "n")
    assert read_system(tmp_path / "n")["weights"] == content["weights"]
    again, words = load_language_model(tmp_path / "n"), ["X", "a", "book"]
    texts = [Ragged(each.encode(words), np.array([0, 3])) for each in (models, again)]
    expected = models.feature_scores(texts[0])
    np.testing.assert_allclose(again.feature_scores(texts[1]), expected, rtol=1e-6)


@refusals(
    (b"mmap lm http://kheafield.com/code format version 4\n\0", "lm.binary: KenLM cannot load")
)
def test_a_binary_that_kenlm_refuses(moses, write, tmp_path, content):
    write("lm.binary", content)
    import_moses(moses("lm.arpa", "lm.binary"), tmp_path / "m")


def test_the_short_name_of_a_reordering_type_was_refused(moses, tmp_path):
    import_moses(moses("type=wbe-msd", "type=msd"), tmp_path / "m")
    assert load_phrases(tmp_path / "m").reordering_type == "wbe-msd-bidirectional-fe"


@pytest.mark.parametrize(
    "second", ["LexicalReordering name=LR1 type=hier-msd-backward-fe", "Distortion"]
)
def test_a_second_feature_of_a_kind_was_dropped_silently(moses, tmp_path, second):
    said = []
    ini = moses("KENLM", f"{second} path=more\nKENLM")
    import_moses(ini, tmp_path / "m", Reporter(said.append))
    kind = second.split()[0]
    assert said[0] == f"left out, because it is not supported: {ini}:8: {kind}"
    assert read_system(tmp_path / "m")["weights"]["linear"] == 0.4
    assert read_system(tmp_path / "m")["weights"]["msd.backward.swap"] == 2.0


def test_importing_did_not_repair_a_damaged_part(moses, tmp_path):
    import_moses(moses(), tmp_path / "m")
    for part in read_system(tmp_path / "m")["parts"].values():
        (tmp_path / "m" / part / "header.json").unlink()
    import_moses(moses(), tmp_path / "m")
    assert len(load_phrases(tmp_path / "m")) == 1
    assert load_language_model(tmp_path / "m").order == 1


@pytest.mark.parametrize("name", ["phrase-table", "lm.arpa"])
@pytest.mark.parametrize("missing", [1, 9])  # bytes at the end: of the check sum, and of the text
def test_a_broken_gz_file_was_called_a_defect(moses, tmp_path, name, missing):
    plain = tmp_path / name
    packed = gzip.compress(plain.read_bytes())
    (tmp_path / f"{name}.gz").write_bytes(packed[:-missing])
    plain.unlink()
    refused(f"{name}.gz: … broken gzip", lambda: import_moses(moses(), tmp_path / "m"))


def test_a_packed_language_model_is_read(moses, tmp_path):
    text = (tmp_path / "lm.arpa").read_bytes()
    (tmp_path / "lm.arpa.gz").write_bytes(gzip.compress(text))
    import_moses(moses(), tmp_path / "plain")
    import_moses(moses("path=lm.arpa", "path=lm.arpa.gz"), tmp_path / "packed")
    plain, packed = (load_language_model(tmp_path / name) for name in ("plain", "packed"))
    for name, array in plain.automaton._asdict().items():
        np.testing.assert_array_equal(array, getattr(packed.automaton, name))


@pytest.fixture
def system(moses, tmp_path):
    import_moses(moses(), tmp_path / "m")
    return tmp_path / "m"


@refusals(
    ("file", "file: is not a folder"),
    ("/dev/full", "/dev/full: is not a folder"),
    ("/proc/x", "/proc/x: cannot be written: "),
    ("with lm.arpa.gz", "lm.arpa.gz: cannot be written: Is a directory"),
    ("with moses.ini", "moses.ini: cannot be written: Is a directory"),
)
def test_places_where_nothing_can_be_exported_were_called_defects(system, write, tmp_path, place):
    write("file", "x")
    for name in ("lm.arpa.gz", "moses.ini"):
        (tmp_path / f"with {name}" / name).mkdir(parents=True)
    export_moses(system, tmp_path / place)


def test_weights_that_moses_has_no_use_for_are_named(system, tmp_path):
    toml = system / "model.toml"
    toml.write_text(toml.read_text().replace("lm = 0.7", 'lm = 0.7\n"pair.logp" = 1.0'))
    said = []
    export_moses(system, tmp_path / "out", said.append)
    assert said[0] == "left out, because Moses has no such feature: pair.logp"
    toml.write_text(toml.read_text().replace("lm = 0.7", "ml = 0.7"))
    facts = "model.toml: the feature 'lm' has no weight … known: linear"
    refused(facts, lambda: export_moses(system, tmp_path / "out"))


def test_fractional_counts_come_back(moses, write, tmp_path):
    write("phrase-table", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 2.5 3 0.25 ||| |||\n")
    import_moses(moses(), tmp_path / "m")
    export_moses(tmp_path / "m", tmp_path / "out")
    [line] = gzip.decompress((tmp_path / "out" / "phrase-table.gz").read_bytes()).splitlines()
    assert line.endswith(b"||| 2.5 3 0.25 ||| |||")
    part = tmp_path / "m" / read_system(tmp_path / "m")["parts"]["phrases"]
    assert PhraseTable.load(part).counts_of(0).tolist() == [2.5, 3, 0.25]


@pytest.mark.parametrize(("kept", "linear"), [("linear", "0.4"), ("", "0.0")])
def test_a_system_that_does_not_use_its_reordering_scores_could_not_be_exported(
    system, tmp_path, kept, linear
):
    content = read_system(system)
    content["distortion"] = [one for one in content["distortion"] if one["name"] == kept]
    dropped = ("msd.",) if kept else ("msd.", "linear")
    content["weights"] = {
        name: weight for name, weight in content["weights"].items() if not name.startswith(dropped)
    }
    (system / NAME).write_text(tomli_w.dumps(content))
    export_moses(system, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "phrase-table.gz",
        "lm.arpa.gz",
        "moses.ini",
    }
    text = (tmp_path / "out" / "moses.ini").read_text()
    assert "LexicalReordering" not in text
    assert f"Distortion0= {linear}\n" in text
    import_moses(tmp_path / "out" / "moses.ini", tmp_path / "again")
    assert [one["name"] for one in read_system(tmp_path / "again")["distortion"]] == ["linear"]
    assert load_phrases(tmp_path / "again").reordering_type == ""
