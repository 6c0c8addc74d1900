"""Draws heat maps with matplotlib: a value for every pair of words or classes."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.tuning.evaluation.figures import CELL, INK, add_tip, drawing, page_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCH = 72.0  # points
FONT = 10.0
WORD_FONT, LINE = 8.0, 10.0  # font size and line height of words beside the squares
MOST_NUMBERS = 400  # larger heat maps show no numbers
SQUARE = 26.0  # points of a square with a value
PAGE_SQUARE, PAGE_FONT = 22.0, 7.5  # in a page, with heat maps side by side
SMALL_SQUARE = 14.0  # points of a square without a value
NARROWEST = 12.0  # points of the smallest square that has room for a value
MARGINS = 180.0, 140.0  # points beside and above a heat map: words, titles, the scale
LARGEST = 1150.0  # maximum points of a picture's side, 2,400 pixels


def number_text(value: float) -> str:
    """Two significant digits: `.05`, `−1.3`, `12`."""
    if abs(value) >= 10:
        text = f"{value:.0f}"
    elif abs(value) >= 1:
        text = f"{value:.1f}"
    else:
        text = f"{value:.2f}".replace("0.", ".", 1)
    return text.replace("-", "−")


def draw_heat_map(
    axes: "Axes",
    heat_map: HeatMap,
    square: float = SQUARE,
    number: Callable[[float], str] = number_text,
    highest: float | None = None,
    font: float | None = None,
) -> None:
    """Draws values as colours, darker for higher values, up to `highest`; squares without a finite
    value stay empty. If `square`, the size in points, is too small for all words, some words are
    left out."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    values = np.ma.masked_invalid(heat_map.values)
    colours = LinearSegmentedColormap.from_list("", [to_rgba(CELL, 0.04), to_rgba(CELL, 0.7)])
    low = None if highest is None else 0.0
    axes.pcolormesh(values, cmap=colours, vmin=low, vmax=highest, clip_on=False)
    axes.set_aspect("equal")
    axes.set_anchor("W")
    axes.invert_yaxis()
    every = max(1, math.ceil(LINE / square))
    for axis, words, title in (
        (axes.xaxis, heat_map.columns, heat_map.column_title),
        (axes.yaxis, heat_map.rows, heat_map.row_title),
    ):
        axis.set_ticks(np.arange(0, len(words), every) + 0.5, words[::every], fontsize=WORD_FONT)
        axis.set_label_text(title, fontsize=WORD_FONT)
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    if _has_numbers(heat_map) and square >= NARROWEST:
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                axes.text(
                    column + 0.5, row + 0.5, number(float(value)),
                    ha="center", va="center", fontsize=font or square / 4, color=INK,
                )  # fmt: skip


def _has_numbers(heat_map: HeatMap) -> bool:
    return heat_map.values.size <= MOST_NUMBERS


def heat_map_svg(heat_map: HeatMap) -> str:
    """A heat map of percentages as SVG for a page, with a tooltip for every square."""
    from matplotlib.figure import Figure

    side = len(heat_map.rows) * PAGE_SQUARE / INCH
    with drawing():
        figure = Figure(figsize=(side + 0.8, side + 0.8), layout="constrained")
        axes = figure.subplots()
        draw_heat_map(axes, heat_map, PAGE_SQUARE, _share_text, highest=100.0, font=PAGE_FONT)
        axes.tick_params(axis="x", labelrotation=90)
        for (row, column), value in np.ndenumerate(heat_map.values):
            names = f"{heat_map.rows[row]} → {heat_map.columns[column]}"
            add_tip(axes, column + 0.5, row + 0.5, f"{names}: {value:.0f}%", PAGE_SQUARE)
        what = f"rows: {heat_map.row_title}; columns: {heat_map.column_title}"
        return page_svg(figure, heat_map.title, what)


def _share_text(percent: float) -> str:
    return f"{percent:.0f}" if percent >= 0.5 else ""


def picture_of_heat_maps(heat_maps: Sequence[HeatMap]) -> "Figure":
    """All heat maps in a roughly square grid; must be called inside `drawing()`."""
    from matplotlib.figure import Figure

    n_columns = math.ceil(math.sqrt(len(heat_maps)))
    n_rows = math.ceil(len(heat_maps) / n_columns)
    counts = (
        [max(len(map_.columns) for map_ in heat_maps[n::n_columns]) for n in range(n_columns)],
        [
            max(len(map_.rows) for map_ in heat_maps[n * n_columns : (n + 1) * n_columns])
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
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(
        n_rows, n_columns, squeeze=False, width_ratios=widths, height_ratios=heights
    ).ravel()
    for axes in panels[len(heat_maps) :]:
        axes.remove()
    for axes, heat_map in zip(panels, heat_maps, strict=False):
        draw_heat_map(axes, heat_map, square)
        axes.set_title(heat_map.title, fontsize=FONT)
        [squares, *_] = axes.collections
        figure.colorbar(squares, ax=axes, fraction=0.04, pad=0.02).ax.tick_params(labelsize=7)
    return figure
