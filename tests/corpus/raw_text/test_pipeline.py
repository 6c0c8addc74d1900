"""The text of one side, and of both."""

import sys

from hypothesis import given

from hyperbaton.corpus.corpora.reading import CorpusFiles, CorpusSettings, read_corpus
from hyperbaton.corpus.raw_text import tokenisers
from hyperbaton.corpus.raw_text.both_sides import TextPipelines, corpus_tokenisers
from hyperbaton.corpus.raw_text.normalisation import normalise
from hyperbaton.corpus.raw_text.pipeline import TextPipeline
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.corpus.sentences.glossary import Glossary
from hyperbaton.corpus.sentences.markup import Markup, Term
from hyperbaton.corpus.sentences.markup_text import Marked
from hyperbaton.foundation.errors import SettingError
from tests.corpus.raw_text.nasty import texts
from tests.refusals import refusals, refused
from tests.strategies import examples

SETTINGS = TextSettings("xx", "yy", "char", "none", "lower", "true")


def test_a_sentence_has_its_raw_text_and_its_breaks():
    raw = " He\u200b came .\u2028 He left . "
    pipeline = TextPipeline.of("en", "none", "keep")
    sentence = pipeline.sentence(raw)
    assert sentence.words == ("He", "came", ".", "He", "left", ".")
    assert sentence.breaks == (3,)
    assert sentence.raw == raw
    assert pipeline.sentence(raw, split=False).breaks == ()
    places = pipeline.places(raw)
    assert [raw[first:last] for first, last in places] == ["He", "came", ".", "He", "left", "."]


@examples(8)
@given(texts)
def test_every_line_comes_back_and_every_token_has_its_place(raw):
    pipeline = TextPipeline.of("ja", "char", "keep")
    tokens = pipeline.tokenise(raw)
    assert pipeline.detokenise(tokens) == normalise(raw, "NFKC")
    places = pipeline.places(raw)
    assert len(places) == len(tokens)
    assert places == sorted(places)


def test_a_line_of_ten_thousand_words():
    line = " ".join(["He came.", "(1,000)"] * 5000)
    pipeline = TextPipeline.of("en", "char", "keep")
    tokens = pipeline.tokenise(line)
    assert pipeline.detokenise(tokens) == line
    assert len(pipeline.places(line)) == len(tokens)


def test_a_source_has_no_marks_since_nobody_puts_it_together_again():
    pipelines = TextPipelines.of(SETTINGS)
    assert pipelines.source.tokenise("AB c") == ["a", "b", "c"]
    assert pipelines._replace(source=TextPipeline.of("xx", "char")).source.tokenise("AB c")[2] == (
        "▁c"
    )


def test_learned_parts_come_back(tmp_path, write):
    files = CorpusFiles(write("s", "AB\nC\n"), write("t", "The Cat\nA Cat sees the dog .\n"))
    corpus, _ = read_corpus(files, tokenise=corpus_tokenisers(SETTINGS))
    assert corpus.source.vocabulary.words[3:] == ("A", "B", "C")  # case is kept
    pipelines = TextPipelines.of(SETTINGS).fit(corpus)
    assert pipelines.target.cased(corpus.target).vocabulary.words[3:6] == ("the", "Cat", "A")
    assert pipelines.source.cased(corpus.source).vocabulary.words[3:] == ("a", "b", "c")
    pipelines.save(tmp_path)
    again = TextPipelines.read(pipelines.described(), tmp_path, "model.toml")
    assert again.target == pipelines.target
    assert again.source == pipelines.source
    assert again.target.tokenise("The cat") == ["the", "cat"]
    assert again.target.tokenise("cat") == ["Cat"]


@refusals(
    (TextSettings("ja"), "text.target_language is missing"),
    (TextSettings(target_tokeniser="char"), "text.source_language is missing"),
    (TextSettings("jp", "en"), "the language 'jp'"),
    (TextSettings("ja", "en", source_tokeniser="mecab"), "unknown tokeniser 'mecab'"),
    (TextSettings("ja", "en", target_case="title"), "unknown case 'title'"),
    (TextSettings("ja", "en", target_case="lower"), "target_case cannot be lower"),
    error=SettingError,
)
def test_wrong_settings(settings):
    TextPipelines.of(settings)


def test_raw_text_is_not_factored():
    factored = CorpusSettings(factored=True)
    refused("cannot be factored", lambda: corpus_tokenisers(SETTINGS, factored), SettingError)


def test_no_languages_mean_tokens():
    assert TextPipelines.of(TextSettings()) is None
    assert corpus_tokenisers(TextSettings())["source"]("a b") == ["a", "b"]


@refusals(
    ({"split": None}, "m: the table [text]"),
    ({"source": {}}, "m: the table [text]"),
    ({"source": 1}, "m: the table [text]"),
    ({}, "has no part text"),  # the learned part
)
def test_a_damaged_table_is_an_error(change):
    content = TextPipelines.of(SETTINGS).described() | change
    content = {key: value for key, value in content.items() if value is not None}
    TextPipelines.read(content, None, "m")


def test_other_versions_are_reported(monkeypatch):
    monkeypatch.setattr(tokenisers, "version", {"fugashi": "1.4", "unidic-lite": "1.0"}.get)
    described = TextPipelines.of(TextSettings("ja", "yy", "", "none", "", "keep")).described()
    again = TextPipelines.read(described, None, "")
    assert again.differences() == []
    monkeypatch.setattr(tokenisers, "version", {"fugashi": "2.0", "unidic-lite": "1.0"}.get)
    [line] = again.differences()
    assert line.startswith("the system was trained with fugashi 1.4, but 2.0 is")


def test_markup_is_about_the_tokens_of_its_words():
    pipelines = TextPipelines.of(SETTINGS)
    markup = Markup((Term(1, 2, {"The End": 1.0}),), ((0, 2),), (2,))
    sentence = pipelines.marked(Marked("Ab cd e", markup))
    assert sentence.words == ("a", "b", "c", "d", "e")
    assert sentence.markup == Markup((Term(2, 4, {"The End": 1.0}),), ((0, 4),), (4,))


def test_glossaries_are_tokenised():
    glossary = Glossary({("AB", "c"): {"The  end": 0.5}})
    found = TextPipelines.of(SETTINGS).glossary(glossary).terms
    translations = {"The end": 0.5}  # their case is as given
    assert found == {("A", "B", "c"): translations, ("a", "b", "c"): translations}


def test_packages_of_both_sides_are_missing_at_once(monkeypatch):
    for name in ("unidic_lite", "sacremoses"):
        monkeypatch.setitem(sys.modules, name, None)
    pipelines = TextPipelines.of(TextSettings("ja", "en"))
    refused("unidic_lite … sacremoses … [text-ja] … [text-en]", pipelines.load)


def test_lines_that_training_keeps_whole_and_translation_would_split(write):
    pipelines = TextPipelines.of(TextSettings("xx", "en", "none", "none", split=True))
    several, one = "Hon da. Kare wa kita.\n", "hon da .\n"
    assert "10% of the source lines" in pipelines.split_warning(write("s", several + one * 9))
    assert pipelines.split_warning(write("s", several + one * 24)) == ""  # few
    whole = pipelines._replace(split=False)
    assert whole.split_warning(write("s", several)) == ""


def test_small_corpora_of_chinese_get_a_hint():
    chinese = TextPipelines.of(TextSettings("zh", "en"))
    assert "source_tokeniser=char" in chinese.size_hint(11_140)
    assert chinese.size_hint(50_000) == ""
    for other in (TextSettings("zh", "en", "char"), TextSettings("ja", "en")):
        assert TextPipelines.of(other).size_hint(10) == ""
