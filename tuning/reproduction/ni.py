"""The classification experiments of Ni et al. (2011, section 4.1): Tables 5 and 6, Figures 10 to 12
and 15, and what the paper says of them.

Figure 15 is the time to reach the same training error, which the paper does not name: there are
several (`classification_tolerance.py`). Learners otherwise stop by their own rules; the times
and errors of that are shown as well.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tuning.evaluation.charts import Series
from tuning.evaluation.tables import Table
from tuning.reproduction.classification import compare_classifiers, paired_t_test
from tuning.reproduction.classification_exhibit import (
    classification_kind,
    mean_precision,
    mean_seconds,
    mean_train_error,
    notes,
    sizes_table,
)
from tuning.reproduction.classification_experiment import (
    BASELINE,
    Experiment,
    ExperimentSettings,
    Run,
)
from tuning.reproduction.exhibit import Chart, Exhibit
from tuning.reproduction.papers import (
    NI_FIGURE_10,
    NI_FIGURE_12,
    NI_FIGURE_15,
    SIGNIFICANT,
    Finding,
    holds,
    verdict,
)

CHOSEN, ENTROPY = "mms", "me"
# In the order of the paper's tables; its SVM is SVM-Multiclass (footnote 8)
DISCRIMINATIVE = ("mmr", "svm-multiclass", ENTROPY, CHOSEN)
SETTINGS = ExperimentSettings(
    learners=(BASELINE, *DISCRIMINATIVE), classes=(3, 5), repeats=3, tolerance_times=True
)
SIZES = (0.2, 40_000, 3)  # share of the corpus and source words at most, number of sizes
TABLES = {3: "Table 5", 5: "Table 6"}
NAME, TITLE = "ni_classification", "Classes of moves (Ni et al. 2011, section 4.1)"


def ni_exhibit(experiment: Experiment) -> Exhibit:
    settings = experiment.settings
    tables = [sizes_table(experiment, "sizes, as in Table 4")]
    charts = []
    for n_classes in settings.classes:
        tables += _quality(experiment, n_classes)
        charts.append(_by_size(experiment, n_classes))
    charts.append(_by_distance(experiment, max(settings.classes)))
    charts.append(_gains(experiment))
    charts += [_times(experiment, n_classes) for n_classes in settings.classes]
    tables += [_errors(experiment), _tolerance(experiment)]
    return Exhibit(NAME, TITLE, notes(experiment), tables, charts, _findings(experiment))


def _shown(learner: str) -> str:
    return learner.partition("-")[0].upper()


def _quality(experiment: Experiment, n_classes: int) -> list[Table]:
    """Precision and F1 by size; and p-values over the repetitions of all sizes."""
    settings = experiment.settings
    by_size = [
        compare_classifiers(experiment.results(n_classes, [size]), CHOSEN).rows
        for size in settings.sizes
    ]
    rows = [
        [f"{row.name}, {size:,}", *map(str, row.spreads.values())]
        for measures in zip(*by_size, strict=True)
        for size, row in zip(settings.sizes, measures, strict=True)
    ]
    header = ["percent, by training sentences", *map(_shown, settings.learners)]
    title = f"{n_classes} classes: overall precision, and F1 as in {TABLES[n_classes]}"
    compared = compare_classifiers(experiment.results(n_classes, settings.sizes), CHOSEN).rows
    others = [name for name in settings.learners if name != CHOSEN]
    tests = [[row.name, *(f"{row.p_values[name]:.1e}" for name in others)] for row in compared]
    return [
        Table(header, rows, (), title),
        Table(
            ["p", *map(_shown, others)],
            tests,
            (),
            f"{n_classes} classes: differences to {_shown(CHOSEN)}, paired t-test over all sizes",
        ),
    ]


def _lines(
    experiment: Experiment,
    n_classes: int,
    learners: Sequence[str],
    measure: Callable[[Sequence[Run]], float],
) -> list[Series]:
    """A measure by training size, a line for each learner."""
    sizes = experiment.settings.sizes
    return [
        Series(_shown(name), [measure(experiment.of(name, n_classes, size)) for size in sizes])
        for name in learners
    ]


def _by_size(experiment: Experiment, n_classes: int) -> Chart:
    settings = experiment.settings
    return Chart(
        f"{n_classes} classes: overall precision by size, as in Figure 10",
        [f"{size:,}" for size in settings.sizes],
        _lines(experiment, n_classes, settings.learners, mean_precision),
        "training sentences",
        "percent right",
    )


def _by_distance(experiment: Experiment, n_classes: int) -> Chart:
    """Of the largest training set, all repetitions together."""
    size = experiment.settings.sizes[-1]
    groups = {
        name: [run.by_distance for run in experiment.of(name, n_classes, size)]
        for name in (BASELINE, ENTROPY, CHOSEN)
    }
    n_examples = [
        sum(each.n_examples for each in bins) for bins in zip(*groups[BASELINE], strict=True)
    ]
    shown = [place for place, number in enumerate(n_examples) if number]
    lines = []
    for name, group in groups.items():
        n_right = [sum(each.n_right for each in bins) for bins in zip(*group, strict=True)]
        lines.append(Series(_shown(name), [100 * n_right[p] / n_examples[p] for p in shown]))
    return Chart(
        f"{n_classes} classes, {size:,} training sentences: precision by distance, as in Figure 11",
        [groups[BASELINE][0][place].name for place in shown],
        lines,
        "d (< 0: forwards)",
        "percent right",
    )


def _gains(experiment: Experiment) -> Chart:
    settings = experiment.settings
    lines = [
        Series(
            f"{n_classes} classes",
            [
                100 * float(np.mean(experiment.moving_gains(CHOSEN, BASELINE, n_classes, size)))
                for size in settings.sizes
            ],
        )
        for n_classes in settings.classes
    ]
    return Chart(
        f"{_shown(CHOSEN)} over {_shown(BASELINE)} on moves (d ≠ 0), as in Figure 12",
        [f"{size:,}" for size in settings.sizes],
        lines,
        "training sentences",
        "relative gain of F1, percent",
    )


def _times(experiment: Experiment, n_classes: int) -> Chart:
    settings = experiment.settings
    return Chart(
        f"{n_classes} classes: training time, each by its own rule",
        [f"{size:,}" for size in settings.sizes],
        _lines(experiment, n_classes, DISCRIMINATIVE, mean_seconds),
        "training sentences",
        "CPU seconds",
        digits=3,
        is_log=True,
    )


def _errors(experiment: Experiment) -> Table:
    settings = experiment.settings
    groups = [(n, size) for n in settings.classes for size in settings.sizes]
    rows = [
        [_shown(name), *(f"{mean_train_error(experiment.of(name, *g)):.1f}" for g in groups)]
        for name in DISCRIMINATIVE
    ]
    header = ["percent", *(f"{n} classes, {size:,}" for n, size in groups)]
    return Table(header, rows, (), "training examples that are still wrong when a learner stops")


def _times_to(experiment: Experiment, goal: tuple[int, float]) -> dict[str, float]:
    """Seconds of the learners that reach a training error."""
    return {
        each.learner: each.seconds
        for each in experiment.tolerance
        if (each.n_classes, each.goal) == goal and each.seconds is not None
    }


def _tolerance(experiment: Experiment) -> Table:
    goals = experiment.goals
    times = [_times_to(experiment, goal) for goal in goals]
    rows = [
        [_shown(name), *(f"{own[name]:.2f}" if name in own else "–" for own in times)]
        for name in DISCRIMINATIVE
    ]
    header = ["CPU seconds", *(f"{n} classes, {100 * goal:.1f}%" for n, goal in goals)]
    size = experiment.settings.sizes[-1]
    title = f"time to the same training error, {size:,} training sentences, as in Figure 15"
    return Table(header, rows, ("–: it stops at a higher error",), title)


def _precisions(experiment: Experiment, learner: str, n_classes: int) -> NDArray[np.float64]:
    """In percent, of the repetitions of all sizes."""
    runs: list[Run] = [
        run for size in experiment.settings.sizes for run in experiment.of(learner, n_classes, size)
    ]
    return 100 * np.array([run.result.precision for run in runs])


def _findings(experiment: Experiment) -> list[Finding]:
    return [_beat_counts(experiment), _equals(experiment), _gap(experiment), _fastest(experiment)]


def _beat_counts(experiment: Experiment) -> Finding:
    signs, sure, cases = [], [], []
    for n_classes in experiment.settings.classes:
        counts = _precisions(experiment, BASELINE, n_classes)
        for name in DISCRIMINATIVE:
            test = paired_t_test(_precisions(experiment, name, n_classes).tolist(), counts.tolist())
            signs.append(test.difference > 0)
            sure.append(test.p_value < SIGNIFICANT)
            cases.append(
                f"{n_classes} classes, {_shown(name)}: {test.difference:+.1f} points, "
                f"p {test.p_value:.1e}"
            )
    statement = f"{NI_FIGURE_10}: each discriminative learner beats LR in overall precision"
    return Finding(statement, verdict(signs, sure), tuple(cases))


def _equals(experiment: Experiment) -> Finding:
    good, cases = [], []
    for n_classes in experiment.settings.classes:
        both = (_precisions(experiment, name, n_classes).tolist() for name in (CHOSEN, ENTROPY))
        test = paired_t_test(*both)
        good.append(test.difference >= 0 or test.p_value >= SIGNIFICANT)
        cases.append(
            f"{n_classes} classes: {test.difference:+.1f} points against ME, p {test.p_value:.1e}"
        )
    statement = f"{NI_FIGURE_10}: MMS is at least as good as ME (not significantly worse)"
    return Finding(statement, holds(good), tuple(cases))


def _gap(experiment: Experiment) -> Finding:
    settings = experiment.settings
    few, many = min(settings.classes), max(settings.classes)
    gains = {
        n: [
            100 * gain
            for size in settings.sizes
            for gain in experiment.moving_gains(CHOSEN, BASELINE, n, size)
        ]
        for n in (few, many)
    }
    test = paired_t_test(gains[many], gains[few])
    overall = [
        float(np.mean(_precisions(experiment, CHOSEN, n) - _precisions(experiment, BASELINE, n)))
        for n in (few, many)
    ]
    cases = (
        f"{np.mean(gains[few]):+.1f}% of F1 with {few} classes, {np.mean(gains[many]):+.1f}% with "
        f"{many}, p {test.p_value:.1e}",
        f"overall precision {overall[0]:+.1f} and {overall[1]:+.1f} points (paper: +8.5, +8.7)",
    )
    statement = f"{NI_FIGURE_12}: the more classes, the more MMS gains on LR where phrases move"
    return Finding(statement, verdict([test.difference > 0], [test.p_value < SIGNIFICANT]), cases)


def _fastest(experiment: Experiment) -> Finding:
    good, cases = [], []
    for goal in experiment.goals:
        seconds = _times_to(experiment, goal)
        good.append(CHOSEN in seconds and seconds[CHOSEN] <= min(seconds.values()))
        listed = ", ".join(f"{_shown(name)} {value:.2f} s" for name, value in seconds.items())
        cases.append(f"{goal[0]} classes, to {100 * goal[1]:.1f}%: {listed or 'none'}")
    statement = (
        f"{NI_FIGURE_15}: MMS is the fastest of the discriminative learners to the same training "
        "error"
    )
    return Finding(statement, holds(good), tuple(cases))


KIND = classification_kind(NAME, TITLE, SETTINGS, SIZES, ni_exhibit)
