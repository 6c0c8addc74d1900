"""Statistics of repeated experiments: mean ± sample deviation, and p-values of differences.

The deviation has n − 1 in its denominator, so a single run has none. Two classifiers on the same
repetitions are compared by a paired two-sided t-test: t = mean(d) / (s(d)/√n), n − 1 degrees of
freedom. A repetition is one draw of sentences: its training sets are nested and share one test set,
so the mean of their results is one observation. (Ni et al. 2011 do not say which runs their
p-values come from; the p-values are so small that each size must count separately.)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.charts import Series
from hyperbaton.tuning.evaluation.verdicts import Case


@dataclass(frozen=True)
class Spread:
    """Mean and sample deviation of repetitions."""

    mean: float
    deviation: float | None  # None for a single repetition

    def text(self, digits: int, factor: int = 1) -> str:
        known = (self.mean,) if self.deviation is None else (self.mean, self.deviation)
        return " ± ".join(f"{factor * value:.{digits}f}" for value in known)


def spread(values: Sequence[float] | FloatArray) -> Spread:
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Spread(float(np.mean(values)), deviation)


def spread_series(name: str, spreads: Iterable[Spread]) -> Series:
    """A series of means, with deviations if known."""
    spreads = list(spreads)
    deviations = [place.deviation for place in spreads if place.deviation is not None]
    return Series(name, [place.mean for place in spreads], deviations=deviations)


def paired_p_value(differences: ArrayLike) -> float:
    """p-value of a two-sided t-test that the mean of two or more differences is 0.

    If all are the same, t is infinite and p is 0; if all are 0, t is 0 and p is 1.
    """
    from scipy.special import stdtr  # type: ignore[import-untyped]  # Student's distribution

    differences = np.asarray(differences, dtype=np.float64)
    n, mean = len(differences), float(differences.mean())
    error = float(differences.std(ddof=1)) / np.sqrt(n)
    # A tiny deviation of constant differences is a rounding error
    is_constant = error <= 1e-12 * np.abs(differences).max()
    t = (np.inf if mean else 0.0) if is_constant else mean / error
    return float(2 * stdtr(n - 1, -abs(t)))


def gain_case(text: str, gains: FloatArray) -> Case:
    """Tests that the mean gain of the repetitions is above 0; a single one cannot be tested."""
    p_value = paired_p_value(gains) if len(gains) > 1 else nan
    return Case(text, float(gains.mean()), p_value)


def counts_p_value(first: float, second: float) -> float:
    """Two-sided p-value that two counts come from equal frequencies: first − second is about normal
    with variance first + second."""
    return normal_p_value((first - second) / max(1.0, first + second) ** 0.5)


def normal_p_value(z: float) -> float:
    """Two-sided p-value of a standard normal score."""
    return 2 * NormalDist().cdf(-abs(z))
