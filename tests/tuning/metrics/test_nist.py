"""NIST against a slow twin of mteval-v13a's computation, and by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.nist import Nist
from hyperbaton.tuning.metrics.words import TextOptions
from tests.tuning.metrics.translations import outputs


def ngrams(line, n):
    words = line.split()
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def slow_nist(of):
    """Dictionaries of n-grams, one step after another."""
    counts = Counter()
    n_words = 0
    for group in of.references:
        for line in group:
            n_words += len(line.split())
            for n in range(1, 6):
                counts += ngrams(line, n)

    def information(ngram):
        above = counts[ngram[:-1]] if len(ngram) > 1 else n_words
        return math.log2(above / counts[ngram])

    gained, totals = Counter(), Counter()
    length = reference_length = 0
    for hypothesis, group in zip(of.hypotheses, of.references, strict=True):
        length += len(hypothesis.split())
        reference_length += sum(len(line.split()) for line in group) / len(group)
        for n in range(1, 6):
            most = Counter()
            for line in group:
                most |= ngrams(line, n)
            found = ngrams(hypothesis, n)
            totals[n] += found.total()
            gained[n] += sum(
                min(count, most[ngram]) * information(ngram)
                for ngram, count in found.items()
                if ngram in most
            )
    score = sum(gained[n] / max(totals[n], 1) for n in range(1, 6))
    if not length:
        return 0.0
    ratio = min(1.0, length / reference_length) if reference_length else 1.0
    beta = -math.log(0.5) / math.log(1.5) ** 2
    return score * math.exp(-beta * math.log(ratio) ** 2)


@given(outputs())
def test_equal_to_the_slow_twin(of):
    assert Nist(of.references).corpus_score(of) == pytest.approx(slow_nist(of))


def test_by_hand():
    # 4 words: info(a) = log2(4/2) = 1, info(b) = info(c) = 2, info(a b) = info(a c) = log2(2/1) = 1
    references = [["a b"], ["a c"]]
    metric = Nist(references)
    of = Outputs(["a b", "a x"], references)
    expected = [[2, 2, 3, 1, 0, 0, 0, 2, 1, 0, 0, 0], [2, 2, 1, 0, 0, 0, 0, 2, 1, 0, 0, 0]]
    np.testing.assert_allclose(metric.statistics(of), expected, atol=1e-12)
    assert metric.corpus_score(of) == pytest.approx((3 + 1) / 4 + 1 / 2)


def test_brevity_factor_is_a_half_at_two_thirds():
    references = [["a b c"]]
    metric = Nist(references)
    # two of two words match, each worth log2(3); b is certain after a, so a b is worth nothing
    assert metric.corpus_score(Outputs(["a b"], references)) == pytest.approx(math.log2(3) / 2)
    assert metric.corpus_score(Outputs(["a b c"], references)) == pytest.approx(math.log2(3))


def test_reference_length_is_the_mean():
    references = [["a b", "a b c d"]]
    statistics = Nist(references).statistics(Outputs(["a"], references))
    assert statistics[0, 1] == 3


def test_information_comes_from_the_references_at_construction_only():
    metric = Nist([["a b"], ["a c"]])
    # In these references, b is all there is, and d is not known to the metric
    of = Outputs(["b d"], [["b d"]])
    np.testing.assert_allclose(metric.statistics(of)[0, 2:7], [2, 0, 0, 0, 0])


@pytest.mark.parametrize("references", [[[""]], [["a"]], [["a b c d e f"]]])
def test_short_and_empty_sentences(references):
    metric = Nist(references)
    assert metric.corpus_score(Outputs([""], references)) == 0
    assert math.isfinite(metric.corpus_score(Outputs(["a"], references)))
    assert math.isfinite(metric.corpus_score(Outputs(["x"], references)))


def test_a_perfect_translation_is_best():
    references = [["the cat sat on the mat"], ["a dog barked at the cat"]]
    metric = Nist(references)
    perfect = metric.corpus_score(Outputs([group[0] for group in references], references))
    for worse in ("the cat sat on a mat", "the cat sat", "mat the on sat cat the"):
        of = Outputs([worse, references[1][0]], references)
        assert metric.corpus_score(of) < perfect


def test_signature_and_case():
    metric = Nist([["A a"]], TextOptions(lowercase=True))
    expected = "nrefs:1|case:lc|tok:none|order:5|info:references|like:mteval-v13a"
    assert metric.signature == expected
    assert metric.statistics(Outputs(["a A"], [["A a"]]))[0, 2] == 0  # two equal words: no surprise
