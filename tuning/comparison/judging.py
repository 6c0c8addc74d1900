"""Scores of all cells, and which differences are real."""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.progress import Progress
from tuning.comparison.configuration import Configuration
from tuning.comparison.results import Cell, Comparison, StageCost, metrics_of
from tuning.evaluation.data_sets import Sentences
from tuning.evaluation.scoring import Judge, Score

PACKAGES = ("hyperbaton", "numpy", "numba", "scipy", "scikit-learn", "sacrebleu", "kenlm")


def judge(
    configuration: Configuration,
    tests: Sequence[Sentences],
    cells: Sequence[Cell],
    costs: Sequence[StageCost],
    progress: Progress | None = None,
) -> Comparison:
    """Every cell's chosen replica against the baseline at the same limit, and the matrix of all
    pairs; scores of all replicas."""
    metrics = {test.name: metrics_of(configuration, test) for test in tests}
    scores: dict[str, dict[str, Sequence[Score]]] = {}
    replica_scores: dict[str, dict[str, FloatArray]] = {}
    p_values: dict[str, dict[int, NDArray[np.float64]]] = {}
    for test in tests:
        judges = []
        for metric in metrics[test.name]:
            if progress is not None:
                progress(f"significance of {metric.name} on {test.name}", 0)
            statistics = {cell.name: cell.best.statistics[test.name][metric.name] for cell in cells}
            judges.append(Judge(metric, statistics, configuration.significance))
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
