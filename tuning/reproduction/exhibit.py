"""An exhibit: what one experiment gave, as plain data for people (tables, charts, findings).

It goes to JSON and back. Not a number and infinity, which JSON does not have, become gaps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from models.writing import open_to_write
from tuning.evaluation.charts import Series
from tuning.evaluation.tables import Table, as_text
from tuning.reproduction.papers import Finding

FILE = "exhibit.json"
MOST_ROWS = 40  # of a chart as a table
NUMBERS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500)  # places of longer ones


class LeftOut(Exception):
    """An exhibit cannot be made of this data; the message says why."""


@dataclass(frozen=True)
class Chart:
    """Lines over named places."""

    caption: str
    places: Sequence[str]
    series: Sequence[Series]
    x_title: str
    y_title: str
    digits: int = 1  # of numbers in the table
    is_log: bool = False

    @property
    def table(self) -> Table:
        """The same as numbers, a row for each place; if there are many, for fewer and fewer."""
        n = len(self.places)
        shown = range(n) if n <= MOST_ROWS else [k - 1 for k in NUMBERS if k < n] + [n - 1]
        rows = [
            [self.places[row], *(_number(one.values, row, self.digits) for one in self.series)]
            for row in shown
        ]
        return Table([self.x_title, *(one.name for one in self.series)], rows, (), self.caption)


@dataclass(frozen=True)
class Exhibit:
    name: str
    title: str
    notes: Sequence[str]  # what was done
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    findings: Sequence[Finding] = ()
    figures: Sequence[Table] = ()  # the paper's own; they are added when all is shown


def exhibit_text(exhibit: Exhibit) -> str:
    """For a terminal: charts as tables."""
    tables = [*exhibit.tables, *(chart.table for chart in exhibit.charts), *exhibit.figures]
    parts = ["\n".join([exhibit.title, *exhibit.notes]), *map(as_text, tables)]
    if exhibit.findings:
        parts.append("\n".join(finding.line for finding in exhibit.findings))
    return "\n\n".join(parts)


def as_record(exhibit: Exhibit) -> dict[str, Any]:
    """As JSON can hold it; without the paper's figures, which are no result."""
    record = asdict(exhibit)
    del record["figures"]
    for chart in record["charts"]:
        for one in chart["series"]:
            one["values"] = [_finite(value) for value in one["values"]]
    return record


def from_record(record: Mapping[str, Any]) -> Exhibit:
    return Exhibit(
        record["name"],
        record["title"],
        record["notes"],
        [Table(**table) for table in record["tables"]],
        [
            Chart(**(chart | {"series": [Series(**one) for one in chart["series"]]}))
            for chart in record["charts"]
        ],
        [
            Finding(finding["statement"], finding["verdict"], tuple(finding["cases"]))
            for finding in record["findings"]
        ],
    )


def save_exhibit(exhibit: Exhibit, folder: Path) -> None:
    with open_to_write(folder / FILE) as stream:
        stream.write(records_text(as_record(exhibit)))


def load_exhibit(folder: Path) -> Exhibit:
    return from_record(json.loads((folder / FILE).read_text(encoding="utf-8")))


def records_text(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else float(value)


def _number(values: Sequence[float | None], place: int, digits: int) -> str:
    value = _finite(values[place]) if place < len(values) else None
    return "-" if value is None else f"{value:.{digits}f}"
