"""Writes pictures reproducibly: SVG and PDF contain no dates or random names."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperbaton.foundation.errors import DataError, missing_file, nearest
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.tuning.evaluation.figures import MISSING_GLYPH, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("pdf", "png", "svg")
DPI = 150


def check_picture(path: Path) -> None:
    """Raises if a picture could not be written, before anything is drawn."""
    if _format(path) not in FORMATS:
        raise DataError(
            f"{path.suffix or 'no ending'} is not a picture format",
            where=str(path),
            expected=nearest(_format(path), list(FORMATS)),
        )
    if not path.parent.is_dir():
        raise missing_file(path)


def save_picture(figure: "Figure", path: Path) -> None:
    """Writes a picture in the format given by the file's ending."""
    check_picture(path)
    kind = _format(path)
    undated: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with warnings.catch_warnings(), drawing(), open_to_write(path) as stream:
        if kind == "svg":  # the viewer supplies missing glyphs
            warnings.filterwarnings("ignore", MISSING_GLYPH)
        figure.savefig(stream, format=kind, dpi=DPI, metadata=undated.get(kind))


def _format(path: Path) -> str:
    return path.suffix[1:].lower()
