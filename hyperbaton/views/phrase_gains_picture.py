"""Source phrases by how much better one learner classifies them than others, and by their number
of training examples (Ni et al. 2011, Figure 13)."""

from pathlib import Path

import numpy as np

from hyperbaton.views.exhibit_pictures import COLUMNS, panels
from hyperbaton.views.picture_files import save_picture
from models.arrays import FloatArray
from tuning.reproduction.experiment_view import ExperimentView
from tuning.reproduction.learner_experiment import Experiment

FAR_APART = 0.1  # phrases that differ by more are drawn by their number of translations


def draw_phrase_gains(experiment: Experiment, folder: Path) -> list[Path]:
    """The chosen learner against each other, with the last class setup and the largest size; the
    path of the picture, or none if there is only one learner."""
    view = ExperimentView(experiment)
    if not view.others:
        return []
    chosen, settings, phrases = view.chosen, experiment.settings, experiment.phrases
    numbers, first, row = np.unique(phrases.cluster, return_index=True, return_inverse=True)
    n_test = np.bincount(row)

    def precision(learner: str) -> FloatArray:
        last = experiment.of(learner, settings.classes[-1], settings.sizes[-1])[-1]
        share: FloatArray = np.bincount(row, last.right, len(numbers)) / n_test
        return share

    height = np.log10(phrases.n_examples[first])
    area = phrases.n_translations[first]
    figure, axes = panels([f"{chosen} − {name}" for name in view.others], sharey=True)
    for axis, name in zip(axes, view.others, strict=True):
        gain = precision(chosen) - precision(name)
        for marker, which, colour in (
            ("o", gain > FAR_APART, "C0"),
            ("s", gain < -FAR_APART, "C3"),
        ):
            axis.scatter(
                gain[which], height[which], s=4 + area[which], marker=marker, c=colour, alpha=0.4
            )
        near = np.abs(gain) <= FAR_APART
        axis.scatter(gain[near], height[near], s=2, c="0.5")
        axis.set_xlabel("difference of precision")
    for axis in axes[::COLUMNS]:
        axis.set_ylabel("training examples, log10")
    path = folder / "clusters.png"
    save_picture(figure, path)
    return [path]
