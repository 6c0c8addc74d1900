"""The pool as the optimisers see it: tuned features only, all of the same size.

Feature values are divided by their deviation among the hypotheses of a sentence, and weights
multiplied by it. So a step of one means as much for a language model score in the hundreds as for a
rare orientation, and random points and directions need no ranges of their own. Features that have
fixed weights or never vary contribute a constant to the score of a hypothesis.
"""

from dataclasses import dataclass

import numpy as np

from models.arrays import BoolArray, FloatArray, Int64Array
from tuning.optimisers.pool import Pool


@dataclass(frozen=True, eq=False)
class ScaledPool:
    """T tuned features of H hypotheses."""

    features: FloatArray  # (T, H), so that a feature's values lie side by side
    constant: FloatArray  # (H,) what the other features contribute to the score
    statistics: FloatArray  # (H, statistics)
    offsets: Int64Array
    columns: Int64Array  # (T,) the places of the tuned features among all
    deviations: FloatArray  # (T,)
    others: FloatArray  # (features,) weights of the others, 0 for the tuned ones

    def point(self, weights: FloatArray) -> FloatArray:
        """Weights of all features as a point of the scaled space, (T,)."""
        point: FloatArray = weights[self.columns] * self.deviations
        return point

    def weights(self, point: FloatArray) -> FloatArray:
        """And back, (features,)."""
        weights = self.others.copy()
        weights[self.columns] = point / self.deviations
        return weights

    def scores(self, point: FloatArray) -> FloatArray:
        """Model scores of all hypotheses, (H,)."""
        scores: FloatArray = self.constant + point @ self.features
        return scores


def scale_pool(pool: Pool, weights: FloatArray, tuned: BoolArray) -> ScaledPool:
    """`tuned` says which features may change; the others keep their weights."""
    deviations = pool.deviations()
    columns = np.flatnonzero(tuned & (deviations > 0))
    others = weights.copy()
    others[columns] = 0.0
    features = np.ascontiguousarray(pool.features.T[columns] / deviations[columns, None])
    return ScaledPool(
        features,
        pool.features @ others,
        pool.statistics,
        pool.offsets,
        columns,
        deviations[columns],
        others,
    )
