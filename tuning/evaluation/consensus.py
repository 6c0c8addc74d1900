"""Minimum Bayes risk: chooses the translation of a list that is most similar to the others.

The list approximates the distribution of the system: translation e has the probability

    P(e) ∝ Σ exp(scale · score) over its derivations

and the one with the highest expected gain Σ P(e') BLEU(e, e') is chosen (Kumar and Byrne 2004). The
gain is sentence BLEU with reference e', with one added to the matches of longer n-grams (Lin and
Och 2004). The lists of several systems have equal shares of the probability.

A search lattice has too many translations to compare in pairs. There the gain is linear (Tromble et
al. 2008): a word costs 1, and every n-gram w of the translation gains

    P(w) / (4 p r^(n−1))      P(w): probability that a translation contains w

where p is the unigram precision, which decreases by the factor r with each order.
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

PRECISION, RATIO = 0.8, 0.6  # p and r, the defaults of Moses


class Scored(NamedTuple):
    """A list of translations with the scores of their derivations."""

    texts: Sequence[str]
    scores: FloatArray


class Expected(NamedTuple):
    """The distinct translations of some lists, in order of first occurrence."""

    texts: list[str]
    probability: FloatArray
    gain: FloatArray

    @property
    def best(self) -> int:
        """The translation with the highest gain, the first among equals."""
        return int(np.argmax(self.gain))


def expected_gains(lists: Sequence[Scored], scale: float) -> Expected:
    """Expected gains from non-empty lists, one per system."""
    [expected] = gains_by_scale(lists, [scale])
    return expected


def gains_by_scale(lists: Sequence[Scored], scales: Iterable[float]) -> list[Expected]:
    """The same for several scales; translations are compared only once."""
    number: dict[str, int] = {}
    rows = [[number.setdefault(text, len(number)) for text in scored.texts] for scored in lists]
    texts = list(number)
    gain = gains(texts)
    by_scale = []
    for scale in scales:
        probability = np.zeros(len(texts))
        for of_list, (_, scores) in zip(rows, lists, strict=True):
            likely = np.exp(scale * (scores - scores.max()))
            np.add.at(probability, of_list, likely / likely.sum() / len(lists))
        by_scale.append(Expected(texts, probability, gain @ probability))
    return by_scale


def size_of_weights(weights: Mapping[str, float]) -> float:
    """The sum of absolute weights. Dividing a scale by it makes the scale independent of the size
    of the weights."""
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
    """BLEU+1 of each text with each text as reference, (n, n)."""
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
    """Clipped n-gram matches of each text with each, (n, n, order)."""
    n, order = len(offsets) - 1, len(ids)
    matches = np.zeros((n, n, order), np.int32)
    left = np.zeros(n_ids, np.int32)  # unmatched n-grams of the reference
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
