"""An exhibit: the results of one experiment as plain data (tables, charts, findings).

A finding says whether a claim of a paper holds on our data (`tuning/evaluation/verdicts.py`). This
module converts exhibits to text, and to JSON and back; `tuning/report/report.py` produces HTML,
`src/hyperbaton/views/exhibit_pictures.py` pictures. NaN and infinity, which JSON does not have,
become gaps.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.tuning.evaluation.charts import Chart
from hyperbaton.tuning.evaluation.tables import Table, as_text
from hyperbaton.tuning.evaluation.verdicts import Finding, footnote

FILE = "exhibit.json"
GOTO = "Goto et al. 2013"
NI = "Ni et al. 2011"
XIANG = "Xiang et al. 2011"
ALRAJEH = "Alrajeh and Niranjan 2014"


class LeftOut(Exception):
    """An exhibit is not possible with this data; the message says why."""


@dataclass(frozen=True)
class Exhibit:
    name: str
    title: str
    notes: Sequence[str]  # how it was done
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    findings: Sequence[Finding] = ()
    figures: Sequence[Table] = ()  # tables of the paper, added for display


def exhibit_text(exhibit: Exhibit) -> str:
    """An exhibit as text, with charts as tables."""
    tables = [*exhibit.tables, *(chart.table for chart in exhibit.charts), *exhibit.figures]
    parts = ["\n".join([exhibit.title, *exhibit.notes]), *map(as_text, tables)]
    if exhibit.findings:
        lines = [finding.line for finding in exhibit.findings]
        parts.append("\n".join([*lines, footnote(exhibit.findings)]))
    return "\n\n".join(parts)


def as_record(exhibit: Exhibit) -> dict[str, Any]:
    """An exhibit as JSON values, without the paper's figures, which are not results."""
    record = asdict(exhibit)
    del record["figures"]
    for table in record["tables"]:
        del table["left"], table["bold"]
    for chart in record["charts"]:
        for series in chart["series"]:
            series["values"] = [
                None if value is None or not isfinite(value) else float(value)
                for value in series["values"]
            ]
    return record


def save_exhibit(exhibit: Exhibit, folder: Path) -> None:
    with open_to_write(folder / FILE) as stream:
        stream.write(records_text(as_record(exhibit)))


def load_exhibit(folder: Path) -> Exhibit:
    content = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return typed(content, Exhibit, str(folder / FILE))


def records_text(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode() + b"\n"
