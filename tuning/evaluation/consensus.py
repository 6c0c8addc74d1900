"""Minimum Bayes risk: of a list, the translation that is most like all the others.

The list stands for what the system believes: translation e has the probability

    P(e) ∝ Σ exp(scale · score) over its derivations

and the one with the highest expected gain Σ P(e') BLEU(e, e') is chosen (Kumar and Byrne 2004). The
gain is BLEU of single sentences with one added to the matches of longer n-grams (Lin and Och 2004),
e' being the reference. Of several systems, each list has the same share of the probability.

A search lattice holds more translations than can be compared with each other. There the gain is
linear (Tromble et al. 2008): a word costs 1, and every n-gram w of the translation is worth

    P(w) / (4 p r^(n−1))      P(w): how likely a translation has it

with a precision p of words, which falls by r from order to order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.trie import number_spans
from hyperbaton.tuning.evaluation.lattice_ngrams import ngram_lattice
from hyperbaton.tuning.metrics.bleu import ORDER, Bleu
from hyperbaton.tuning.metrics.ngram_matches import ngram_totals
from hyperbaton.tuning.metrics.words import number_lines

PRECISION, RATIO = 0.8, 0.6  # p and r, as Moses has them by default


class Scored(NamedTuple):
    """A list of translations with the scores of their derivations."""

    texts: Sequence[str]
    scores: FloatArray


class Expected(NamedTuple):
    """The distinct translations of some lists, in the order of their first appearance."""

    texts: list[str]
    probability: FloatArray
    gain: FloatArray

    @property
    def best(self) -> int:
        """Of equal ones the first."""
        return int(np.argmax(self.gain))


def expected_gains(lists: Sequence[Scored], scale: float) -> Expected:
    """For lists that are not empty; one from each system."""
    [found] = gains_by_scale(lists, [scale])
    return found


def gains_by_scale(lists: Sequence[Scored], scales: Iterable[float]) -> list[Expected]:
    """The same for several scales; translations are compared only once."""
    number: dict[str, int] = {}
    rows = [[number.setdefault(text, len(number)) for text in one.texts] for one in lists]
    texts = list(number)
    gain = gains(texts)
    found = []
    for scale in scales:
        probability = np.zeros(len(texts))
        for own, (_, scores) in zip(rows, lists, strict=True):
            likely = np.exp(scale * (scores - scores.max()))
            np.add.at(probability, own, likely / likely.sum() / len(lists))
        found.append(Expected(texts, probability, gain @ probability))
    return found


def size_of_weights(weights: Mapping[str, float]) -> float:
    """The sum of their absolute values, by which scales are divided: so they mean the same
    whatever the weights are multiplied by."""
    tuned = (weight for name, weight in weights.items() if name != "unknown")
    return sum(map(abs, tuned)) or 1.0


def lattice_consensus(decoded: Decoded, scale: float) -> Decoded:
    """The translation in a search lattice with the highest expected linear gain."""
    lattice = ngram_lattice(decoded)
    if lattice is None:
        return decoded
    worth = lattice.probabilities(scale) / (ORDER * PRECISION * RATIO ** (lattice.order - 1.0))
    return lattice.best(-1.0, worth)


def gains(texts: Sequence[str]) -> FloatArray:
    """BLEU+1 of each text against each as its reference, (n, n)."""
    ragged = number_lines(iter(texts), defaultdict(count().__next__))
    lengths, spans = ragged.lengths, number_spans(ragged, ORDER)
    matches = _matches(spans.ids, ragged.offsets, len(spans.length))
    n = len(texts)
    totals = np.repeat(ngram_totals(lengths, ORDER), n, axis=0)
    columns = np.repeat(lengths, n), np.tile(lengths, n), matches.reshape(n * n, ORDER), totals
    statistics = np.column_stack(columns).astype(np.float64)
    return Bleu().smooth_sentence_scores(statistics).reshape(n, n)


@kernel
def _matches(ids, offsets, n_ids):
    """N-grams of each text that are in each other one, clipped, (n, n, order)."""
    n, order = len(offsets) - 1, len(ids)
    matches = np.zeros((n, n, order), np.int32)
    left = np.zeros(n_ids, np.int32)  # n-grams of the reference that are not yet matched
    for reference in range(n):
        for hypothesis in range(n):
            for length in range(order):
                for at in range(offsets[reference], offsets[reference + 1] - length):
                    left[ids[length, at]] += 1
                for at in range(offsets[hypothesis], offsets[hypothesis + 1] - length):
                    if left[ids[length, at]] > 0:
                        left[ids[length, at]] -= 1
                        matches[hypothesis, reference, length] += 1
                for at in range(offsets[reference], offsets[reference + 1] - length):
                    left[ids[length, at]] = 0
    return matches
