"""matplotlib figures in one style, without global state, and as SVG for HTML pages.

In pages, figures use the colours and fonts of the page, light or dark: each colour here is replaced
by the variable of `report/page.css` that has this value in light mode. matplotlib takes each
character from the first installed font family that has it. Text in SVG stays text, which the viewer
draws with its fonts.
"""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SERIES = (
    "#0072b2", "#d55e00", "#00855f", "#b8538f", "#8a6d00", "#2a8fd0", "#5b4fc4", "#7a4a21"
)  # fmt: skip
INK, QUIET, LINE, CELL = "#1d2125", "#5d6670", "#d9dde2", "#1a6fb0"
VARIABLES = dict(zip(SERIES, (f"--s{n}" for n in range(len(SERIES))), strict=True)) | {
    INK: "--text", QUIET: "--quiet", LINE: "--line", CELL: "--cell"
}  # fmt: skip
FAMILIES = (
    "DejaVu Sans",  # comes with matplotlib
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Source Han Sans",
    "IPAGothic",
    "TakaoGothic",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Hiragino Sans",
    "PingFang SC",
    "Arial Unicode MS",
    "Noto Sans",
    "FreeSans",
    "Unifont",
)
MISSING_GLYPH = r"Glyph (\d+) .*missing from font"
TIP = "tip: "  # prefix of the ids of elements with tooltips


@contextmanager
def drawing() -> Iterator[None]:
    """Applies the style inside the context; equal figures give equal files."""
    import matplotlib
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    settings: dict[Any, Any] = {
        "font.family": [family for family in FAMILIES if family in installed],
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": QUIET,
        "axes.edgecolor": LINE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "xtick.color": QUIET,
        "ytick.color": QUIET,
        "grid.color": LINE,
        "legend.frameon": False,
        "legend.labelcolor": QUIET,
        "svg.hashsalt": "hyperbaton",
        "svg.fonttype": "none",  # text stays text
        "pdf.fonttype": 42,  # fonts of any size are embedded
    }
    with matplotlib.rc_context(settings):
        yield


def add_tip(axes: "Axes", x: float, y: float, text: str, size: float = 12) -> None:
    """Adds a tooltip around a point, for pages."""
    look: dict[str, Any] = {"color": INK, "markersize": size, "markeredgewidth": 0}
    [point] = axes.plot([x], [y], "s", alpha=0, zorder=10, clip_on=False, gid=TIP + text, **look)
    point.set_in_layout(False)


def page_svg(figure: "Figure", label: str, description: str) -> str:
    """A figure drawn inside `drawing()` as an `<svg>` element of a page."""
    import matplotlib

    stream = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    with warnings.catch_warnings(), matplotlib.rc_context({"svg.hashsalt": label}):
        warnings.filterwarnings("ignore", MISSING_GLYPH)  # the viewer supplies missing glyphs
        figure.savefig(stream, format="svg", metadata=nothing, transparent=True)
    text = stream.getvalue()
    body = text[text.index(">", text.index("<svg")) + 1 :]
    # its style would apply to the whole page
    body = re.sub(r"<style.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"<[^>]*>", lambda tag: _page_tag(tag[0]), body)
    body = re.sub(r"\s*\n\s*", "\n", body).strip()
    width, height = (round(72 * inches) for inches in figure.get_size_inches())
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}"><desc>{escape(description)}</desc>{body}'
    )


def _page_tag(tag: str) -> str:
    """A tag with the page's colours and fonts, and numbers of two decimals."""
    for pattern, new in (
        (f'<g id="{TIP}([^"]*)">', r"<g><title>\1</title>"),
        (r'<g id="[^"]*"', "<g"),  # ids that all figures share
        ("xlink:href", "href"),
        (r"font-family: [^;\"]*; ", ""),
        (r' transform="rotate\(-0 [^"]*"', ""),
    ):
        tag = re.sub(pattern, new, tag)
    if not tag.startswith("<g><title>"):
        tag = re.sub(r"(\.\d\d)\d+", r"\1", tag)
        for colour, name in VARIABLES.items():
            tag = tag.replace(colour, f"var({name})")
    return tag
