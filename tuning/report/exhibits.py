"""Exhibits as HTML: findings first, then charts with their numbers on demand, then tables."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from tuning.evaluation.charts import Chart
from tuning.evaluation.tables import Table
from tuning.report.html import chart_figure, details, html_table, paragraph, side_by_side
from tuning.reproduction.exhibit import Exhibit, Finding

LONG = 12  # rows; a paper's table that is longer is shown on demand


def exhibit_html(exhibit: Exhibit) -> str:
    return (
        paragraph(" ".join(exhibit.notes))
        + findings_html(exhibit.findings)
        + side_by_side([_chart(chart) for chart in exhibit.charts])
        + "".join(html_table(table) for table in exhibit.tables)
        + "".join(map(_paper_table, exhibit.figures))
    )


def findings_html(found: Sequence[Finding]) -> str:
    items = [
        f"<li>{escape(finding.statement)}: <strong>{escape(finding.verdict)}</strong>"
        f'<br><span class="quiet">{escape("; ".join(finding.cases))}</span></li>'
        for finding in found
    ]
    return f'<ul class="findings">{"".join(items)}</ul>' if items else ""


def _chart(chart: Chart) -> str:
    return chart_figure(chart) + details("numbers", html_table(replace(chart.table, title="")))


def _paper_table(table: Table) -> str:
    if len(table.rows) <= LONG:
        return html_table(table, sortable=False)
    return details(table.title, html_table(replace(table, title=""), sortable=False))
