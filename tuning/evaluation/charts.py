"""Charts: lines over named places as plain data, as a table, and as SVG for HTML pages.

In SVG colours and fonts are the page's, in light and dark. Series have the CSS classes `s0`, `s1`,
… and differ in dashes and markers too, so that they are distinct without colour; a series that the
others are compared with is drawn as `reference` and does not change how they look. Every point
carries its numbers as a tooltip.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import count
from math import ceil, floor, isfinite, log10
from typing import TypeGuard

from hyperbaton.tuning.evaluation.tables import Table

WIDTH, HEIGHT = 560, 260
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 12, 42
N_STYLES = 8
REFERENCE = -1
DASHES = ("", "6 3", "2 3", "8 3 2 3")
MOST_ROWS = 41  # of a table: distances from −20 to 20
NUMBERS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500)  # places shown of longer charts


@dataclass(frozen=True)
class Series:
    name: str
    values: Sequence[float | None]  # one for each place on the x axis; None: nothing there
    is_reference: bool = False
    deviations: Sequence[float] = ()  # of the values; none: they are not known


@dataclass(frozen=True)
class Chart:
    """Lines over named places."""

    caption: str
    places: Sequence[str]
    series: Sequence[Series]
    x_title: str
    y_title: str
    digits: int = 1  # of numbers in the table
    is_log: bool = False
    name: str = ""  # charts of one name are panels of one picture
    n_examples: Sequence[int] = ()  # behind each place

    def is_shown(self, value: float | None) -> TypeGuard[float]:
        """On a logarithmic axis, values that are not above 0 are gaps."""
        return value is not None and isfinite(value) and (value > 0 or not self.is_log)

    @property
    def table(self) -> Table:
        """The numbers, a row for each place; long charts show ever fewer places."""
        n = len(self.places)
        shown = range(n) if n <= MOST_ROWS else [k - 1 for k in NUMBERS if k < n] + [n - 1]
        columns = [(self.x_title, self.places)]
        if self.n_examples:
            columns.append(("examples", [f"{number:,}" for number in self.n_examples]))
        columns += [
            (one.name, [self._number(one, place) for place in range(n)]) for one in self.series
        ]
        rows = [[column[place] for _, column in columns] for place in shown]
        return Table([name for name, _ in columns], rows, title=self.caption)

    def _number(self, one: Series, place: int) -> str:
        value = one.values[place] if place < len(one.values) else None
        return "-" if value is None or not isfinite(value) else f"{value:.{self.digits}f}"


def line_chart(chart: Chart, *, with_legend: bool = True) -> str:
    places, series = chart.places, chart.series
    shown = [value for one in series for value in one.values if chart.is_shown(value)]
    make_ticks, scale = (log_ticks, log10) if chart.is_log else (nice_ticks, float)
    ticks = make_ticks(min(shown, default=0.1), max(shown, default=1.0))
    low, high = scale(ticks[0]), scale(ticks[-1])

    def x(place: int) -> float:
        share = (place + 0.5) / max(1, len(places))
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        share = (scale(value) - low) / (high - low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    names = ", ".join(one.name for one in series)
    parts = [_open(f"{chart.y_title} by {chart.x_title}: {names}", WIDTH, HEIGHT)]
    for tick in ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_text(LEFT - 6, y(tick) + 4, f"{tick:g}", "end"))
    step = ceil(len(places) / 16)
    for place, name in enumerate(places):
        if place % step == 0:
            parts.append(_text(x(place), HEIGHT - BOTTOM + 16, name, "middle"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, chart.x_title, "middle"))
    parts.append(
        f'<text transform="translate(12 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" '
        f'text-anchor="middle">{escape(chart.y_title)}</text>'
    )
    for look, one in zip(_looks(series), series, strict=True):
        points = [
            (x(place), y(value), places[place], value)
            for place, value in enumerate(one.values)
            if chart.is_shown(value)
        ]
        parts += _line(look, one.name, points)
    return "".join([*parts, "</svg>", legend(series) if with_legend else ""])


def heat_map(names: Sequence[str], rows: Sequence[Sequence[float]], title: str) -> str:
    """A square of shares, rows against columns, darker for more."""
    size, left, top = 52, 60, 20
    width, height = left + size * len(names) + 8, top + size * len(names) + 26
    parts = [_open(title, width, height)]
    for row, (name, values) in enumerate(zip(names, rows, strict=True)):
        parts.append(_text(left - 6, top + size * (row + 0.5) + 4, name, "end"))
        parts.append(_text(left + size * (row + 0.5), top - 6, name, "middle"))
        for column, value in enumerate(values):
            x, y = left + size * column, top + size * row
            text = f"{100 * value:.0f}" if value >= 0.005 else ""
            parts.append(
                f"<g><title>{escape(name)} → {escape(names[column])}: {value:.0%}</title>"
                f'<rect class="square" x="{x}" y="{y}" width="{size - 1}" height="{size - 1}" '
                f'fill-opacity="{0.7 * value:.3f}"/><text class="value" x="{x + size / 2:.1f}" '
                f'y="{y + size / 2 + 4:.1f}" text-anchor="middle">{text}</text></g>'
            )
    parts.append(_text(left + size * len(names) / 2, height - 6, title, "middle"))
    return "".join([*parts, "</svg>"])


def legend(series: Sequence[Series]) -> str:
    items = "".join(
        f'<li><svg width="30" height="12" aria-hidden="true">'
        f'<path class="line {_style(look)}" stroke-dasharray="{_dash(look)}" d="M2 6H28"/>'
        f"{_marker(look, 15, 6)}</svg>{escape(one.name)}</li>"
        for look, one in zip(_looks(series), series, strict=True)
    )
    return f'<ul class="legend">{items}</ul>'


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers from below `low` to above `high`.

    >>> nice_ticks(27.3, 33.5)
    [26.0, 28.0, 30.0, 32.0, 34.0]
    """
    if high - low <= 1e-6 * max(1.0, abs(low), abs(high)):
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / about
    base = 10.0 ** floor(log10(raw))
    step = next(base * m for m in (1, 2, 2.5, 5, 10) if base * m >= raw)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(step * number, 10) for number in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 or 5 times powers of ten, from below `low` to above `high`, both above 0; only powers
    of ten if that gives many.

    >>> log_ticks(0.03, 0.4)
    [0.02, 0.05, 0.1, 0.2, 0.5]
    """
    first, last = floor(log10(low)), ceil(log10(high))
    numbers = [m * 10.0**power for power in range(first, last + 1) for m in (1, 2, 5)]
    below = max(number for number in numbers if number <= low * (1 + 1e-9))
    above = min([n for n in numbers if n >= high * (1 - 1e-9) and n > below])
    ticks = [number for number in numbers if below <= number <= above]
    if len(ticks) > 7:
        ticks = [10.0**power for power in range(first, last + 1)]
    return [float(f"{tick:.6g}") for tick in ticks]


def _open(label: str, width: int, height: int) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(label)}">'
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _looks(series: Sequence[Series]) -> list[int]:
    """Numbers from 0; references get −1."""
    numbers = count()
    return [REFERENCE if one.is_reference else next(numbers) for one in series]


def _style(look: int) -> str:
    return "reference" if look == REFERENCE else f"s{look % N_STYLES}"


def _line(look: int, name: str, points: Sequence[tuple[float, float, str, float]]) -> list[str]:
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y, _, _ in points) if points else "M0 0"
    parts = [f'<path class="line {_style(look)}" stroke-dasharray="{_dash(look)}" d="{path}"/>']
    for x, y, place, value in points:
        label = f"{name}, {place}: {_number(value)}"
        parts.append(f"<g><title>{escape(label)}</title>{_marker(look, x, y)}</g>")
    return parts


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.3g}"


def _dash(look: int) -> str:
    """With the marker, 16 different looks: the second eight have the next dash."""
    return "" if look == REFERENCE else DASHES[(look // 2 + look // N_STYLES) % len(DASHES)]


def _marker(look: int, x: float, y: float) -> str:
    kind = f'class="dot {_style(look)}"'
    if look == REFERENCE:
        return f'<path {kind} d="M{x - 4:.1f} {y - 1:.1f}h8v2h-8z"/>'
    if look % 4 == 0:
        return f'<circle {kind} cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'
    if look % 4 == 1:
        return f'<rect {kind} x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'
    if look % 4 == 2:
        return f'<path {kind} d="M{x:.1f} {y - 4:.1f}l4 7h-8z"/>'
    return f'<path {kind} d="M{x:.1f} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z"/>'
