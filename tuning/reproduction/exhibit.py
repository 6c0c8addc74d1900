"""An exhibit: the results of one experiment as plain data (tables, charts, findings).

A finding says whether a paper's claim holds on our data (`tuning/evaluation/verdicts.py`). This
module turns exhibits into text, and into JSON and back; `tuning/report/report.py` makes HTML,
`src/hyperbaton/views/exhibit_pictures.py` makes pictures. NaN and infinity, which JSON does not
have, become gaps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table, as_text
from hyperbaton.tuning.evaluation.verdicts import Finding, footnote

FILE = "exhibit.json"
GOTO = "Goto et al. 2013"
NI = "Ni et al. 2011"
XIANG = "Xiang et al. 2011"
ALRAJEH = "Alrajeh and Niranjan 2014"


class LeftOut(Exception):
    """An exhibit cannot be made of this data; the message says why."""


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
        lines = [finding.line for finding in exhibit.findings]
        parts.append("\n".join([*lines, footnote(exhibit.findings)]))
    return "\n\n".join(parts)


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
            Finding(**own | {"cases": tuple(own["cases"]), "caveats": tuple(own["caveats"])})
            for own in record["findings"]
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
