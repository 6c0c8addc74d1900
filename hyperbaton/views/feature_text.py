"""Features of a maximum-entropy model as a table."""

from collections.abc import Sequence

from models.distortion.parse.listing import FeatureRow
from tuning.evaluation.tables import Table, as_text

COLUMNS = ("count", "alpha", "jump", "target", "source", "node", "coverage", "side", "near")
HEADINGS = tuple("α" if name == "alpha" else name for name in COLUMNS)
WORDS = frozenset({"target", "source", "node", "near"})


def feature_values(row: FeatureRow) -> list[str]:
    """One text for each column."""
    return [_text(getattr(row, column)) for column in COLUMNS]


def feature_table(rows: Sequence[FeatureRow]) -> str:
    """An aligned table; columns in which nothing is said are left out."""
    lines = [feature_values(row) for row in rows]
    used = [k for k in range(len(COLUMNS)) if k < 2 or any(line[k] for line in lines)]
    header, *lines = ([line[k] for k in used] for line in (HEADINGS, *lines))
    return as_text(Table(header, lines, left=WORDS))


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
