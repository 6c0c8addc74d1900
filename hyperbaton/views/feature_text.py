"""Features of a maximum-entropy model as a table."""

from collections.abc import Sequence

from models.distortion.parse.listing import FeatureRow

COLUMNS = ("count", "alpha", "jump", "target", "source", "node", "coverage", "side", "near")
HEADINGS = tuple("α" if name == "alpha" else name for name in COLUMNS)
NUMBERS = frozenset({"count", "α", "jump", "coverage", "side"})


def feature_values(row: FeatureRow) -> list[str]:
    """One text for each column."""
    return [_text(getattr(row, column)) for column in COLUMNS]


def feature_table(rows: Sequence[FeatureRow]) -> str:
    """An aligned table; columns in which nothing is said are left out."""
    lines = [list(HEADINGS), *(feature_values(row) for row in rows)]
    used = [k for k in range(len(COLUMNS)) if k < 2 or any(line[k] for line in lines[1:])]
    widths = [max(len(line[k]) for line in lines) for k in used]
    return "\n".join(
        "  ".join(
            line[k].rjust(width) if HEADINGS[k] in NUMBERS else line[k].ljust(width)
            for k, width in zip(used, widths, strict=True)
        ).rstrip()
        for line in lines
    )


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
