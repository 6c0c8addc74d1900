"""Line charts as plain data and as tables; matplotlib draws them for HTML pages and as panels of a
figure.

Series differ in dashes and markers as well as in colour; a reference series is a broad line and
does not change the style of the others. In pages every point has a tooltip with its numbers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, cycle
from math import isfinite
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeGuard

from hyperbaton.tuning.evaluation.figures import INK, SERIES, add_tip, drawing, page_svg
from hyperbaton.tuning.evaluation.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_ROWS = 41  # of a table: distances from −20 to 20
NUMBERS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 70, 100, 200, 500)  # places shown of longer charts
SIZE, ALONE = (4.2, 3.4), (7.0, 4.5)  # inches of a panel, and of a single one
PAGE = 7.8, 3.6  # inches of a chart in a page, without its legend
LEGEND_LINE, LETTERS = 0.24, 92  # a line of the legend: height in inches, width in characters
COLUMNS = 3  # panels side by side
MOST_LETTERS = 42  # characters in a line of a panel's title
MOST_PLACES = 16  # names below an axis
MARKERS = ("o", "s", "^", "D")
DASHES: tuple[Any, ...] = ("-", (0, (6, 3)), (0, (2, 3)), (0, (8, 3, 2, 3)))


@dataclass(frozen=True)
class Series:
    name: str
    values: Sequence[float | None]  # one per place on the x axis; None: no value
    is_reference: bool = False
    deviations: Sequence[float] = ()  # standard deviations of the values; empty: unknown


@dataclass(frozen=True)
class Chart:
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
        """Whether a value can be drawn: a logarithmic axis has no values of 0 and below."""
        return value is not None and isfinite(value) and (value > 0 or not self.is_log)

    @property
    def table(self) -> Table:
        """The numbers, one row per place; the rows of long charts become sparser."""
        n = len(self.places)
        shown = range(n) if n <= MOST_ROWS else [k - 1 for k in NUMBERS if k < n] + [n - 1]
        columns = [(self.x_title, self.places)]
        if self.n_examples:
            columns.append(("examples", [f"{number:,}" for number in self.n_examples]))
        columns += [
            (line.name, [self._number(line, place) for place in range(n)]) for line in self.series
        ]
        rows = [[column[place] for _, column in columns] for place in shown]
        return Table([name for name, _ in columns], rows, title=self.caption)

    def _number(self, line: Series, place: int) -> str:
        value = line.values[place] if place < len(line.values) else None
        return "-" if value is None or not isfinite(value) else f"{value:.{self.digits}f}"


def chart_svg(chart: Chart) -> str:
    """A chart as SVG for an HTML page."""
    from matplotlib.figure import Figure

    longest = max((len(line.name) for line in chart.series), default=1)
    n_columns = max(1, LETTERS // (longest + 8))
    width, height = PAGE
    height += LEGEND_LINE * -(-len(chart.series) // n_columns)
    with drawing():
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.subplots()
        draw_chart(axes, chart)
        xs = _positions(chart.places)
        for line in chart.series:
            for place, (x, value) in enumerate(zip(xs, line.values, strict=False)):
                if chart.is_shown(value):
                    name = chart.places[place].replace("\n", ", ")
                    add_tip(axes, x, value, f"{line.name}, {name}: {_number(value)}")
        figure.legend(*_legend(axes), loc="outside lower center", ncols=n_columns)
        names = ", ".join(line.name for line in chart.series)
        what = f"{chart.y_title} by {chart.x_title}: {names}"
        return page_svg(figure, chart.caption, what)


def panels_of(charts: Sequence[Chart]) -> "Figure":
    """Charts as panels with one legend; must be called inside `drawing()`."""
    figure, axes = panels([chart.caption for chart in charts])
    for axis, chart in zip(axes, charts, strict=True):
        draw_chart(axis, chart)
    figure.legend(*_legend(axes[0]), loc="outside right upper")
    return figure


def panels(titles: Sequence[str], **sharing: Any) -> "tuple[Figure, list[Any]]":
    """A figure with one panel per title."""
    from matplotlib.figure import Figure

    n_columns = min(len(titles), COLUMNS)
    n_rows = -(-len(titles) // n_columns)
    width, height = SIZE if len(titles) > 1 else ALONE
    figure = Figure(figsize=(width * n_columns + 1, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **sharing).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(fill(title, MOST_LETTERS), fontsize="medium")
        axis.grid(visible=True)
    return figure, list(axes[: len(titles)])


def draw_chart(axes: Any, chart: Chart) -> None:
    xs = _positions(chart.places)
    for look, line in zip(_looks(chart.series), chart.series, strict=True):
        ys = [value if chart.is_shown(value) else float("nan") for value in line.values]
        axes.errorbar(
            xs[: len(ys)], ys, line.deviations or None, capsize=3, label=line.name, **look
        )  # fmt: skip
    if chart.is_log:
        _set_log_scale(axes, chart)
    if xs == list(range(len(xs))):
        every = -(-len(xs) // MOST_PLACES) or 1
        axes.set_xticks(xs[::every], chart.places[::every])
    axes.grid(visible=True, axis="y")
    axes.set_xlabel(chart.x_title)
    axes.set_ylabel(chart.y_title)


def _set_log_scale(axes: Any, chart: Chart) -> None:
    """Sets a logarithmic scale with plain numbers, and more of them if values span less than two
    powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_yscale("log")
    shown = [value for line in chart.series for value in line.values if chart.is_shown(value)]
    if shown and max(shown) < 100 * min(shown):
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _positions(places: Sequence[str]) -> list[float]:
    """Positions on the x axis: numbers by value, other places evenly spaced."""
    try:
        return [float(place.replace(",", "")) for place in places]
    except ValueError:
        return list(range(len(places)))


def _looks(series: Iterable[Series]) -> list[dict[str, Any]]:
    numbers, dashes = count(), cycle(DASHES)
    reference = {"color": INK, "linewidth": 4, "alpha": 0.55}
    return [
        reference | {"linestyle": next(dashes)} if line.is_reference else _look(next(numbers))
        for line in series
    ]


def _look(number: int) -> dict[str, Any]:
    """One of sixteen styles that differ without colour: the second eight use the next dash."""
    return {
        "color": SERIES[number % len(SERIES)],
        "linestyle": DASHES[(number // 2 + number // len(SERIES)) % len(DASHES)],
        "marker": MARKERS[number % len(MARKERS)],
        "markersize": 5,
    }


def _legend(axes: Any) -> tuple[list[Any], list[str]]:
    """Handles and labels of the lines, without error bars."""
    handles, labels = axes.get_legend_handles_labels()
    return [handle[0] for handle in handles], labels


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.3g}"
