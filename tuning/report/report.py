"""The report of a comparison: its sections in order; scores, findings and exhibits."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.result_tables import (
    latex_of,
    limits_table,
    runs_text,
    significance_table,
    summary_table,
    way_tables,
)
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.scoring import BETTER_MARK, WORSE_MARK
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Finding, footnote
from hyperbaton.tuning.report.account import costs, settings, tuning_curves, weights
from hyperbaton.tuning.report.examples import sentences
from hyperbaton.tuning.report.html import (
    chart_figure,
    copied,
    details,
    html_table,
    note,
    page,
    paragraph,
    side_by_side,
)
from hyperbaton.tuning.report.overview import introduction, overview, title
from hyperbaton.tuning.report.word_order import kinds_of_sentences, word_order
from hyperbaton.tuning.reproduction.exhibit import Exhibit

LONG = 12  # rows; a longer table of a paper is folded


def report(
    comparison: Comparison,
    findings: Sequence[Finding] = (),
    figures: Sequence[Table] = (),
    exhibits: Sequence[Exhibit] = (),
) -> str:
    """The whole page; `figures` are the tables of the paper."""
    known = _findings(findings) + "".join(html_table(f, sortable=False) for f in figures)
    sections = [
        ("overview", "Overview", overview(comparison)),
        ("findings", "Findings", known),
        ("scores", "Scores", _scores(comparison)),
        ("significance", "Significance", _significance(comparison)),
        ("limits", "Distortion limits", _limits(comparison)),
        *((exhibit.name, exhibit.title, _exhibit(exhibit)) for exhibit in exhibits),
        ("tuning", "Tuning", tuning_curves(comparison)),
        ("order", "Word order", word_order(comparison)),
        ("kinds", "Kinds of sentences", kinds_of_sentences(comparison)),
        ("sentences", "Where the systems differ most", sentences(comparison)),
        ("weights", "Weights", weights(comparison)),
        ("costs", "Costs", costs(comparison)),
        ("settings", "Settings", settings(comparison)),
    ]
    return page(title(comparison), introduction(comparison), sections)


def _scores(comparison: Comparison) -> str:
    parts = []
    for test in comparison.tests:
        table = summary_table(comparison, test.name)
        classes = [[_kind(text) for text in row] for row in table.rows]
        n = len(comparison.metrics[test.name])
        signatures, (legend, *others) = table.notes[:n], table.notes[n:]
        shown = replace(table, notes=[f"{legend}; bold: best", *others])
        parts.append(html_table(shown, classes) + details("metric signatures", note(signatures)))
        parts += map(html_table, way_tables(comparison, test.name))
        parts.append(details("LaTeX", copied(latex_of(comparison, test.name))))
    return "".join(parts)


def _kind(text: str) -> str:
    return "better" * text.endswith(BETTER_MARK) + "worse" * text.endswith(WORSE_MARK)


def _significance(comparison: Comparison) -> str:
    if len(comparison.systems) < 2:
        return ""
    alpha = comparison.configuration.significant
    text = (
        f"p-value of the row's system against the column's; columns have the numbers of the rows "
        f"({runs_text(comparison)}). Values below {alpha:g} are coloured: green and ↑ if the row "
        "is better, orange and ↓ if it is worse."
    )
    shown: list[str] = []
    more: list[str] = []
    for test in comparison.tests:
        for limit in comparison.limits:
            place = shown if limit == comparison.limits[-1] else more
            place.append(_matrix(comparison, test, limit))
    other = details("other limits", "".join(more))
    return paragraph(text) + "".join(shown) + other


def _matrix(comparison: Comparison, test: Sentences, limit: int) -> str:
    table = significance_table(comparison, test.name, limit)
    matrix = comparison.p_values[test.name][limit]
    sign = 1 if comparison.metrics[test.name][0].higher_is_better else -1
    score = [
        sign * comparison.mean(test.name, comparison.cell(name, limit))
        for name in comparison.systems
    ]
    rows, classes, alpha = [], [], comparison.configuration.significant
    for i, (name, *cells) in enumerate(table.rows):
        kinds = [
            ("better" if score[i] > score[j] else "worse") if matrix[i, j] < alpha else ""
            for j in range(len(cells))
        ]
        marks = {"better": " ↑", "worse": " ↓", "": ""}
        texts = [text + marks[kind] for text, kind in zip(cells, kinds, strict=True)]
        rows.append([f"{i + 1}  {name}", *texts])
        classes.append(["", *kinds])
    numbers = [str(number + 1) for number in range(len(rows))]
    return html_table(Table(["system", *numbers], rows, title=table.title), classes, sortable=False)


def _limits(comparison: Comparison) -> str:
    if len(comparison.limits) < 2:
        return ""
    parts = []
    for test in comparison.tests:
        metric = comparison.metrics[test.name][0]
        scores = comparison.scores[test.name]
        series = [
            Series(
                name,
                [scores[comparison.cell(name, limit).name][0].score for limit in comparison.limits],
            )
            for name in comparison.systems
        ]
        places = [limit_name(limit) for limit in comparison.limits]
        caption = f"{metric.name} on {test.name} by distortion limit"
        chart = Chart(caption, places, series, "distortion limit", metric.heading)
        parts += [chart_figure(chart), html_table(limits_table(comparison, test.name))]
    return side_by_side(parts)


def _exhibit(exhibit: Exhibit) -> str:
    """Findings, then charts with folded numbers, then tables."""
    return (
        paragraph(" ".join(exhibit.notes))
        + _findings(exhibit.findings)
        + side_by_side([_chart(chart) for chart in exhibit.charts])
        + "".join(html_table(table) for table in exhibit.tables)
        + "".join(map(_paper_table, exhibit.figures))
    )


def _findings(findings: Sequence[Finding]) -> str:
    items = [
        f"<li>{escape(finding.statement)}: <strong>{escape(finding.verdict)}</strong>"
        f"{escape(''.join(f', {caveat}' for caveat in finding.caveats))}"
        f'<br><span class="quiet">{escape("; ".join(finding.cases))}</span></li>'
        for finding in findings
    ]
    if not items:
        return ""
    return f'<ul class="findings">{"".join(items)}</ul>{note([footnote(findings)])}'


def _chart(chart: Chart) -> str:
    return chart_figure(chart) + details("numbers", html_table(replace(chart.table, title="")))


def _paper_table(table: Table) -> str:
    if len(table.rows) <= LONG:
        return html_table(table, sortable=False)
    return details(table.title, html_table(replace(table, title=""), sortable=False))
