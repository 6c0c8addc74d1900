"""Training time to the same training error: Ni et al. (2011), Figure 15; Alrajeh and Niranjan
(2014), Table 2.

Learners stop by rules of their own, at different errors on the training examples, so their times
say little about each other. Here each is trained anew with growing numbers of rounds until the
error on the training examples is down to a goal: the time is that of the first training that
reaches it, if 256 rounds are enough. A learner whose rounds cannot be limited is trained once. The
papers do not name their tolerance, so there are several goals: round shares, and as the strictest
the error of a logistic model plus one point, because logistic models minimise a loss with one
optimum; without a logistic model, the error of the first learner plus one point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.clusters import ClusterModel
from hyperbaton.tuning.reproduction.experiment_data import TrainingSet

LOGISTIC = ("me", "mlr-dual", "mlr-primal", "me-gis")  # the first that is there sets the goal
SLACK = 0.01
EASY_GOALS = (0.4, 0.3, 0.2)  # shares of the training examples that may be wrong
ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
ROUND_LIMITS = ("max_rounds", "max_iterations")  # what learners call their largest number of rounds


@dataclass(frozen=True)
class ErrorTime:
    """How long a learner takes until its error on the training examples is down to the goal."""

    learner: str
    n_classes: int
    goal: float
    seconds: float | None  # on the processor; None: it never does
    n_rounds: int  # of the training that is timed


def goals_of(errors: Mapping[str, float]) -> tuple[float, ...]:
    """The goals, falling, from the training errors of all learners by name and settings."""
    strictest = _reference_error(errors) + SLACK
    return (*(goal for goal in EASY_GOALS if goal > strictest), strictest)


def _reference_error(errors: Mapping[str, float]) -> float:
    for wanted, (name, error) in product(LOGISTIC, errors.items()):
        if name.partition(":")[0] == wanted:
            return error
    return next(iter(errors.values()))


def times_to_goals(
    learner: str,
    settings: Mapping[str, Any],
    training: TrainingSet,
    goals: Sequence[float],  # falling
) -> list[ErrorTime]:
    """Trains with more and more rounds until all goals are reached, or more change nothing.

    `settings` count, not those in the learner's text.
    """
    name, _ = parse_learner(learner)
    known = make_learner(name, **settings).settings()
    limit = next((key for key in ROUND_LIMITS if key in known), None)
    times: list[ErrorTime] = []

    def add(goal: float, seconds: float | None) -> None:
        times.append(ErrorTime(learner, training.examples.n_classes, goal, seconds, n_rounds))

    last: ClusterModel | None = None
    for n_rounds in ROUNDS if limit else (1,):
        own = {**settings, limit: n_rounds} if limit else settings
        trained, seconds = training.fit(name, own)
        error = training.error(trained)
        while len(times) < len(goals) and error <= goals[len(times)]:
            add(goals[len(times)], seconds)
        if len(times) == len(goals):
            return times
        now = trained.model_
        if last and all(
            map(np.array_equal, (last.pooled, last.weights), (now.pooled, now.weights))
        ):
            break  # it stops by itself before the rounds run out
        last = now
    for goal in goals[len(times) :]:
        add(goal, None)
    return times
