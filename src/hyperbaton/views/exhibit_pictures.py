"""Draws exhibits into files; charts of the same name are panels of one picture. Also draws the gain
of one learner over others by source phrase (Ni et al. 2011, Figure 13)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.files.writing import make_folder
from hyperbaton.tuning.evaluation.charts import COLUMNS, Chart, panels, panels_of
from hyperbaton.tuning.evaluation.figures import QUIET, SERIES, drawing
from hyperbaton.tuning.reproduction.exhibit import Exhibit
from hyperbaton.tuning.reproduction.trials import Experiment
from hyperbaton.views.picture_files import save_picture

FAR_APART = 0.1  # larger gains and losses are drawn by their number of translations


def draw_exhibit(exhibit: Exhibit, folder: Path) -> list[Path]:
    """Draws all charts; returns the paths of the pictures."""
    make_folder(folder)
    paths = []
    for name in dict.fromkeys(chart.name for chart in exhibit.charts):
        paths.append(folder / f"{name}.png")
        draw_charts([chart for chart in exhibit.charts if chart.name == name], paths[-1])
    return paths


def draw_charts(charts: Sequence[Chart], path: Path) -> None:
    """Draws charts as panels of one picture, with one legend."""
    with drawing():
        save_picture(panels_of(charts), path)


def draw_phrase_gains(experiment: Experiment, folder: Path) -> list[Path]:
    """Draws source phrases by the gain of the chosen learner over each other one and by number of
    training examples, for the last class setup and the largest size. Returns the path of the
    picture, or none if there is only one learner."""
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
    path = folder / "clusters.png"
    with drawing():
        others = experiment.others
        figure, axes = panels([f"{chosen} − {name}" for name in others], sharey=True)
        for axis, name in zip(axes, others, strict=True):
            gain = precision(chosen) - precision(name)
            for marker, which, c in (
                ("o", gain > FAR_APART, SERIES[0]),
                ("s", gain < -FAR_APART, SERIES[1]),
            ):
                size = 4 + area[which]
                axis.scatter(gain[which], height[which], s=size, marker=marker, c=c, alpha=0.4)
            near = np.abs(gain) <= FAR_APART
            axis.scatter(gain[near], height[near], s=2, c=QUIET)
            axis.set_xlabel("difference of precision")
        for axis in axes[::COLUMNS]:
            axis.set_ylabel("training examples, log10")
        save_picture(figure, path)
    return [path]
