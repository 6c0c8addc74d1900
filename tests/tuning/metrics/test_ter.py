"""TER against sacrebleu."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.ter import Ter
from hyperbaton.tuning.metrics.words import TextOptions
from tests.strategies import examples
from tests.tuning.metrics.translations import outputs, streams


def their_statistics(of, **options):
    return np.array(TER(**options)._extract_corpus_statistics(of.hypotheses, streams(of)))


@examples(2)
@given(outputs(), st.booleans())
def test_statistics_and_score_are_sacrebleus(of, lowercase):
    ours = Ter(TextOptions(lowercase=lowercase))
    expected = their_statistics(of, case_sensitive=not lowercase)
    np.testing.assert_array_equal(ours.statistics(of), expected)
    score = TER(case_sensitive=not lowercase).corpus_score(of.hypotheses, streams(of)).score
    assert ours.corpus_score(of) == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize(
    ("tokenize", "options"),
    [("13a", {"normalized": True}), ("zh", {"normalized": True, "asian_support": True})],
)
def test_normalisation_is_sacrebleus(tokenize, options):
    of = Outputs(
        ["&amp;lt; it's 1-2, ok.", "我们 abc。"],
        [["&lt; it's 1 - 2 , ok", "&amp;lt;"], ["我们abc 。"]],
    )
    expected = their_statistics(of, case_sensitive=True, **options)
    np.testing.assert_array_equal(Ter(TextOptions(tokenize)).statistics(of), expected)


@given(st.integers(0, 10**6), st.sampled_from([4, 12, 60]), st.integers(0, 25), st.integers(1, 3))
def test_moved_phrases_as_in_sacrebleu(seed, n_words, length, n_moves):
    draw = random.Random(seed)
    reference = [f"w{draw.randrange(n_words)}" for _ in range(length)]
    hypothesis = reference[:]
    for _ in range(n_moves):
        i, j, k = sorted(draw.choices(range(length + 1), k=3))
        hypothesis = hypothesis[:i] + hypothesis[j:k] + hypothesis[i:j] + hypothesis[k:]
    if hypothesis:
        hypothesis[draw.randrange(length)] = "x"
    of = Outputs([" ".join(hypothesis)], [[" ".join(reference)]])
    np.testing.assert_array_equal(Ter().statistics(of), their_statistics(of, case_sensitive=True))


@pytest.mark.parametrize(("n_hypothesis", "n_reference"), [(80, 70), (2, 130), (130, 2), (70, 1)])
def test_long_sentences_stay_in_the_same_band(n_hypothesis, n_reference):
    draw = random.Random(5)
    hypothesis = " ".join(draw.choices("abcdefghij", k=n_hypothesis))
    reference = " ".join(draw.choices("abcdefghij", k=n_reference))
    of = Outputs([hypothesis], [[reference]])
    np.testing.assert_array_equal(Ter().statistics(of), their_statistics(of, case_sensitive=True))


def test_by_hand():
    # one shift; one substitution; an insertion and a deletion
    hypotheses = ["d a b c", "a x c", "a b c"]
    references = [["a b c d"], ["a b c"], ["b c d"]]
    assert Ter().statistics(Outputs(hypotheses, references)).tolist() == [[1, 4], [1, 3], [2, 3]]
    assert Ter().corpus_score(Outputs(hypotheses, references)) == pytest.approx(100 * 4 / 10)


def test_perfect_and_empty():
    assert Ter().corpus_score(Outputs(["a b"], [["a b"]])) == 0
    assert Ter().corpus_score(Outputs([""], [["a b"]])) == 100
    assert Ter().corpus_score(Outputs(["a"], [[""]])) == 100
    assert Ter().corpus_score(Outputs([""], [[""]])) == 0


def test_ten_thousand_words():
    draw = random.Random(1)
    words = [str(draw.randrange(500)) for _ in range(10_000)]
    moved = words[20:40] + words[:20] + words[40:]
    of = Outputs([" ".join(moved)], [[" ".join(words)]])
    [[edits, length]] = Ter().statistics(of)
    assert length == 10_000
    assert 2 <= edits <= 40  # two shifts of ten words at best, insertions and deletions at worst


def test_signature_is_sacrebleus():
    theirs = TER(case_sensitive=True, normalized=True)
    theirs.corpus_score(["a"], [["a"]])
    assert Ter(TextOptions("13a")).signature == theirs.get_signature().format()
