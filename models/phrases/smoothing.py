"""φ(e|f) and φ(f|e) from counts: plain, or smoothed (Foster, Kuhn and Johnson 2006)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import SettingError, nearest

MOST_COUNTED = 12  # the last class of counts of counts: this count or more
SEEN = 3  # classes of counts: once, twice, more often


class PairCounts(NamedTuple):
    """Counts of phrase pairs, of their phrases, and of the pairs that share a phrase."""

    pair: Int32Array  # (n,) c(f, e)
    source: Int32Array  # (n,) c(f)
    target: Int32Array  # (n,) c(e)
    source_seen: Int32Array  # (n, SEEN) number of pairs of f, by count
    target_seen: Int32Array  # (n, SEEN) number of pairs of e, by count
    of_counts: Int64Array  # (MOST_COUNTED + 1,) counts of counts of the whole table


def translation_probabilities(counts: PairCounts, smoothing: str) -> tuple[FloatArray, FloatArray]:
    """φ(e|f) and φ(f|e)."""
    check_smoothing(smoothing)
    return SMOOTHINGS[smoothing](counts)


def check_smoothing(name: str) -> None:
    if name not in SMOOTHINGS:
        raise SettingError(f"unknown smoothing {name!r}", expected=nearest(name, list(SMOOTHINGS)))


def counts_of_counts(count: Int32Array) -> Int64Array:
    return np.bincount(np.minimum(count, MOST_COUNTED), minlength=MOST_COUNTED + 1)


def pairs_by_count(phrase: Int64Array, count: Int32Array, n_phrases: int) -> Int32Array:
    """The number of pairs of each phrase seen once, twice, more often: (n_phrases, SEEN)."""
    keys = phrase * SEEN + np.minimum(count, SEEN) - 1
    seen = np.bincount(keys, minlength=n_phrases * SEEN).astype(np.int32)
    return seen.reshape(n_phrases, SEEN)


def relative_frequency(counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    return counts.pair / counts.source, counts.pair / counts.target


def good_turing(counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """Multiplies counts by (c + 1) n(c + 1) / (c n(c)), which must neither decrease nor exceed 1;
    as in Moses, the discounted mass is not redistributed. Counts above 10 do not change."""
    n = counts.of_counts.astype(float)
    c = np.arange(1, 11)
    factor = np.minimum(1.0, (c + 1) / c * (n[c + 1] + 0.1) / (n[c] + 0.1))
    factor = np.maximum.accumulate(np.concatenate([[0.01], factor]))
    discounted = counts.pair * np.append(factor, 1.0)[np.minimum(counts.pair, 11)]
    return discounted / counts.source, discounted / counts.target


def kneser_ney(counts: PairCounts) -> tuple[FloatArray, FloatArray]:
    """Modified Kneser-Ney: the mass discounted from the pairs of f by D1, D2, D3+ (Chen and Goodman
    1998) is distributed by p_b(e) = distinct partners of e / distinct pairs, over all e. Each e
    that occurs with f gets its share; the rest is lost to pairs that are not in the table."""
    discount = _discounts(counts.of_counts.astype(float))
    left = counts.pair - discount[np.minimum(counts.pair, SEEN)]
    n_pairs = counts.of_counts.sum()

    def backed_off(total: Int32Array, seen: Int32Array, other_seen: Int32Array) -> FloatArray:
        mass = seen @ discount[1:] / total
        probabilities: FloatArray = left / total + mass * (other_seen.sum(axis=1) / n_pairs)
        return probabilities

    return (
        backed_off(counts.source, counts.source_seen, counts.target_seen),
        backed_off(counts.target, counts.target_seen, counts.source_seen),
    )


def _discounts(n: FloatArray) -> FloatArray:
    """D for counts 0, 1, 2 and 3 or more; 0.5 · c if a tiny table leaves them undefined."""
    discount = np.array([0.0, 0.5, 1.0, 1.5])
    if np.all(n[1:5] > 0):
        y = n[1] / (n[1] + 2 * n[2])
        c = np.arange(1, 4)
        discount[1:] = np.clip(c - (c + 1) * y * n[c + 1] / n[c], 0.0, c - 0.1)
    return discount


SMOOTHINGS: dict[str, Callable[[PairCounts], tuple[FloatArray, FloatArray]]] = {
    "none": relative_frequency,
    "good-turing": good_turing,
    "kneser-ney": kneser_ney,
}
