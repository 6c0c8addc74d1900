"""Where spaces stand between tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.raw_text.spacing import Spacing, escape, unescape
from tests.corpus.raw_text.nasty import PIECES
from tests.strategies import examples

PLAIN = [piece for piece in PIECES if piece.split() == [piece]]
LANGUAGES = ["en", "fr", "de", "ja", "ko"]
surfaces = st.lists(st.one_of(st.sampled_from(PLAIN), st.sampled_from("\"'ab,./")), max_size=12)
spacings = st.sampled_from(
    [*map(Spacing.of, LANGUAGES), Spacing(always=True), Spacing(always=False)]
)


@examples(12)
@given(surfaces, spacings, st.data())
def test_text_comes_back_as_it_was(surfaces, spacing, data):
    size = max(len(surfaces) - 1, 0)
    gaps = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    spaces = [" " * gap for gap in gaps] + [""] * bool(surfaces)
    text = "".join(map("".join, zip(surfaces, spaces, strict=True)))
    tokens = spacing.marked(surfaces, gaps)
    assert len(tokens) == len(surfaces)
    assert spacing.text(tokens) == text
    assert not set("|<>[] ") & set("".join(tokens))


# Tokens as a system translates them: nobody has put marks on them
@pytest.mark.parametrize(
    ("language", "tokens", "expected"),
    [
        ("en", 'he said , " come ( now ) ! "', 'he said, "come (now)!"'),
        ("en", "it 's 5 % of $ 10 and / or none ...", "it's 5% of $10 and/or none..."),
        ("en", "a \" b \" c ' d ' e", "a \"b\" c 'd' e"),
        ("en", "he : \" ' no ' is ' no ' \" .", "he: \"'no' is 'no'\"."),
        ("en", "the word 源氏 物語 is", "the word 源氏物語 is"),
        ("fr", "l' eau : « bon » !", "l'eau : « bon » !"),
        ("de", "er : „ komm “ , sagte sie", "er: „komm“, sagte sie"),
        ("es", "¿ qué ? ¡ no !", "¿qué? ¡no!"),
        ("ja", "彼 は Mac OS ( 10 ) を 使う 。", "彼はMac OS(10)を使う。"),
        ("ko", "나 ￭는 학교 ￭에 갔 ￭다 .", "나는 학교에 갔다."),
    ],
)
def test_rules_put_translations_together(language, tokens, expected):
    assert Spacing.of(language).text(tokens.split()) == expected


def test_marks_are_put_on_punctuation_if_there_is_some():
    spacing = Spacing()
    assert spacing.marked(["a", "/", "b"], [True, True]) == ["a", "▁/▁", "b"]
    assert spacing.marked(["R", "+", "D"], [False, False]) == ["R", "￭+￭", "D"]
    assert spacing.marked(["5", '"', "wide"], [False, True]) == ["5", '￭"', "wide"]
    assert spacing.marked(["day", "light"], [False]) == ["day", "￭light"]
    assert spacing.marked(["a", ",", "b"], [False, True]) == ["a", ",", "b"]


def test_a_mark_without_a_word_is_harmless():
    assert Spacing().text(["a", "￭", "▁", "b"]) == "a b"
    assert Spacing().text([]) == ""


@pytest.mark.parametrize("text", ["a|b", "&lt;", "&amp;lt;", "<s>", "|||", "▁￭", "&#124;", "&"])
def test_escapes_come_back(text):
    assert unescape(escape(text)) == text
    assert not set("|<>[]▁￭") & set(escape(text))
