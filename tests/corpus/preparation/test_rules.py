"""What is dropped, rule by rule, worked out by hand."""

import pytest

from hyperbaton.corpus.preparation.rules import EMPTY, LONG, RATIO, SAME, SCRIPT, Rules, cleaned
from hyperbaton.foundation.errors import SettingError
from tests.refusals import refusals


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        ("これは本です。", "This is a book.", ""),
        ("", "This is a book.", EMPTY),
        ("これは本です。", "", EMPTY),
        ("これは" * 4, "one two three four five six", ""),  # 12 characters are 6 words
        ("これは" * 4 + "。", "one two three four five six", LONG),
        ("これは本", "one two three four five six seven", LONG),
        ("これ", "one two three", ""),  # 1 word to 3
        ("これ", "one two three four", RATIO),
        ("これは本です。。", "one", RATIO),  # 4 words to 1
        ("これは本です", "これは本です", SAME),
        ("kore wa hon", "This is a book.", SCRIPT),
        ("これは本です。", "Это книга", SCRIPT),
        ("iPhoneを買う", "I buy it", ""),  # 3 of 9 letters
        ("iPhonesを買う", "I buy it", SCRIPT),  # 3 of 10
        ("2024", "in 2024", ""),  # no letters, no script
        ("ーー々", "so it is", ""),
    ],
)
def test_japanese_and_english(source, target, why):
    rules = Rules("ja", "en", max_words=6, ratio=3, script=0.33)
    assert rules.fault(source, target) == why


def test_rules_that_are_switched_off():
    rules = Rules("ja", "en", max_words=0, ratio=0, script=0)
    assert rules.fault("a", "b " * 1000) == ""
    assert Rules("xx", "en").fault("これは本です", "a b c") == ""  # nobody knows its script


def test_rules_with_spaces_on_both_sides():
    rules = Rules("de", "fr", max_words=3, ratio=2)
    assert rules.fault("eins zwei drei", "un deux") == ""
    assert rules.fault("eins zwei drei vier", "un deux trois") == LONG
    assert rules.fault("eins zwei drei", "un") == RATIO


@refusals(
    ({"max_words": -1}, "--max-words is -1"),
    ({"ratio": 0.5}, "--ratio is 0.5 … at least 1, or 0"),
    ({"ratio": float("nan")}, "--ratio is nan"),
    ({"script": 1.5}, "--script is 1.5 … from 0 to 1"),
    error=SettingError,
)
def test_impossible_rules(change):
    Rules("ja", "en", **change).check()


def test_lines_are_cleaned():
    assert cleaned(" a\t b\u3000c\u2028\x00d\ufeff\x85e\x1f ") == "a b c d e"
    assert cleaned("\x01\n") == ""


def test_a_script_can_be_part_of_the_code():
    assert Rules("sr-Latn", "en").fault("dobar dan", "good day") == ""
    assert Rules("sr", "en").fault("dobar dan", "good day") == SCRIPT
