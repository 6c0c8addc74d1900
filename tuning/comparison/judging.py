"""Scores of all cells, and which differences are real.

All cells of a test set are scored on the same resamples, drawn once for each metric: intervals and
paired bootstrap tests come from the same numbers, and equal those of `evaluation/significance.py`.
"""

from collections.abc import Sequence
from importlib.metadata import version
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.progress import Progress
from tuning.comparison.configuration import Configuration
from tuning.comparison.data import Sentences
from tuning.comparison.results import Cell, Comparison, StageCost, metrics_of
from tuning.evaluation.scoring import Score
from tuning.evaluation.significance import LEVEL, find_test, resampled_scores
from tuning.metrics.base import Metric

PACKAGES = ("hyperbaton", "numpy", "numba", "scipy", "scikit-learn", "sacrebleu", "kenlm")
BOOTSTRAP = "bootstrap"
_ROUNDING = 1e-9  # differences of scores that are smaller come from rounding


def judge(
    configuration: Configuration,
    tests: Sequence[Sentences],
    cells: Sequence[Cell],
    costs: Sequence[StageCost],
    progress: Progress | None = None,
) -> Comparison:
    """Every cell's chosen replica against the baseline at the same limit, and the matrix of all
    pairs; scores of all replicas."""
    metrics = {test.name: metrics_of(configuration.metrics, test) for test in tests}
    scores: dict[str, dict[str, Sequence[Score]]] = {}
    replica_scores: dict[str, dict[str, FloatArray]] = {}
    p_values: dict[str, dict[int, NDArray[np.float64]]] = {}
    for test in tests:
        judges = []
        for metric in metrics[test.name]:
            if progress is not None:
                progress(f"significance of {metric.name} on {test.name}", 0)
            statistics = {cell.name: cell.best.statistics[test.name][metric.name] for cell in cells}
            judges.append(_Judge(metric, statistics, configuration.significance))
        baselines = {
            cell.limit: cell.name for cell in cells if cell.system == configuration.baseline_name
        }
        scores[test.name] = {
            cell.name: [judge.score(cell.name, baselines[cell.limit]) for judge in judges]
            for cell in cells
        }
        p_values[test.name] = {
            limit: judges[0].matrix([cell.name for cell in cells if cell.limit == limit])
            for limit in configuration.limits
        }
        replica_scores[test.name] = {
            cell.name: np.array(
                [
                    [
                        m.score(r.statistics[test.name][m.name].sum(axis=0))
                        for m in metrics[test.name]
                    ]
                    for r in cell.replicas
                ]
            )
            for cell in cells
        }
    versions = {name: version(name) for name in PACKAGES}
    return Comparison(
        configuration, tests, metrics, cells, scores, replica_scores, p_values, costs, versions
    )


class _Judge:
    """One metric on one test set."""

    def __init__(self, metric: Metric, statistics: dict[str, FloatArray], test: str) -> None:
        self._metric, self._statistics, self._test = metric, statistics, test
        resampled = resampled_scores(metric, list(statistics.values()))
        self._resampled = dict(zip(statistics, resampled, strict=True))  # (n_resamples,) each
        self._score = {
            name: float(metric.score(rows.sum(axis=0))) for name, rows in statistics.items()
        }

    def score(self, name: str, baseline: str) -> Score:
        edges = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        low, high = map(float, np.quantile(self._resampled[name], edges))
        if name == baseline:
            return Score(self._score[name], low, high)
        difference = self._score[name] - self._score[baseline]
        return Score(self._score[name], low, high, difference, self.p_value(name, baseline))

    def p_value(self, name: str, baseline: str) -> float:
        if self._test != BOOTSTRAP:
            rows, others = self._statistics[name], self._statistics[baseline]
            return find_test(self._test)(self._metric, others, rows).p_value
        difference = self._score[name] - self._score[baseline]
        gains = np.sign(difference) * (self._resampled[name] - self._resampled[baseline])
        return float((np.count_nonzero(gains <= _ROUNDING) + 1) / (len(gains) + 1))

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """p of each pair; none of the tests minds which of the two comes first."""
        matrix = np.full((len(names), len(names)), np.nan)
        for i, j in combinations(range(len(names)), 2):
            matrix[i, j] = matrix[j, i] = self.p_value(names[i], names[j])
        return matrix
