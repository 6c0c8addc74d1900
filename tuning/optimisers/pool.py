"""The pool: merged n-best lists of a development set as flat arrays.

Each hypothesis is a row of feature values and a row of metric statistics; the hypotheses of a
sentence are adjacent. Two hypotheses of a sentence are equal if their words and feature values are:
they have the same 64-bit key, and only the first is kept. Old hypotheses keep their order, and new
ones follow in the order of their list, so merging is deterministic, and merging the same list again
changes nothing.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array, Ragged
from hyperbaton.foundation.hashing import GOLDEN, mixed
from hyperbaton.foundation.kernels import kernel
from hyperbaton.tuning.metrics.base import Metric

KeyArray: TypeAlias = NDArray[np.uint64]
DECIMALS = 6  # values are compared to this precision: sums depend on their order
_COLUMN = np.uint64(0xC2B2AE3D27D4EB4F)


@dataclass(frozen=True, eq=False)
class Pool:
    """H hypotheses of n sentences; those of sentence i are `offsets[i]` to `offsets[i + 1]`."""

    features: FloatArray  # (H, features)
    statistics: FloatArray  # (H, statistics)
    keys: KeyArray  # (H,)
    offsets: Int64Array  # (n + 1,)

    def __len__(self) -> int:
        """The number of hypotheses."""
        return len(self.keys)

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @property
    def sentence_of(self) -> Int64Array:
        return _sentences(self.offsets)

    @classmethod
    def empty(cls, n_sentences: int, n_features: int, n_statistics: int) -> "Pool":
        return cls(
            np.zeros((0, n_features)),
            np.zeros((0, n_statistics)),
            np.zeros(0, np.uint64),
            np.zeros(n_sentences + 1, np.int64),
        )

    def part(self, sentences: Int64Array) -> "Pool":
        counts = np.diff(self.offsets)[sentences]
        rows = Ragged.gather(np.arange(len(self)), self.offsets[sentences], counts)
        at = rows.values
        return Pool(self.features[at], self.statistics[at], self.keys[at], rows.offsets)

    def first_of_each(self, keys: KeyArray, offsets: Int64Array) -> tuple[BoolArray, Int64Array]:
        """Which hypotheses are new, and for each the first row with its key; their rows are
        numbered after those of this pool."""
        sentence = np.concatenate([self.sentence_of, _sentences(offsets)])
        order = np.lexsort((np.concatenate([self.keys, keys]), sentence))  # stable
        sorted_keys = np.concatenate([self.keys, keys])[order]
        begins = np.ones(len(order), dtype=bool)
        begins[1:] = (np.diff(sentence[order]) != 0) | (sorted_keys[1:] != sorted_keys[:-1])
        first = np.empty(len(order), np.int64)
        first[order] = order[begins][np.cumsum(begins) - 1]
        is_new = first == np.arange(len(order))
        return is_new[len(self) :], first[len(self) :]

    def merge(self, other: "Pool") -> "Pool":
        """This pool with the new hypotheses of another one for the same sentences."""
        is_new, _ = self.first_of_each(other.keys, other.offsets)
        rows = np.flatnonzero(is_new)
        sentence = np.concatenate([self.sentence_of, other.sentence_of[rows]])
        order = np.argsort(sentence, kind="stable")
        return Pool(
            np.concatenate([self.features, other.features[rows]])[order],
            np.concatenate([self.statistics, other.statistics[rows]])[order],
            np.concatenate([self.keys, other.keys[rows]])[order],
            np.searchsorted(sentence[order], np.arange(self.n_sentences + 1)),
        )

    def best_rows(self, weights: FloatArray) -> Int64Array:
        """The best hypothesis of every sentence under the weights, the first among equals."""
        rows: Int64Array = best_of_each(self.features @ weights, self.offsets)
        return rows

    def score(self, metric: Metric, weights: FloatArray) -> float:
        return float(metric.score(self.statistics[self.best_rows(weights)].sum(axis=0)))

    def deviations(self) -> FloatArray:
        """The standard deviation of each feature among the hypotheses of a sentence, (features,).

        0 if it never varies: such a feature cannot change which hypothesis is best.
        """
        if not len(self):
            return np.zeros(self.features.shape[1])
        starts = self.offsets[:-1][self.sentence_of]
        differences = self.features - self.features[starts]  # exactly 0 if nothing varies
        totals = np.concatenate([np.zeros((1, differences.shape[1])), differences.cumsum(axis=0)])
        counts = np.maximum(np.diff(self.offsets), 1)
        means = (totals[self.offsets[1:]] - totals[self.offsets[:-1]]) / counts[:, None]
        squares = ((differences - means[self.sentence_of]) ** 2).sum(axis=0)
        deviations: FloatArray = np.sqrt(squares / len(self))
        varies = np.abs(differences).max(axis=0) > 10.0**-DECIMALS
        return np.where(varies, deviations, 0.0)


@dataclass(frozen=True, eq=False)
class ScaledPool:
    """The pool as optimisers see it: T tuned features, scaled to unit deviation.

    Feature values are divided by their deviation among the hypotheses of a sentence, and weights
    multiplied by it. Then a step of one means as much for a language model score in the hundreds as
    for a rare orientation, and random points and directions need no ranges per feature. Features
    with fixed weights and features that never vary contribute a constant to the score.
    """

    features: FloatArray  # (T, H), so that the values of a feature are adjacent
    constant: FloatArray  # (H,) contribution of the other features to the score
    pool: Pool
    columns: Int64Array  # (T,) columns of the tuned features
    deviations: FloatArray  # (T,)
    others: FloatArray  # (features,) weights of the other features, 0 for the tuned ones

    def point(self, weights: FloatArray) -> FloatArray:
        """Converts weights to a point of the scaled space, (T,)."""
        point: FloatArray = weights[self.columns] * self.deviations
        return point

    def weights(self, point: FloatArray) -> FloatArray:
        """Converts a point to weights, (features,)."""
        weights = self.others.copy()
        weights[self.columns] = point / self.deviations
        return weights

    def scores(self, point: FloatArray) -> FloatArray:
        """Model scores of all hypotheses, (H,)."""
        scores: FloatArray = _weighted_sum(self.constant, point, self.features)
        return scores

    def best_sums(self, point: FloatArray) -> FloatArray:
        """The summed statistics of the best hypotheses, (statistics,)."""
        rows = best_of_each(self.scores(point), self.pool.offsets)
        sums: FloatArray = self.pool.statistics[rows].sum(axis=0)
        return sums


def scale_pool(pool: Pool, weights: FloatArray, tuned: BoolArray) -> ScaledPool:
    """Scales a pool; features that are not `tuned` keep their weights."""
    deviations = pool.deviations()
    columns = np.flatnonzero(tuned & (deviations > 0))
    others = weights.copy()
    others[columns] = 0.0
    features = np.ascontiguousarray(pool.features.T[columns] / deviations[columns, None])
    return ScaledPool(features, pool.features @ others, pool, columns, deviations[columns], others)


def word_keys(words: Ragged) -> KeyArray:
    within = np.arange(len(words.values)) - np.repeat(words.offsets[:-1], words.lengths)
    bits = mixed(words.values.astype(np.uint64) + within.astype(np.uint64) * GOLDEN)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(bits)])
    keys: KeyArray = mixed(sums[words.offsets[1:]] - sums[words.offsets[:-1]])
    return keys


def hypothesis_keys(words: KeyArray, features: FloatArray) -> KeyArray:
    # Adding 0 turns −0 into 0
    bits = (np.round(features, DECIMALS) + 0.0).view(np.uint64)
    columns = np.arange(1, features.shape[1] + 1).astype(np.uint64) * _COLUMN
    keys: KeyArray = mixed(mixed(bits + columns).sum(axis=1, dtype=np.uint64) ^ words)
    return keys


def _sentences(offsets: Int64Array) -> Int64Array:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


@kernel
def best_of_each(scores, offsets):
    """The row with the highest score between offsets, the first among equals."""
    best = np.empty(len(offsets) - 1, np.int64)
    for sentence in range(len(best)):
        row = offsets[sentence]
        for other in range(row + 1, offsets[sentence + 1]):
            if scores[other] > scores[row]:
                row = other
        best[sentence] = row
    return best


# Faster than a BLAS product, whose threads wait for memory and for one another
@kernel
def _weighted_sum(constant, weights, rows):
    """`constant` + Σ weight · row."""
    total = constant.copy()
    for k in range(len(weights)):
        for at in range(len(total)):
            total[at] += weights[k] * rows[k, at]
    return total
