"""Picture files: matplotlib's figures without its global state, and equal ones as equal bytes.

SVG and PDF carry no dates and no random names. Text in SVG stays text, so that it can be searched;
the viewer draws it with its own fonts.
"""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperbaton.foundation.errors import DataError, missing_file, nearest
from hyperbaton.foundation.files.writing import open_to_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("pdf", "png", "svg")
INCH = 72.0  # points
DPI = 150
INK = "#222222"


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


def keeps_text(path: Path | None) -> bool:
    """Whether a file of this name leaves it to the viewer to find glyphs for its text."""
    return path is not None and _format(path) == "svg"


def save_picture(figure: "Figure", path: Path) -> None:
    """Writes a picture in the format that the file's ending names."""
    import matplotlib

    check_picture(path)
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
        if keeps_text(path):  # the viewer finds the glyphs
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
        kind = _format(path)
        figure.savefig(stream, format=kind, metadata=undated.get(kind))


def _format(path: Path) -> str:
    return path.suffix[1:].lower()
