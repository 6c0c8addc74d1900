"""Heat maps of distortion models: a value for every pair of words of a sentence."""

import math
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.views.picture_files import DPI, INCH, INK
from hyperbaton.views.picture_fonts import Fonts

FONT = 10.0
WORD_FONT, LINE = 8.0, 10.0  # of words beside the squares, and the room that one takes
MOST_NUMBERS = 400  # larger heat maps do not write values into their squares
SQUARE = 26.0  # points of a square with a value
SMALL_SQUARE = 14.0  # points of a square without one
NARROWEST = 12.0  # a value fits into no smaller square
MARGINS = 180.0, 140.0  # points beside and above a heat map: words, titles, the scale
LARGEST = 1150.0  # points of a picture's side, 2,400 pixels


def draw_heat_map(axes: Axes, heat_map: HeatMap, fonts: Fonts, square: float = SQUARE) -> None:
    """Values as colours, the higher the darker; squares without a finite value stay grey. Where
    `square`, their size in points, leaves no room for every word, some words are left out."""
    values = np.ma.masked_invalid(heat_map.values)
    axes.set_facecolor("#dddddd")
    image = axes.imshow(values, cmap="Blues", aspect="equal")
    axes.set_anchor("W")
    every = max(1, math.ceil(LINE / square))
    style: dict[str, Any] = {"family": fonts.families, "parse_math": False}
    for side, words, title in (
        ("x", heat_map.columns, heat_map.column_title),
        ("y", heat_map.rows, heat_map.row_title),
    ):
        shown = [fonts.word_or_number(word, number) for number, word in enumerate(words)]
        ticks = {"rotation": 90} if side == "x" else {}
        getattr(axes, f"set_{side}ticks")(
            range(0, len(words), every), shown[::every], fontsize=WORD_FONT, **style, **ticks
        )
        getattr(axes, f"set_{side}label")(title, fontsize=WORD_FONT, **style)
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    title = heat_map.title if fonts.can_draw(heat_map.title) else ""
    axes.set_title(title, fontsize=FONT, **style)
    if _has_numbers(heat_map) and square >= NARROWEST and values.count():
        middle = (float(values.min()) + float(values.max())) / 2
        for (row, column), value in np.ndenumerate(heat_map.values):
            if np.isfinite(value):
                color = "white" if value > middle else INK
                axes.text(
                    column, row, number_text(float(value)),
                    ha="center", va="center", fontsize=6, color=color,
                )  # fmt: skip
    figure = axes.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02).ax.tick_params(labelsize=7)


def _has_numbers(heat_map: HeatMap) -> bool:
    return heat_map.values.size <= MOST_NUMBERS


def number_text(value: float) -> str:
    """Two significant digits: `.05`, `−1.3`, `12`."""
    if abs(value) >= 10:
        text = f"{value:.0f}"
    elif abs(value) >= 1:
        text = f"{value:.1f}"
    else:
        text = f"{value:.2f}".replace("0.", ".", 1)
    return text.replace("-", "−")


def picture_of_heat_maps(heat_maps: Sequence[HeatMap], fonts: Fonts | None = None) -> Figure:
    """All heat maps in a grid that is about as wide as it is high."""
    fonts = fonts or heat_map_fonts(heat_maps)
    n_columns = math.ceil(math.sqrt(len(heat_maps)))
    n_rows = math.ceil(len(heat_maps) / n_columns)
    counts = (
        [max(len(one.columns) for one in heat_maps[n::n_columns]) for n in range(n_columns)],
        [
            max(len(one.rows) for one in heat_maps[n * n_columns : (n + 1) * n_columns])
            for n in range(n_rows)
        ],
    )
    square = max(SQUARE if _has_numbers(heat_map) else SMALL_SQUARE for heat_map in heat_maps)
    for side, margin in zip(counts, MARGINS, strict=True):
        square = min(square, max(LARGEST - margin * len(side), 1.0) / sum(side))
    widths, heights = (
        [count * square + margin for count in side]
        for side, margin in zip(counts, MARGINS, strict=True)
    )
    size = sum(widths) / INCH, sum(heights) / INCH
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    panels = figure.subplots(
        n_rows, n_columns, squeeze=False, width_ratios=widths, height_ratios=heights
    ).ravel()
    for axes in panels[len(heat_maps) :]:
        axes.remove()
    for axes, heat_map in zip(panels, heat_maps, strict=False):
        draw_heat_map(axes, heat_map, fonts, square)
    return figure


def heat_map_fonts(heat_maps: Sequence[HeatMap], path: Path | None = None) -> Fonts:
    """Fonts for titles and words, in a file of this name if it is known."""
    titles = chain.from_iterable((one.title, one.row_title, one.column_title) for one in heat_maps)
    words = chain.from_iterable((*one.rows, *one.columns) for one in heat_maps)
    return Fonts(chain(titles, words), path)
