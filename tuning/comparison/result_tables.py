"""The results of a comparison as tables and as files: text, Markdown, LaTeX, CSV, JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from hyperbaton.foundation.errors import counted
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.models.distortion.catalogue import split_model
from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.results import Cell, Comparison, Replica
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.scoring import BETTER_MARK, WORSE_MARK, Score
from hyperbaton.tuning.evaluation.significance import RESAMPLES, p_text
from hyperbaton.tuning.evaluation.tables import Table, as_csv, as_latex, as_markdown
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.weights.settings import UNTUNED

TOP = "°"  # not significantly below the best cell


def summary_table(comparison: Comparison, test: str, *, intervals: bool = False) -> Table:
    """All metrics of all cells; with `intervals`, also half of their 95% intervals."""
    metrics, alpha = comparison.metrics[test], comparison.configuration.significant
    many = len(comparison.cells[0].replicas) > 1
    mean_title = [f"{metrics[0].name} of all replicas"] * many
    header = ["system", "limit", *(metric.heading for metric in metrics), *mean_title]
    rows = []
    for cell in comparison.cells:
        scores = comparison.scores[test][cell.name]
        marked = [mark(score, metric, alpha) for metric, score in zip(metrics, scores, strict=True)]
        if intervals:
            marked = [
                f"{text} ± {score.half_width:.2f}"
                for text, score in zip(marked, scores, strict=True)
            ]
        means = [spread(comparison, test, cell)] * many
        rows.append([cell.system, limit_name(cell.limit), *marked, *means])
    title = f"{test}: {len(_sentences(comparison, test)):,} sentences"
    legend = [f"± half of the 95% interval{'; of all replicas: standard deviation' * many}"]
    lines = [*notes(comparison, test), *legend * intervals]
    return Table(header, rows, lines, title, bold=_best_scores(comparison, test))


def _best_scores(comparison: Comparison, test: str) -> frozenset[tuple[int, int]]:
    """Rows and columns of the best score of each metric in the summary table, unless all are
    equal."""
    best = set()
    for place, metric in enumerate(comparison.metrics[test]):
        column = [comparison.scores[test][cell.name][place].score for cell in comparison.cells]
        top = (max if metric.higher_is_better else min)(column)
        if min(column) < max(column):
            best |= {(row, place + 2) for row, score in enumerate(column) if score == top}
    return frozenset(best)


def limits_table(comparison: Comparison, test: str) -> Table:
    """The first metric, one column per distortion limit. Cells that do not differ significantly
    from the best one are marked (bold in Goto et al. 2013, Table 3)."""
    metric, alpha = comparison.metrics[test][0], comparison.configuration.significant

    def marked(system: str, limit: int) -> str:
        name = comparison.cell(system, limit).name
        is_top = comparison.against_best[test][name] >= alpha
        return mark(comparison.scores[test][name][0], metric, alpha) + TOP * is_top

    rows = [
        [system, *(marked(system, limit) for limit in comparison.limits)]
        for system in comparison.systems
    ]
    best = comparison.best_cell(test)
    place = comparison.systems.index(best.system), 1 + comparison.limits.index(best.limit)
    notes = [f"{TOP} no significant difference from the best, p ≥ {alpha:g}"]
    title = f"{metric.heading} on {test}"
    return Table(_limits_header(comparison), rows, notes, title, bold=frozenset([place]))


def _limits_header(comparison: Comparison) -> list[str]:
    return ["system", *(f"limit {limit_name(limit)}" for limit in comparison.limits)]


def way_tables(comparison: Comparison, test: str) -> list[Table]:
    """The share of the gain from linear distortion to the oracle order that each system achieves,
    by the first metric; empty unless there are systems of both kinds, and others. No share is shown
    where the oracle order is not significantly better."""
    by_models = {
        tuple(split_model(text)[0] for text in system.distortion): system.name
        for system in comparison.configuration.system
    }
    linear = by_models.get(("linear",))
    oracle = next((name for models, name in by_models.items() if "oracle" in models), None)
    if linear is None or oracle is None:
        return []

    metric, alpha = comparison.metrics[test][0], comparison.configuration.significant
    sign = 1 if metric.higher_is_better else -1
    low, high = map(comparison.systems.index, (linear, oracle))

    def score(system: str, limit: int) -> float:
        return sign * comparison.mean(test, comparison.cell(system, limit))

    def share(system: str, limit: int) -> str:
        gone, whole = (score(name, limit) - score(linear, limit) for name in (system, oracle))
        is_sure = whole > 0 and comparison.p_values[test][limit][high, low] < alpha
        return f"{100 * gone / whole:.0f}%" if is_sure else ""

    rows = [
        [system, *(share(system, limit) for limit in comparison.limits)]
        for system in comparison.systems
        if system not in (linear, oracle)
    ]
    title = f"share of the gain from {linear} to {oracle}, by {metric.name} on {test}"
    return [Table(_limits_header(comparison), rows, title=title)] if rows else []


def tables_of(comparison: Comparison, test: str, *, intervals: bool = False) -> list[Table]:
    several = [limits_table(comparison, test)] if len(comparison.limits) > 1 else []
    summary = summary_table(comparison, test, intervals=intervals)
    return [summary, *several, *way_tables(comparison, test)]


def latex_of(comparison: Comparison, test: str) -> str:
    """The tables of a test set in LaTeX."""
    return "\n\n".join(map(as_latex, tables_of(comparison, test, intervals=True)))


def significance_table(comparison: Comparison, test: str, limit: int) -> Table:
    """The p-value of each system (row) against each other (column), by the first metric."""
    matrix = comparison.p_values[test][limit]
    rows = [
        [name, *("" if np.isnan(p) else p_text(p, RESAMPLES)[2:] for p in matrix[row])]
        for row, name in enumerate(comparison.systems)
    ]
    title = f"p by {comparison.metrics[test][0].name} on {test}, limit {limit_name(limit)}"
    return Table(["", *comparison.systems], rows, title=title)


def mark(score: Score, metric: Metric, alpha: float) -> str:
    """`31.42*`: significantly better than the baseline; †: worse."""
    sign = score.mark(higher_is_better=metric.higher_is_better, alpha=alpha)
    return f"{score.score:.2f}{sign}"


def spread(comparison: Comparison, test: str, cell: Cell) -> str:
    """Mean ± standard deviation of the first metric over the replicas."""
    values = comparison.replica_scores[test][cell.name][:, 0]
    deviation = values.std(ddof=1) if len(values) > 1 else 0.0
    return f"{values.mean():.2f} ± {deviation:.2f}"


def notes(comparison: Comparison, test: str) -> list[str]:
    configuration = comparison.configuration
    lines = [f"{metric.name}: {metric.signature}" for metric in comparison.metrics[test]]
    lines.append(
        f"{BETTER_MARK} better, {WORSE_MARK} worse than {configuration.baseline_name} at the same "
        f"limit, p < {configuration.significant:g} ({configuration.significance}, "
        f"{runs_text(comparison)})"
    )
    as_before = [cell.name for cell in comparison.cells if cell.best.is_as_before]
    if as_before:
        lines.append(
            f"tuning gained nothing, so the initial weights are used: {', '.join(as_before)}"
        )
    return [*lines, *filter(None, [_sentences(comparison, test).unknown])]


def runs_text(comparison: Comparison) -> str:
    """The tuning runs behind differences and p-values, in words."""
    if comparison.configuration.tune.method == UNTUNED:
        return "untuned weights"
    n_replicas = len(comparison.cells[0].replicas)
    if comparison.cells[0].average is not None:
        return f"the mean of the weights of {counted(n_replicas, 'tuning run')}"
    return "one tuning run" if n_replicas == 1 else f"{n_replicas} tuning runs"


def _sentences(comparison: Comparison, test: str) -> Sentences:
    return next(item for item in comparison.tests if item.name == test)


def as_record(comparison: Comparison) -> dict[str, Any]:
    """All results except costs and translations; equal for equal data, settings and versions."""
    return {
        "configuration": comparison.configuration.plain(),
        "versions": dict(comparison.versions),
        "tests": {
            test.name: {
                "n_sentences": len(test),
                "metrics": {m.name: m.signature for m in comparison.metrics[test.name]},
                "p_values": {
                    limit_name(limit): [[None if np.isnan(p) else p for p in row] for row in matrix]
                    for limit, matrix in comparison.p_values[test.name].items()
                },
            }
            for test in comparison.tests
        },
        "cells": [
            {
                "system": cell.system,
                "limit": cell.limit,
                "chosen": cell.chosen,
                "replicas": list(map(_replica, cell.replicas)),
                **({"average": _replica(cell.average)} if cell.average else {}),
            }
            for cell in comparison.cells
        ],
        "scores": comparison.records(),
    }


def _replica(replica: Replica) -> dict[str, Any]:
    keys = ("seed", "dev_score", "choice_score")
    return {key: getattr(replica, key) for key in keys} | {"weights": dict(replica.weights)}


def write_files(comparison: Comparison, folder: Path) -> list[Path]:
    """Writes `results.json`, `results.csv`, `results.md` and `results.tex`."""
    tables = [table for test in comparison.tests for table in tables_of(comparison, test.name)]
    records = comparison.records()
    content = json.dumps(as_record(comparison), ensure_ascii=False, indent=1)
    texts = {
        "results.json": content,
        "results.csv": as_csv([*records[0]], ([*record.values()] for record in records)),
        "results.md": "\n\n".join(map(as_markdown, tables)),
        "results.tex": "\n\n".join(latex_of(comparison, test.name) for test in comparison.tests),
    }
    for name, text in texts.items():
        with open_to_write(folder / name) as stream:
            stream.write(text.encode() + b"\n")
    return [folder / name for name in texts]
