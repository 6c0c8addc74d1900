"""Unknown words, counted by hand, and hints about text that was prepared differently."""

import pytest

from hyperbaton.corpus.words import unknown_words
from hyperbaton.corpus.words.unknown_words import IN_CAPITALS, UNTOKENISED, UnknownWords
from hyperbaton.foundation.files.vocabulary import Vocabulary

VOCABULARY = Vocabulary(["kare", "wa", "hon", "o", "katta", "3", ",", "."])


def test_words_and_types():
    counted = UnknownWords(
        VOCABULARY, [["kare", "wa", "ringo", "o", "katta"], [], ["ringo", "neko", "o"]]
    )
    # ringo twice, neko; kare wa o katta o
    assert str(counted) == "unknown words: 3 of 8 (37.5%), 2 of 6 types (33.3%)"
    assert str(UnknownWords(VOCABULARY, [["kare"], []])) == ""


def test_a_stream_of_new_words_takes_no_more_memory(monkeypatch):
    monkeypatch.setattr(unknown_words, "MOST_TYPES", 3)
    counted = UnknownWords(VOCABULARY, [["hon", f"new{n}", f"other{n}"] for n in range(50)])
    assert str(counted) == "unknown words: 100 of 150 (66.7%), 3 types or more"
    assert len(counted._unknown) == 3


@pytest.mark.parametrize(
    ("line", "hints"),
    [
        ("KARE WA HON", [f"{IN_CAPITALS}: KARE WA HON"]),
        ("Kare wa hon o katta .", []),  # most words are known
        ("Naomi Ken", []),  # and not in lower case either
        ("kare wa hon o katta.", [f"{UNTOKENISED}: katta."]),
        ("(kare) wa , hon 。", [f"{UNTOKENISED}: (kare)"]),
        ("KARE WA HON, O KATTA.", [f"{IN_CAPITALS}: KARE WA O"]),  # most lack only small letters
        ("HON, KATTA.", [f"{UNTOKENISED}: HON, KATTA."]),
        ("kare wa 3.14 ...", []),  # no words without punctuation
        ("neko inu ringo, hon.", []),  # most of them stay unknown
        ("", []),
    ],
)
def test_hints(line, hints):
    assert UnknownWords(VOCABULARY).add(line.split()) == hints


def test_each_hint_is_given_once():
    counted = UnknownWords(VOCABULARY)
    lines = ["KARE WA HON O KATTA", "hon.", "KARE WA", "katta."]
    assert [len(counted.add(line.split())) for line in lines] == [1, 1, 0, 0]


def test_a_known_word_without_a_phrase_was_not_counted():
    counted = UnknownWords(VOCABULARY)
    counted.add(["kare", "wa", "hon"], copied=["wa"])
    assert str(counted) == "unknown words: 1 of 3 (33.3%), 1 of 3 types (33.3%)"


def test_what_may_be_wrong_with_a_text_that_is_mostly_unknown():
    english = Vocabulary(["he", "bought", "a", "book"])
    half = [["kare", "wa", "the", "book"]]
    assert UnknownWords(VOCABULARY, half, english).hint == ""
    swapped = UnknownWords(VOCABULARY, [["he", "bought", "the", "o"]], english)
    assert "are source and target swapped?" in swapped.hint  # he, bought; not the
    third = [["er", "kaufte", "a", "book", "o"]]
    for other in (english, None):
        assert "for example: kare wa hon o katta" in UnknownWords(VOCABULARY, third, other).hint
