"""Renders the SVG of derivations (`derivation_svg.py`) with matplotlib, for PNG and PDF.

Supports only `svg`, `g`, `rect`, `path` and `text` with the attributes that `derivation_svg.py`
uses.
"""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Outline

from hyperbaton.tuning.evaluation.figures import INK

INCH = 72.0  # points
CODES = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}
LETTER = re.compile(r"([MLQCZ])([^MLQCZ]*)")
Point = tuple[float, float]
Look = dict[str, str]  # attributes of an element, with those inherited from its parents


def picture_of_svg(text: str) -> Figure:
    """Draws an SVG in its size; must be called inside `drawing()`."""
    root = ElementTree.fromstring(text)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure(figsize=(width / INCH, height / INCH))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for element, look, origin in _elements(root, {}, (0.0, 0.0)):
        _paint(axes, element, look, origin)
    return figure


def _elements(
    element: ElementTree.Element, around: Look, origin: Point
) -> Iterator[tuple[ElementTree.Element, Look, Point]]:
    look = around | element.attrib
    if element.tag.endswith("svg"):
        x, y = (float(element.get(name, 0)) for name in "xy")
        origin = origin[0] + x, origin[1] + y
    yield element, look, origin
    for part in element:
        yield from _elements(part, look, origin)


def _paint(axes: Axes, element: ElementTree.Element, look: Look, origin: Point) -> None:
    kind = element.tag.rpartition("}")[2]
    if kind not in ("rect", "path", "text"):
        return
    x, y = (origin[k] + float(element.get("xy"[k], 0)) for k in (0, 1))
    fill = _colour(look.get("fill", "black"), look.get("fill-opacity", "1"))
    if kind == "text":
        anchors = {"middle": "center"}
        axes.text(
            x, y, element.text or "", color=fill, fontsize=float(look["font-size"]),
            fontweight=look.get("font-weight", "normal"),
            ha=anchors.get(look.get("text-anchor", ""), "left"), va="baseline",
        )  # fmt: skip
        return
    dashes = [float(length) for length in look.get("stroke-dasharray", "").split()]
    style: dict[str, Any] = {
        "facecolor": fill,
        "edgecolor": _colour(look.get("stroke", "none"), look.get("stroke-opacity", "1")),
        "linestyle": (0, dashes) if dashes else "solid",
        "linewidth": 1,
    }
    if kind == "rect":
        size = float(look["width"]), float(look["height"])
        box = f"round,pad=0,rounding_size={look.get('rx', '0')}"
        axes.add_patch(FancyBboxPatch((x, y), *size, boxstyle=box, **style))
    else:
        axes.add_patch(PathPatch(_outline(element.attrib["d"], (x, y)), **style))


def _outline(path: str, origin: Point) -> Outline:
    points: list[Point] = []
    codes: list[Any] = []
    for letter, text in LETTER.findall(path):
        numbers = list(map(float, text.split()))
        pairs = list(zip(numbers[::2], numbers[1::2], strict=True)) or [(0.0, 0.0)]
        points += [(origin[0] + x, origin[1] + y) for x, y in pairs]
        # further points of a move are lines
        later = {"M": Outline.LINETO, "Z": Outline.CLOSEPOLY}.get(letter, CODES.get(letter))
        codes += [CODES.get(letter, Outline.CLOSEPOLY), *[later] * (len(pairs) - 1)]
    return Outline(points, codes)


def _colour(name: str, opacity: str) -> Any:
    if name == "none":
        return name
    return (INK if name == "currentColor" else name), float(opacity)
