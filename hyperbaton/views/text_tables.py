"""Tables on standard output: drawn with rich on a terminal, plain aligned text everywhere else.

Letters of East Asia take two cells. Plain text has no colours, no lines and no limit of width, so
that it can be kept, searched and compared.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text


@dataclass(frozen=True)
class Table:
    """Ready-made cells. Columns are numbers, to the right, unless `left` has their name."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: frozenset[str] = frozenset()
    marked: frozenset[int] = frozenset()  # rows with a star


Block = Table | str
NARROWEST = 10  # cells of a column of words; numbers are never cut


def print_blocks(blocks: Iterable[Block], stream: TextIO | None = None) -> None:
    """Paragraphs and tables, with empty lines between them."""
    stream = stream or sys.stdout
    console = Console(file=stream, highlight=False) if stream.isatty() else None
    for number, block in enumerate(blocks):
        if number:
            stream.write("\n")
        if console is None:
            stream.write((block if isinstance(block, str) else plain(block)) + "\n")
        elif isinstance(block, str):
            console.print(Text(block))
        else:
            if block.title:
                console.print(Text(block.title, style="bold"))
            if _least_width(_with_marks(block)) <= console.width:
                console.print(_rich(_with_marks(block)))
            else:  # rather lines that are too long than numbers that are cut off
                console.print(Text(plain(replace(block, title=""))), soft_wrap=True)


def plain(table: Table) -> str:
    """Aligned columns, two spaces apart."""
    table = _with_marks(table)
    lines = [table.header, *table.rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    text = [table.title] if table.title else []
    for cells in lines:
        aligned = (
            _padded(cell, width, name in table.left)
            for cell, width, name in zip(cells, widths, table.header, strict=True)
        )
        text.append(f"  {'  '.join(aligned)}".rstrip())
    return "\n".join(text)


def _with_marks(table: Table) -> Table:
    """The same with a column in front that has stars where rows are marked."""
    if not table.marked:
        return table
    rows = [["*" if n in table.marked else "", *row] for n, row in enumerate(table.rows)]
    return replace(table, header=["", *table.header], rows=rows)


def _padded(cell: str, width: int, left: bool) -> str:
    space = " " * (width - cell_len(cell))
    return cell + space if left else space + cell


def _least_widths(table: Table) -> list[int]:
    """Of each column: words may be folded, numbers may not."""
    columns = zip(table.header, *table.rows, strict=True)
    widths = [max(map(cell_len, column)) for column in columns]
    return [
        min(NARROWEST, width) if name in table.left else width
        for name, width in zip(table.header, widths, strict=True)
    ]


def _least_width(table: Table) -> int:
    return sum(width + 2 for width in _least_widths(table))


def _rich(table: Table) -> RichTable:
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name, width in zip(table.header, _least_widths(table), strict=True):
        is_left = name in table.left
        drawn.add_column(
            Text(name),
            justify="left" if is_left else "right",
            no_wrap=not is_left,
            overflow="fold",
            min_width=width,
        )
    for number, cells in enumerate(table.rows):
        drawn.add_row(*map(Text, cells), style="bold" if number in table.marked else None)
    return drawn
