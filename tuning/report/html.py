"""Builds HTML: tables, figures, sections and the page around them."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from hyperbaton.tuning.evaluation.charts import Chart, chart_svg
from hyperbaton.tuning.evaluation.tables import Table

Section = tuple[str, str, str]  # anchor, title, HTML; omitted if the HTML is empty


def html_table(
    table: Table, classes: Sequence[Sequence[str]] = (), *, sortable: bool = True
) -> str:
    """A table; `classes` gives the CSS classes of its cells, row by row. A table that is too wide
    scrolls in a box, in which its first column stays in place."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.header)
    body = []
    for number, (name, *entries) in enumerate(table.rows):
        kinds = classes[number][1:] if classes else [""] * len(entries)
        shown = "".join(
            _entry(text, f"{kind}{' best' * ((number, column) in table.bold)}".strip())
            for column, (text, kind) in enumerate(zip(entries, kinds, strict=True), 1)
        )
        body.append(f'<tr><th scope="row">{escape(name)}</th>{shown}</tr>')
    kind = ' class="sortable"' if sortable else ""
    title = f"<h3>{escape(table.title)}</h3>" if table.title else ""
    label = escape(table.title or table.header[0] or "table")
    return (
        f'{title}<div class="wide" role="region" aria-label="{label}" tabindex="0"><table{kind}>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
        + note(table.notes)
    )


def note(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return f'<p class="quiet">{"<br>".join(map(escape, lines))}</p>'


def figure(drawing: str, caption: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption>{drawing}</figure>"


def chart_figure(chart: Chart) -> str:
    return figure(chart_svg(chart), chart.caption)


def wide_figure(drawing: str, caption: str) -> str:
    """A picture that scrolls instead of shrinking, so that its text stays readable."""
    box = f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}">'
    return figure(f"{box}{drawing}</div>", caption)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def details(summary: str, body: str) -> str:
    """A body folded under a summary."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>" if body else ""


def copied(text: str) -> str:
    """Text with a copy button, if scripts run."""
    return f'<pre class="copied" tabindex="0">{escape(text)}</pre>'


def side_by_side(parts: Sequence[str]) -> str:
    if not parts:
        return ""
    return f'<div class="grid-2">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def multiples(parts: Sequence[str]) -> str:
    """Small pictures, as many in a row as fit."""
    return f'<div class="multiples">{"".join(parts)}</div>'


def page(title: str, introduction: str, sections: Sequence[Section]) -> str:
    """A self-contained page with inline styles and scripts."""
    shown = [(name, escape(heading), body) for name, heading, body in sections if body]
    links = "".join(f'<li><a href="#{name}">{heading}</a></li>' for name, heading, _ in shown)
    body = "".join(
        f'<section id="{name}"><h2>{heading}</h2>{part}</section>' for name, heading, part in shown
    )
    folder = files("hyperbaton.tuning.report")
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    script = folder.joinpath("page.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>"
        f"<header><h1>{escape(title)}</h1>{introduction}"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>'
        f"<main>{body}</main><script>{script}</script></body></html>\n"
    )


def _entry(text: str, kind: str) -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f"<td{attribute}>{escape(text)}</td>"
