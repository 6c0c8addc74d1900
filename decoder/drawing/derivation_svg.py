"""A derivation as a small SVG for HTML pages and notebooks, without scripts, ids or fonts.

Text and lines have the colour of the surrounding text (`currentColor`), so that the picture suits
light and dark pages. The colours of phrases are those of Okabe and Ito, which colour-blind readers
can distinguish; phrases are also numbered.

Scripts and style sheets of a page find the parts of a picture by their attributes:

    .ribbon, .phrase, .jump   [data-step], the step from 0; also on its numbers and labels
    text                      [data-source] or [data-target], the number of a word
    .links path               both
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from xml.sax.saxutils import escape, quoteattr

from rich.cells import cell_len

from hyperbaton.decoder.drawing.derivation_layout import (
    CORNER,
    SMALL,
    Bracket,
    Derivation,
    Layout,
    Point,
    lay_out,
)

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
BACKWARD = "#D55E00"  # forward jumps are drawn in the colour of the text
EM = 10.0
TITLE = 18.0  # height of a title
TIP = 3.0  # half the width of an arrow head
FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0
SHRINKS = ' style="max-width:100%;height:auto"'


def derivation_svg(
    derivation: Derivation, vertical: bool | None = None, *, shrinks: bool = True
) -> str:
    """A derivation as an `<svg>` element; by default, long ones are vertical. With `shrinks` it has
    an inline style; a page with a strict content security policy must supply the style instead."""
    derivation = replace(
        derivation,
        source_words=for_xml(derivation.source_words),
        target_words=for_xml(derivation.target_words),
    )
    layout = lay_out(derivation, text_width, vertical)
    width, height = (f"{length:.0f}" for length in layout.size)
    source, target = " ".join(derivation.source_words), " ".join(derivation.target_words)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f"aria-label={quoteattr(f'{source} → {target}')} "
        'font-family="sans-serif" font-size="10" fill="currentColor" stroke="none" '
        f'text-anchor="middle"{SHRINKS if shrinks else ""}>',
        *_phrases(layout),
        *_links(derivation, layout),
        *_brackets(layout),
        *_texts(derivation, layout),
        "</svg>",
    ]
    return "\n".join(lines)


def derivations_svg(derivations: Sequence[Derivation], titles: Sequence[str] = ()) -> str:
    """A complete SVG file on white: vertical derivations side by side, horizontal ones below each
    other."""
    vertical = any(derivation.is_long for derivation in derivations)
    above = TITLE if titles else 0.0
    parts: list[str] = []
    x = y = width = height = 0.0
    for number, derivation in enumerate(derivations):
        size = lay_out(derivation, text_width, vertical).size
        if titles:
            look = 'font-family="sans-serif" font-size="10" font-weight="bold"'
            parts.append(_text(look, (x + 8, y + above / 2), EM, escape(titles[number])))
        drawn = derivation_svg(derivation, vertical, shrinks=False)
        parts.append(drawn.replace("<svg ", f'<svg x="{_short(x)}" y="{_short(y + above)}" ', 1))
        width, height = max(width, x + size[0]), max(height, y + above + size[1])
        x, y = (width, 0.0) if vertical else (0.0, height)
    extent = f'width="{width:.0f}" height="{height:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f"{extent}>",
            f'<rect {extent} fill="white"/>',
            *parts,
            "</svg>\n",
        ]
    )


def text_width(text: str) -> float:
    """Estimates the width for most fonts; East Asian characters count twice."""
    return 0.6 * EM * cell_len(text)


def color_of(step: int) -> str:
    return PALETTE[step % len(PALETTE)]


def curve(begin: Point, end: Point, vertical: bool) -> tuple[Point, ...]:
    """A curve that is perpendicular to the sides at both ends."""
    if vertical:
        middle = (begin[0] + end[0]) / 2
        return begin, (middle, begin[1]), (middle, end[1]), end
    middle = (begin[1] + end[1]) / 2
    return begin, (begin[0], middle), (end[0], middle), end


def arrow_head(bracket: Bracket) -> tuple[Point, Point, Point]:
    (x0, y0), (x1, y1) = bracket.corners[2:]
    if abs(x1 - x0) > abs(y1 - y0):
        back = x1 + (2 * TIP if x0 > x1 else -2 * TIP)
        return (x1, y1), (back, y1 - TIP), (back, y1 + TIP)
    back = y1 + (2 * TIP if y0 > y1 else -2 * TIP)
    return (x1, y1), (x1 - TIP, back), (x1 + TIP, back)


def _toward(corner: Point, other: Point) -> Point:
    (x0, y0), (x1, y1) = corner, other
    length = abs(x1 - x0) + abs(y1 - y0)  # one of them is 0
    share = min(CORNER, length / 2) / length if length else 0.0
    return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def _phrases(layout: Layout) -> Iterator[str]:
    for step, (s0, s1, t1, t0) in layout.ribbons.items():
        there, back = curve(s1, t1, layout.vertical), curve(t0, s0, layout.vertical)
        path = f"M{_at(there[0])}C{_points(there[1:])}L{_at(back[0])}C{_points(back[1:])}Z"
        yield (
            f'<path class="ribbon" data-step="{step}" d="{path}" '
            f'fill="{color_of(step)}" fill-opacity=".15"/>'
        )
    by_step = attrgetter("step")
    for step, boxes in groupby(sorted(layout.boxes, key=by_step), by_step):
        color = color_of(step)
        yield (
            f'<g class="phrase" data-step="{step}" fill="{color}" fill-opacity=".25" '
            f'stroke="{color}">'
        )
        for box in boxes:
            dashes = ' stroke-dasharray="2 2"' if box.is_unknown else ""
            (x, y), (width, height) = box.corner, box.size
            yield (
                f'<rect x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" '
                f'height="{_short(height)}" rx="3"{dashes}/>'
            )
        yield "</g>"


def _links(derivation: Derivation, layout: Layout) -> Iterator[str]:
    if not layout.links:
        return
    yield '<g class="links" fill="none" stroke="currentColor" stroke-opacity=".6">'
    for (source, target), ends in zip(derivation.links, layout.links, strict=True):
        points = curve(*ends, layout.vertical)
        path = f"M{_at(points[0])}C{_points(points[1:])}"
        yield f'<path data-source="{source}" data-target="{target}" d="{path}"/>'
    yield "</g>"


def _brackets(layout: Layout) -> Iterator[str]:
    for bracket in layout.brackets:
        begin, first, second, end = bracket.corners
        path = f"M{_at(begin)}"
        for before, corner, after in ((begin, first, second), (first, second, end)):  # are rounded
            round_corner = _points((corner, _toward(corner, after)))
            path += f"L{_at(_toward(corner, before))}Q{round_corner}"
        path += f"L{_at(end)}"
        look = 'stroke="currentColor"'
        if not bracket.is_forward:
            look = f'stroke="{BACKWARD}" stroke-dasharray="4 2"'
        yield f'<g class="jump" data-step="{bracket.step}"><path d="{path}" fill="none" {look}/>'
        color = "currentColor" if bracket.is_forward else BACKWARD
        yield f'<path d="M{_points(arrow_head(bracket))}Z" fill="{color}"/></g>'


def _texts(derivation: Derivation, layout: Layout) -> Iterator[str]:
    n_source = len(derivation.source_words)
    for number, word in enumerate(layout.words):
        side, place = ("source", number) if number < n_source else ("target", number - n_source)
        yield _text(f'data-{side}="{place}"', word.at, EM, escape(word.text))
    yield f'<g font-size="{SMALL:.0f}" fill-opacity=".8">'
    for box in layout.boxes:
        yield _text(f'data-step="{box.step}"', box.number_at, SMALL, box.label)
    for bracket in layout.brackets:
        yield _text(f'data-step="{bracket.step}"', bracket.label_at, SMALL, bracket.label)
    yield "</g>"


def for_xml(words: Sequence[str]) -> list[str]:
    return [FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", word) for word in words]


def _text(attribute: str, at: Point, size: float, text: str) -> str:
    return f'<text {attribute} x="{_short(at[0])}" y="{_short(at[1] + 0.35 * size)}">{text}</text>'


def _short(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _at(point: Point) -> str:
    return f"{_short(point[0])} {_short(point[1])}"


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(map(_at, points))
