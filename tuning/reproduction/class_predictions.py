"""How well a reordering classifier finds the classes: the measures of Ni et al. 2011, section 4.1.

With N[a, b] examples of class a that were classified as b (the confusion matrix):

    overall precision   Σ_a N[a, a] / N                        (Figure 10)
    F1 of a             2 N[a, a] / (Σ_b N[b, a] + Σ_b N[a, b])  (Tables 5 and 6)

A ratio without examples is 0. Precision by distance is the overall precision of the examples at
each distance (Figure 11). Only the class that was chosen counts, not its probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.tuning.metrics.base import ratio

FARTHEST = 15  # Ni et al. leave out longer distances, which are often wrong links
OVERALL = "overall"
STRAIGHT = ("d=0", "monotone")  # the class of each setup that does not move


@dataclass(frozen=True, eq=False)
class Classification:
    """The predictions of a classifier on a test set."""

    classes: tuple[str, ...]  # names, in the order of their numbers
    confusion: Int64Array  # (n_classes, n_classes): rows are true, columns predicted classes

    @property
    def n_examples(self) -> int:
        return int(self.confusion.sum())

    @property
    def precision(self) -> float:
        """The share of all examples that are classified right."""
        return float(ratio(np.trace(self.confusion), self.confusion.sum()))

    @property
    def class_f1(self) -> FloatArray:
        both = self.confusion.sum(axis=0) + self.confusion.sum(axis=1)
        return ratio(2 * np.diagonal(self.confusion), both)

    @property
    def moving_f1(self) -> float:
        """Mean F1 of all classes that move (Figure 12)."""
        moving = [name not in STRAIGHT for name in self.classes]
        return float(self.class_f1[moving].mean())


def judge(true: ArrayLike, predicted: ArrayLike, classes: Sequence[str]) -> Classification:
    """Compares class numbers, one of each for every example."""
    n_classes = len(classes)
    pairs = np.asarray(true, np.int64) * n_classes + np.asarray(predicted, np.int64)
    counts = np.bincount(pairs, minlength=n_classes**2)
    return Classification(tuple(classes), counts.reshape(n_classes, n_classes))


@dataclass(frozen=True)
class BinPrecision:
    """The examples at one distance."""

    name: str
    n_examples: int
    n_right: int

    @property
    def precision(self) -> float:
        return self.n_right / self.n_examples if self.n_examples else 0.0


def precision_by_distance(
    true: ArrayLike, predicted: ArrayLike, distances: ArrayLike
) -> tuple[BinPrecision, ...]:
    """Precision at each distance from −FARTHEST to FARTHEST."""
    right, distance = np.equal(true, predicted), np.asarray(distances)
    return tuple(
        BinPrecision(str(d), int((distance == d).sum()), int(right[distance == d].sum()))
        for d in range(-FARTHEST, FARTHEST + 1)
    )
