"""Picture files: matplotlib's figures without its global state, and equal ones as equal bytes.

SVG and PDF carry no dates and no random names. Text in SVG stays text, so that it can be searched
and is drawn with the fonts of whoever looks at it.
"""

import warnings
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from models.writing import open_to_write

INCH = 72.0  # points
DPI = 150
INK = "#222222"


def keeps_text(path: Path | None) -> bool:
    """Whether a file of this name leaves it to others to find glyphs for its text."""
    return path is not None and path.suffix.lower() == ".svg"


def save_picture(figure: Figure, path: Path) -> None:
    """Writes a picture in the format that its name says."""
    kind = path.suffix[1:].lower()
    undated: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    settings: dict[Any, Any] = {
        "svg.hashsalt": "hyperbaton",
        "svg.fonttype": "none",  # text stays text
        "pdf.fonttype": 42,  # fonts of any size are embedded
    }
    with (
        warnings.catch_warnings(),
        matplotlib.rc_context(settings),
        open_to_write(path) as stream,
    ):
        if keeps_text(path):  # the glyphs are for another machine to find
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(stream, format=kind, metadata=undated.get(kind))
