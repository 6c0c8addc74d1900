"""Tables as aligned text, Markdown, LaTeX and CSV; `report/html.py` has HTML.

Cells are formatted text, so that a number looks the same everywhere. Widths are those of a
terminal, where East Asian characters take two columns.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"} | {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "±": r"$\pm$", "∞": r"$\infty$", "−": r"$-$", "≤": r"$\le$", "≥": r"$\ge$",
        "†": r"$\dagger$", "°": r"$^\circ$", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    title: str = ""
    left: frozenset[str] | None = None  # left-aligned columns; None: only the first
    bold: frozenset[tuple[int, int]] = frozenset()  # (row, column) of bold cells in LaTeX and HTML

    @property
    def is_left(self) -> list[bool]:
        """Whether each column is left-aligned, as words are; numbers are right-aligned."""
        if self.left is None:
            return [place == 0 for place in range(len(self.header))]
        return [name in self.left for name in self.header]

    @property
    def widths(self) -> list[int]:
        columns = zip(self.header, *self.rows, strict=True)
        return [max(map(cell_len, column)) for column in columns]


def as_text(table: Table, indent: str = "") -> str:
    """Title, columns separated by two spaces, notes; only the columns are indented."""
    widths, is_left = table.widths, table.is_left
    lines = [
        (indent + "  ".join(map(padded, row, widths, is_left))).rstrip()
        for row in (table.header, *table.rows)
    ]
    return "\n".join([*_title(table), *lines, "", *table.notes]).rstrip("\n")


def as_markdown(table: Table) -> str:
    lines = [list(table.header), ["---" if left else "---:" for left in table.is_left]]
    lines += [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    title = [f"**{line}**\n" for line in _title(table)]
    notes = [f"- `{note}`" for note in table.notes]
    return "\n".join([*title, *(f"| {' | '.join(line)} |" for line in lines), "", *notes])


def as_latex(table: Table) -> str:
    """A tabular with the rules of booktabs; title and notes are comments."""
    notes = [*_title(table), *table.notes, r"needs \usepackage{booktabs}"]
    columns = "".join("l" if left else "r" for left in table.is_left)
    rows = [
        _latex_row(
            rf"\textbf{{{entry}}}" if (number, column) in table.bold else entry
            for column, entry in enumerate(map(_latex, row))
        )
        for number, row in enumerate(table.rows)
    ]
    return "\n".join(
        [
            *(f"% {note}" for note in notes),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_row(map(_latex, table.header)),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV with unrounded numbers."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue().rstrip("\n")


def _title(table: Table) -> list[str]:
    return [table.title] if table.title else []


def padded(cell: str, width: int, left: bool = True) -> str:
    space = " " * (width - cell_len(cell))
    return cell + space if left else space + cell


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def _latex_row(entries: Iterable[str]) -> str:
    return " & ".join(entries) + r" \\"
