"""An exhibit: the results of one experiment as plain data (tables, charts, findings).

A finding says whether a paper's claim holds on our data. This module turns exhibits into text, and
into JSON and back; `tuning/report/report.py` makes HTML, `hyperbaton/views/exhibit_pictures.py`
makes pictures. NaN and infinity, which JSON does not have, become gaps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from models.writing import open_to_write
from tuning.evaluation.charts import Chart, Series
from tuning.evaluation.tables import Table, as_text

FILE = "exhibit.json"


class LeftOut(Exception):
    """An exhibit cannot be made of this data; the message says why."""


@dataclass(frozen=True)
class Finding:
    """A claim of a paper, tested on our data."""

    statement: str
    verdict: str
    cases: tuple[str, ...]  # numbers behind the verdict

    @property
    def line(self) -> str:
        cases = f" ({'; '.join(self.cases)})" if self.cases else ""
        return f"{self.statement} — {self.verdict}{cases}"


@dataclass(frozen=True)
class Exhibit:
    name: str
    title: str
    notes: Sequence[str]  # what was done
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    findings: Sequence[Finding] = ()
    figures: Sequence[Table] = ()  # the paper's own; added when the exhibit is shown


def exhibit_text(exhibit: Exhibit) -> str:
    """For a terminal: charts as tables."""
    tables = [*exhibit.tables, *(chart.table for chart in exhibit.charts), *exhibit.figures]
    parts = ["\n".join([exhibit.title, *exhibit.notes]), *map(as_text, tables)]
    if exhibit.findings:
        parts.append("\n".join(finding.line for finding in exhibit.findings))
    return "\n\n".join(parts)


def verdict(signs: Sequence[bool], sure: Sequence[bool]) -> str:
    """In words: whether the better system is ahead, and whether significantly, case by case."""
    if not signs:
        return "cannot be tested here"
    if all(signs):
        if all(sure):
            return "holds"
        return "holds, not always significantly" if any(sure) else "holds, but not significantly"
    if not any(signs):
        return "does not hold" if any(sure) else "does not hold (no significant difference)"
    return "holds in some cases"


def holds(cases: Sequence[bool]) -> str:
    """A verdict where significance is not tested."""
    if not cases:
        return "cannot be tested here"
    if all(cases):
        return "holds"
    return "holds in some cases" if any(cases) else "does not hold"


def as_record(exhibit: Exhibit) -> dict[str, Any]:
    """In a form that JSON can hold, without the paper's figures, which are not results."""
    record = asdict(exhibit)
    del record["figures"]
    for table in record["tables"]:
        del table["left"]
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
