"""Whole systems: trained, resumed, exported, imported, and what can be wrong with them."""

import tomllib

import kenlm
import numpy as np
import pytest

from models.errors import DataError, SettingError
from models.moses_exchange import export_moses, import_moses
from models.phrases.moses_tables import source_texts, target_texts
from models.phrases.training import PhraseSettings
from models.reading import CorpusFiles
from models.system import load_language_model, load_phrases, read_system
from models.training import LanguageModelSettings, TrainingSettings, train_system


@pytest.fixture
def files(write):
    return CorpusFiles(
        write("t.ja", "hon o katta\nhon o yonda\nkare wa itta\n"),
        write("t.en", "bought a book\nread a book\nhe went\n"),
        write("t.align", "0-2 2-0\n0-2 2-0\n0-0 2-1\n"),
    )


def train(files, out, **options):
    """Trains and gives what was said."""
    said = []
    train_system(files, out, talk=said.append, **options)
    return [line.partition(" in ")[0] for line in said]


def test_a_system_holds_a_table_a_language_model_and_its_story(files, tmp_path):
    out = tmp_path / "m"
    assert train(files, out) == [
        "phrases: 19 phrase pairs of 3 sentence pairs",
        "lm: 32 n-grams of 8 words",
    ]
    content = tomllib.loads((out / "model.toml").read_text())
    assert content["settings"]["phrases"]["max_length"] == 7
    assert content["corpus"]["source"]["file"] == str(files.source)
    assert content["weights"]["word_penalty"] == -1.0
    assert content["weights"]["msd.forward.swap"] == 0.3
    assert content["search"]["distortion_limit"] == 6
    assert "hon" in load_phrases(out).source_vocabulary
    assert load_language_model(out).order == 5


def test_only_stages_whose_inputs_changed_are_run_again(files, write, tmp_path):
    out = tmp_path / "m"
    train(files, out)
    assert train(files, out) == ["phrases: nothing has changed", "lm: nothing has changed"]
    trigram = TrainingSettings(lm=LanguageModelSettings(order=3))
    first, second = train(files, out, settings=trigram)
    assert first == "phrases: nothing has changed"
    assert second.startswith("lm: ")
    assert load_language_model(out).order == 3
    write("t.align", "0-2\n0-2 2-0\n0-0 2-1\n")
    assert "nothing" not in "".join(train(files, out, settings=trigram))
    assert len(list((out / "parts").iterdir())) == 2  # what is no longer used is gone


def test_more_text_for_the_language_model(files, write, tmp_path):
    extra = write("more.en", "the cat sat\nthe book\n")
    train(files, tmp_path / "m", lm_texts=[extra])
    model = load_language_model(tmp_path / "m")
    assert "cat" in model.vocabulary
    everything = write("all.en", files.target.read_text() + extra.read_text())
    train(CorpusFiles(everything, everything, write("none", "0-0\n" * 5)), tmp_path / "n")
    other = load_language_model(tmp_path / "n")
    for words in (["the", "book"], ["he", "went"], ["bought", "the", "cat"]):
        assert model.score(words) == pytest.approx(other.score(words))


def test_kenlm_reads_the_language_model(files, tmp_path):
    train(files, tmp_path / "m")
    part = tmp_path / "m" / read_system(tmp_path / "m")["parts"]["lm"]
    theirs = kenlm.Model(str(part / "lm.arpa.gz"))
    ours = load_language_model(tmp_path / "m")
    for text in ("he bought a book", "unknown words went", ""):
        assert ours.score(text.split()) == pytest.approx(
            theirs.score(text) * np.log(10), abs=1e-4 * (len(text.split()) + 1)
        )


def test_threads_do_not_matter(files, tmp_path):
    train(files, tmp_path / "one", threads=1)
    train(files, tmp_path / "four", threads=4)
    for part in ("phrases", "lm"):
        one = tmp_path / "one" / read_system(tmp_path / "one")["parts"][part]
        four = tmp_path / "four" / read_system(tmp_path / "four")["parts"][part]
        for path in one.iterdir():
            assert path.read_bytes() == (four / path.name).read_bytes(), path.name


def test_export_and_import_give_the_same_system(files, tmp_path):
    train(files, tmp_path / "m")
    export_moses(tmp_path / "m", tmp_path / "moses")
    import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "again")
    before, after = load_phrases(tmp_path / "m"), load_phrases(tmp_path / "again")
    pairs = list(zip(source_texts(before), target_texts(before), strict=True))
    other = list(zip(source_texts(after), target_texts(after), strict=True))
    rows = [pairs.index(pair) for pair in other]
    assert sorted(rows) == list(range(len(pairs)))
    np.testing.assert_allclose(after.scores, before.scores[rows], atol=1e-5)
    np.testing.assert_allclose(after.reordering, before.reordering[rows], atol=1e-5)
    ours, theirs = read_system(tmp_path / "m"), read_system(tmp_path / "again")
    assert ours["weights"] == theirs["weights"]
    assert ours["search"] == theirs["search"]
    words = ["he", "bought", "it"]
    lm, again = load_language_model(tmp_path / "m"), load_language_model(tmp_path / "again")
    assert lm.score(words) == pytest.approx(again.score(words), abs=1e-5)
    export_moses(tmp_path / "again", tmp_path / "moses2")
    for path in (tmp_path / "moses").iterdir():
        assert path.read_bytes() == (tmp_path / "moses2" / path.name).read_bytes(), path.name


def test_a_system_without_reordering_scores(files, tmp_path):
    settings = TrainingSettings(phrases=PhraseSettings(reordering="none"))
    train(files, tmp_path / "m", settings=settings)
    assert "msd.forward.swap" not in read_system(tmp_path / "m")["weights"]
    export_moses(tmp_path / "m", tmp_path / "moses")
    assert "LexicalReordering" not in (tmp_path / "moses" / "moses.ini").read_text()
    import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "again")
    assert load_phrases(tmp_path / "again").reordering_type == ""


def test_one_pair_and_equal_pairs_are_enough(write, tmp_path):
    for n in (1, 50):
        files = CorpusFiles(
            write("s", "a b\n" * n), write("t", "x y\n" * n), write("a", "0-0\n" * n)
        )
        train(files, tmp_path / f"m{n}")
        assert len(load_phrases(tmp_path / f"m{n}")) == 4  # b and y are unaligned: with or without


@pytest.mark.parametrize(
    ("source", "target", "alignment", "message"),
    [
        ("", "", "", "s: the corpus has no pair"),
        ("a\n", "x\n", "\n", "no phrase pair can be extracted"),
        ("a\n", "x\n", "0-1\n", "a:1: link 0-1 is outside its sentence pair"),
        ("a\nb\n", "x\n", "0-0\n0-0\n", "t:2: the file ends here"),
    ],
)
def test_bad_corpora_leave_no_system(write, tmp_path, source, target, alignment, message):
    files = CorpusFiles(write("s", source), write("t", target), write("a", alignment))
    with pytest.raises(DataError, match=message):
        train(files, tmp_path / "m")
    with pytest.raises(DataError, match=r"no such file|no such folder|is not a folder"):
        read_system(tmp_path / "m")


def test_wrong_settings(files, tmp_path):
    with pytest.raises(SettingError, match="training needs a word alignment\n  make one"):
        train(CorpusFiles(files.source, files.target), tmp_path / "m")
    for lm, message in (
        (LanguageModelSettings(prune="0 x"), "lm.prune cannot be '0 x'\n  expected whole numbers"),
        (LanguageModelSettings(order=9), "order 9 is not possible"),
    ):
        with pytest.raises(SettingError, match=message):
            train(files, tmp_path / "m", settings=TrainingSettings(lm=lm))


def test_folders_that_are_not_systems(files, tmp_path):
    with pytest.raises(DataError, match="none: is not a folder with a trained system"):
        read_system(tmp_path / "none")
    with pytest.raises(DataError, match=r"model\.toml: no such file"):
        read_system(tmp_path)
    train(files, tmp_path / "m")
    toml = tmp_path / "m" / "model.toml"
    toml.write_text(toml.read_text().replace("format = 1", "format = 7"))
    with pytest.raises(DataError, match=r"has format 7\n  this version .* reads format 1\n  train"):
        read_system(tmp_path / "m")
    toml.write_text("[broken")
    with pytest.raises(DataError, match="is not TOML"):
        read_system(tmp_path / "m")


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
        "[distortion-limit]\n", "OpSequenceModel path=osm\n[threads]\n4\n[distortion-limit]\n"
    )
    import_moses(ini, tmp_path / "m", said.append)
    prefix = "left out, because it is not supported: "
    assert [line.removeprefix(prefix) for line in said if line.startswith(prefix)] == [
        f"{ini}:9: OpSequenceModel",
        f"{ini}:11: [threads] 4",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "KENLM",
            "NeuralLM",
            "has 0 features for the language model\n  expected one line of KENLM",
        ),
        (
            "PhraseDictionaryMemory",
            "PhraseDictionaryCompact",
            "has 0 features for the phrase table",
        ),
        ("LM0= 0.7", "", "LM0 has 0 weights\n  expected 1 in the section"),
        ("TM0= 0.1 0.2 0.3 0.4", "TM0= 1", "TM0 has 1 weights\n  expected 4"),
        ("LM0= 0.7", "LM0= x", r"moses.ini:18: 'LM0= x' is not a weight\n  such as LM0= 0.5"),
        ("LM0= 0.7", "LM0", "moses.ini:18: 'LM0' is not a weight"),
        ("-1\n[w", "six\n[w", "moses.ini:10: 'six' is not a whole number"),
        ("path=lm.arpa ", "", r"moses.ini:8: LM0 has no path"),
        ("path=lm.arpa", "path=lm.arp", r"lm\.arp: no such file\n  did you mean .*lm\.arpa\?"),
    ],
)
def test_broken_configurations_are_named(moses, tmp_path, old, new, message):
    with pytest.raises(DataError, match=message):
        import_moses(moses(old, new), tmp_path / "m")


def test_a_configuration_that_is_not_text(write, tmp_path):
    with pytest.raises(DataError, match=r"moses\.ini:1: byte 0xff"):
        import_moses(write("moses.ini", b"\xff"), tmp_path / "m")


def test_too_long_phrases_are_counted(moses, write, tmp_path):
    long = " ".join("abcdefghi")
    write("phrase-table", f"{long} ||| X ||| 1 1 1 1\na ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n")
    said = []
    import_moses(moses(), tmp_path / "m", said.append)
    assert said[0] == "1 phrase pairs are left out: a phrase has more than 8 words"


def test_a_kenlm_binary_is_kept_as_it_is(moses, write, tmp_path, monkeypatch):
    # no tool here writes such files; what counts is that they are copied and asked through kenlm
    magic = b"mmap lm http://kheafield.com/code"
    binary = write("lm.binary", magic + b" and so on")
    monkeypatch.setattr("models.moses_exchange.KenlmModel", lambda path: path)
    import_moses(moses("lm.arpa", "lm.binary"), tmp_path / "m")
    part = tmp_path / "m" / read_system(tmp_path / "m")["parts"]["lm"]
    assert (part / "lm.kenlm").read_bytes() == binary.read_bytes()
    with pytest.raises(DataError):  # kenlm itself refuses this one
        load_language_model(tmp_path / "m")
