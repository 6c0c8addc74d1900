"""Training time to the same training error: Ni et al. (2011), Figure 15; Alrajeh and Niranjan
(2014), Table 2.

Learners have different stopping rules and stop at different training errors, so their times are not
comparable. Here each learner is trained repeatedly with increasing numbers of rounds until its
training error reaches a goal; the time is that of the first run that reaches it, with at most 256
rounds. A learner without a limit of rounds is trained once. The papers do not state their
tolerance, so there are several goals: some round numbers, and as the strictest the error of a
logistic model plus one point, because logistic models minimise a loss with one optimum; without a
logistic model, the error of the first learner plus one point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.clusters import ClusterModel
from hyperbaton.tuning.reproduction.experiment_data import TrainingSet

LOGISTIC = ("me", "mlr-dual", "mlr-primal", "me-gis")  # the first in the experiment sets the goal
SLACK = 0.01
EASY_GOALS = (0.4, 0.3, 0.2)  # training errors
ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
ROUND_LIMITS = ("max_rounds", "max_iterations")  # settings of learners that limit their rounds


@dataclass(frozen=True)
class ErrorTime:
    """The time of a learner until its training error reaches the goal."""

    learner: str
    n_classes: int
    goal: float
    seconds: float | None  # CPU; None: not reached
    n_rounds: int  # of the timed run


def goals_of(errors: Mapping[str, float]) -> tuple[float, ...]:
    """The goals in decreasing order, from the training errors by learner."""
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
    goals: Sequence[float],  # decreasing
) -> list[ErrorTime]:
    """Trains with increasing rounds until all goals are reached, or further rounds change nothing.

    `settings` replace those in the learner's text.
    """
    name, _ = parse_learner(learner)
    known = make_learner(name, **settings).settings()
    limit = next((key for key in ROUND_LIMITS if key in known), None)
    times: list[ErrorTime] = []

    def add(goal: float, seconds: float | None) -> None:
        times.append(ErrorTime(learner, training.examples.n_classes, goal, seconds, n_rounds))

    last: ClusterModel | None = None
    for n_rounds in ROUNDS if limit else (1,):
        limited = {**settings, limit: n_rounds} if limit else settings
        trained, seconds = training.fit(name, limited)
        error = training.error(trained)
        while len(times) < len(goals) and error <= goals[len(times)]:
            add(goals[len(times)], seconds)
        if len(times) == len(goals):
            return times
        now = trained.model_
        if last and all(
            map(np.array_equal, (last.pooled, last.weights), (now.pooled, now.weights))
        ):
            break  # stopped before the limit of rounds
        last = now
    for goal in goals[len(times) :]:
        add(goal, None)
    return times
