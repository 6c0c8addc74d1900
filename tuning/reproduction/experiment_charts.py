"""Charts of a learning experiment (`learner_experiment.py`), whoever shows it.

They are made for each class setup; those of one name are panels of one picture.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.reproduction.class_predictions import OVERALL
from hyperbaton.tuning.reproduction.exhibit import ALRAJEH
from hyperbaton.tuning.reproduction.repetitions import spread, spread_series
from hyperbaton.tuning.reproduction.trials import SECONDS, Experiment


def phrase_sizes(done: Experiment) -> Chart:
    """Source phrases by their number of training examples, and what their examples have."""
    phrases = done.phrases
    bin_of = np.log2(phrases.n_own_examples).astype(np.int64)  # 1, 2–3, 4–7, …
    n_phrases = np.bincount(bin_of)
    features = np.bincount(bin_of, phrases.n_own_features) / np.maximum(n_phrases, 1)
    there = np.flatnonzero(n_phrases)
    return Chart(
        "source phrases by their training examples, as in Figure 8",
        [f"{1 << k}–{(2 << k) - 1}" if k else "1" for k in there.tolist()],
        [
            Series("source phrases", n_phrases[there].tolist()),
            Series("features of each, mean", features[there].tolist()),
        ],
        "training examples",
        "number",
        digits=0,
        is_log=True,
        name="phrase_sizes",
    )


def gains(done: Experiment, other: str) -> Chart:
    """The chosen learner over another where phrases move, a line for each class setup."""
    settings = done.settings
    lines = {
        f"{n} classes": [done.moving_gains(other, n, size) for size in settings.sizes]
        for n in settings.classes
    }
    caption = f"gain of {done.label(done.chosen)} over {done.label(other)} on moves"
    y_title = "relative gain of F1, percent"
    return _by_size(done, f"{caption}, as in Figure 12", lines, y_title, name="improvement")


def precision(done: Experiment, n_classes: int) -> Chart:
    settings = done.settings
    lines = {
        done.label(own): [100 * done.values(OVERALL, own, n_classes, n) for n in settings.sizes]
        for own in settings.learners
    }
    caption = f"{n_classes} classes: overall precision by size, as in Figure 10"
    return _by_size(done, caption, lines, "percent right", name="precision")


def training_times(done: Experiment, n_classes: int) -> Chart:
    settings = done.settings
    lines = {
        done.label(own): [done.values(SECONDS, own, n_classes, size) for size in settings.sizes]
        for own in settings.discriminative
    }
    caption = f"{n_classes} classes: training time, each by its own rule"
    return _by_size(done, caption, lines, "CPU seconds", name="own_time", digits=3, is_log=True)


def _by_size(
    done: Experiment,
    caption: str,
    lines: Mapping[str, Sequence[FloatArray]],  # by name and size, a value for each repetition
    y_title: str,
    **look: Any,
) -> Chart:
    series = [spread_series(name, map(spread, values)) for name, values in lines.items()]
    names = done.settings.size_names
    return Chart(caption, names, series, "training sentences", y_title, **look)


def times_by_error(done: Experiment, n_classes: int) -> Chart:
    """Ni et al., Figure 15."""
    own = [each for each in done.times if each.n_classes == n_classes]
    goals = dict.fromkeys(each.goal for each in own)
    return Chart(
        f"{n_classes} classes: training time to the same training error, as in Figure 15",
        [f"{100 * goal:.1f}%" for goal in goals],
        [
            Series(done.label(name), [each.seconds for each in own if each.learner == name])
            for name in done.timed
        ],
        "training examples that are wrong",
        "CPU seconds",
        name="time",
        digits=3,
        is_log=True,
    )


def by_distance(done: Experiment, n_classes: int) -> Chart:
    """Precision with the largest training set, all repetitions together."""
    size, counts = done.settings.sizes[-1], {}
    for name in done.settings.learners:
        bins = [trial.by_distance for trial in done.of(name, n_classes, size)]
        numbers = [[(each.n_examples, each.n_right) for each in own] for own in bins]
        counts[name] = np.sum(numbers, axis=0)  # (n_distances, 2)
    there = np.flatnonzero(counts[name][:, 0])
    n_examples = counts[name][there, 0]
    return Chart(
        f"{n_classes} classes, {size:,} training sentences: precision by distance, as in Figure 11",
        [bins[0][place].name for place in there],
        [
            Series(done.label(name), (100 * own[there, 1] / n_examples).tolist())
            for name, own in counts.items()
        ],
        "d (< 0: forward)",
        "percent right",
        name="distance",
        n_examples=n_examples.tolist(),
    )


def active(done: Experiment, n_classes: int) -> Chart:
    """The share of examples that learners still look at, round by round, in the last repetition
    with the largest training set (Alrajeh and Niranjan, Figure 1); others always look at all."""
    settings, curves = done.settings, {}
    for name in settings.learners:
        found = done.of(name, n_classes, settings.sizes[-1])[-1].active
        if found is not None:
            curves[name] = [100 * float(share) for share in found]
    n_rounds = max(map(len, curves.values()), default=0)
    return Chart(
        f"{n_classes} classes: examples that are still active ({ALRAJEH}, Figure 1)",
        list(map(str, range(1, n_rounds + 1))),
        [Series(done.label(name), curve) for name, curve in curves.items()],
        "round",
        "percent active",
        digits=2,
        is_log=True,
        name="active",
    )
