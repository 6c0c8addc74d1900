"""LR: the lexicalised reordering model as a classifier (Ni et al. 2011, section 1.1).

p(o | phrase pair) is the relative frequency of the class among the examples of the pair. The paper
says that sparse data need heuristics, but not which. Here half an example is added, divided as the
classes are in all examples,

    p(o | pair) = (count(o, pair) + ½ p(o)) / (count(pair) + ½).

A class that was seen more often than another stays ahead of it; ties and unseen pairs follow the
overall shares.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int64Array
from models.errors import DataError

SMOOTHING = 0.5  # examples


class RelativeFrequency:
    name = "lr"

    def fit(self, pair: Int64Array, y: NDArray[Any], n_classes: int) -> Self:
        """Learns from the number of every example's phrase pair, and its class."""
        if not len(y):
            raise DataError("there is nothing to learn from: 0 examples")
        self.pairs_, row = np.unique(pair, return_inverse=True)
        self.counts_ = np.bincount(
            row * n_classes + y, minlength=len(self.pairs_) * n_classes
        ).reshape(-1, n_classes)
        self.share_ = np.bincount(y, minlength=n_classes) / len(y)
        return self

    def probabilities(self, pair: Int64Array) -> NDArray[np.float64]:
        """p(o | pair), (n, K)."""
        row = np.minimum(np.searchsorted(self.pairs_, pair), len(self.pairs_) - 1)
        counts = np.where((self.pairs_[row] == pair)[:, None], self.counts_[row], 0)
        total = counts.sum(axis=1, keepdims=True)
        result: NDArray[np.float64] = (counts + SMOOTHING * self.share_) / (total + SMOOTHING)
        return result
