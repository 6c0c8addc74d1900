"""How well a reordering classifier finds the classes: the measures of Ni et al. 2011, section 4.1.

With N[a, b] examples of class a that were classified as b (the confusion matrix):

    overall precision   Σ_a N[a, a] / N                        (Figure 10)
    precision of a      N[a, a] / Σ_b N[b, a]
    recall of a         N[a, a] / Σ_b N[a, b]
    F1 of a             2 N[a, a] / (Σ_b N[b, a] + Σ_b N[a, b])  (Tables 5 and 6)

A ratio without examples is 0. Precision by distance is the overall precision of the examples in
each bin of distances (Figure 11). An experiment that was repeated gives mean ± sample deviation
(n − 1 in the denominator; 0 for a single run), and two classifiers on the same repetitions a paired
two-sided t-test: t = mean(d) / (s(d)/√n), n − 1 degrees of freedom. The paper does not say which
runs its p-values are from; so small, they must pool the repetitions of all training sizes.

No probabilities are looked at, only the class that was chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from models.arrays import FloatArray, Int64Array
from models.data.corpus_statistics import bin_name
from models.errors import DataError, SettingError, nearest
from tuning.evaluation.tables import aligned

Bins = Sequence[tuple[int | None, int | None]]  # first and last distance of each, None is open

FARTHEST = 15  # Ni et al. leave out longer distances, which are often wrong links
EACH_DISTANCE: Bins = tuple((d, d) for d in range(-FARTHEST, FARTHEST + 1))
OVERALL = "overall"


@dataclass(frozen=True, eq=False)
class Classification:
    """What one run of a classifier did on a test set."""

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
        rows = [header + [f"→ {name}" for name in self.classes]]
        scores = 100 * np.stack([self.class_precision, self.class_recall, self.class_f1], axis=1)
        for name, counts, percents in zip(self.classes, self.confusion, scores, strict=True):
            cells = [name, str(counts.sum()), *(f"{percent:.1f}" for percent in percents)]
            rows.append(cells + list(map(str, counts)))
        rows.append([OVERALL, str(self.n_examples), f"{100 * self.precision:.1f}"])
        return aligned(rows)


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


def distance_text(bins: Sequence[BinPrecision]) -> str:
    rows = [[each.name, str(each.n_examples), f"{100 * each.precision:.1f}"] for each in bins]
    return aligned([["distance", "examples", "precision"], *rows])


@dataclass(frozen=True)
class Spread:
    """Mean and sample deviation of repetitions."""

    mean: float
    deviation: float
    n: int

    def __str__(self) -> str:
        """In percent, as the paper's tables have it."""
        return f"{100 * self.mean:.1f} ± {100 * self.deviation:.1f}"


def spread(values: Sequence[float]) -> Spread:
    if not len(values):
        raise DataError("there are no repetitions to average", expected="one at least")
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Spread(float(np.mean(values)), deviation, len(values))


@dataclass(frozen=True)
class PairedTest:
    """A two-sided paired t-test."""

    difference: float  # mean of first − second
    t: float
    p_value: float
    n: int


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> PairedTest:
    """Is the mean difference of paired values other than 0?

    If all differences are the same, t is infinite and p is 0; if all are 0, t is 0 and p is 1.
    """
    if len(first) != len(second):
        raise DataError(
            f"{len(first)} values against {len(second)}", expected="a paired test needs pairs"
        )
    if len(first) < 2:
        raise DataError(
            f"a t-test of {len(first)} pair" + "s" * (len(first) != 1),
            expected="two at least; repeat the experiment with other seeds or splits",
        )
    from scipy.special import stdtr  # type: ignore[import-untyped]  # Student's distribution

    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    # Rounding must not make a deviation out of nothing
    if error <= 1e-12 * np.abs(differences).max():
        t = float(np.copysign(np.inf, mean)) if mean else 0.0
    else:
        t = mean / error
    return PairedTest(mean, t, float(2 * stdtr(n - 1, -abs(t))), n)


@dataclass(frozen=True)
class ComparedRow:
    """One measure of all classifiers: overall precision, or the F1 of a class."""

    name: str
    spreads: dict[str, Spread]  # by classifier
    p_values: dict[str, float]  # of the difference to the chosen classifier; empty for single runs


@dataclass(frozen=True)
class Comparison:
    """Several classifiers on the same repetitions: Tables 5 and 6 of Ni et al."""

    against: str  # the classifier that all others are tested against
    rows: tuple[ComparedRow, ...]

    def text(self) -> str:
        """Mean ± deviation in percent; below it the p-values."""
        names = list(self.rows[0].spreads)
        lines = [["", *names], *([row.name, *map(str, row.spreads.values())] for row in self.rows)]
        parts = [aligned(lines)]
        if self.rows[0].p_values:
            others = [name for name in names if name != self.against]
            tests = [
                [row.name, *(f"{row.p_values[name]:.2e}" for name in others)] for row in self.rows
            ]
            parts.append(f"p-values of the differences to {self.against}, paired t-test")
            parts.append(aligned([["", *others], *tests]))
        return "\n\n".join(parts)


def compare_classifiers(runs: Mapping[str, Sequence[Classification]], against: str) -> Comparison:
    """Compares classifiers by name; run i of each must be on the same training and test data."""
    if against not in runs:
        raise SettingError(
            f"there is no classifier {against!r}", expected=nearest(against, list(runs))
        )
    n_runs, classes = len(runs[against]), {run.classes for each in runs.values() for run in each}
    for name, each in runs.items():
        if len(each) != n_runs:
            raise DataError(
                f"{name} has {len(each)} runs, {against} has {n_runs}",
                expected="all must have been run on the same data",
            )
    if len(classes) > 1:
        raise DataError(
            "the classifiers have different classes",
            expected=" / ".join(sorted(", ".join(names) for names in classes)),
        )
    measures = {  # one value for every class after the overall precision
        name: np.array([[run.precision, *run.class_f1] for run in each])
        for name, each in runs.items()
    }
    row_names = [OVERALL, *(f"F1 {name}" for names in classes for name in names)]
    rows = []
    for number, row_name in enumerate(row_names):
        values = {name: each[:, number].tolist() for name, each in measures.items()}
        p_values = {
            name: paired_t_test(values[against], values[name]).p_value
            for name in values
            if name != against and n_runs > 1
        }
        spreads = {name: spread(each) for name, each in values.items()}
        rows.append(ComparedRow(row_name, spreads, p_values))
    return Comparison(against, tuple(rows))


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
