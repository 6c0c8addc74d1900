"""Scores with their 95% intervals, a row for each system, and the baseline's score as a line.

Panels share their systems and their scale.
"""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from hyperbaton.tuning.evaluation.figures import INK, QUIET, SERIES, add_tip, drawing, page_svg
from hyperbaton.tuning.evaluation.scoring import Score

NAMES, PANEL = 1.6, 4.0  # inches: the width of systems' names, and of a panel
MARGINS, LINE = 0.9, 0.28  # inches: above and below the systems, and a line of their names
COLUMNS = 2  # panels side by side
MOST_LETTERS = 24  # in a line of a system's name
ROOM = 0.14  # for the scores at the right, as a part of the scale


def intervals_svg(
    caption: str, x_title: str, panels: Mapping[str, Mapping[str, Score]], baseline: str
) -> str:
    """For a page. `panels` gives each panel's title its scores by system."""
    from matplotlib.figure import Figure

    n_columns = min(len(panels), COLUMNS)
    n_rows = -(-len(panels) // n_columns)
    names = [fill(name, MOST_LETTERS) for name in next(iter(panels.values()))]
    n_lines = sum(name.count("\n") + 1 for name in names)
    with drawing():
        size = NAMES + PANEL * n_columns, n_rows * (MARGINS + LINE * n_lines)
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(n_rows, n_columns, squeeze=False, sharex=True, sharey=True).ravel()
        for axis in axes[len(panels) :]:
            axis.remove()
        for axis, (title, scores) in zip(axes, panels.items(), strict=False):
            axis.set_title(title, fontsize="medium")
            axis.set_xlabel(x_title)
            _draw(axis, title, scores, baseline)
        axes[0].set_yticks(range(len(names)), names)
        axes[0].invert_yaxis()
        low, high = axes[0].get_xlim()
        axes[0].set_xlim(low, high + ROOM * (high - low))
        what = f"{x_title} with 95% intervals by system; the line is {baseline}"
        return page_svg(figure, caption, what)


def _draw(axes: Any, title: str, scores: Mapping[str, Score], baseline: str) -> None:
    axes.axvline(scores[baseline].score, color=QUIET, linestyle=(0, (4, 3)))
    axes.tick_params(axis="y", length=0)
    for row, (system, score) in enumerate(scores.items()):
        low = score.score if score.low is None else score.low
        high = score.score if score.high is None else score.high
        colour = INK if system == baseline else SERIES[0]
        look = {"fmt": "o", "markersize": 6, "linewidth": 2, "capsize": 3, "color": colour}
        ends = [[score.score - low], [high - score.score]]
        axes.errorbar([score.score], [row], xerr=ends, **look)
        beside = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
        axes.text(1.0, row, f"{score.score:.1f}", fontsize="small", **beside)
        text = f"{system}, {title}: {score.score:.2f}, 95% interval {low:.2f} to {high:.2f}"
        add_tip(axes, score.score, row, text)
