"""Pictures of derivations, drawn with matplotlib's objects: one, or several side by side."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path as Outline

from hyperbaton.decoder.drawing.derivation_layout import FONT, Derivation, Layout, Point, lay_out
from hyperbaton.decoder.drawing.derivation_svg import (
    BACKWARD,
    arrow_head,
    bracket_points,
    color_of,
    curve,
    ribbon_curves,
)
from hyperbaton.decoder.drawing.jump_brackets import SMALL
from hyperbaton.views.picture_files import DPI, INCH, INK
from hyperbaton.views.picture_fonts import BASE, Fonts

TITLE = 18.0  # points above a panel


def draw_derivation(
    axes: Axes, derivation: Derivation, *, vertical: bool | None = None, fonts: Fonts | None = None
) -> None:
    """Draws a derivation into axes of any size, as large as fits.

    Words that none of the `fonts` can draw are replaced by their numbers, counted from 0.
    """
    fonts = fonts or fonts_for([derivation])
    source, target = (
        tuple(fonts.word_or_number(word, number) for number, word in enumerate(words))
        for words in (derivation.source_words, derivation.target_words)
    )
    shown = replace(derivation, source_words=source, target_words=target)
    layout = lay_out(shown, lambda text: fonts.width(text, FONT), vertical)
    width, height = layout.size
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    box = axes.get_window_extent()
    points = INCH / axes.get_figure().dpi  # type: ignore[union-attr]
    scale = min(box.width * points / width, box.height * points / height)
    _draw_phrases(axes, layout, scale)
    _draw_brackets(axes, layout, scale)
    _draw_texts(axes, layout, scale, fonts)


def picture_of(
    derivations: Sequence[Derivation], titles: Sequence[str] = (), fonts: Fonts | None = None
) -> Figure:
    """Derivations side by side if they are upright, below one another if they are wide."""
    fonts = fonts or fonts_for(derivations)
    vertical = any(derivation.is_long for derivation in derivations)
    sizes = [
        lay_out(derivation, lambda text: fonts.width(text, FONT), vertical).size
        for derivation in derivations
    ]
    above = TITLE if titles else 0.0
    widths, heights = ([size[axis] for size in sizes] for axis in (0, 1))
    if vertical:
        size = sum(widths), max(heights) + above
    else:
        size = max(widths), sum(heights) + above * len(sizes)
    figure = Figure(figsize=(size[0] / INCH, size[1] / INCH), dpi=DPI)
    x, y = 0.0, size[1]
    for number, (derivation, (width, height)) in enumerate(zip(derivations, sizes, strict=True)):
        top = (size[1] if vertical else y) - above
        axes = figure.add_axes(
            (x / size[0], (top - height) / size[1], width / size[0], height / size[1])
        )
        draw_derivation(axes, derivation, vertical=vertical, fonts=fonts)
        if titles:
            figure.text(
                (x + 8) / size[0], (top + 0.25 * TITLE) / size[1], titles[number],
                fontsize=FONT, fontweight="bold", color=INK, family=BASE, parse_math=False,
            )  # fmt: skip
        if vertical:
            x += width
        else:
            y = top - height
    return figure


def fonts_for(derivations: Sequence[Derivation], path: Path | None = None) -> Fonts:
    """Fonts for the words of derivations, in a file of this name if it is known."""
    texts = [(*derivation.source_words, *derivation.target_words) for derivation in derivations]
    return Fonts(chain.from_iterable(texts), path)


def _draw_phrases(axes: Axes, layout: Layout, scale: float) -> None:
    for ribbon in layout.ribbons:
        there, back = ribbon_curves(ribbon, layout.vertical)
        codes = [Outline.MOVETO, *[Outline.CURVE4] * 3, Outline.LINETO, *[Outline.CURVE4] * 3]
        outline = Outline([*there, *back], codes)
        color = color_of(ribbon.step)
        axes.add_patch(PathPatch(outline, facecolor=color, alpha=0.15, linewidth=0))
    for box in layout.boxes:
        color = color_of(box.step)
        axes.add_patch(
            FancyBboxPatch(
                box.corner,
                *box.size,
                boxstyle="round,pad=0,rounding_size=3",
                facecolor=(color, 0.25),
                edgecolor=color,
                linewidth=scale,
                linestyle=(0, (2, 2)) if box.is_unknown else "solid",
            )
        )
    for link in layout.links:
        points = curve(link.source, link.target, layout.vertical)
        outline = Outline(points, [Outline.MOVETO, *[Outline.CURVE4] * 3])
        axes.add_patch(PathPatch(outline, fill=False, edgecolor=INK, alpha=0.6, linewidth=scale))


def _draw_brackets(axes: Axes, layout: Layout, scale: float) -> None:
    codes = [
        Outline.MOVETO, Outline.LINETO, Outline.CURVE3, Outline.CURVE3,
        Outline.LINETO, Outline.CURVE3, Outline.CURVE3, Outline.LINETO,
    ]  # fmt: skip
    for bracket in layout.brackets:
        color = INK if bracket.is_forward else BACKWARD
        outline = Outline(bracket_points(bracket), codes)
        dash = "solid" if bracket.is_forward else (0, (4, 2))
        axes.add_patch(
            PathPatch(outline, fill=False, edgecolor=color, linewidth=scale, linestyle=dash)
        )
        axes.add_patch(Polygon(arrow_head(bracket), facecolor=color, linewidth=0))


def _draw_texts(axes: Axes, layout: Layout, scale: float, fonts: Fonts) -> None:
    texts: list[tuple[Point, str, float, dict[str, Any] | None]]
    texts = [(word.at, word.text, FONT, None) for word in layout.words]
    texts += [(box.number_at, box.label, SMALL, None) for box in layout.boxes]
    # where brackets are crowded, a line may have to pass behind a label
    shade = {"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.3 * scale}
    texts += [(bracket.label_at, bracket.label, SMALL, shade) for bracket in layout.brackets]
    for (x, y), text, size, background in texts:
        axes.text(
            x, y, text, fontsize=size * scale, ha="center", va="center_baseline", color=INK,
            family=fonts.families, parse_math=False, bbox=background,
        )  # fmt: skip
