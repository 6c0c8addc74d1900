"""chrF against sacrebleu."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.chrf import Chrf
from hyperbaton.tuning.metrics.words import TextOptions
from tests.strategies import examples
from tests.tuning.metrics.translations import outputs, streams


@examples(2)
@given(outputs(), st.booleans(), st.sampled_from([0, 2]))
@example(Outputs(["(hi) 'a A, . b"], [["(hi ) a A. b", "hi A, b!"]]), False, 2)
def test_statistics_and_score_are_sacrebleus(of, lowercase, word_order):
    ours = Chrf(TextOptions(lowercase=lowercase), word_order=word_order)
    theirs = CHRF(lowercase=lowercase, word_order=word_order)
    expected = np.array(theirs._extract_corpus_statistics(of.hypotheses, streams(of)))
    np.testing.assert_array_equal(ours.statistics(of), expected)
    score = theirs.corpus_score(of.hypotheses, streams(of)).score
    assert ours.corpus_score(of) == pytest.approx(score, rel=1e-12)


def test_by_hand():
    # ab against abc: 2 of 2 and of 3 characters, 1 of 1 and of 2 pairs; no triple in ab
    precision, recall = (1 + 1) / 2, (2 / 3 + 1 / 2) / 2
    expected = 5 * precision * recall / (4 * precision + recall)
    assert Chrf().corpus_score(Outputs(["a b"], [["abc"]])) == pytest.approx(100 * expected)


def test_words_by_hand():
    # a b against a c: 1 of 2 characters, no pair; 1 of 2 words, no pair of them
    assert Chrf(word_order=2).corpus_score(Outputs(["a b"], [["a c"]])) == pytest.approx(25)
    assert Chrf(word_order=2).name == "chrF++"


def test_perfect_and_empty():
    assert Chrf().corpus_score(Outputs(["ab cd"], [["abcd"]])) == pytest.approx(100)
    assert Chrf().corpus_score(Outputs([""], [["a b"]])) == 0
    assert Chrf().corpus_score(Outputs([""], [[""]])) == 0


def test_characters_beyond_sixteen_bits():
    of = Outputs(["𝄞𝄞 書"], [["𝄞書"]])
    theirs = CHRF().corpus_score(of.hypotheses, streams(of)).score
    assert Chrf().corpus_score(of) == pytest.approx(theirs)


@pytest.mark.parametrize("word_order", [0, 2])
def test_signature_is_sacrebleus(word_order):
    theirs = CHRF(lowercase=True, word_order=word_order)
    theirs.corpus_score(["a"], [["a"]])
    ours = Chrf(TextOptions(lowercase=True), word_order=word_order)
    assert ours.signature == theirs.get_signature().format()
