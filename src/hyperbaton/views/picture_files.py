"""Picture files: equal figures give equal bytes. SVG and PDF carry no dates and no random names."""

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
    """Refuses, before anything is drawn, a picture that could not be written."""
    if _format(path) not in FORMATS:
        raise DataError(
            f"{path.suffix or 'no ending'} is not a kind of picture",
            where=str(path),
            expected=nearest(_format(path), list(FORMATS)),
        )
    if not path.parent.is_dir():
        raise missing_file(path)


def save_picture(figure: "Figure", path: Path) -> None:
    """Writes a picture in the format that the file's ending names."""
    check_picture(path)
    kind = _format(path)
    undated: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with warnings.catch_warnings(), drawing(), open_to_write(path) as stream:
        if kind == "svg":  # the viewer finds the glyphs
            warnings.filterwarnings("ignore", MISSING_GLYPH)
        figure.savefig(stream, format=kind, dpi=DPI, metadata=undated.get(kind))


def _format(path: Path) -> str:
    return path.suffix[1:].lower()
