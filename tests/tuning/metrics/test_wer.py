"""WER and PER against slow twins."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.wer import Per, Wer
from hyperbaton.tuning.metrics.words import TextOptions
from tests.tuning.metrics.translations import outputs


def slow_distance(hypothesis, reference):
    """The definition by recursion."""

    @cache
    def distance(i, j):
        if not i or not j:
            return i + j
        differ = hypothesis[i - 1] != reference[j - 1]
        return min(distance(i - 1, j - 1) + differ, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(hypothesis), len(reference))


def slow_bag_distance(hypothesis, reference):
    common = (Counter(hypothesis) & Counter(reference)).total()
    return max(len(hypothesis), len(reference)) - common


@pytest.mark.parametrize(("metric", "slow"), [(Wer(), slow_distance), (Per(), slow_bag_distance)])
@given(of=outputs())
def test_fewest_errors_of_the_references(metric, slow, of):
    expected = []
    for hypothesis, group in zip(of.hypotheses, of.references, strict=True):
        words = [line.split() for line in group]
        errors = [(slow(hypothesis.split(), reference), -len(reference)) for reference in words]
        fewest, length = min(errors)
        expected.append([fewest, -length])
    assert metric.statistics(of).tolist() == expected


def test_by_hand():
    of = Outputs(["d a b c", "a b"], [["a b c d"], ["x x", "a b c d"]])
    # delete d, insert d: 2 of 4; a and b against the second reference: 2 of 4, too
    assert Wer().statistics(of).tolist() == [[2, 4], [2, 4]]
    assert Wer().corpus_score(of) == pytest.approx(50)
    # the same words; two of four missing
    assert Per().statistics(of).tolist() == [[0, 4], [2, 4]]
    assert Per().corpus_score(of) == pytest.approx(25)


def test_rates_may_exceed_a_hundred_percent():
    assert Wer().corpus_score(Outputs(["x y z"], [["a"]])) == pytest.approx(300)
    assert Per().corpus_score(Outputs(["x y z"], [["a"]])) == pytest.approx(300)


@pytest.mark.parametrize("metric", [Wer(), Per()])
def test_perfect_and_empty(metric):
    assert not metric.higher_is_better
    assert metric.corpus_score(Outputs(["a b"], [["b a", "a b"]])) == 0
    assert metric.corpus_score(Outputs([""], [["a b"]])) == 100
    assert metric.corpus_score(Outputs(["a"], [[""]])) == 100
    assert metric.corpus_score(Outputs([""], [[""]])) == 0


def test_ten_thousand_words():
    words = [str(number) for number in range(10_000)]
    of = Outputs([" ".join(words[5:])], [[" ".join(words)]])
    np.testing.assert_array_equal(Wer().statistics(of), [[5, 10_000]])


def test_case_and_signature():
    of = Outputs(["A b"], [["a b"]])
    assert Wer().corpus_score(of) == 50
    metric = Wer(TextOptions("13a", lowercase=True, n_references=-1))
    assert metric.corpus_score(of) == 0
    assert metric.signature == "nrefs:var|case:lc|tok:13a|reference:closest"
