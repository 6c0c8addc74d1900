"""Draws scores with 95% intervals, one row per system, and the baseline's score as a line."""

from collections.abc import Mapping
from textwrap import fill

from hyperbaton.tuning.evaluation.figures import INK, QUIET, SERIES, add_tip, drawing, page_svg
from hyperbaton.tuning.evaluation.scoring import Score

WIDTH = 5.6  # inches
MARGINS, LINE = 0.7, 0.28  # inches: above and below the systems, and per line of their names
MOST_LETTERS = 24  # characters in a line of a system's name
ROOM = 0.05, 0.15  # margins at the left and, for the scores, at the right: parts of the scale


def span(scores: Mapping[str, Score]) -> tuple[float, float]:
    """The lowest and the highest end of the intervals."""
    ends = [end for score in scores.values() for end in _ends(score)]
    return min(ends), max(ends)


def intervals_svg(
    caption: str,
    x_title: str,
    scores: Mapping[str, Score],
    baseline: str,
    scale: tuple[float, float],
) -> str:
    """A chart as SVG for a page. Give charts that are compared the same `scale`."""
    from matplotlib.figure import Figure

    names = [fill(name, MOST_LETTERS) for name in scores]
    n_lines = sum(name.count("\n") + 1 for name in names)
    with drawing():
        figure = Figure(figsize=(WIDTH, MARGINS + LINE * n_lines), layout="constrained")
        axes = figure.subplots()
        axes.axvline(scores[baseline].score, color=QUIET, linestyle=(0, (4, 3)))
        for row, (system, score) in enumerate(scores.items()):
            low, high = _ends(score)
            colour = INK if system == baseline else SERIES[0]
            reach = [[score.score - low], [high - score.score]]
            axes.errorbar(
                [score.score], [row], xerr=reach, fmt="o", linewidth=2, capsize=3, color=colour
            )
            beside = {"ha": "right", "va": "center", "fontsize": "small"}
            axes.text(1, row, f"{score.score:.1f}", beside, transform=axes.get_yaxis_transform())
            text = f"{system}: {score.score:.2f}, 95% interval {low:.2f} to {high:.2f}"
            add_tip(axes, score.score, row, text)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        low, high = scale
        width = high - low or 1.0
        axes.set_xlim(low - ROOM[0] * width, high + ROOM[1] * width)
        axes.set_xlabel(x_title)
        what = f"{x_title} with 95% intervals by system; the line marks {baseline}"
        return page_svg(figure, caption, what)


def _ends(score: Score) -> tuple[float, float]:
    """The ends of the interval; without one, the score twice."""
    if score.low is None or score.high is None:
        return score.score, score.score
    return score.low, score.high
