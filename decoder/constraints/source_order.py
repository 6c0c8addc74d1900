"""A constraint on the order in which the source is translated."""

import numpy as np

from decoder.constraints.price import FORBIDDEN
from models.arrays import FloatArray, Int64Array, UInt64Array
from models.coverage import cover_spans, pack_coverage
from models.distortion.interface import OptionTable, SentenceScorer, Steps

FREE = -1


class InOrder(SentenceScorer):
    """Source words have ranks, and no word is translated before all of lower rank are; words whose
    rank is FREE are.

    A phrase is translated at once, so its words may have different ranks. Each phrase that comes
    too early costs a price for every word that should have come before.
    """

    n_features = 1

    def __init__(self, options: OptionTable, ranks: Int64Array, price: float = FORBIDDEN) -> None:
        self._options, self._price = options, price
        length = options.end - options.start
        highest = np.maximum.reduceat(
            ranks[_places(options.start.astype(np.int64), length)], np.cumsum(length) - length
        )
        self._before: UInt64Array = pack_coverage(
            (ranks[None, :] != FREE) & (ranks[None, :] < highest[:, None])
        )

    def features(self, steps: Steps) -> FloatArray:
        covered = steps.coverage.copy()
        options = self._options
        cover_spans(covered, options.start[steps.option], options.end[steps.option])
        too_late = np.bitwise_count(self._before[steps.option] & ~covered).sum(axis=1)
        values: FloatArray = -self._price * too_late[:, None].astype(np.float64)
        return values

    def advance(self, steps: Steps) -> Int64Array:
        return np.zeros(len(steps.option), np.int64)


def _places(start: Int64Array, length: Int64Array) -> Int64Array:
    """All places of all spans."""
    return np.repeat(start - (np.cumsum(length) - length), length) + np.arange(length.sum())
