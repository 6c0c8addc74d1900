"""Scores systems by metrics, with intervals and tests against a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.tuning.evaluation.significance import (
    RESAMPLES,
    SEED,
    SIGNIFICANT,
    Runs,
    bootstrap_p_value,
    find_test,
    interval,
    mean_of_runs,
    paired_bootstrap,
    resampled_scores,
)
from hyperbaton.tuning.metrics.base import Details, Metric, Outputs

BETTER_MARK, WORSE_MARK = "*", "†"  # than the baseline, significantly


@dataclass(frozen=True)
class Score:
    """A score with interval and test. Values are None without resamples or without a baseline, and
    for the baseline itself."""

    score: float
    low: float | None = None  # 95% interval
    high: float | None = None
    difference: float | None = None  # from the baseline; of means for several runs
    p_value: float | None = None

    @property
    def half_width(self) -> float | None:
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2

    def mark(self, *, higher_is_better: bool, alpha: float = SIGNIFICANT) -> str:
        if self.p_value is None or self.difference is None or self.p_value >= alpha:
            return ""
        return BETTER_MARK if (self.difference > 0) == higher_is_better else WORSE_MARK


@dataclass(frozen=True)
class Evaluation:
    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: dict[str, tuple[Score, ...]]  # by system, in the order of the metrics
    statistics: dict[str, tuple[FloatArray, ...]]  # in the same order
    n_sentences: int
    baseline: str | None
    test: str
    n_resamples: int
    seed: int

    def score_of(self, metric: str, system: str | None = None) -> Score:
        """The score of a system, by default the first; the metric's name ignores case."""
        names = [metric.name.lower() for metric in self.metrics]
        if metric.lower() not in names:
            raise SettingError(f"{metric!r} was not measured", expected=nearest(metric, names))
        return self.scores[system or self.systems[0]][names.index(metric.lower())]

    def sentence_scores(self, system: str) -> FloatArray:
        """The sentence scores of a system, (n_sentences, n_metrics)."""
        pairs = zip(self.metrics, self.statistics[system], strict=True)
        return np.stack([metric.sentence_scores(rows) for metric, rows in pairs], axis=1)

    def details(self, system: str) -> list[Details]:
        """The components of each metric's score; empty for most metrics."""
        pairs = zip(self.metrics, self.statistics[system], strict=True)
        return [metric.details(rows.sum(axis=0)) for metric, rows in pairs]


class Judge:
    """Scores systems by one metric on the same resamples; with 0 resamples, no intervals and tests.

    A system has one or more tuning runs: score and interval are those of the first run, differences
    and p-values those of the mean of all. Intervals and paired bootstrap tests use the same
    resamples and equal those of `tuning/evaluation/significance.py`.
    """

    def __init__(
        self,
        metric: Metric,
        systems: Mapping[str, Runs],
        test: str,
        n_resamples: int = RESAMPLES,
        seed: int = SEED,
    ) -> None:
        self._metric, self._systems = metric, systems
        self._test, self._drawn = test, {"n_resamples": n_resamples, "seed": seed}
        self._scores = {
            name: [float(metric.score(rows.sum(axis=0))) for rows in runs]
            for name, runs in systems.items()
        }
        self._intervals: dict[str, tuple[float, float]] = {}  # of first runs
        self._means: dict[str, FloatArray] = {}  # of all runs, (n_resamples,) each
        if n_resamples:
            every = [rows for runs in systems.values() for rows in runs]
            resampled = iter(resampled_scores(metric, every, **self._drawn))
            for number, (name, runs) in enumerate(systems.items()):
                of_runs = list(islice(resampled, len(runs)))
                self._intervals[name] = interval(of_runs[0])
                self._means[name] = mean_of_runs(of_runs, seed, number)

    def score(self, name: str, baseline: str | None) -> Score:
        against = baseline if baseline != name else None
        difference = None if against is None else self._difference(name, against)
        if not self._means:
            return Score(self._scores[name][0], difference=difference)
        p_value = None if against is None else self.p_value(name, against)
        return Score(self._scores[name][0], *self._intervals[name], difference, p_value)

    def p_value(self, name: str, baseline: str) -> float:
        if find_test(self._test) is not paired_bootstrap:
            both = self._systems[baseline], self._systems[name]
            return find_test(self._test)(self._metric, *both, **self._drawn).p_value
        difference = self._difference(name, baseline)
        return bootstrap_p_value(difference, self._means[name] - self._means[baseline])

    def best(self) -> str:
        """The system with the best mean of its runs."""
        sign = 1 if self._metric.higher_is_better else -1
        return max(self._scores, key=lambda name: sign * self._mean(name))

    def _mean(self, name: str) -> float:
        return sum(self._scores[name]) / len(self._scores[name])

    def _difference(self, name: str, baseline: str) -> float:
        return self._mean(name) - self._mean(baseline)

    def matrix(self, names: Sequence[str]) -> FloatArray:
        """The p-values of all pairs, NaN on the diagonal; all tests are symmetric."""
        matrix = np.full((len(names), len(names)), np.nan)
        for i, j in combinations(range(len(names)), 2):
            matrix[i, j] = matrix[j, i] = self.p_value(names[i], names[j])
        return matrix


def evaluate(
    systems: Mapping[str, Outputs],
    metrics: Sequence[Metric],
    *,
    baseline: str | None = None,
    test: str = "bootstrap",
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = silent,
) -> Evaluation:
    """Scores all systems; 0 resamples give no intervals and tests."""
    find_test(test)
    if baseline is not None and baseline not in systems:
        raise SettingError(
            f"unknown baseline {baseline!r}",
            expected=nearest(baseline, list(systems)),
        )
    statistics: dict[str, tuple[FloatArray, ...]] = {}
    for name, outputs in systems.items():
        rows = []
        for metric in metrics:
            progress(f"{metric.name} of {name}, sentences", len(outputs))
            rows.append(metric.statistics(outputs))
        statistics[name] = tuple(rows)
    judges = [
        Judge(metric, {n: [rows[place]] for n, rows in statistics.items()}, test, n_resamples, seed)
        for place, metric in enumerate(metrics)
    ]
    return Evaluation(
        tuple(systems),
        tuple(metrics),
        {name: tuple(judge.score(name, baseline) for judge in judges) for name in systems},
        statistics,
        max(map(len, systems.values()), default=0),
        baseline,
        test,
        n_resamples,
        seed,
    )
