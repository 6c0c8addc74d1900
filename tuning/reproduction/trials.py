"""The results of a learning experiment (`learner_experiment.py`): trials, and measures of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array
from hyperbaton.tuning.reproduction.class_predictions import OVERALL, BinPrecision, Classification
from hyperbaton.tuning.reproduction.experiment_data import JudgedPhrases
from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings
from hyperbaton.tuning.reproduction.time_to_error import ErrorTime

PREFERRED = "mms"  # the learner that all others are compared with, if it is there
SEEN, UNSEEN = "seen pairs", "unseen pairs"  # precision where training has the phrase pair or not
SECONDS, TRAINING_ERROR = "seconds", "training error"
COUNTS = ("training phrase pairs", "test phrase pairs", "features")


@dataclass(frozen=True, eq=False)
class Trial:
    """One learner, trained once and tested once."""

    learner: str
    n_classes: int
    size: int  # training sentences
    repeat: int
    training: Int64Array  # (n_classes,) phrase pairs
    n_features: int
    seconds: float  # of training, on the processor
    train_error: float
    result: Classification
    by_distance: tuple[BinPrecision, ...]
    right: BoolArray = field(repr=False)  # (n_test,) of each test example
    seen: BoolArray = field(repr=False)  # (n_test,) whether training has its phrase pair
    active: FloatArray | None = None  # share of active examples by iteration, if it shrinks
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the learner, as it was trained

    @cached_property
    def measures(self) -> dict[str, float]:
        """Everything that is measured, by name."""
        counts = int(self.training.sum()), self.result.n_examples, self.n_features
        return {
            OVERALL: self.result.precision,
            SEEN: self._precision_where(seen=True),
            UNSEEN: self._precision_where(seen=False),
            **dict(zip(f1_names(self.result), self.result.class_f1.tolist(), strict=True)),
            SECONDS: self.seconds,
            TRAINING_ERROR: self.train_error,
            **dict(zip(COUNTS, counts, strict=True)),
            **{f"d={each.name}": each.precision for each in self.by_distance if each.n_examples},
        }

    def _precision_where(self, *, seen: bool) -> float:
        """0 if there are no such phrase pairs."""
        right = self.right[self.seen == seen]
        return float(right.mean()) if len(right) else 0.0


def f1_names(result: Classification) -> list[str]:
    return [f"F1 {name}" for name in result.classes]


@dataclass(frozen=True, eq=False)
class Experiment:
    settings: ExperimentSettings  # with sizes filled in
    trials: tuple[Trial, ...]
    phrases: JudgedPhrases  # of the last repetition
    times: tuple[ErrorTime, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)  # of learners; others have their names

    def of(self, learner: str, n_classes: int, size: int) -> list[Trial]:
        """The repetitions of one experiment."""
        return [
            trial
            for trial in self.trials
            if (trial.learner, trial.n_classes, trial.size) == (learner, n_classes, size)
        ]

    def last(self, learner: str) -> Trial:
        """With the last class setup and the largest training set, in the last repetition."""
        return self.of(learner, self.settings.classes[-1], self.settings.sizes[-1])[-1]

    def values(self, measure: str, learner: str, n_classes: int, *sizes: int) -> FloatArray:
        """Of every repetition: the mean of these sizes, which share a test set."""
        by_size = [
            [trial.measures[measure] for trial in self.of(learner, n_classes, size)]
            for size in sizes
        ]
        means: FloatArray = np.mean(by_size, axis=0)
        return means

    def moving_gains(self, other: str, n_classes: int, size: int) -> FloatArray:
        """How much better the F1 of the chosen learner on moves is than another's, in percent of
        the latter (Ni et al., Figure 12), in each repetition."""
        f1, below = (
            np.array([trial.result.moving_f1 for trial in self.of(name, n_classes, size)])
            for name in (self.chosen, other)
        )
        gains: FloatArray = 100 * (f1 / np.maximum(below, 1e-9) - 1)
        return gains

    @property
    def goals(self) -> list[tuple[int, float]]:
        """Classes and training errors that times are given for."""
        return list(dict.fromkeys((each.n_classes, each.goal) for each in self.times))

    @property
    def timed(self) -> tuple[str, ...]:
        """The learners whose time to the same error is given."""
        return tuple(dict.fromkeys(each.learner for each in self.times))

    def label(self, learner: str) -> str:
        return self.labels.get(learner, learner)

    def find(self, name: str) -> str | None:
        """The first learner of this name, whatever its settings."""
        learners = self.settings.learners
        return next((own for own in learners if own.partition(":")[0] == name), None)

    @property
    def chosen(self) -> str:
        """The learner that the others are compared with."""
        settings = self.settings
        return self.find(PREFERRED) or (settings.discriminative or settings.learners)[0]

    @property
    def others(self) -> list[str]:
        return [name for name in self.settings.learners if name != self.chosen]

    @property
    def is_repeated(self) -> bool:
        """Whether chance can be told from a difference."""
        return self.settings.repeats > 1
