"""Tables and charts of a learning experiment (`learner_experiment.py`).

Charts of the same name, one per class setup, are panels of one picture.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import counted
from hyperbaton.models.distortion.dpr.samples import DISTANCE
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.reproduction.exhibit import ALRAJEH
from hyperbaton.tuning.reproduction.experiment_settings import PAPER, POOLED_ONLY
from hyperbaton.tuning.reproduction.repetitions import paired_p_value, spread, spread_series
from hyperbaton.tuning.reproduction.time_to_error import ROUNDS
from hyperbaton.tuning.reproduction.trials import (
    COUNTS,
    OVERALL,
    SECONDS,
    SEEN,
    TRAINING_ERROR,
    UNSEEN,
    Experiment,
    f1_names,
)

TABLES = {3: " as in Table 5", 5: " as in Table 6"}  # of Ni et al., by the number of classes
MOST_PHRASES = 10
FEWEST_EXAMPLES = 3  # minimum test examples of a phrase


def notes(done: Experiment) -> list[str]:
    settings = done.settings
    if settings.protocol == PAPER:
        models = "one model for each source phrase of the test sentences, and no other"
    elif settings.min_examples == POOLED_ONLY:
        models = "one model for all source phrases"
    else:
        models = f"a separate model for each source phrase with {settings.min_examples:,} examples"
    lines = [
        f"{counted(settings.repeats, 'repetition')}, each with {settings.test_size:,} test "
        "sentences and the given numbers of training sentences, drawn at random;",
        f"classes: {settings.moves}; features: {settings.features}; {models}.",
    ]
    if not done.is_repeated:
        lines.append("Deviations and p-values need more than one repetition.")
    return lines


def sizes(done: Experiment) -> Table:
    settings = done.settings
    case = settings.learners[0], settings.classes[0]
    rows = [
        [name, *(f"{done.values(name, *case, size).mean():,.0f}" for size in settings.sizes)]
        for name in COUNTS
    ]
    return Table(["training sentences", *settings.size_names], rows, title="sizes")


def class_shares(done: Experiment, n_classes: int) -> Table:
    """Mean number of phrase pairs of each class (Ni et al., Table 4)."""
    settings, columns = done.settings, {}
    for kind in ("training", "test"):
        for size in settings.sizes:
            trials = done.of(settings.learners[0], n_classes, size)
            counts = [
                trial.training if kind == "training" else trial.result.confusion.sum(axis=1)
                for trial in trials
            ]
            mean = np.mean(counts, axis=0)
            columns[f"{kind}, {size:,}"] = [f"{n:,.0f} ({n / mean.sum():.0%})" for n in mean]
    rows = list(map(list, zip(trials[0].result.classes, *columns.values(), strict=True)))
    table = " as in Table 4" if settings.moves == DISTANCE else ""
    return Table(["phrase pairs", *columns], rows, title=f"{n_classes} classes: sizes{table}")


def _measures(done: Experiment, n_classes: int) -> list[str]:
    """Overall precision, and the F1 of every class (Ni et al., Tables 5 and 6)."""
    [first, *_] = done.of(done.chosen, n_classes, done.settings.sizes[0])
    return [OVERALL, *f1_names(first.result)]


def _spreads(done: Experiment, measure: str, n_classes: int, size: int) -> list[str]:
    """Mean and deviation of a measure for every learner, in percent."""
    values = (done.values(measure, name, n_classes, size) for name in done.settings.learners)
    return [spread(of_learner).text(1, 100) for of_learner in values]


def quality(done: Experiment, n_classes: int) -> Table:
    settings = done.settings
    rows = [
        [f"{name}, {size:,}", *_spreads(done, name, n_classes, size)]
        for name in _measures(done, n_classes)
        for size in settings.sizes
    ]
    header = ["percent, by training sentences", *map(done.label, settings.learners)]
    table = TABLES[n_classes] if settings.moves == DISTANCE else ""
    return Table(header, rows, title=f"{n_classes} classes: overall precision, and F1{table}")


def seen_and_unseen(done: Experiment, n_classes: int) -> Table:
    """Precision on test examples whose phrase pair occurs in training, and on the others, which a
    count of pairs cannot predict."""
    settings, rows = done.settings, []
    for name, measure, seen in (("seen", SEEN, True), ("unseen", UNSEEN, False)):
        for size in settings.sizes:
            trials = done.of(settings.learners[0], n_classes, size)
            share = spread([float(np.mean(trial.seen == seen)) for trial in trials]).text(1, 100)
            rows.append([f"{name}, {size:,}", share, *_spreads(done, measure, n_classes, size)])
    header = ["percent", "of the test", *map(done.label, settings.learners)]
    title = f"{n_classes} classes: overall precision on phrase pairs seen and unseen in training"
    return Table(header, rows, title=title)


def p_values(done: Experiment, n_classes: int) -> list[Table]:
    """p-values over the repetitions, each the mean of all sizes; empty if there is nothing to
    test."""
    if not done.others or not done.is_repeated:
        return []
    rows = []
    for name in _measures(done, n_classes):
        chosen, *others = (
            done.values(name, learner, n_classes, *done.settings.sizes)
            for learner in (done.chosen, *done.others)
        )
        rows.append([name, *(f"{paired_p_value(chosen - other):.1e}" for other in others)])
    title = (
        f"{n_classes} classes: differences from {done.label(done.chosen)}, paired t-test over "
        f"{done.settings.repeats} repetitions (means of all sizes)"
    )
    return [Table(["p", *map(done.label, done.others)], rows, title=title)]


def errors(done: Experiment) -> Table:
    settings = done.settings
    groups = [(n, size) for n in settings.classes for size in settings.sizes]
    rows = [
        [
            done.label(name),
            *(f"{100 * done.values(TRAINING_ERROR, name, *group).mean():.1f}" for group in groups),
        ]
        for name in settings.discriminative
    ]
    header = ["percent", *(f"{n} classes, {size:,}" for n, size in groups)]
    title = "training error when a learner stops"
    return Table(header, rows, title=title)


def times_to_errors(done: Experiment) -> Table:
    """Training time to the same error (Ni et al., Figure 15)."""
    times = {(time.learner, time.n_classes, time.goal): time for time in done.times}
    rows = []
    for name in done.timed:
        of_learner = [times[name, *goal] for goal in done.goals]
        texts = [
            "–" if time.seconds is None else f"{time.seconds:.2f} ({time.n_rounds})"
            for time in of_learner
        ]
        rows.append([done.label(name), *texts])
    goals = [f"{n} classes, {100 * goal:.1f}%" for n, goal in done.goals]
    size = done.settings.sizes[-1]
    title = f"time to the same training error, {size:,} training sentences, as in Figure 15"
    note = f"–: stops at a higher error, or needs more than {ROUNDS[-1]} rounds"
    return Table(["CPU seconds (rounds)", *goals], rows, (note,), title)


def captured_moves(done: Experiment, against: str) -> Table:
    """The source phrases on which the chosen learner gains most examples over `against` (Ni et al.,
    Figure 14)."""
    phrases, learners = done.phrases, (against, done.chosen)
    _, first, row = np.unique(phrases.cluster, return_index=True, return_inverse=True)
    n_test = np.bincount(row)
    n_right = np.array([np.bincount(row, done.last(name).right) for name in learners])
    gain = np.where(n_test >= FEWEST_EXAMPLES, n_right[1] - n_right[0], 0)
    best = np.argsort(-gain, kind="stable")[:MOST_PHRASES]
    rows = [
        [
            phrases.text[first[k]],
            f"{n_test[k]:,}",
            f"{phrases.n_examples[first[k]]:,}",
            f"{phrases.n_translations[first[k]]:,}",
            *(f"{100 * right[k] / n_test[k]:.0f}" for right in n_right),
        ]
        for k in best
        if gain[k] > 0
    ]
    header = ["source phrase", "test", "training", "translations", *map(done.label, learners)]
    title = (
        f"{done.settings.classes[-1]} classes: source phrases on which {done.label(done.chosen)} "
        f"gains most over {done.label(against)} (percent correct), as in Figure 14"
    )
    return Table(header, rows, title=title)


def phrase_sizes(done: Experiment) -> Chart:
    """Source phrases and their features by number of training examples."""
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
    """The gain of the chosen learner over another where phrases move, one line per class setup."""
    settings = done.settings
    lines = {
        f"{n} classes": [done.moving_gains(other, n, size) for size in settings.sizes]
        for n in settings.classes
    }
    caption = f"gain of {done.label(done.chosen)} over {done.label(other)} on moves"
    y_title = "relative gain of F1, percent"
    return _by_size(done, f"{caption}, as in Figure 12", lines, y_title, name="improvement")


def precision(done: Experiment, n_classes: int) -> Chart:
    lines = _lines(done, done.settings.learners, OVERALL, n_classes, 100)
    caption = f"{n_classes} classes: overall precision by size, as in Figure 10"
    return _by_size(done, caption, lines, "percent right", name="precision")


def training_times(done: Experiment, n_classes: int) -> Chart:
    lines = _lines(done, done.settings.discriminative, SECONDS, n_classes)
    caption = f"{n_classes} classes: training time, each with its stopping rule"
    return _by_size(done, caption, lines, "CPU seconds", name="own_time", digits=3, is_log=True)


def _lines(
    done: Experiment, learners: Sequence[str], measure: str, n_classes: int, factor: int = 1
) -> dict[str, list[FloatArray]]:
    return {
        done.label(name): [
            factor * done.values(measure, name, n_classes, size) for size in done.settings.sizes
        ]
        for name in learners
    }


def _by_size(
    done: Experiment,
    caption: str,
    lines: Mapping[str, Sequence[FloatArray]],  # by name and size, one value per repetition
    y_title: str,
    **look: Any,
) -> Chart:
    series = [spread_series(name, map(spread, values)) for name, values in lines.items()]
    names = done.settings.size_names
    return Chart(caption, names, series, "training sentences", y_title, **look)


def times_by_error(done: Experiment, n_classes: int) -> Chart:
    """Training time to the same error (Ni et al., Figure 15)."""
    times = [time for time in done.times if time.n_classes == n_classes]
    goals = dict.fromkeys(time.goal for time in times)
    return Chart(
        f"{n_classes} classes: training time to the same training error, as in Figure 15",
        [f"{100 * goal:.1f}%" for goal in goals],
        [
            Series(done.label(name), [time.seconds for time in times if time.learner == name])
            for name in done.timed
        ],
        "training error",
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
        numbers = [[(d.n_examples, d.n_right) for d in distances] for distances in bins]
        counts[name] = np.sum(numbers, axis=0)  # (n_distances, 2)
    there = np.flatnonzero(counts[name][:, 0])
    n_examples = counts[name][there, 0]
    return Chart(
        f"{n_classes} classes, {size:,} training sentences: precision by distance, as in Figure 11",
        [bins[0][place].name for place in there],
        [
            Series(done.label(name), (100 * count[there, 1] / n_examples).tolist())
            for name, count in counts.items()
        ],
        "d (< 0: forward)",
        "percent right",
        name="distance",
        n_examples=n_examples.tolist(),
    )


def active(done: Experiment, n_classes: int) -> Chart:
    """The share of active examples by round, in the last repetition with the largest training set
    (Alrajeh and Niranjan, Figure 1), for learners with an active set."""
    settings, curves = done.settings, {}
    for name in settings.learners:
        shares = done.of(name, n_classes, settings.sizes[-1])[-1].active
        if shares is not None:
            curves[name] = [100 * float(share) for share in shares]
    n_rounds = max(map(len, curves.values()), default=0)
    return Chart(
        f"{n_classes} classes: active examples ({ALRAJEH}, Figure 1)",
        list(map(str, range(1, n_rounds + 1))),
        [Series(done.label(name), curve) for name, curve in curves.items()],
        "round",
        "percent active",
        digits=2,
        is_log=True,
        name="active",
    )


# Tables and charts of a class setup
CLASS_TABLES = (class_shares, quality, seen_and_unseen)
CLASS_CHARTS = (precision, by_distance, times_by_error, training_times, active)
