"""Tables of text: aligned columns for people, Markdown, LaTeX, CSV. The first column names the row.

Cells are ready-made text, so that a number reads the same everywhere.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

_LATEX = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "±": r"$\pm$", "∞": r"$\infty$", "−": r"$-$", "≤": r"$\le$", "≥": r"$\ge$",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    title: str = ""


def as_text(table: Table) -> str:
    """Aligned columns, numbers to the right."""
    text = aligned([table.header, *table.rows])
    return "\n".join([*_title(table), text, "", *table.notes]).rstrip("\n")


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the others to the right; rows may end early."""
    n_columns = max(map(len, rows))
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(n_columns)]
    lines = []
    for first, *cells in rows:
        numbers = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=False))
        lines.append("  ".join([f"{first:<{widths[0]}}", *numbers]).rstrip())
    return "\n".join(lines)


def as_markdown(table: Table) -> str:
    lines = [list(table.header), ["---"] + ["---:"] * (len(table.header) - 1)]
    lines += [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    title = [f"**{line}**\n" for line in _title(table)]
    notes = [f"- `{note}`" for note in table.notes]
    return "\n".join([*title, *(f"| {' | '.join(line)} |" for line in lines), "", *notes])


def as_latex(table: Table) -> str:
    """A tabular without packages; title and notes are comments."""
    comments = [f"% {note}" for note in [*_title(table), *table.notes]]
    lines = [f"\\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}", "\\hline"]
    lines += [_latex_row(table.header), "\\hline", *map(_latex_row, table.rows)]
    return "\n".join([*comments, *lines, "\\hline", "\\end{tabular}"])


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Numbers as they are, not rounded for people."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().rstrip("\n")


def _title(table: Table) -> list[str]:
    return [table.title] if table.title else []


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + " \\\\"


def escape_latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
