"""Repeated experiments: mean ± sample deviation, and classifiers side by side with p-values.

The deviation has n − 1 in its denominator, so a single run has none. Two classifiers on the same
repetitions are compared by a paired two-sided t-test: t = mean(d) / (s(d)/√n), n − 1 degrees of
freedom. A repetition is one draw of sentences: its training sets lie inside each other and share
one test set, so their results are one observation, their mean. (Ni et al. 2011 do not say which
runs their p-values come from; as small as these are, they must count the sizes one by one.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from hyperbaton.tuning.reproduction.class_predictions import OVERALL, Classification


@dataclass(frozen=True)
class Spread:
    """Mean and sample deviation of repetitions."""

    mean: float
    deviation: float | None  # None: there is only one

    def __str__(self) -> str:
        """In percent, as the paper's tables have it."""
        mean = f"{100 * self.mean:.1f}"
        return mean if self.deviation is None else f"{mean} ± {100 * self.deviation:.1f}"


def spread(values: Sequence[float]) -> Spread:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), deviation)


@dataclass(frozen=True)
class PairedTest:
    """A two-sided paired t-test."""

    difference: float  # mean of first − second
    t: float
    p_value: float


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> PairedTest:
    """Tests whether the mean difference of two or more paired values is other than 0.

    If all differences are the same, t is infinite and p is 0; if all are 0, t is 0 and p is 1.
    """
    from scipy.special import stdtr  # type: ignore[import-untyped]  # Student's distribution

    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    # Rounding must not make a deviation out of nothing
    if error <= 1e-12 * np.abs(differences).max():
        t = float(np.copysign(np.inf, mean)) if mean else 0.0
    else:
        t = mean / error
    return PairedTest(mean, t, float(2 * stdtr(n - 1, -abs(t))))


def counts_p_value(first: float, second: float) -> float:
    """Whether two things that were counted are equally frequent: first − second has a variance of
    about first + second. Two-sided, by the normal distribution."""
    return normal_p_value((first - second) / max(1.0, first + second) ** 0.5)


def normal_p_value(z: float) -> float:
    """Two-sided."""
    return 2 * NormalDist().cdf(-abs(z))


@dataclass(frozen=True)
class ComparedRow:
    """One measure of all classifiers: overall precision, or the F1 of a class."""

    name: str
    spreads: dict[str, Spread]  # by classifier
    p_values: dict[str, float]  # of the difference to `against`; none for a single run


def compare_classifiers(
    runs: Mapping[str, Sequence[Sequence[Classification]]], against: str
) -> tuple[ComparedRow, ...]:
    """Compares classifiers by name (Tables 5 and 6 of Ni et al.): repetitions, each with results of
    all sizes. Those of all classifiers must be on the same training and test data."""
    n_runs = len(runs[against])
    measures = {  # one value for every class after the overall precision
        name: np.array([[[run.precision, *run.class_f1] for run in sizes] for sizes in each]).mean(
            axis=1
        )
        for name, each in runs.items()
    }
    row_names = [OVERALL, *(f"F1 {name}" for name in runs[against][0][0].classes)]
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
    return tuple(rows)
