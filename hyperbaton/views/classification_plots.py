"""Pictures of classification experiments: Figures 10 to 13 and 15 of Ni et al. (2011) and Figure 1
of Alrajeh and Niranjan (2014), each in a file of its own."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from hyperbaton.views.classification_text import active_curves, chosen_learner
from models.errors import DataError, reason
from models.writing import writing
from tuning.reproduction.classification import spread
from tuning.reproduction.classification_experiment import Experiment

FAR_APART = 0.1  # clusters that differ by more are drawn by their number of translations
SIZE = (4.2, 3.4)  # inches of one panel
COLUMNS = 3  # panels side by side


def draw_all(experiment: Experiment, folder: Path) -> list[Path]:
    """Writes all pictures that the experiment has data for; their paths."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {reason(error)}", where=str(folder)) from None
    pictures = {
        "precision": _precision(experiment),
        "distance": _distance(experiment),
        "improvement": _improvement(experiment),
        "clusters": _clusters(experiment),
        "time": _time(experiment),
        "active": _active(experiment),
    }
    paths = []
    for name, figure in pictures.items():
        if figure is not None:
            path = folder / f"{name}.png"
            with writing(path):
                figure.savefig(path, dpi=150)
            paths.append(path)
    return paths


def _panels(titles: list[str], **sharing: Any) -> tuple[Figure, list[Any]]:
    width, height = SIZE
    n_columns = min(len(titles), COLUMNS)
    n_rows = -(-len(titles) // n_columns)
    figure = Figure(figsize=(width * n_columns + 1, height * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **sharing).ravel()
    for axis in axes[len(titles) :]:
        axis.remove()
    for axis, title in zip(axes, titles, strict=False):
        axis.set_title(title)
        axis.grid(alpha=0.3)
    return figure, list(axes[: len(titles)])


def _legend(figure: Figure, axis: Any) -> None:
    """One legend for all panels, beside them."""
    figure.legend(*axis.get_legend_handles_labels(), loc="outside right upper")


def _precision(experiment: Experiment) -> Figure:
    """Figure 10: overall precision by training size."""
    settings = experiment.settings
    figure, panels = _panels([f"{n} classes" for n in settings.classes])
    for axis, n_classes in zip(panels, settings.classes, strict=True):
        for name in settings.learners:
            points = [
                spread([run.result.precision for run in experiment.of(name, n_classes, size)])
                for size in settings.sizes
            ]
            axis.errorbar(
                settings.sizes,
                [100 * point.mean for point in points],
                [100 * point.deviation for point in points],
                marker="o",
                capsize=3,
                label=name,
            )
        axis.set_xlabel("training sentences")
        axis.set_ylabel("percent right")
    _legend(figure, panels[0])
    return figure


def _distance(experiment: Experiment) -> Figure:
    """Figure 11: precision by distance, largest training set."""
    settings = experiment.settings
    figure, panels = _panels([f"{n} classes" for n in settings.classes], sharey=True)
    for axis, n_classes in zip(panels, settings.classes, strict=True):
        for name in settings.learners:
            runs = experiment.of(name, n_classes, settings.sizes[-1])
            counts = np.array([[bin_.n_examples for bin_ in run.by_distance] for run in runs])
            right = np.array([[bin_.n_right for bin_ in run.by_distance] for run in runs])
            total = counts.sum(axis=0)
            d = np.arange(len(total)) - len(total) // 2
            there = total > 0
            axis.plot(
                d[there], 100 * right.sum(axis=0)[there] / total[there], "o-", ms=3, label=name
            )
        axis.set_xlabel("d = previous end − start")
        axis.set_ylabel("percent right")
    _legend(figure, panels[0])
    return figure


def _improvement(experiment: Experiment) -> Figure | None:
    """Figure 12: how much better the chosen learner's F1 on moves (d ≠ 0) is than the others'."""
    settings, chosen = experiment.settings, chosen_learner(experiment)
    others = [name for name in settings.learners if name != chosen]
    if not others:
        return None
    figure, panels = _panels([f"{chosen} over {name}" for name in others], sharey=True)
    for axis, name in zip(panels, others, strict=True):
        for n_classes in settings.classes:
            points = [
                spread(experiment.moving_gains(chosen, name, n_classes, size))
                for size in settings.sizes
            ]
            axis.errorbar(
                settings.sizes,
                [100 * point.mean for point in points],
                [100 * point.deviation for point in points],
                marker="o",
                capsize=3,
                label=f"{n_classes} classes",
            )
        axis.axhline(0, color="black", lw=0.8)
        axis.set_xlabel("training sentences")
    for axis in panels[::COLUMNS]:
        axis.set_ylabel("relative gain of F1, d ≠ 0, percent")
    _legend(figure, panels[0])
    return figure


def _clusters(experiment: Experiment) -> Figure | None:
    """Figure 13: source phrases by how much better they are classified, and their examples."""
    settings, chosen = experiment.settings, chosen_learner(experiment)
    others = [name for name in settings.learners if name != chosen]
    if not others:
        return None
    clusters = experiment.clusters
    numbers, first, row = np.unique(clusters.cluster, return_index=True, return_inverse=True)
    n_test = np.bincount(row)
    n_classes = settings.classes[-1]
    right = {
        name: np.bincount(
            row, experiment.of(name, n_classes, settings.sizes[-1])[-1].right, len(numbers)
        )
        / n_test
        for name in settings.learners
    }
    height = np.log10(clusters.n_examples[first])
    area = clusters.n_translations[first]
    figure, panels = _panels([f"{chosen} − {name}" for name in others], sharey=True)
    for axis, name in zip(panels, others, strict=True):
        gain = right[chosen] - right[name]
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
    for axis in panels[::COLUMNS]:
        axis.set_ylabel("training examples, log10")
    return figure


def _time(experiment: Experiment) -> Figure:
    """Figure 15: training time by training size."""
    settings = experiment.settings
    figure, panels = _panels([f"{n} classes" for n in settings.classes], sharey=True)
    for axis, n_classes in zip(panels, settings.classes, strict=True):
        for name in settings.learners:
            seconds = [
                np.mean([run.seconds for run in experiment.of(name, n_classes, size)])
                for size in settings.sizes
            ]
            axis.plot(settings.sizes, np.maximum(seconds, 1e-4), "o-", label=name)
        axis.set_yscale("log")
        axis.set_xlabel("training sentences")
        axis.set_ylabel("seconds of processor time")
    _legend(figure, panels[0])
    return figure


def _active(experiment: Experiment) -> Figure | None:
    """Alrajeh and Niranjan's Figure 1: share of active examples by iteration."""
    curves = active_curves(experiment)
    if not curves:
        return None
    figure, panels = _panels([f"{n} classes" for n in curves], sharey=True)
    for axis, by_learner in zip(panels, curves.values(), strict=True):
        for name, curve in by_learner.items():
            axis.plot(np.arange(1, len(curve) + 1), 100 * curve, label=name)
        axis.set_xlabel("iteration")
        axis.set_ylabel("percent of examples active")
    _legend(figure, panels[0])
    return figure
