"""Tables and charts of a learning experiment (`learner_experiment.py`), whoever shows it.

Charts are made for each class setup; those of one name are panels of one picture.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from hyperbaton.foundation.arrays import Int64Array
from hyperbaton.foundation.errors import counted
from hyperbaton.models.distortion.dpr.samples import DISTANCE
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.reproduction.exhibit import ALRAJEH
from hyperbaton.tuning.reproduction.experiment_settings import PAPER, POOLED_ONLY
from hyperbaton.tuning.reproduction.learner_experiment import Experiment, Trial
from hyperbaton.tuning.reproduction.repetitions import compare_classifiers, spread
from hyperbaton.tuning.reproduction.time_to_error import ROUNDS

Case = TypeVar("Case")
PREFERRED = "mms"  # the learner that all others are compared with, if it is there
TABLES = {3: " as in Table 5", 5: " as in Table 6"}  # of Ni et al., by the number of classes


@dataclass(frozen=True, eq=False)
class ExperimentView:
    experiment: Experiment
    labels: Mapping[str, str] = field(default_factory=dict)  # of learners; others have their names

    def label(self, learner: str) -> str:
        return self.labels.get(learner, learner)

    def find(self, name: str) -> str | None:
        """The first learner of this name, whatever its settings."""
        learners = self.experiment.settings.learners
        return next((own for own in learners if own.partition(":")[0] == name), None)

    @property
    def chosen(self) -> str:
        """The learner that the others are compared with."""
        settings = self.experiment.settings
        return self.find(PREFERRED) or (settings.discriminative or settings.learners)[0]

    @property
    def others(self) -> list[str]:
        return [name for name in self.experiment.settings.learners if name != self.chosen]

    @property
    def is_repeated(self) -> bool:
        """Whether chance can be told from a difference."""
        return self.experiment.settings.repeats > 1

    def notes(self) -> list[str]:
        settings = self.experiment.settings
        if settings.protocol == PAPER:
            own = "every source phrase of the test sentences has a model of its own, no other has"
        elif settings.min_examples == POOLED_ONLY:
            own = "one model for all source phrases"
        else:
            own = f"source phrases with {settings.min_examples:,} examples have models of their own"
        notes = [
            f"{counted(settings.repeats, 'repetition')}, each with {settings.test_size:,} test "
            "sentences and as many training sentences as named, drawn at random;",
            f"classes of {settings.moves}; features of {settings.features}; {own}.",
        ]
        if not self.is_repeated:
            notes.append("Deviations and p-values need more than one repetition.")
        return notes

    def sizes(self, title: str) -> Table:
        """Phrase pairs for training and test, and features."""
        settings = self.experiment.settings
        numbers: dict[str, Callable[[Trial], int]] = {
            "training phrase pairs": lambda trial: trial.n_train,
            "test phrase pairs": lambda trial: trial.result.n_examples,
            "features": lambda trial: trial.n_features,
        }
        case = settings.learners[0], settings.classes[0]
        rows = [
            [name, *(f"{self.mean(number, *case, size):,.0f}" for size in settings.sizes)]
            for name, number in numbers.items()
        ]
        return Table(["training sentences", *self._size_names], rows, title=title)

    def class_shares(self, n_classes: int) -> Table:
        """Phrase pairs of each class (Ni et al., Table 4), in the mean of the repetitions."""
        settings = self.experiment.settings
        counts: dict[str, Callable[[Trial], Int64Array]] = {
            "training": lambda trial: trial.training,
            "test": lambda trial: trial.result.confusion.sum(axis=1),
        }
        columns = []
        for count in counts.values():
            for size in settings.sizes:
                trials = self.experiment.of(settings.learners[0], n_classes, size)
                mean = np.mean([count(trial) for trial in trials], axis=0)
                columns.append([f"{n:,.0f} ({n / mean.sum():.0%})" for n in mean])
        names = trials[0].result.classes
        rows = [[name, *row] for name, row in zip(names, zip(*columns, strict=True), strict=True)]
        header = [
            "phrase pairs",
            *(f"{kind}, {size}" for kind in counts for size in self._size_names),
        ]
        table = " as in Table 4" if settings.moves == DISTANCE else ""
        return Table(header, rows, title=f"{n_classes} classes: sizes{table}")

    def quality(self, n_classes: int) -> Table:
        """Overall precision and the F1 of every class by size (Ni et al., Tables 5 and 6)."""
        settings = self.experiment.settings
        by_size = [
            compare_classifiers(self.experiment.results(n_classes, [size]), self.chosen)
            for size in settings.sizes
        ]
        rows = [
            [f"{row.name}, {size:,}", *map(str, row.spreads.values())]
            for measures in zip(*by_size, strict=True)
            for size, row in zip(settings.sizes, measures, strict=True)
        ]
        header = ["percent, by training sentences", *map(self.label, settings.learners)]
        table = TABLES[n_classes] if settings.moves == DISTANCE else ""
        title = f"{n_classes} classes: overall precision, and F1{table}"
        return Table(header, rows, title=title)

    def seen_and_unseen(self, n_classes: int) -> Table:
        """Test examples whose phrase pair occurs in training, and the others: of those a count of
        pairs knows nothing."""
        settings = self.experiment.settings
        rows = []
        for name, seen in (("seen", True), ("unseen", False)):
            for size in settings.sizes:
                by_learner = [self.experiment.of(own, n_classes, size) for own in settings.learners]
                share = spread([float(np.mean(trial.seen == seen)) for trial in by_learner[0]])
                right = [[t.precision_where(seen=seen) for t in trials] for trials in by_learner]
                rows.append([f"{name}, {size:,}", str(share), *(str(spread(own)) for own in right)])
        header = ["percent", "of the test", *map(self.label, settings.learners)]
        title = (
            f"{n_classes} classes: overall precision on phrase pairs that training has or has not"
        )
        return Table(header, rows, title=title)

    def p_values(self, n_classes: int) -> list[Table]:
        """Over the repetitions, each the mean of all sizes; none if there is nothing to test."""
        if not self.others or not self.is_repeated:
            return []
        results = self.experiment.results(n_classes, self.experiment.settings.sizes)
        rows = [
            [row.name, *(f"{row.p_values[name]:.1e}" for name in self.others)]
            for row in compare_classifiers(results, self.chosen)
        ]
        against = self.label(self.chosen)
        title = (
            f"{n_classes} classes: differences to {against}, paired t-test over "
            f"{self.experiment.settings.repeats} repetitions (means of all sizes)"
        )
        return [Table(["p", *map(self.label, self.others)], rows, title=title)]

    def errors(self) -> Table:
        settings = self.experiment.settings
        groups = [(n, size) for n in settings.classes for size in settings.sizes]
        rows = [
            [self.label(name), *(f"{self.train_error(name, *group):.1f}" for group in groups)]
            for name in settings.discriminative
        ]
        header = ["percent", *(f"{n} classes, {size:,}" for n, size in groups)]
        title = "training examples that are still wrong when a learner stops"
        return Table(header, rows, title=title)

    def times_to_errors(self) -> Table:
        """Ni et al., Figure 15."""
        goals = self.experiment.goals
        times = {(each.learner, each.n_classes, each.goal): each for each in self.experiment.times}
        rows = []
        for name in self.experiment.timed:
            own = [times[name, *goal] for goal in goals]
            texts = [
                "–" if each.seconds is None else f"{each.seconds:.2f} ({each.n_rounds})"
                for each in own
            ]
            rows.append([self.label(name), *texts])
        header = ["CPU seconds (rounds)", *(f"{n} classes, {100 * goal:.1f}%" for n, goal in goals)]
        size = self.experiment.settings.sizes[-1]
        title = f"time to the same training error, {size:,} training sentences, as in Figure 15"
        note = f"–: it stops at a higher error, or needs more than {ROUNDS[-1]} rounds"
        return Table(header, rows, (note,), title)

    def times_by_error(self, n_classes: int) -> Chart:
        """The same as a picture (Ni et al., Figure 15)."""
        own = [each for each in self.experiment.times if each.n_classes == n_classes]
        lines = [
            Series(self.label(name), [each.seconds for each in own if each.learner == name])
            for name in self.experiment.timed
        ]
        goals = dict.fromkeys(each.goal for each in own)
        return Chart(
            f"{n_classes} classes: training time to the same training error, as in Figure 15",
            [f"{100 * goal:.1f}%" for goal in goals],
            lines,
            "training examples that are wrong",
            "CPU seconds",
            name="time",
            digits=3,
            is_log=True,
        )

    def precision(self, n_classes: int) -> Chart:
        return self._by_size(
            f"{n_classes} classes: overall precision by size, as in Figure 10",
            self._by_label(self.experiment.settings.learners),
            lambda name, size: [
                100 * trial.result.precision for trial in self.experiment.of(name, n_classes, size)
            ],
            "percent right",
            name="precision",
        )

    def gains(self, other: str) -> Chart:
        """The chosen learner over another where phrases move, a line for each class setup."""
        chosen = self.chosen
        return self._by_size(
            f"gain of {self.label(chosen)} over {self.label(other)} on moves, as in Figure 12",
            {f"{n_classes} classes": n_classes for n_classes in self.experiment.settings.classes},
            lambda n_classes, size: [
                100 * gain for gain in self.experiment.moving_gains(chosen, other, n_classes, size)
            ],
            "relative gain of F1, percent",
            name="improvement",
        )

    def training_times(self, n_classes: int) -> Chart:
        return self._by_size(
            f"{n_classes} classes: training time, each by its own rule",
            self._by_label(self.experiment.settings.discriminative),
            lambda name, size: [
                trial.seconds for trial in self.experiment.of(name, n_classes, size)
            ],
            "CPU seconds",
            name="own_time",
            digits=3,
            is_log=True,
        )

    def _by_label(self, learners: Sequence[str]) -> dict[str, str]:
        return {self.label(name): name for name in learners}

    def _by_size(
        self,
        caption: str,
        cases: Mapping[str, Case],  # by the name of their line
        values: Callable[[Case, int], Sequence[float]],  # of case and size, in each repetition
        y_title: str,
        **look: Any,
    ) -> Chart:
        """Mean and deviation of the repetitions, a line for each case."""
        lines = []
        for name, case in cases.items():
            spreads = [spread(values(case, size)) for size in self.experiment.settings.sizes]
            deviations = [own.deviation for own in spreads if own.deviation is not None]
            means = [own.mean for own in spreads]
            lines.append(Series(name, means, deviations=deviations))
        return Chart(caption, self._size_names, lines, "training sentences", y_title, **look)

    def by_distance(self, n_classes: int) -> Chart:
        """Precision with the largest training set, all repetitions together."""
        size = self.experiment.settings.sizes[-1]
        counts = {}
        for name in self.experiment.settings.learners:
            bins = [trial.by_distance for trial in self.experiment.of(name, n_classes, size)]
            numbers = [[(each.n_examples, each.n_right) for each in own] for own in bins]
            counts[name] = np.sum(numbers, axis=0)  # (n_distances, 2)
        there = np.flatnonzero(counts[name][:, 0])
        n_examples = counts[name][there, 0]
        return Chart(
            f"{n_classes} classes, {size:,} training sentences: precision by distance, as in "
            "Figure 11",
            [bins[0][place].name for place in there],
            [
                Series(self.label(name), (100 * own[there, 1] / n_examples).tolist())
                for name, own in counts.items()
            ],
            "d (< 0: forward)",
            "percent right",
            name="distance",
            n_examples=n_examples.tolist(),
        )

    def active(self, n_classes: int) -> Chart:
        """The share of examples that learners still look at, round by round, in the last repetition
        with the largest training set (Alrajeh and Niranjan, Figure 1)."""
        curves = {
            name: self.active_curve(name, n_classes) for name in self.experiment.settings.learners
        }
        return Chart(
            f"{n_classes} classes: examples that are still active ({ALRAJEH}, Figure 1)",
            list(map(str, range(1, max(map(len, curves.values())) + 1))),
            [Series(self.label(name), curve) for name, curve in curves.items() if curve],
            "round",
            "percent active",
            digits=2,
            is_log=True,
            name="active",
        )

    def active_curve(self, learner: str, n_classes: int) -> list[float]:
        """In percent; empty if the learner always looks at all examples."""
        active = self.experiment.of(learner, n_classes, self.experiment.settings.sizes[-1])[
            -1
        ].active
        return [] if active is None else [100 * float(share) for share in active]

    def mean(
        self, number: Callable[[Trial], float], learner: str, n_classes: int, size: int
    ) -> float:
        """Over the repetitions."""
        trials = self.trials(learner, n_classes, size)
        return float(np.mean([number(trial) for trial in trials]))

    def trials(self, learner: str, n_classes: int, size: int) -> list[Trial]:
        return self.experiment.of(learner, n_classes, size)

    def train_error(self, learner: str, n_classes: int, size: int) -> float:
        """In percent."""
        return 100 * self.mean(lambda trial: trial.train_error, learner, n_classes, size)

    @property
    def _size_names(self) -> list[str]:
        return [f"{size:,}" for size in self.experiment.settings.sizes]
