"""The results of a learning experiment (`learner_experiment.py`): trials and their measures.

Reordering classifiers are evaluated as by Ni et al. (2011, section 4.1). With N[a, b] examples of
class a classified as b (the confusion matrix):

    overall precision   Σ_a N[a, a] / N                        (Figure 10)
    F1 of a             2 N[a, a] / (Σ_b N[b, a] + Σ_b N[a, b])  (Tables 5 and 6)

A ratio without examples is 0. Precision by distance is the overall precision of the examples at
each distance (Figure 11). Only the predicted class counts, not its probability.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array
from hyperbaton.tuning.metrics.base import ratio
from hyperbaton.tuning.reproduction.experiment_data import JudgedPhrases
from hyperbaton.tuning.reproduction.experiment_settings import FARTHEST, ExperimentSettings
from hyperbaton.tuning.reproduction.time_to_error import ErrorTime

PREFERRED = "mms"  # the learner to compare with the others, if present
SEEN, UNSEEN = "seen pairs", "unseen pairs"  # precision on phrase pairs in and not in training
SECONDS, TRAINING_ERROR = "seconds", "training error"
COUNTS = ("training phrase pairs", "test phrase pairs", "features")
OVERALL = "overall"
STRAIGHT = ("d=0", "monotone")  # the class of each setup that does not move


@dataclass(frozen=True, eq=False)
class Classification:
    """The predictions of a classifier on a test set."""

    classes: tuple[str, ...]  # names by number
    confusion: Int64Array  # (n_classes, n_classes): rows are true, columns predicted classes

    @property
    def n_examples(self) -> int:
        return int(self.confusion.sum())

    @property
    def precision(self) -> float:
        """The share of correctly classified examples."""
        return float(ratio(np.trace(self.confusion), self.confusion.sum()))

    @property
    def class_f1(self) -> FloatArray:
        both = self.confusion.sum(axis=0) + self.confusion.sum(axis=1)
        return ratio(2 * np.diagonal(self.confusion), both)

    @property
    def moving_f1(self) -> float:
        """Mean F1 of all classes except monotone (Figure 12)."""
        moving = [name not in STRAIGHT for name in self.classes]
        return float(self.class_f1[moving].mean())


def judge(true: ArrayLike, predicted: ArrayLike, classes: Sequence[str]) -> Classification:
    """Compares true and predicted class numbers."""
    n_classes = len(classes)
    pairs = np.asarray(true, np.int64) * n_classes + np.asarray(predicted, np.int64)
    counts = np.bincount(pairs, minlength=n_classes**2)
    return Classification(tuple(classes), counts.reshape(n_classes, n_classes))


@dataclass(frozen=True)
class BinPrecision:
    """The examples at one distance."""

    name: str
    n_examples: int
    n_right: int

    @property
    def precision(self) -> float:
        return self.n_right / self.n_examples if self.n_examples else 0.0


def precision_by_distance(
    true: ArrayLike, predicted: ArrayLike, distances: ArrayLike
) -> tuple[BinPrecision, ...]:
    """Precision at each distance from −FARTHEST to FARTHEST."""
    right, distance = np.equal(true, predicted), np.asarray(distances)
    return tuple(
        BinPrecision(str(d), int((distance == d).sum()), int(right[distance == d].sum()))
        for d in range(-FARTHEST, FARTHEST + 1)
    )


@dataclass(frozen=True, eq=False)
class Trial:
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
        counts = int(self.training.sum()), self.result.n_examples, self.n_features
        return {
            OVERALL: self.result.precision,
            SEEN: self._precision_where(seen=True),
            UNSEEN: self._precision_where(seen=False),
            **dict(zip(f1_names(self.result), self.result.class_f1.tolist(), strict=True)),
            SECONDS: self.seconds,
            TRAINING_ERROR: self.train_error,
            **dict(zip(COUNTS, counts, strict=True)),
            **{f"d={d.name}": d.precision for d in self.by_distance if d.n_examples},
        }

    def _precision_where(self, *, seen: bool) -> float:
        """Precision on seen or unseen phrase pairs; 0 if there are none."""
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
    labels: Mapping[str, str] = field(default_factory=dict)  # of learners; by default their names

    def of(self, learner: str, n_classes: int, size: int) -> list[Trial]:
        """The repetitions of a learner, class setup and size."""
        return [
            trial
            for trial in self.trials
            if (trial.learner, trial.n_classes, trial.size) == (learner, n_classes, size)
        ]

    def last(self, learner: str) -> Trial:
        """The trial with the last class setup and the largest training set, in the last
        repetition."""
        return self.of(learner, self.settings.classes[-1], self.settings.sizes[-1])[-1]

    def values(self, measure: str, learner: str, n_classes: int, *sizes: int) -> FloatArray:
        """The mean of a measure over these sizes, which share a test set, for every repetition."""
        by_size = [
            [trial.measures[measure] for trial in self.of(learner, n_classes, size)]
            for size in sizes
        ]
        means: FloatArray = np.mean(by_size, axis=0)
        return means

    def moving_gains(self, other: str, n_classes: int, size: int) -> FloatArray:
        """The relative gain in F1 on moves of the chosen learner over another, in percent (Ni et
        al., Figure 12), by repetition."""
        f1, below = (
            np.array([trial.result.moving_f1 for trial in self.of(name, n_classes, size)])
            for name in (self.chosen, other)
        )
        gains: FloatArray = 100 * (f1 / np.maximum(below, 1e-9) - 1)
        return gains

    @property
    def goals(self) -> list[tuple[int, float]]:
        """The class setups and training errors with times."""
        return list(dict.fromkeys((time.n_classes, time.goal) for time in self.times))

    @property
    def timed(self) -> tuple[str, ...]:
        """The learners with times to the same error."""
        return tuple(dict.fromkeys(time.learner for time in self.times))

    def label(self, learner: str) -> str:
        return self.labels.get(learner, learner)

    def find(self, name: str) -> str | None:
        """The first learner of this name, whatever its settings."""
        learners = self.settings.learners
        return next((learner for learner in learners if learner.partition(":")[0] == name), None)

    @property
    def chosen(self) -> str:
        """The learner to compare with the others."""
        settings = self.settings
        return self.find(PREFERRED) or (settings.discriminative or settings.learners)[0]

    @property
    def others(self) -> list[str]:
        return [name for name in self.settings.learners if name != self.chosen]

    @property
    def is_repeated(self) -> bool:
        """Whether differences can be tested."""
        return self.settings.repeats > 1
