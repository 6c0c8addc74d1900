"""One spelling for what looks the same."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.raw_text.normalisation import normalise, origins
from tests.corpus.raw_text.nasty import texts
from tests.strategies import examples

forms = st.sampled_from(["NFC", "NFKC"])


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("  a\tb\x0c\u2028c\u3000 ", "a b c"),
        ("a\xa0\u2003b\x85c", "a b c"),
        ("a\u200bb\u202e\ufeff\xad\x00c", "abc"),
        ("e\u0301", "é"),
        ("a\u200db", "ab"),  # nothing to join
        ("👩\u200d👧", "👩\u200d👧"),
        ("क्\u200dष", "क्\u200dष"),
        ("e\u200b\u0301", "é"),  # what stood between them is gone
        ("\u200e\u200b ", ""),
    ],
)
def test_spaces_and_invisible_characters(raw, expected):
    assert normalise(raw) == expected


def test_compatibility_forms_are_for_those_who_ask():
    raw = "ＡＢ１２（ﾊﾞ）"
    assert normalise(raw, "NFC") == raw
    assert normalise(raw, "NFKC") == "AB12(バ)"


@examples(8)
@given(texts, forms)
def test_a_normalised_text_stays_as_it_is(raw, form):
    text = normalise(raw, form)
    assert normalise(text, form) == text
    assert unicodedata.is_normalized(form, text)
    assert text == " ".join(text.split())
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in text)


@pytest.mark.parametrize(
    ("raw", "form", "expected"),
    [
        (" a  b", "NFC", [(1, 2), (4, 5)]),
        ("e\u0301x", "NFC", [(0, 2), (2, 3)]),
        ("\u200bａ ﾊﾞ", "NFKC", [(1, 2), (3, 5)]),
        ("㍿A", "NFKC", [(0, 1)] * 4 + [(1, 2)]),  # one character that becomes four
    ],
)
def test_origins(raw, form, expected):
    assert origins(raw, form) == expected


@examples(8)
@given(texts, forms)
def test_every_character_comes_from_somewhere(raw, form):
    characters, places = normalise(raw, form).replace(" ", ""), origins(raw, form)
    assert len(places) == len(characters)
    assert places == sorted(places)
    for character, (first, last) in zip(characters, places, strict=True):
        assert 0 <= first < last <= len(raw)
        if last == first + 1 and raw[first] < "\x80":
            assert raw[first] == character
