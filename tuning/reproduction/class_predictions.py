"""How well a reordering classifier finds the classes: the measures of Ni et al. 2011, section 4.1.

With N[a, b] examples of class a that were classified as b (the confusion matrix):

    overall precision   Σ_a N[a, a] / N                        (Figure 10)
    precision of a      N[a, a] / Σ_b N[b, a]
    recall of a         N[a, a] / Σ_b N[a, b]
    F1 of a             2 N[a, a] / (Σ_b N[b, a] + Σ_b N[a, b])  (Tables 5 and 6)

A ratio without examples is 0. Precision by distance is the overall precision of the examples in
each bin of distances (Figure 11). Only the class that was chosen counts, not its probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from models.arrays import FloatArray, Int64Array
from models.data.corpus_statistics import bin_name
from models.errors import DataError
from tuning.evaluation.tables import Table, as_text

Bins = Sequence[tuple[int | None, int | None]]  # first and last distance of each, None is open

FARTHEST = 15  # Ni et al. leave out longer distances, which are often wrong links
EACH_DISTANCE: Bins = tuple((d, d) for d in range(-FARTHEST, FARTHEST + 1))
OVERALL = "overall"


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
        return float(_ratio(np.trace(self.confusion), self.confusion.sum()))

    @property
    def class_precision(self) -> FloatArray:
        return _ratio(np.diagonal(self.confusion), self.confusion.sum(axis=0))

    @property
    def class_recall(self) -> FloatArray:
        return _ratio(np.diagonal(self.confusion), self.confusion.sum(axis=1))

    @property
    def class_f1(self) -> FloatArray:
        both = self.confusion.sum(axis=0) + self.confusion.sum(axis=1)
        return _ratio(2 * np.diagonal(self.confusion), both)

    @property
    def moving_f1(self) -> float:
        """Mean F1 of the classes but d = 0, which is in the middle (Figure 12)."""
        return float(np.delete(self.class_f1, len(self.classes) // 2).mean())

    def text(self) -> str:
        """A line for every class with its row of the confusion matrix, then overall precision."""
        header = ["class", "examples", "precision", "recall", "F1"]
        scores = 100 * np.stack([self.class_precision, self.class_recall, self.class_f1], axis=1)
        rows = [
            [
                name,
                str(counts.sum()),
                *(f"{percent:.1f}" for percent in percents),
                *map(str, counts),
            ]
            for name, counts, percents in zip(self.classes, self.confusion, scores, strict=True)
        ]
        overall = [OVERALL, str(self.n_examples), f"{100 * self.precision:.1f}"]
        rows.append(overall + [""] * (2 + len(self.classes)))
        return as_text(Table([*header, *(f"→ {name}" for name in self.classes)], rows))


def judge(true: ArrayLike, predicted: ArrayLike, classes: Sequence[str]) -> Classification:
    """Compares class numbers, one of each for every example."""
    labels = _labels(true, predicted, len(classes))
    n_classes = len(classes)
    counts = np.bincount(labels[0] * n_classes + labels[1], minlength=n_classes**2)
    return Classification(tuple(classes), counts.reshape(n_classes, n_classes))


@dataclass(frozen=True)
class BinPrecision:
    """The examples whose distance is in one bin."""

    name: str
    n_examples: int
    n_right: int

    @property
    def precision(self) -> float:
        return self.n_right / self.n_examples if self.n_examples else 0.0


def precision_by_distance(
    true: ArrayLike, predicted: ArrayLike, distances: ArrayLike, bins: Bins = EACH_DISTANCE
) -> tuple[BinPrecision, ...]:
    """Precision in each bin of distances; examples outside all bins are not counted."""
    true, predicted = _labels(true, predicted)
    distance = np.asarray(distances, dtype=np.int64)
    if len(distance) != len(true):
        raise DataError(
            f"{len(distance)} distances for {len(true)} examples", expected="one for each"
        )
    result = []
    for low, high in bins:
        inside = np.ones(len(distance), dtype=bool)
        if low is not None:
            inside &= distance >= low
        if high is not None:
            inside &= distance <= high
        n_right = np.count_nonzero(inside & (true == predicted))
        result.append(BinPrecision(bin_name(low, high), int(inside.sum()), int(n_right)))
    return tuple(result)


def _ratio(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """part / whole, and 0 where there is nothing to divide by."""
    whole = np.asarray(whole, dtype=np.float64)
    ratio: FloatArray = np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)
    return ratio


def _labels(
    true: ArrayLike, predicted: ArrayLike, n_classes: int | None = None
) -> tuple[Int64Array, Int64Array]:
    """Both as arrays, checked."""
    both = np.asarray(true, dtype=np.int64), np.asarray(predicted, dtype=np.int64)
    if len(both[0]) != len(both[1]):
        raise DataError(
            f"{len(both[0])} true and {len(both[1])} predicted classes",
            expected="one of each for every example",
        )
    for kind, labels in zip(("true", "predicted"), both, strict=True):
        wrong = np.flatnonzero((labels < 0) | (labels >= (n_classes or np.inf)))
        if len(wrong):
            known = f"0 to {n_classes - 1}" if n_classes else "0 and up"
            raise DataError(
                f"the {kind} class of example {wrong[0]} is {labels[wrong[0]]}",
                expected=f"classes are numbered {known}",
            )
    return both
