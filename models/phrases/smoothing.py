"""φ(e|f) and φ(f|e) from counts: plain, or smoothed (Foster, Kuhn and Johnson 2006)."""

from collections.abc import Callable

import numpy as np

from models.arrays import FloatArray, Int32Array, Int64Array
from models.errors import SettingError, nearest
from models.phrases.scoring import PhrasePairs


def translation_probabilities(pairs: PhrasePairs, smoothing: str) -> tuple[FloatArray, FloatArray]:
    """φ(e|f) and φ(f|e)."""
    check_smoothing(smoothing)
    return SMOOTHINGS[smoothing](pairs)


def check_smoothing(name: str) -> None:
    if name not in SMOOTHINGS:
        raise SettingError(
            f"there is no smoothing {name!r}", expected=nearest(name, list(SMOOTHINGS))
        )


def relative_frequency(pairs: PhrasePairs) -> tuple[FloatArray, FloatArray]:
    return pairs.count / pairs.source_count, pairs.count / pairs.target_count


def good_turing(pairs: PhrasePairs) -> tuple[FloatArray, FloatArray]:
    """Counts are multiplied by (c + 1) n(c + 1) / (c n(c)), which must neither fall nor exceed 1;
    the mass saved stays unused, as in Moses. Counts above 10 are trusted."""
    n = np.bincount(pairs.count, minlength=12).astype(float)
    c = np.arange(1, 11)
    factor = np.minimum(1.0, (c + 1) / c * (n[c + 1] + 0.1) / (n[c] + 0.1))
    factor = np.maximum.accumulate(np.concatenate([[0.01], factor]))
    discounted = pairs.count * np.append(factor, 1.0)[np.minimum(pairs.count, 11)]
    return discounted / pairs.source_count, discounted / pairs.target_count


def kneser_ney(pairs: PhrasePairs) -> tuple[FloatArray, FloatArray]:
    """Modified Kneser-Ney: the discounts D1, D2, D3+ (Chen and Goodman 1998) of the pairs of f go
    to p_b(e) = distinct partners of e / distinct pairs, over all e: each e that occurs with f gets
    its share, and the rest is lost to pairs that the table does not have."""
    discount = _discounts(np.bincount(pairs.count, minlength=5).astype(float))
    taken = discount[np.minimum(pairs.count, 3)]
    return (
        _back_off(pairs, taken, pairs.source, pairs.source_count, pairs.target),
        _back_off(pairs, taken, pairs.target, pairs.target_count, pairs.source),
    )


def _back_off(
    pairs: PhrasePairs,
    taken: FloatArray,
    condition: Int32Array,
    condition_count: Int64Array,
    predicted: Int32Array,
) -> FloatArray:
    mass = np.bincount(condition, taken)[condition] / condition_count
    lower = np.bincount(predicted)[predicted] / len(pairs.count)
    probabilities: FloatArray = (pairs.count - taken) / condition_count + mass * lower
    return probabilities


def _discounts(n: FloatArray) -> FloatArray:
    """D for counts 0, 1, 2 and 3 or more; 0.5 · c where tiny tables leave them undefined."""
    discount = np.array([0.0, 0.5, 1.0, 1.5])
    if np.all(n[1:5] > 0):
        y = n[1] / (n[1] + 2 * n[2])
        c = np.arange(1, 4)
        discount[1:] = np.clip(c - (c + 1) * y * n[c + 1] / n[c], 0.0, c - 0.1)
    return discount


SMOOTHINGS: dict[str, Callable[[PhrasePairs], tuple[FloatArray, FloatArray]]] = {
    "none": relative_frequency,
    "good-turing": good_turing,
    "kneser-ney": kneser_ney,
}
