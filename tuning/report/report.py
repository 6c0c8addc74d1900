"""The report of a comparison: which section says what, in which order."""

import json
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from tuning.comparison.configuration import limit_name
from tuning.comparison.data import Sentences
from tuning.comparison.results import Cell, Comparison, Output
from tuning.comparison.tables import (
    BETTER,
    WORSE,
    limits_table,
    significance_table,
    summary_table,
)
from tuning.report.analysis import (
    CLASS_NAMES,
    Bins,
    confusion,
    distance_classes,
    largest_differences,
    length_bins,
    reordering_bins,
    scores_by_bin,
    visits_of,
)
from tuning.report.charts import Series, heat_map, line_chart
from tuning.report.html import (
    Section,
    figure,
    html_table,
    note,
    page,
    paragraph,
    side_by_side,
)
from tuning.tables import Table

N_EXAMPLES = 8
Draw = Callable[[Sequence[str], Output], str]  # source words and their translation, as SVG


def report(comparison: Comparison, draw: Draw, findings: Sequence[str] = ()) -> str:
    """The whole page. `draw` makes pictures of derivations."""
    configuration = comparison.configuration
    introduction = paragraph(
        f"{len(comparison.systems)} systems, distortion limits "
        f"{', '.join(map(limit_name, comparison.limits))}, "
        f"{len(comparison.cells[0].replicas)} tuning runs each, "
        f"{len(comparison.tests)} test sets. Baseline: {configuration.baseline_name}."
    )
    sections = [
        Section("findings", "Findings", _findings(findings)),
        Section("scores", "Scores", _scores(comparison)),
        Section("significance", "Significance", _significance(comparison)),
        Section("limits", "Distortion limits", _limits(comparison)),
        Section("tuning", "Tuning", _tuning(comparison)),
        Section("order", "Word order", _order(comparison)),
        Section("kinds", "Kinds of sentences", _kinds(comparison)),
        Section("sentences", "Where the systems differ most", _sentences(comparison, draw)),
        Section("weights", "Weights", _weights(comparison)),
        Section("costs", "Costs", _costs(comparison)),
        Section("settings", "Settings", _settings(comparison)),
    ]
    return page(configuration.title, introduction, sections)


def _findings(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f'<ul class="findings">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>'


def _scores(comparison: Comparison) -> str:
    parts = []
    for test in comparison.tests:
        table = summary_table(comparison, test.name)
        metrics = comparison.metrics[test.name]
        best = []
        for place, metric in enumerate(metrics):
            column = [comparison.scores[test.name][c.name][place].score for c in comparison.cells]
            best.append(max(column) if metric.higher_is_better else min(column))
        classes = []
        for cell, row in zip(comparison.cells, table.rows, strict=True):
            scores = comparison.scores[test.name][cell.name]
            kinds = [
                _kind(text, is_best=score.score == top)
                for text, score, top in zip(row[2:], scores, best, strict=False)
            ]
            classes.append(["", "", *kinds, *[""] * (len(row) - 2 - len(kinds))])
        parts.append(html_table(table, classes))
    return "".join(parts)


def _kind(text: str, *, is_best: bool) -> str:
    kinds = ["better"] * text.endswith(BETTER) + ["worse"] * text.endswith(WORSE)
    return " ".join([*kinds, *["best"] * is_best])


def _significance(comparison: Comparison) -> str:
    if len(comparison.systems) < 2:
        return ""
    parts = []
    for test in comparison.tests:
        for limit in comparison.limits:
            matrix = comparison.p_values[test.name][limit]
            score = {
                name: comparison.scores[test.name][comparison.cell(name, limit).name][0].score
                for name in comparison.systems
            }
            sign = 1 if comparison.metrics[test.name][0].higher_is_better else -1
            classes = [
                [
                    "",
                    *(
                        ("better" if sign * (score[a] - score[b]) > 0 else "worse")
                        if matrix[i, j] < 0.05
                        else ""
                        for j, b in enumerate(comparison.systems)
                    ),
                ]
                for i, a in enumerate(comparison.systems)
            ]
            table = significance_table(comparison, test.name, limit)
            parts.append(html_table(table, classes, sortable=False))
    text = "p of the row's system against the column's. Coloured below 0.05: green if the row wins."
    return paragraph(text) + side_by_side(parts)


def _limits(comparison: Comparison) -> str:
    if len(comparison.limits) < 2:
        return ""
    parts = []
    for test in comparison.tests:
        metric = comparison.metrics[test.name][0]
        series = [
            Series(
                name,
                [
                    comparison.scores[test.name][comparison.cell(name, limit).name][0].score
                    for limit in comparison.limits
                ],
            )
            for name in comparison.systems
        ]
        places = [limit_name(limit) for limit in comparison.limits]
        chart = line_chart(places, series, "distortion limit", metric.name)
        parts.append(figure(chart, f"{metric.name} on {test.name} by distortion limit"))
        parts.append(html_table(limits_table(comparison, test.name)))
    return side_by_side(parts)


def _tuning(comparison: Comparison) -> str:
    parts = []
    for limit in comparison.limits:
        cells = [comparison.cell(name, limit) for name in comparison.systems]
        longest = max((len(cell.best.trace) for cell in cells), default=0)
        if longest:
            series = [
                Series(cell.system, [step["score"] for step in cell.best.trace]) for cell in cells
            ]
            places = [str(number) for number in range(1, longest + 1)]
            chart = line_chart(places, series, "iteration", "score on dev")
            parts.append(figure(chart, f"chosen tuning runs, limit {limit_name(limit)}"))
    return side_by_side(parts) if parts else ""


def _order(comparison: Comparison) -> str:
    limit = comparison.limits[-1]
    parts = []
    for test in comparison.tests:
        cells = [comparison.cell(name, limit) for name in comparison.systems]
        visits = [visits_of(test, cell.best.outputs[test.name]) for cell in cells]
        series = [
            Series(cell.system, [100 * share for share in distance_classes(own)])
            for cell, own in zip(cells, visits, strict=True)
        ]
        if test.visits is not None:
            shares = [100 * share for share in distance_classes(test.visits)]
            series = [Series("reference", shares), *series]
        chart = line_chart(CLASS_NAMES, series, "distance to the next source word", "% of moves")
        parts.append(figure(chart, f"moves on {test.name}, limit {limit_name(limit)}"))
        if test.visits is not None:
            for cell, own in zip(cells, visits, strict=True):
                counts = confusion(test.visits, own)
                rows = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
                drawing = heat_map(CLASS_NAMES, rows.tolist(), "rows: reference; columns: output")
                parts.append(figure(drawing, f"{cell.system} on {test.name}: % of each row"))
    text = "From each source word to the one that is translated next, by distance."
    return paragraph(text) + side_by_side(parts)


def _kinds(comparison: Comparison) -> str:
    limit = comparison.limits[-1]
    parts = []
    for test in comparison.tests:
        for bins in (length_bins(test), reordering_bins(test)):
            if bins is not None and len(bins.names) > 1:
                parts.append(_by_kind(comparison, test, limit, bins))
    return side_by_side(parts) if parts else ""


def _by_kind(comparison: Comparison, test: Sentences, limit: int, bins: Bins) -> str:
    metric = comparison.metrics[test.name][0]
    series = []
    for name in comparison.systems:
        outputs = comparison.cell(name, limit).best.outputs[test.name]
        series.append(Series(name, scores_by_bin(metric, test, outputs, bins)))
    sizes = ", ".join(map(str, bins.sizes))
    chart = line_chart(bins.names, series, bins.title, metric.name)
    return figure(chart, f"{test.name}, limit {limit_name(limit)}; {sizes} sentences")


def _sentences(comparison: Comparison, draw: Draw) -> str:
    """The best system against the baseline: a few sentences with pictures of both."""
    limit = comparison.limits[-1]
    test = comparison.tests[0]
    metrics = comparison.metrics[test.name]
    place = next((p for p, metric in enumerate(metrics) if metric.name == "RIBES"), 0)
    baseline = comparison.cell(comparison.configuration.baseline_name, limit)
    others = [cell for cell in comparison.cells if cell.limit == limit and cell is not baseline]
    if not others:
        return ""
    sign = 1 if metrics[0].higher_is_better else -1
    best = max(others, key=lambda cell: sign * comparison.scores[test.name][cell.name][0].score)
    ours, theirs = best.best.outputs[test.name], baseline.best.outputs[test.name]
    parts = [
        paragraph(
            f"{best.system} against {baseline.system} on {test.name}, limit {limit_name(limit)}: "
            f"the sentences with the largest differences in {metrics[place].name}."
        )
    ]
    for number, difference in largest_differences(metrics[place], test, ours, theirs, N_EXAMPLES):
        words = test.sources[number].words
        lines = [("source", " ".join(words))]
        lines += [("reference", text) for text in test.references[number]]
        lines += [
            (cell.system, cell.best.outputs[test.name][number].text)
            for cell in comparison.cells
            if cell.limit == limit
        ]
        items = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in lines)
        pictures = side_by_side(
            [
                figure(draw(words, outputs[number]), cell.system)
                for cell, outputs in ((baseline, theirs), (best, ours))
            ]
        )
        parts.append(
            f'<article class="sentence"><h3>Sentence {number + 1}: {difference:+.1f}</h3>'
            f"<dl>{items}</dl>{pictures}</article>"
        )
    return "".join(parts)


def _weights(comparison: Comparison) -> str:
    names = list(dict.fromkeys(name for cell in comparison.cells for name in cell.best.weights))
    rows = [[name, *(_weight(cell, name) for cell in comparison.cells)] for name in names]
    return html_table(Table(["feature", *(cell.name for cell in comparison.cells)], rows))


def _weight(cell: Cell, name: str) -> str:
    return f"{cell.best.weights[name]:.4f}" if name in cell.best.weights else ""


def _costs(comparison: Comparison) -> str:
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
    header = ["system", "limit", "tuning, CPU s", "decoding, ms a sentence", "peak MB"]
    stages = [
        [name, f"{seconds:.1f}", f"{megabytes:.0f}"]
        for name, (seconds, megabytes) in comparison.stage_costs.items()
    ]
    trained = Table(["stage of training", "s", "peak MB so far"], stages)
    text = "Each cell was tuned and decoded by one thread of a process of its own."
    return (
        paragraph(text) + html_table(Table(header, rows)) + (html_table(trained) if stages else "")
    )


def _settings(comparison: Comparison) -> str:
    plain = json.dumps(comparison.configuration.plain(), ensure_ascii=False, indent=1)
    signatures = dict.fromkeys(
        f"{metric.name}: {metric.signature}"
        for metrics in comparison.metrics.values()
        for metric in metrics
    )
    versions = ", ".join(f"{name} {number}" for name, number in comparison.versions.items())
    return (
        note(list(signatures))
        + note([versions])
        + f"<details><summary>all settings</summary><pre>{escape(plain)}</pre></details>"
    )
