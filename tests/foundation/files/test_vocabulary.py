import pytest
from hypothesis import given

from hyperbaton.foundation.errors import BadLine
from hyperbaton.foundation.files.vocabulary import (
    BEGIN,
    END,
    SPECIAL,
    UNKNOWN,
    Vocabulary,
    check_words,
)
from tests.refusals import refused
from tests.strategies import sentences


def test_special_symbols_have_constant_ids():
    assert Vocabulary().encode(SPECIAL).tolist() == [UNKNOWN, BEGIN, END] == [0, 1, 2]


def test_looking_up_never_adds():
    vocabulary = Vocabulary(["a"])
    assert vocabulary.encode(["b", "a"]).tolist() == [UNKNOWN, 3]
    assert "b" not in vocabulary
    assert len(vocabulary) == 4


@given(sentences)
def test_ids_are_numbers_in_order_of_first_appearance(words):
    vocabulary = Vocabulary()
    ids = vocabulary.extend(words)
    assert vocabulary.decode(ids) == words
    assert list(vocabulary.words[3:]) == list(dict.fromkeys(words))
    assert Vocabulary.from_list(vocabulary.words) == vocabulary


@pytest.mark.parametrize("words", [["a"], [*SPECIAL, "a", "a"], []])
def test_a_list_that_is_no_vocabulary_is_refused(words):
    with pytest.raises(ValueError, match="<unk> <s> </s> first, no repetitions"):
        Vocabulary.from_list(words)


@pytest.mark.parametrize(
    ("word", "kind", "facts"),
    [
        ("<s>", "reserved word", "<s> … language models … escape it"),
        ("<UNK>", "reserved word", "<UNK> … language models"),
        ("|||", "reserved word", "||| … phrase tables … &#124;&#124;"),
        ("a\rb", "control character", "U+000D … remove"),
        ("\x00", "control character", "U+0000"),
    ],
)
def test_words_that_files_cannot_hold_are_refused(word, kind, facts):
    assert refused(facts, lambda: check_words(["good", word]), BadLine).kind == kind


def test_other_odd_words_are_words():
    check_words(["<unk>s", "a|b", "||", "\u3000", "\x7f", "\u0085", "\u2028"])
