"""Tables of a learning experiment (`learner_experiment.py`), whoever shows it."""

import numpy as np

from hyperbaton.foundation.errors import counted
from hyperbaton.models.distortion.dpr.samples import DISTANCE
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.reproduction.class_predictions import OVERALL
from hyperbaton.tuning.reproduction.experiment_settings import PAPER, POOLED_ONLY
from hyperbaton.tuning.reproduction.repetitions import paired_t_test, spread
from hyperbaton.tuning.reproduction.time_to_error import ROUNDS
from hyperbaton.tuning.reproduction.trials import (
    COUNTS,
    SEEN,
    TRAINING_ERROR,
    UNSEEN,
    Experiment,
    f1_names,
)

TABLES = {3: " as in Table 5", 5: " as in Table 6"}  # of Ni et al., by the number of classes
MOST_PHRASES = 10
FEWEST_EXAMPLES = 3  # of a phrase in the test


def notes(done: Experiment) -> list[str]:
    settings = done.settings
    if settings.protocol == PAPER:
        own = "every source phrase of the test sentences has a model of its own, no other has"
    elif settings.min_examples == POOLED_ONLY:
        own = "one model for all source phrases"
    else:
        own = f"source phrases with {settings.min_examples:,} examples have models of their own"
    lines = [
        f"{counted(settings.repeats, 'repetition')}, each with {settings.test_size:,} test "
        "sentences and as many training sentences as named, drawn at random;",
        f"classes of {settings.moves}; features of {settings.features}; {own}.",
    ]
    if not done.is_repeated:
        lines.append("Deviations and p-values need more than one repetition.")
    return lines


def sizes(done: Experiment) -> Table:
    """Phrase pairs for training and test, and features."""
    settings = done.settings
    case = settings.learners[0], settings.classes[0]
    rows = [
        [name, *(f"{done.values(name, *case, size).mean():,.0f}" for size in settings.sizes)]
        for name in COUNTS
    ]
    return Table(["training sentences", *settings.size_names], rows, title="sizes")


def class_shares(done: Experiment, n_classes: int) -> Table:
    """Phrase pairs of each class (Ni et al., Table 4), in the mean of the repetitions."""
    settings, columns, header = done.settings, [], ["phrase pairs"]
    for kind in ("training", "test"):
        for size in settings.sizes:
            trials = done.of(settings.learners[0], n_classes, size)
            counts = [
                trial.training if kind == "training" else trial.result.confusion.sum(axis=1)
                for trial in trials
            ]
            mean = np.mean(counts, axis=0)
            columns.append([f"{n:,.0f} ({n / mean.sum():.0%})" for n in mean])
            header.append(f"{kind}, {size:,}")
    rows = list(map(list, zip(trials[0].result.classes, *columns, strict=True)))
    table = " as in Table 4" if settings.moves == DISTANCE else ""
    return Table(header, rows, title=f"{n_classes} classes: sizes{table}")


def _measures(done: Experiment, n_classes: int) -> list[str]:
    """Overall precision, and the F1 of every class (Ni et al., Tables 5 and 6)."""
    [first, *_] = done.of(done.chosen, n_classes, done.settings.sizes[0])
    return [OVERALL, *f1_names(first.result)]


def quality(done: Experiment, n_classes: int) -> Table:
    settings = done.settings
    rows = [
        [
            f"{name}, {size:,}",
            *(str(spread(done.values(name, own, n_classes, size))) for own in settings.learners),
        ]
        for name in _measures(done, n_classes)
        for size in settings.sizes
    ]
    header = ["percent, by training sentences", *map(done.label, settings.learners)]
    table = TABLES[n_classes] if settings.moves == DISTANCE else ""
    return Table(header, rows, title=f"{n_classes} classes: overall precision, and F1{table}")


def seen_and_unseen(done: Experiment, n_classes: int) -> Table:
    """Test examples whose phrase pair occurs in training, and the others: of those a count of pairs
    knows nothing."""
    settings, rows = done.settings, []
    for name, measure, seen in (("seen", SEEN, True), ("unseen", UNSEEN, False)):
        for size in settings.sizes:
            trials = done.of(settings.learners[0], n_classes, size)
            share = spread([float(np.mean(trial.seen == seen)) for trial in trials])
            right = [done.values(measure, own, n_classes, size) for own in settings.learners]
            rows.append([f"{name}, {size:,}", str(share), *(str(spread(own)) for own in right)])
    header = ["percent", "of the test", *map(done.label, settings.learners)]
    title = f"{n_classes} classes: overall precision on phrase pairs that training has or has not"
    return Table(header, rows, title=title)


def p_values(done: Experiment, n_classes: int) -> list[Table]:
    """Over the repetitions, each the mean of all sizes; none if there is nothing to test."""
    if not done.others or not done.is_repeated:
        return []
    rows = []
    for name in _measures(done, n_classes):
        values = {
            own: done.values(name, own, n_classes, *done.settings.sizes)
            for own in done.settings.learners
        }
        tests = [paired_t_test(values[done.chosen], values[other]) for other in done.others]
        rows.append([name, *(f"{test.p_value:.1e}" for test in tests)])
    title = (
        f"{n_classes} classes: differences to {done.label(done.chosen)}, paired t-test over "
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
    title = "training examples that are still wrong when a learner stops"
    return Table(header, rows, title=title)


def times_to_errors(done: Experiment) -> Table:
    """Ni et al., Figure 15."""
    times = {(each.learner, each.n_classes, each.goal): each for each in done.times}
    rows = []
    for name in done.timed:
        own = [times[name, *goal] for goal in done.goals]
        texts = [
            "–" if each.seconds is None else f"{each.seconds:.2f} ({each.n_rounds})" for each in own
        ]
        rows.append([done.label(name), *texts])
    goals = [f"{n} classes, {100 * goal:.1f}%" for n, goal in done.goals]
    size = done.settings.sizes[-1]
    title = f"time to the same training error, {size:,} training sentences, as in Figure 15"
    note = f"–: it stops at a higher error, or needs more than {ROUNDS[-1]} rounds"
    return Table(["CPU seconds (rounds)", *goals], rows, (note,), title)


def captured_moves(done: Experiment, against: str) -> Table:
    """Source phrases with the most examples that the chosen learner has right and `against` has
    wrong (Ni et al., Figure 14)."""
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
            *(f"{100 * own[k] / n_test[k]:.0f}" for own in n_right),
        ]
        for k in best
        if gain[k] > 0
    ]
    header = ["source phrase", "test", "training", "translations", *map(done.label, learners)]
    title = (
        f"{done.settings.classes[-1]} classes: source phrases on which {done.label(done.chosen)} "
        f"gains most on {done.label(against)} (percent right), as in Figure 14"
    )
    return Table(header, rows, title=title)
