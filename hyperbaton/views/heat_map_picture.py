"""Heat maps of distortion models: a value for every pair of words of a sentence."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hyperbaton.views.picture_files import DPI, INCH, INK
from hyperbaton.views.picture_fonts import Fonts
from models.distortion.interface import HeatMap

FONT = 10.0
MOST_NUMBERS = 400  # larger heat maps do not write values into their squares
SQUARE = 26.0  # points of a square with a value
SMALL_SQUARE = 14.0  # points of a square without one


def draw_heat_map(axes: Axes, heat_map: HeatMap, fonts: Fonts) -> None:
    """Values as colours, the higher the darker; squares without a finite value stay grey."""
    values = np.ma.masked_invalid(heat_map.values)
    axes.set_facecolor("#dddddd")
    image = axes.imshow(values, cmap="Blues", aspect="equal")
    axes.set_anchor("W")
    for side, words in (("x", heat_map.columns), ("y", heat_map.rows)):
        shown = [fonts.word_or_number(word, number) for number, word in enumerate(words)]
        ticks = {"rotation": 90} if side == "x" else {}
        getattr(axes, f"set_{side}ticks")(
            range(len(words)), shown, fontsize=8, family=fonts.families, parse_math=False, **ticks
        )
    axes.tick_params(length=0)
    axes.xaxis.tick_top()
    title = heat_map.title if fonts.can_draw(heat_map.title) else ""
    axes.set_title(title, fontsize=FONT, family=fonts.families, parse_math=False)
    if _has_numbers(heat_map) and values.count():
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
    """All heat maps, one below the other."""
    fonts = fonts or heat_map_fonts(heat_maps)
    square = max(SQUARE if _has_numbers(heat_map) else SMALL_SQUARE for heat_map in heat_maps)
    width = max(len(heat_map.columns) for heat_map in heat_maps) * square + 160
    heights = [len(heat_map.rows) * square + 110 for heat_map in heat_maps]
    figure = Figure(figsize=(width / INCH, sum(heights) / INCH), dpi=DPI, layout="constrained")
    panels = figure.subplots(len(heat_maps), 1, squeeze=False, height_ratios=heights)
    for axes, heat_map in zip(panels[:, 0], heat_maps, strict=True):
        draw_heat_map(axes, heat_map, fonts)
    return figure


def heat_map_fonts(heat_maps: Sequence[HeatMap], path: Path | None = None) -> Fonts:
    """Fonts for titles and words, in a file of this name if it is known."""
    texts = [(one.title, *one.rows, *one.columns) for one in heat_maps]
    return Fonts(chain.from_iterable(texts), path)
