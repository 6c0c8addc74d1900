"""Prints paragraphs and tables: with rich on a terminal, as plain aligned text elsewhere.

Plain text has no colours, rules or width limit, so that it can be saved, searched and compared.
"""

import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from hyperbaton.tuning.evaluation.tables import Table, as_text

TextBlock = Table | str
INDENT = "  "
MARK = "*"  # rows that begin with it are bold on a terminal
NARROWEST = 10  # minimum width of a column of words; numbers are never cut


def print_blocks(blocks: Iterable[TextBlock], stream: TextIO | None = None) -> None:
    """Prints paragraphs and tables, separated by empty lines."""
    stream = stream or sys.stdout
    console = Console(file=stream, highlight=False) if stream.isatty() else None
    for number, block in enumerate(blocks):
        if number:
            stream.write("\n")
        if console is None:
            stream.write((block if isinstance(block, str) else as_text(block, INDENT)) + "\n")
        elif isinstance(block, str):
            console.print(Text(block))
        else:
            if block.title:
                console.print(Text(block.title, style="bold"))
            if sum(width + 2 for width in _least_widths(block)) <= console.width:
                console.print(_rich(block))
            else:  # overlong lines are better than truncated numbers
                console.print(Text(as_text(replace(block, title=""), INDENT)), soft_wrap=True)


def _least_widths(table: Table) -> list[int]:
    """The minimum width of each column; words may wrap, numbers may not."""
    return [
        min(NARROWEST, width) if left else width
        for width, left in zip(table.widths, table.is_left, strict=True)
    ]


def _rich(table: Table) -> RichTable:
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name, left, width in zip(table.header, table.is_left, _least_widths(table), strict=True):
        drawn.add_column(
            Text(name),
            justify="left" if left else "right",
            no_wrap=not left,
            overflow="fold",
            min_width=width,
        )
    for cells in table.rows:
        drawn.add_row(*map(Text, cells), style="bold" if cells[0] == MARK else None)
    return drawn
