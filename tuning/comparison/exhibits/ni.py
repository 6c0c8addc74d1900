"""The classification experiments of Ni et al. (2011, section 4.1): Tables 5 and 6, Figures 10, 11
and 15, and what the paper says of them.

Figure 15 is the time to reach the same training error; our learners stop by their own rules, so the
error that each stops at stands beside its time.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tuning.classification import compare_classifiers, paired_t_test
from tuning.classification_experiment import BASELINE, Experiment, ExperimentSettings, Run
from tuning.comparison.exhibits.classification import (
    classification_kind,
    mean_precision,
    mean_seconds,
    mean_train_error,
    notes,
    sizes_table,
)
from tuning.comparison.exhibits.exhibit import Chart, Exhibit
from tuning.comparison.papers import (
    NI_FIGURE_10,
    NI_FIGURE_12,
    NI_FIGURE_15,
    SIGNIFICANT,
    Finding,
    holds,
    verdict,
)
from tuning.report.charts import Series
from tuning.tables import Table

CHOSEN, ENTROPY = "mms", "me"
DISCRIMINATIVE = ("mmr", "svm", ENTROPY, CHOSEN)  # in the order of the paper's tables
SETTINGS = ExperimentSettings(learners=(BASELINE, *DISCRIMINATIVE), classes=(3, 5), repeats=3)
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
    charts += [_times(experiment, n_classes) for n_classes in settings.classes]
    tables.append(_errors(experiment))
    return Exhibit(NAME, TITLE, notes(experiment), tables, charts, _findings(experiment))


def _shown(learner: str) -> str:
    return learner.upper()


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


def _times(experiment: Experiment, n_classes: int) -> Chart:
    settings = experiment.settings
    return Chart(
        f"{n_classes} classes: training time, as in Figure 15",
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
    few, many = min(experiment.settings.classes), max(experiment.settings.classes)
    gaps = [
        _precisions(experiment, CHOSEN, n) - _precisions(experiment, BASELINE, n)
        for n in (few, many)
    ]
    test = paired_t_test(gaps[1].tolist(), gaps[0].tolist())
    case = (
        f"{gaps[0].mean():+.1f} points with {few} classes, {gaps[1].mean():+.1f} with {many}, "
        f"p {test.p_value:.1e}"
    )
    statement = f"{NI_FIGURE_12}: the more classes, the more MMS gains on LR (paper: +8.5, +8.7)"
    return Finding(statement, verdict([test.difference > 0], [test.p_value < SIGNIFICANT]), (case,))


def _fastest(experiment: Experiment) -> Finding:
    size = experiment.settings.sizes[-1]
    good, cases = [], []
    for n_classes in experiment.settings.classes:
        seconds = {
            name: mean_seconds(experiment.of(name, n_classes, size)) for name in DISCRIMINATIVE
        }
        good.append(seconds[CHOSEN] <= min(seconds.values()))
        listed = ", ".join(f"{_shown(name)} {value:.3f} s" for name, value in seconds.items())
        cases.append(f"{n_classes} classes, {size:,} sentences: {listed}")
    statement = (
        f"{NI_FIGURE_15}: MMS trains fastest of the discriminative learners (each stops by its own "
        "rule)"
    )
    return Finding(statement, holds(good), tuple(cases))


KIND = classification_kind(NAME, TITLE, SETTINGS, SIZES, ni_exhibit)
