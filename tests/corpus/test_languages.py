"""What is known of languages."""

import pytest

from hyperbaton.corpus.languages import (
    EAST_ASIAN,
    SCRIPTS,
    TEXT_CONVENTIONS,
    UNSPACED,
    is_same_language,
    primary,
    script_of,
    share_of_scripts,
    size,
)
from hyperbaton.corpus.raw_text.pipeline import TextPipeline


@pytest.mark.parametrize(
    ("letter", "script"),
    [("あ", "HIRAGANA"), ("ア", "KATAKANA"), ("ｱ", "KATAKANA"), ("ー", "KATAKANA"), ("本", "CJK"),
     ("々", "CJK"), ("é", "LATIN"), ("Ａ", "LATIN"), ("ж", "CYRILLIC"), ("한", "HANGUL")],
)  # fmt: skip
def test_scripts_of_letters(letter, script):
    assert script_of(letter) == script


def test_shares_sizes_and_codes():
    assert share_of_scripts("aбв1", frozenset({"CYRILLIC"})) == pytest.approx(2 / 3)
    assert (size("ab c", "zh-Hant"), size("ab c", "en")) == (1.5, 2)
    assert [is_same_language(code, "en") for code in ("EN", "en-GB", "en_US", "eng", "")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_all_lists_are_about_the_same_languages():
    assert set(TEXT_CONVENTIONS) | UNSPACED | EAST_ASIAN <= set(SCRIPTS)


def test_a_region_is_no_other_language():
    assert (primary("pt-BR"), primary("zh_TW"), primary("EN")) == ("pt", "zh", "en")
    assert TextPipeline.of("pt-BR") == TextPipeline.of("pt")
