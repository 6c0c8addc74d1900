"""Exhibits as picture files: charts of the same name are panels of one picture. Also what one
learner gains over others, source phrase by source phrase (Ni et al. 2011, Figure 13)."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, reason
from hyperbaton.tuning.evaluation.charts import Chart
from hyperbaton.tuning.reproduction.exhibit import Exhibit
from hyperbaton.tuning.reproduction.trials import Experiment
from hyperbaton.views.picture_files import DPI, save_picture

SIZE, ALONE = (4.2, 3.4), (7.0, 4.5)  # inches of a panel, and of a single one
COLUMNS = 3  # panels side by side
MOST_LETTERS = 42  # in a line of a panel's title
FAR_APART = 0.1  # source phrases that gain or lose more are drawn by their number of translations
MARKERS = ("o", "s", "^", "D", "v", "P")


def draw_exhibit(exhibit: Exhibit, folder: Path) -> list[Path]:
    """Draws all charts; returns the paths of the pictures."""
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
    """A figure, and axes each with a title."""
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
    """Numbers are their own positions; other places stand side by side."""
    try:
        return [float(place.replace(",", "")) for place in places]
    except ValueError:
        return list(range(len(places)))


def draw_phrase_gains(experiment: Experiment, folder: Path) -> list[Path]:
    """Source phrases by how much better the chosen learner classifies them than each other one, and
    by their number of training examples, with the last class setup and the largest size; the path
    of the picture, or none if there is only one learner."""
    if not experiment.others:
        return []
    chosen, phrases = experiment.chosen, experiment.phrases
    numbers, first, row = np.unique(phrases.cluster, return_index=True, return_inverse=True)
    n_test = np.bincount(row)

    def precision(learner: str) -> FloatArray:
        right = experiment.last(learner).right
        share: FloatArray = np.bincount(row, right, len(numbers)) / n_test
        return share

    height = np.log10(phrases.n_examples[first])
    area = phrases.n_translations[first]
    figure, axes = panels([f"{chosen} − {name}" for name in experiment.others], sharey=True)
    for axis, name in zip(axes, experiment.others, strict=True):
        gain = precision(chosen) - precision(name)
        for marker, which, c in (("o", gain > FAR_APART, "C0"), ("s", gain < -FAR_APART, "C3")):
            size = 4 + area[which]
            axis.scatter(gain[which], height[which], s=size, marker=marker, c=c, alpha=0.4)
        near = np.abs(gain) <= FAR_APART
        axis.scatter(gain[near], height[near], s=2, c="0.5")
        axis.set_xlabel("difference of precision")
    for axis in axes[::COLUMNS]:
        axis.set_ylabel("training examples, log10")
    path = folder / "clusters.png"
    save_picture(figure, path)
    return [path]
