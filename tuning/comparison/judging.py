"""Scores all cells and tests their differences."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.tuning.comparison.configuration import Configuration
from hyperbaton.tuning.comparison.results import Cell, Comparison, StageCost, metrics_of
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.scoring import Judge, Score

PACKAGES = ("hyperbaton", "numpy", "numba", "scipy", "sacrebleu", "kenlm")


def judge(
    configuration: Configuration,
    tests: Sequence[Sentences],
    cells: Sequence[Cell],
    costs: Sequence[StageCost],
    progress: Progress = silent,
) -> Comparison:
    """Scores every cell, and tests it against the baseline and all others at the same limit, and
    against the best cell of all limits. Scores are those of the chosen replicas; tests use all."""
    metrics = {test.name: metrics_of(configuration, test) for test in tests}
    scores: dict[str, dict[str, Sequence[Score]]] = {}
    replica_scores: dict[str, dict[str, FloatArray]] = {}
    p_values: dict[str, dict[int, NDArray[np.float64]]] = {}
    against_best: dict[str, dict[str, float]] = {}
    for test in tests:
        judges = []
        for metric in metrics[test.name]:
            progress(f"significance of {metric.name} on {test.name}", 0)
            runs = {cell.name: cell.statistics(test.name, metric) for cell in cells}
            judges.append(Judge(metric, runs, configuration.significance))
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
        best = judges[0].best()
        against_best[test.name] = {
            cell.name: judges[0].p_value(cell.name, best) if cell.name != best else 1.0
            for cell in cells
        }
        replica_scores[test.name] = {
            cell.name: np.array(
                [[r.score(test.name, m) for m in metrics[test.name]] for r in cell.replicas]
            )
            for cell in cells
        }
    versions = {name: version(name) for name in PACKAGES}
    return Comparison(
        configuration, tests, metrics, cells, scores, replica_scores, p_values, against_best,
        costs, versions,
    )  # fmt: skip
