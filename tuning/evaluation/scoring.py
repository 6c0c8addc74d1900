"""Systems × metrics: scores, intervals and tests against a baseline, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.arrays import FloatArray
from models.errors import SettingError, nearest
from models.progress import Progress
from tuning.evaluation.significance import RESAMPLES, SEED, confidence_interval, find_test
from tuning.metrics.base import Metric, Outputs


@dataclass(frozen=True)
class Score:
    """What is not known is None: without resamples, without a baseline, or of the baseline."""

    score: float
    low: float | None = None  # 95% interval
    high: float | None = None
    difference: float | None = None  # from the baseline
    p_value: float | None = None

    @property
    def half_width(self) -> float | None:
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Evaluation:
    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    scores: dict[str, tuple[Score, ...]]  # by system, in the order of the metrics
    statistics: dict[str, tuple[FloatArray, ...]]  # the same
    n_sentences: int
    baseline: str | None
    test: str
    n_resamples: int
    seed: int

    def score_of(self, metric: str, system: str | None = None) -> Score:
        """The score of a system, by default the first, by a metric's name in any case."""
        names = [metric.name.lower() for metric in self.metrics]
        if metric.lower() not in names:
            raise SettingError(f"{metric!r} was not measured", expected=nearest(metric, names))
        return self.scores[system or self.systems[0]][names.index(metric.lower())]

    def sentence_scores(self, system: str) -> FloatArray:
        """(n_sentences, n_metrics)"""
        pairs = zip(self.metrics, self.statistics[system], strict=True)
        return np.stack([metric.sentence_scores(rows) for metric, rows in pairs], axis=1)


def evaluate(
    systems: Mapping[str, Outputs],
    metrics: Sequence[Metric],
    *,
    baseline: str | None = None,
    test: str = "bootstrap",
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress | None = None,
) -> Evaluation:
    """Scores all systems; `n_resamples` 0 leaves intervals and tests out."""
    find_test(test)
    if baseline is not None and baseline not in systems:
        raise SettingError(
            f"there is no system {baseline!r} to be the baseline",
            expected=nearest(baseline, list(systems)),
        )
    statistics: dict[str, tuple[FloatArray, ...]] = {}
    for name, outputs in systems.items():
        rows = []
        for metric in metrics:
            if progress is not None:
                progress(f"{metric.name} of {name}, sentences", len(outputs))
            rows.append(metric.statistics(outputs))
        statistics[name] = tuple(rows)
    scores: dict[str, tuple[Score, ...]] = {}
    for name in systems:
        against = statistics[baseline] if baseline is not None and name != baseline else None
        scores[name] = tuple(
            _score(metric, rows, against[place] if against else None, test, n_resamples, seed)
            for place, (metric, rows) in enumerate(zip(metrics, statistics[name], strict=True))
        )
    return Evaluation(
        tuple(systems),
        tuple(metrics),
        scores,
        statistics,
        max(map(len, systems.values()), default=0),
        baseline,
        test,
        n_resamples,
        seed,
    )


def _score(
    metric: Metric,
    rows: FloatArray,
    baseline: FloatArray | None,
    test: str,
    n_resamples: int,
    seed: int,
) -> Score:
    score = float(metric.score(rows.sum(axis=0)))
    difference = None
    if baseline is not None:
        difference = score - float(metric.score(baseline.sum(axis=0)))
    if not n_resamples:
        return Score(score, difference=difference)
    interval = confidence_interval(metric, rows, n_resamples=n_resamples, seed=seed)
    p_value = None
    if baseline is not None:
        compare = find_test(test)
        p_value = compare(metric, baseline, rows, n_resamples=n_resamples, seed=seed).p_value
    return Score(score, interval.low, interval.high, difference, p_value)
