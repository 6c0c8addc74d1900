"""NIST (Doddington 2002), as the program mteval-v13a computes it, with n-grams of up to 5 words.

    info(w1..wn) = log2( count(w1..wn−1) / count(w1..wn) )     counted in all references
    score = BF · Σ_n ( Σ_matches info / number of n-grams in the hypotheses )
    BF = exp( −β · log²( min(1, L_hyp / L_ref) ) ),  β such that BF = 1/2 at L_hyp / L_ref = 2/3

Matches are clipped as in BLEU; L_ref is the sum over sentences of the mean length of their
references. The count of the empty n-gram is the number of words. A sentence shorter than n simply
has no n-grams of that length.

mteval's tokenisation is not implemented: text is used as it is, or tokenised by one of sacrebleu's
tokenisers.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.tuning.metrics.ngram_matches import clipped_matches, ngram_totals
from hyperbaton.tuning.metrics.words import Batch, TextOptions, WordMetric, number_lines

ORDER = 5
HALF_AT = 2 / 3  # the length ratio at which the brevity factor is 1/2
BETA = np.log(2) / np.log(HALF_AT) ** 2


class Level(NamedTuple):
    """The reference n-grams of one length: (number of the prefix) · (vocabulary) + last word."""

    keys: Int64Array  # ascending
    info: FloatArray


class Nist(WordMetric):
    """Statistics: hypothesis length, mean reference length, 5 sums of info, 5 totals.

    The weights of n-grams come from `references`, whatever is scored with them.
    """

    name = "NIST"
    n_statistics = 2 + 2 * ORDER
    scale = 1.0  # the best possible score depends on the references

    def __init__(
        self, references: Sequence[Sequence[str]], options: TextOptions = TextOptions()
    ) -> None:
        super().__init__(options)
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        rows = number_lines(map(self._preprocess, chain.from_iterable(references)), numbers)
        self._numbers = dict(numbers)
        self._levels = _information(rows, len(numbers))

    @property
    def signature(self) -> str:
        return f"{self.options.signature}|order:{ORDER}|info:references|like:mteval-v13a"

    def count(self, batch: Batch) -> FloatArray:
        lengths = batch.hypotheses.lengths
        return np.column_stack(
            [
                lengths,
                batch.mean_reference_lengths,
                clipped_matches(batch, ORDER, self._weights(batch)),
                ngram_totals(lengths, ORDER),
            ]
        )

    def _weights(self, batch: Batch) -> FloatArray:
        """The information of the n-gram that begins at each hypothesis word, 0 if unknown."""
        known = np.array([self._numbers.get(word, -1) for word in batch.words], dtype=np.int32)
        words = known[batch.hypotheses.values]
        weights = np.zeros((ORDER, len(words)))
        prefix = np.zeros(len(words), np.int64)
        for k, level in enumerate(self._levels):
            keys, valid = _keys(batch.hypotheses, words, prefix, k, len(self._numbers))
            place = np.searchsorted(level.keys, keys)
            place[place == len(level.keys)] = 0
            found = valid & (level.keys[place] == keys) if len(level.keys) else valid & False
            weights[k, found] = level.info[place[found]]
            prefix = np.where(found, place, -1)
        return weights

    def score(self, sums: FloatArray) -> FloatArray:
        length, reference = sums[..., 0], sums[..., 1]
        information, totals = sums[..., 2 : 2 + ORDER], sums[..., 2 + ORDER :]
        ratio = np.minimum(1.0, length / np.where(reference > 0, reference, 1.0))
        factor = np.exp(-BETA * np.log(np.where(ratio > 0, ratio, 1.0)) ** 2)
        result = (information / np.maximum(totals, 1)).sum(axis=-1) * factor
        return np.where(length > 0, result, 0.0)


def _information(rows: Ragged, n_words: int) -> list[Level]:
    levels = []
    prefix = np.zeros(len(rows.values), np.int64)
    prefix_counts = np.array([len(rows.values)])
    for k in range(ORDER):
        keys, valid = _keys(rows, rows.values, prefix, k, n_words)
        distinct, place, counts = np.unique(keys[valid], return_inverse=True, return_counts=True)
        above = prefix_counts[distinct // max(n_words, 1)]
        levels.append(Level(distinct, np.log2(above / counts)))
        prefix = np.full(len(rows.values), -1)
        prefix[valid] = place
        prefix_counts = counts
    return levels


def _keys(
    rows: Ragged, words: Int32Array, prefix: Int64Array, k: int, n_words: int
) -> tuple[Int64Array, np.ndarray]:
    """The key of the n-gram of k + 1 words at each position, and whether it exists."""
    last = np.arange(len(words)) + k
    inside = last < np.repeat(rows.offsets[1:], rows.lengths)
    word = words[np.where(inside, last, 0)].astype(np.int64) if len(words) else last
    valid = inside & (prefix >= 0) & (word >= 0)
    return prefix * n_words + word, valid
