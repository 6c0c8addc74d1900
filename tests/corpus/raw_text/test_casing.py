"""Capital letters."""

import pytest

from hyperbaton.corpus.raw_text.casing import Truecaser, begins_sentence, capitalised
from tests.refusals import refusals

SENTENCES = [
    "The cat saw Kyoto .",
    "But the cat is in the US . The us of it .",
    '" Kyoto is THE city , said the US .',
]


@pytest.fixture
def truecaser():
    return Truecaser.fit(map(str.split, SENTENCES))


def test_the_most_frequent_form_inside_of_sentences_counts(truecaser):
    # the: 4 times inside (2 + 2 lower case) against one THE; US twice, us once
    assert truecaser.forms["the"] == ("the", "THE")
    assert truecaser.forms["us"] == ("US", "us")
    assert truecaser.forms["but"] == ("But",)  # only at the beginning


def test_of_forms_that_are_equally_frequent_the_one_in_lower_case_wins():
    truecaser = Truecaser.fit([["in", "The", "house"], ["in", "the", "house"]])
    assert truecaser.forms["the"] == ("the", "The")
    assert truecaser.apply(["The"]) == ["the"]


def test_first_words_and_unseen_forms_change(truecaser):
    words = ["The", "CAT", "and", "THE", "us", ".", "Kyoto", "Unknown"]
    unchanged = words[3:]
    assert truecaser.apply(words) == ["the", "CAT", "and", *unchanged]
    assert truecaser.apply(words, unseen=True) == ["the", "cat", "and", *unchanged]
    assert truecaser.apply(["Us"]) == ["US"]
    assert truecaser.apply(["THE"]) == ["THE"]  # more than the beginning is in capital letters


def test_where_sentences_begin():
    words = ['"', "(", "the", '▁"', "cat", ".", '￭"', "it", "...", "3", ",", "&#124;", "x"]
    begin = [word for word, begins in zip(words, begins_sentence(words), strict=True) if begins]
    assert begin == ["the", "it", "3"]
    words = ["(", "he", ".", ")", "the", ".", ",", "it"]
    assert list(begins_sentence(words)) == [word == "he" for word in words]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the end . it is .", "The end . It is ."),
        ("iPhone", "iPhone"),
        ("http://a.b c", "http://a.b c"),
        ("￭the", "￭The"),
        ("well-known", "Well-known"),
        ("ß", "ß"),
        ("é", "É"),
        (". . .", ". . ."),
    ],
)
def test_sentences_begin_with_capital_letters(words, expected):
    assert capitalised(words.split()) == expected.split()


def test_there_and_back(truecaser):
    for sentence in ["The cat is in Kyoto .", "Us ."]:
        back = capitalised(truecaser.apply(sentence.split()))
        assert back == (sentence if sentence[0] == "T" else "US .").split()


def test_files(truecaser, tmp_path):
    path = tmp_path / "case.json"
    truecaser.save(path)
    assert Truecaser.load(path) == truecaser


@refusals(
    *((content, "case.json: is not a truecaser")
      for content in ("", "[]", '{"format": 0}', '{"format": 1, "words": [[]]}')),
)  # fmt: skip
def test_other_files_are_refused(write, content):
    Truecaser.load(write("case.json", content))
