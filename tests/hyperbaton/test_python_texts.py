"""Texts in Python: files, lists of sentences, and nothing that is guessed."""

import pytest

import hyperbaton
from hyperbaton.models.system.folder import read_system

SOURCE = ["hon o katta", "kare wa hon o yonda", "kare wa katta"]
TARGET = ["bought a book", "he read a book", "he bought"]
LINKS = [[(0, 2), (2, 0)], [(0, 0), (2, 3), (4, 1)], [(0, 0), (2, 1)]]
LINES = ["0-2 2-0", "0-0 2-3 4-1", "0-0 2-1"]
TUNE = {"replicas": 1, "iterations": 1, "n_best": 5}
SMALL = {"distortion": ["linear"], "lm": {"order": 2}, "classes": {"number": 2}}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, lines in (("source", SOURCE), ("target", TARGET), ("alignment", LINES)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return {name: folder / name for name in ("source", "target", "alignment")}


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    out = tmp_path_factory.mktemp("lists") / "system"
    return hyperbaton.train(source=SOURCE, target=TARGET, alignment=LINKS, out=out, **SMALL)


def parts(folder):
    return read_system(folder)["parts"]


def test_lists_files_and_names_make_the_same_system(files, tmp_path):
    """Parts are named after all that they depend on."""
    opened = [f"{line}\n" for line in SOURCE]  # as lines of an open file are
    lists = {"source": opened, "target": iter(TARGET), "alignment": LINES}
    names = {name: str(path) for name, path in files.items()}
    for number, given in enumerate((files, names, lists)):
        hyperbaton.train(**given, out=tmp_path / str(number), **SMALL)
    assert parts(tmp_path / "0") == parts(tmp_path / "1") == parts(tmp_path / "2")
    kept = (tmp_path / "2" / "given" / "source.txt").read_text()
    assert kept.splitlines() == SOURCE
    with_links = hyperbaton.train(
        source=SOURCE, target=TARGET, alignment=LINKS, out=tmp_path / "3", **SMALL
    )
    assert parts(tmp_path / "3") == parts(tmp_path / "0")
    assert with_links.translate("hon o katta").text == "bought a book"


def test_a_sentence_where_a_file_is_expected(tmp_path):
    for wrong in ("hon o katta", "x" * 5000, "nowhere.ja"):
        with pytest.raises(hyperbaton.SettingError, match="a string alone must name a file"):
            hyperbaton.train(source=wrong, target=TARGET, alignment=LINES, out=tmp_path / "m")
    with pytest.raises(hyperbaton.DataError, match="source, sentence 2: has a line break"):
        hyperbaton.train(
            source=["hon", "o\nkatta"], target=TARGET, alignment=LINES, out=tmp_path / "m"
        )
    with pytest.raises(hyperbaton.DataError, match="alignment: 1 is not a sentence"):
        hyperbaton.train(source=SOURCE, target=TARGET, alignment=[1, 2, 3], out=tmp_path / "m")
    assert not (tmp_path / "m" / "model.toml").exists()


def test_more_text_for_the_language_model(files, tmp_path):
    more = ["he read the letter"]
    (tmp_path / "more.en").write_text("he read the letter\n")
    given = files | SMALL
    by_list = hyperbaton.train(**given, out=tmp_path / "list", lm_texts=more)
    by_path = hyperbaton.train(**given, out=tmp_path / "path", lm_texts=[tmp_path / "more.en"])
    by_name = hyperbaton.train(**given, out=tmp_path / "name", lm_texts=str(tmp_path / "more.en"))
    assert "letter" in by_list.lm.vocabulary
    assert parts(tmp_path / "list") == parts(tmp_path / "path") == parts(tmp_path / "name")
    assert by_path.lm.order == by_name.lm.order == 2


def test_sentences_in_translations_out(system):
    [first, second] = system.translate(["hon o katta", "kare wa katta"])
    assert (first.text, second.text) == ("bought a book", "he bought")
    many = ["hon o katta\n", hyperbaton.Sentence(("kare", "wa", "katta"))] * 50
    found = list(system.translate_all(iter(many), threads=2))
    assert [one.text for one in found] == ["bought a book", "he bought"] * 50
    assert system.translate([]) == []
    scores = [one.score for one in system.n_best("kare wa hon o katta", 3, distinct=True)]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 3


def test_only_a_few_sentences_are_read_ahead(system):
    read = []

    def endless():
        while True:
            read.append("hon o katta")
            yield read[-1]

    translations = system.translate_all(endless(), threads=1)
    assert next(translations).text == "bought a book"
    translations.close()
    assert len(read) < 100


def test_the_source_was_returned_without_a_word(system):
    with pytest.warns(UserWarning, match="2 of 3 words are unknown and were copied"):
        assert system.translate("der hon liegt").text.split()[0] == "der"
    assert system.translate("der hon o katta").unknown  # one name says nothing: no warning


def test_references_in_all_forms(files, tmp_path, monkeypatch):
    folder = tmp_path / "system"
    hyperbaton.train(source=SOURCE, target=TARGET, alignment=LINKS, out=folder, **SMALL)
    again, path = {"restart": True, "state": tmp_path / "s", "tune": TUNE}, files["target"]
    scores = [
        hyperbaton.tune(folder, source=SOURCE, references=references, **again).initial_score
        for references in (TARGET, [[f"{one}\n"] for one in TARGET], path, [path], str(path))
    ]
    assert len(set(scores)) == 1
    several = [["bought a book", "he bought a book"], ["he read a book"], ["he bought"]]
    more = hyperbaton.tune(folder, source=files["source"], references=several, **again)
    assert more.initial_score >= scores[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev.en").write_text("".join(f"{line}\n" for line in TARGET))
    with pytest.raises(hyperbaton.DataError, match=r"(?s)1 reference for 3.*Path\('dev.en'\)"):
        hyperbaton.tune(folder, source=SOURCE, references=["dev.en"], tune=TUNE)


def test_word_order_is_evaluated(system):
    """The only difference of the second sentence: it swaps two words."""
    translations = system.translate(SOURCE)
    monotone, as_made = [[(0, 0), (1, 1), (2, 2)]] * 3, [one.alignment for one in translations]
    own = hyperbaton.evaluate(
        translations, TARGET, ["bleu", "kendall"], reference_alignment=as_made, resamples=0
    )
    assert own.score_of("kendall").score == pytest.approx(100.0)
    other = hyperbaton.evaluate(
        translations, TARGET, "kendall", reference_alignment=monotone, resamples=0
    )
    assert other.score_of("kendall").score < 100.0
    with pytest.raises(hyperbaton.SettingError, match="give reference_alignment"):
        hyperbaton.evaluate(translations, TARGET, "kendall")
    with pytest.raises(hyperbaton.DataError, match="give the results of translate"):
        hyperbaton.evaluate(TARGET, TARGET, "kendall", reference_alignment=monotone)


def test_a_derivation_is_explained(system):
    [best] = hyperbaton.explain(system, "kare wa hon o katta", alternatives=2)
    assert best.score == pytest.approx(float(best.contributions.sum()))
    assert " ".join(best.target_words) == system.translate("kare wa hon o katta").text


def test_lists_are_reranked(tmp_path):
    lists = tmp_path / "lists"
    lists.write_text(
        "0 ||| he bought ||| lm= -1 ||| -1\n0 ||| he bought a book ||| lm= -2 ||| -2\n"
        "1 ||| she ||| lm= -1 ||| -1\n1 ||| she read it all ||| lm= -2 ||| -2\n"
    )
    references = ["he bought a book", "she read it all"]

    def n_words(_, translations):
        return [len(text.split()) for text in translations]

    tune = {"metric": "ter", "confirm": False}
    for feature in (n_words, [2, 4, 1, 4]):
        found = hyperbaton.rerank(lists, features={"n": feature}, references=references, tune=tune)
        assert found.translations == references
        assert (found.learned.before, found.learned.after) == (pytest.approx(62.5), 0.0)
    again = hyperbaton.rerank(lists, features={"n": n_words}, weights=found.weights)
    assert again.translations == references
    with pytest.raises(hyperbaton.DataError, match="n: has 1 line"):
        hyperbaton.rerank(lists, features={"n": [1.0]}, weights=found.weights)
    with pytest.raises(hyperbaton.DataError, match="not finite"):
        hyperbaton.rerank(lists, features={"n": [1, 2, 3, float("nan")]}, weights=found.weights)
    with pytest.raises(hyperbaton.SettingError, match="either references"):
        hyperbaton.rerank(lists)


def test_moses_and_back(tmp_path):
    folder = tmp_path / "system"
    hyperbaton.train(source=SOURCE, target=TARGET, alignment=LINKS, out=folder, **SMALL)
    said = []
    hyperbaton.export_moses(folder, tmp_path / "moses", verbose=said.append)
    assert any("phrase pairs" in line for line in said)
    back = hyperbaton.import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "back")
    assert back.translate("hon o katta").text == "bought a book"


def test_raw_text_is_prepared(tmp_path):
    source = tmp_path / "raw.en"
    source.write_text("".join(f"This is the sentence number {n}.\n" for n in range(40)))
    target = tmp_path / "raw.de"
    target.write_text("".join(f"Das ist der Satz mit der Nummer {n}.\n" for n in range(40)))
    languages = {"source_language": "en", "target_language": "de"}
    report = hyperbaton.prepare(
        [source, target], **languages, out=tmp_path / "data", dev=5, test=5, max_words=20
    )
    assert (report.n_read, dict(report.kept)) == (40, {"train": 30, "dev": 5, "test": 5})
    assert len((tmp_path / "data" / "train.en").read_text().splitlines()) == 30
    with pytest.raises(hyperbaton.SettingError, match="no option colums"):
        hyperbaton.prepare(source, **languages, out=tmp_path / "data", colums=(1, 2))


def test_words_are_aligned():
    """Three words that always go together, in another order."""
    pytest.importorskip("eflomal")
    source = ["hon katta", "hon yonda", "tegami katta", "tegami yonda"] * 50
    target = ["bought book", "read book", "bought letter", "read letter"] * 50
    links = hyperbaton.align(source, target)
    assert sum(own == [(0, 1), (1, 0)] for own in links) > 150
    assert hyperbaton.align(["hon o"] * 20, ["book"] * 20, leave_out="o")[0] == [(0, 0)]


def test_messages_go_where_they_are_wanted(files, tmp_path, capsys):
    hyperbaton.train(**files, out=tmp_path / "silent", **SMALL)
    assert capsys.readouterr() == ("", "")
    hyperbaton.train(**files, out=tmp_path / "loud", verbose=True, **SMALL)
    assert "phrases: " in capsys.readouterr().err


def test_sections_without_effect_were_ignored(files, tmp_path):
    with pytest.raises(hyperbaton.SettingError, match="search has no effect here"):
        hyperbaton.train(**files, out=tmp_path / "m", search={"beam": 1.0})
    with pytest.raises(hyperbaton.SettingError, match="lm has no effect here"):
        hyperbaton.rerank(tmp_path / "lists", references=TARGET, lm={"order": 2})
