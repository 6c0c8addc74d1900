"""Repeated experiments: mean ± sample deviation, and p-values of differences.

The deviation has n − 1 in its denominator, so a single run has none. Two classifiers on the same
repetitions are compared by a paired two-sided t-test: t = mean(d) / (s(d)/√n), n − 1 degrees of
freedom. A repetition is one draw of sentences: its training sets lie inside each other and share
one test set, so their results are one observation, their mean. (Ni et al. 2011 do not say which
runs their p-values come from; as small as these are, they must count the sizes one by one.)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.charts import Series


@dataclass(frozen=True)
class Spread:
    """Mean and sample deviation of repetitions."""

    mean: float
    deviation: float | None  # None: there is only one

    def __str__(self) -> str:
        """In percent, as the paper's tables have it."""
        mean = f"{100 * self.mean:.1f}"
        return mean if self.deviation is None else f"{mean} ± {100 * self.deviation:.1f}"


def spread(values: Sequence[float] | FloatArray) -> Spread:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), deviation)


def spread_series(name: str, spreads: Iterable[Spread]) -> Series:
    """A line of means; their deviations, if they are known."""
    spreads = list(spreads)
    deviations = [own.deviation for own in spreads if own.deviation is not None]
    return Series(name, [own.mean for own in spreads], deviations=deviations)


@dataclass(frozen=True)
class PairedTest:
    """A two-sided paired t-test."""

    difference: float  # mean of first − second
    t: float
    p_value: float


def paired_t_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
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
