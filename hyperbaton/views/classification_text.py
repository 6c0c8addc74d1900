"""Classification experiments as text: tables for people, CSV and JSON for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from tuning.evaluation.tables import aligned
from tuning.reproduction.classification import OVERALL, compare_classifiers, spread
from tuning.reproduction.classification_experiment import BASELINE, POOLED_ONLY, Experiment, Run

PREFERRED = "mms"  # what the others are tested against, if it is there
ITERATIONS = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 100)  # of the active set that are shown


def as_text(experiment: Experiment) -> str:
    """All tables, one below the other."""
    settings = experiment.settings
    parts = [_head(experiment)]
    for n_classes in settings.classes:
        parts += [_quality(experiment, n_classes), *_tests(experiment, n_classes)]
    parts += [_distances(experiment, max(settings.classes)), _times(experiment)]
    parts += list(_tolerance(experiment))
    parts += list(_active(experiment))
    return "\n\n".join(parts)


def chosen_learner(experiment: Experiment) -> str:
    """The learner that the others are compared with."""
    names = experiment.settings.learners
    base = [name for name in names if name.partition(":")[0] == PREFERRED]
    return (base or [name for name in names if name != BASELINE] or list(names))[0]


def _head(experiment: Experiment) -> str:
    settings = experiment.settings
    pairs = aligned(
        [
            ["training sentences", *(f"{size:,}" for size in settings.sizes)],
            ["training phrase pairs", *_means(experiment, lambda run: run.n_train)],
            ["test phrase pairs", *_means(experiment, lambda run: run.result.n_examples)],
            ["features", *_means(experiment, lambda run: run.n_features)],
        ]
    )
    times = "once" if settings.repeats == 1 else f"{settings.repeats} times"
    own = (
        "one model for all source phrases"
        if settings.min_examples == POOLED_ONLY
        else f"source phrases with {settings.min_examples:,} examples have models of their own"
    )
    note = (
        f"{settings.test_size:,} test sentences, features of {settings.features}, "
        f"repeated {times};\n{own}"
    )
    return f"{note}\n\n{pairs}"


def _means(experiment: Experiment, number: Callable[[Run], int]) -> Iterator[str]:
    learner, n_classes = experiment.settings.learners[0], experiment.settings.classes[0]
    for size in experiment.settings.sizes:
        runs = experiment.of(learner, n_classes, size)
        yield f"{np.mean([number(run) for run in runs]):,.0f}"


def _quality(experiment: Experiment, n_classes: int) -> str:
    """Overall precision and the F1 of every class by training size: Tables 5 and 6 of Ni et al."""
    settings = experiment.settings
    chosen = chosen_learner(experiment)
    by_size = [
        compare_classifiers(experiment.results(n_classes, [size]), chosen).rows
        for size in settings.sizes
    ]
    rows = [["", "sentences", *settings.learners]]
    for measures in zip(*by_size, strict=True):
        for size, row in zip(settings.sizes, measures, strict=True):
            name = row.name if size == settings.sizes[0] else ""
            rows.append([name, f"{size:,}", *map(str, row.spreads.values())])
    return f"{n_classes} classes: percent right, and F1 of each class\n\n{aligned(rows)}"


def _tests(experiment: Experiment, n_classes: int) -> Iterator[str]:
    """p-values over the repetitions of all training sizes together, as the paper must have done."""
    settings, chosen = experiment.settings, chosen_learner(experiment)
    others = [name for name in settings.learners if name != chosen]
    compared = compare_classifiers(experiment.results(n_classes, settings.sizes), chosen)
    if not others or not compared.rows[0].p_values:
        return
    rows = [["", *others]]
    rows += [[row.name, *(f"{row.p_values[name]:.1e}" for name in others)] for row in compared.rows]
    title = f"{n_classes} classes: p-values of the differences to {chosen}, paired t-test"
    yield f"{title}\n\n{aligned(rows)}"


def _distances(experiment: Experiment, n_classes: int) -> str:
    size = experiment.settings.sizes[-1]
    columns = {
        name: _summed(experiment.of(name, n_classes, size)) for name in experiment.settings.learners
    }
    first = next(iter(columns.values()))
    rows = [["d", "examples", *columns]]
    for number, (name, n_examples, _) in enumerate(first):
        if n_examples:
            shares = [100 * column[number][2] / n_examples for column in columns.values()]
            rows.append([name, f"{n_examples:,}", *(f"{share:.1f}" for share in shares)])
    title = f"{n_classes} classes, {size:,} training sentences: percent right by distance"
    return f"{title}\n\n{aligned(rows)}"


def _summed(runs: list[Run]) -> list[tuple[str, int, int]]:
    """Name, examples and right ones of every distance, over all repetitions."""
    return [
        (bins[0].name, sum(each.n_examples for each in bins), sum(each.n_right for each in bins))
        for bins in zip(*(run.by_distance for run in runs), strict=True)
    ]


def _times(experiment: Experiment) -> str:
    settings = experiment.settings
    header = [f"{n}c {size:,}" for n in settings.classes for size in settings.sizes]
    times, errors = [["", *header]], [["", *header]]
    for name in settings.learners:
        groups = [experiment.of(name, n, size) for n in settings.classes for size in settings.sizes]
        times.append([name, *(f"{np.mean([run.seconds for run in runs]):.2f}" for runs in groups)])
        errors.append([name, *(_percent([run.train_error for run in runs]) for runs in groups)])
    return (
        "seconds of processor time for training, by classes and training sentences\n\n"
        f"{aligned(times)}\n\npercent of the training examples that stay wrong\n\n{aligned(errors)}"
    )


def _tolerance(experiment: Experiment) -> Iterator[str]:
    """Ni et al., Figure 15; Alrajeh and Niranjan, Table 2."""
    if not experiment.tolerance:
        return
    rows = [
        ["", *(f"{n_classes}c" for n_classes, _ in experiment.goals)],
        ["percent wrong", *(f"{100 * goal:.1f}" for _, goal in experiment.goals)],
    ]
    for name in dict.fromkeys(each.learner for each in experiment.tolerance):
        own = [each for each in experiment.tolerance if each.learner == name]
        rows.append(
            [
                name,
                *(
                    "–" if each.seconds is None else f"{each.seconds:.2f} ({each.n_rounds})"
                    for each in own
                ),
            ]
        )
    size = experiment.settings.sizes[-1]
    title = f"training time to the same tolerance, {size:,} sentences: seconds (rounds)"
    yield f"{title}\n\n{aligned(rows)}"


def _percent(values: list[float]) -> str:
    return f"{100 * spread(values).mean:.1f}"


def _active(experiment: Experiment) -> Iterator[str]:
    """How much of the data the dual still looks at (Alrajeh and Niranjan, Figure 1)."""
    curves = active_curves(experiment)
    for n_classes, by_learner in curves.items():
        longest = max(len(curve) for curve in by_learner.values())
        shown = [number for number in ITERATIONS if number <= longest]
        rows = [["iteration", *map(str, shown)]]
        for name, curve in by_learner.items():
            values = [100 * curve[min(number, len(curve)) - 1] for number in shown]
            rows.append([name, *(f"{value:.1f}" for value in values)])
        size = experiment.settings.sizes[-1]
        title = f"{n_classes} classes, {size:,} training sentences: percent of examples active"
        yield f"{title} in the pooled model\n\n{aligned(rows)}"


def active_curves(experiment: Experiment) -> dict[int, dict[str, Any]]:
    """By classes and learner, of the last repetition with the largest training set."""
    curves: dict[int, dict[str, Any]] = {}
    for n_classes in experiment.settings.classes:
        for name in experiment.settings.learners:
            last = experiment.of(name, n_classes, experiment.settings.sizes[-1])[-1]
            if last.active is not None and len(last.active):
                curves.setdefault(n_classes, {})[name] = last.active
    return curves


def as_csv(experiment: Experiment) -> str:
    """A line for every run and measure."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["learner", "classes", "sentences", "repeat", "measure", "value"])
    for run in experiment.runs:
        for measure, value in _measures(run).items():
            writer.writerow(
                [run.learner, run.n_classes, run.size, run.repeat, measure, f"{value:.6g}"]
            )
    return stream.getvalue()


def _measures(run: Run) -> dict[str, float]:
    measures = {
        OVERALL: run.result.precision,
        **{
            f"F1 {name}": float(value)
            for name, value in zip(run.result.classes, run.result.class_f1, strict=True)
        },
        "seconds": run.seconds,
        "training error": run.train_error,
        "training phrase pairs": run.n_train,
        "test phrase pairs": run.result.n_examples,
        "features": run.n_features,
    }
    for each in run.by_distance:
        if each.n_examples:
            measures[f"d={each.name}"] = each.precision
    return measures


def as_json(experiment: Experiment) -> str:
    settings = asdict(experiment.settings)
    if settings["min_examples"] == POOLED_ONLY:
        settings["min_examples"] = None
    record = {
        "settings": settings,
        "runs": [
            {
                "learner": run.learner,
                "classes": list(run.result.classes),
                "sentences": run.size,
                "repeat": run.repeat,
                "training_phrase_pairs": run.n_train,
                "features": run.n_features,
                "seconds": run.seconds,
                "training_error": run.train_error,
                "precision": run.result.precision,
                "f1": run.result.class_f1.tolist(),
                "confusion": run.result.confusion.tolist(),
                "by_distance": [
                    {"d": each.name, "examples": each.n_examples, "right": each.n_right}
                    for each in run.by_distance
                    if each.n_examples
                ],
                "learner_settings": dict(run.settings),
                "active": None if run.active is None else run.active.tolist(),
            }
            for run in experiment.runs
        ],
        "training_time_to_the_same_tolerance": [asdict(each) for each in experiment.tolerance],
    }
    return json.dumps(record, ensure_ascii=False, indent=1)
