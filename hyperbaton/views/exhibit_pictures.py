"""Charts of exhibits as picture files; those of one name are panels of one picture."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

from matplotlib.figure import Figure

from hyperbaton.views.picture_files import DPI, save_picture
from models.errors import DataError, reason
from tuning.evaluation.charts import Chart
from tuning.reproduction.exhibit import Exhibit

SIZE, ALONE = (4.2, 3.4), (7.0, 4.5)  # inches of a panel, and of one that is alone
COLUMNS = 3  # panels side by side
MOST_LETTERS = 42  # of a line of a panel's title
MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_exhibit(exhibit: Exhibit, folder: Path) -> list[Path]:
    """Draws all charts; the paths of the pictures."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {reason(error)}", where=str(folder)) from None
    paths = []
    for name in dict.fromkeys(chart.name for chart in exhibit.charts):
        paths.append(folder / f"{name}.png")
        draw_charts([chart for chart in exhibit.charts if chart.name == name], paths[-1])
    return paths


def draw_charts(charts: Sequence[Chart], path: Path) -> None:
    """Panels in one file, with one legend beside them."""
    figure, axes = panels([chart.caption for chart in charts])
    for axis, chart in zip(axes, charts, strict=True):
        _draw(chart, axis)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    save_picture(figure, path)


def panels(titles: Sequence[str], **sharing: Any) -> tuple[Figure, list[Any]]:
    """A figure, and axes with a title each."""
    n_columns = min(len(titles), COLUMNS)
    n_rows = -(-len(titles) // n_columns)
    width, height = SIZE if len(titles) > 1 else ALONE
    figure = Figure(figsize=(width * n_columns + 1, height * n_rows), dpi=DPI, layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **sharing).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(fill(title, MOST_LETTERS), fontsize="medium")
        axis.grid(alpha=0.3)
    return figure, list(axes[: len(titles)])


def _draw(chart: Chart, axis: Any) -> None:
    xs = _positions(chart.places)
    for number, one in enumerate(chart.series):
        ys = [value if chart.is_shown(value) else float("nan") for value in one.values]
        axis.errorbar(
            xs[: len(ys)],
            ys,
            one.deviations or None,
            color="black" if one.is_reference else f"C{number}",
            linestyle="--" if one.is_reference else "-",
            marker="." if one.is_reference else MARKERS[number % len(MARKERS)],
            markersize=4,
            capsize=3,
            label=one.name,
        )
    if chart.is_log:
        axis.set_yscale("log")
    if xs == list(range(len(xs))):
        axis.set_xticks(xs, chart.places)
    axis.set_xlabel(chart.x_title)
    axis.set_ylabel(chart.y_title)


def _positions(places: Sequence[str]) -> list[float]:
    """Places that are numbers are at these, others side by side."""
    try:
        return [float(place.replace(",", "")) for place in places]
    except ValueError:
        return list(range(len(places)))
