"""Sections of a report about its runs: tuning curves, weights, costs, settings."""

import json
from html import escape

import numpy as np

from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.report import html


def tuning_curves(comparison: Comparison) -> str:
    """The score of every decoding of the development set, for the chosen replicas."""
    parts = []
    for limit in comparison.limits:
        cells = [comparison.cell(name, limit) for name in comparison.systems]
        longest = max(len(cell.best.trace) for cell in cells)
        if longest:
            series = [
                Series(cell.system, [step["score"] for step in cell.best.trace]) for cell in cells
            ]
            places = list(map(str, range(longest)))
            caption = f"limit {limit_name(limit)}"
            chart = Chart(caption, places, series, "iteration", "score on dev")
            parts.append(html.chart_figure(chart))
    if not parts:
        return ""
    metric = comparison.configuration.tune.metric
    text = f"Score on dev by iteration of the chosen tuning runs, which optimise {metric}."
    return html.paragraph(text) + html.side_by_side(parts)


def weights(comparison: Comparison) -> str:
    names = list(dict.fromkeys(name for cell in comparison.cells for name in cell.best.weights))
    weights = [{n: f"{w:.4f}" for n, w in cell.best.weights.items()} for cell in comparison.cells]
    rows = [[name, *(of_cell.get(name, "") for of_cell in weights)] for name in names]
    return html.html_table(Table(["feature", *(cell.name for cell in comparison.cells)], rows))


def costs(comparison: Comparison) -> str:
    rows = [
        [
            cell.system,
            limit_name(cell.limit),
            f"{np.mean([r.cost.tuning_seconds for r in cell.replicas]):.1f}",
            f"{np.mean([r.cost.decoding_milliseconds for r in cell.replicas]):.2f}",
            f"{max(r.cost.peak_megabytes for r in cell.replicas):.0f}",
        ]
        for cell in comparison.cells
    ]
    header = ["system", "limit", "tuning, CPU s", "decoding, CPU ms per sentence", "peak MB"]
    stages = [
        [cost.title, f"{cost.seconds:.1f}", f"{cost.peak_megabytes:.0f}"]
        for cost in comparison.stage_costs
    ]
    trained = Table(["stage of training", "s", "peak MB so far"], stages)
    text = "Each system was tuned and decoded by one thread; means over the tuning runs."
    return (
        html.paragraph(text)
        + html.html_table(Table(header, rows))
        + (html.html_table(trained) if stages else "")
    )


def settings(comparison: Comparison) -> str:
    plain = json.dumps(comparison.configuration.plain(), ensure_ascii=False, indent=1)
    signatures = dict.fromkeys(
        f"{metric.name}: {metric.signature}"
        for metrics in comparison.metrics.values()
        for metric in metrics
    )
    systems = comparison.configuration.system
    models = Table(
        ["system", "distortion models"],
        [[system.name, "; ".join(system.distortion) or "hierarchical rules"] for system in systems],
    )
    seeds = [str(replica.seed) for replica in comparison.cells[0].replicas]
    versions = ", ".join(f"{name} {number}" for name, number in comparison.versions.items())
    lines = [
        f"seeds: training {comparison.configuration.seed}, tuning {', '.join(seeds)}",
        f"versions: {versions}",
    ]
    return (
        html.html_table(models, sortable=False)
        + html.note(lines)
        + html.note(list(signatures))
        + html.details("all settings", f"<pre>{escape(plain)}</pre>")
    )
