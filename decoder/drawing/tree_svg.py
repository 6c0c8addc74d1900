"""The tree of a hierarchical derivation as an SVG: nested brackets over both sentences.

┌────────────┐      a rule has a bracket over its source words and one of the same colour under
│    ┌────┐  │      its target words; brackets inside of it are those of its gaps
hon  o  katta
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from hyperbaton.decoder.drawing.derivation_svg import EM, color_of, for_xml, text_width

MARGIN, LEVEL, BETWEEN = 8.0, 9.0, 60.0  # between the levels of brackets, and between the sentences


class Bracket(NamedTuple):
    source: tuple[int, int]
    target: tuple[int, int]
    height: int  # levels, from 1


def tree_svg(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    brackets: Sequence[Bracket],
) -> str:
    """The picture as an `<svg>` element."""
    source, target = for_xml(source), for_xml(target)
    highest = max((bracket.height for bracket in brackets), default=0)
    upper = MARGIN + highest * LEVEL + EM  # baselines of the sentences
    lower = upper + BETWEEN
    tops, bottoms = _places(source), _places(target)
    width = max(end for _, end in (*tops, *bottoms, (0.0, 1.0))) + MARGIN
    height = lower + highest * LEVEL + MARGIN + EM / 2
    text = f"{' '.join(source)} → {' '.join(target)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label={quoteattr(text)} '
        f'font-family="sans-serif" font-size="{EM:.0f}" text-anchor="middle">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    for f, e in links:
        (a, b), (c, d) = tops[f], bottoms[e]
        line = f'x1="{(a + b) / 2:.1f}" y1="{upper + 4:.1f}" x2="{(c + d) / 2:.1f}"'
        parts.append(f'<line {line} y2="{lower - EM:.1f}" stroke="gray" stroke-width="0.7"/>')
    for number, bracket in enumerate(brackets):
        level = LEVEL * bracket.height
        color = color_of(number)
        parts += _bracket(tops, bracket.source, upper - EM, upper - EM - level, color)
        parts += _bracket(bottoms, bracket.target, lower + 4, lower + 4 + level, color)
    for words, places, y in ((source, tops, upper), (target, bottoms, lower)):
        for word, (a, b) in zip(words, places, strict=True):
            parts.append(f'<text x="{(a + b) / 2:.1f}" y="{y:.1f}">{escape(word)}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _places(words: Sequence[str]) -> list[tuple[float, float]]:
    """Left and right of each word."""
    places, x = [], MARGIN
    for word in words:
        places.append((x, x + text_width(word)))
        x += text_width(word) + EM
    return places


def _bracket(
    places: list[tuple[float, float]], span: tuple[int, int], near: float, far: float, color: str
) -> Iterator[str]:
    if span[0] < span[1]:
        a, b = places[span[0]][0] - 2, places[span[1] - 1][1] + 2
        corners = f"{a:.1f},{near:.1f} {a:.1f},{far:.1f} {b:.1f},{far:.1f} {b:.1f},{near:.1f}"
        yield f'<polyline points="{corners}" fill="none" stroke="{color}" stroke-width="1.4"/>'
