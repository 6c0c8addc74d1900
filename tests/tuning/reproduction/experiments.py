"""Experiments without learning: trials with precisions, times and active sets that are given."""

from itertools import product

import numpy as np

from hyperbaton.models.distortion.dpr.samples import orientations
from hyperbaton.tuning.reproduction.experiment_data import JudgedPhrases
from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings
from hyperbaton.tuning.reproduction.time_to_error import ErrorTime
from hyperbaton.tuning.reproduction.trials import (
    Classification,
    Experiment,
    Trial,
    precision_by_distance,
)

N_TEST = 100
TRUE_DISTANCE = -7  # of all test examples


def made_experiment(
    settings: ExperimentSettings, percent, seconds, active=None, tolerance=()
) -> Experiment:
    """`percent` right and `seconds` are functions of learner, classes, size and repeat;
    `tolerance` is learner, classes, goal and seconds of each time."""
    trials = [
        made_trial(
            case, percent(*case), seconds(*case), (active or {}).get(case[0]), settings.moves
        )
        for case in product(
            settings.learners, settings.classes, settings.sizes, range(settings.repeats)
        )
    ]
    numbers = np.arange(N_TEST)
    phrases = JudgedPhrases(
        numbers // 20,  # five source phrases
        numbers // 20 + 3,
        np.full(N_TEST, 2),
        [f"phrase {n // 20}" for n in numbers],
        np.array([1, 1, 1, 2, 3, 9]),
        np.array([10, 20, 30, 40, 60, 90]),
    )
    return Experiment(
        settings,
        tuple(trials),
        phrases,
        tuple(ErrorTime(*each, n_rounds=1) for each in tolerance),
    )


def made_trial(case, percent: int, seconds: float, active, moves: str) -> Trial:
    """All examples are of the first class; the wrong ones are taken for the last."""
    learner, n_classes, size, repeat = case
    setup = orientations(n_classes, moves)
    confusion = np.zeros((n_classes, n_classes), np.int64)
    confusion[0, 0], confusion[0, -1] = percent, N_TEST - percent
    right = np.arange(N_TEST) < percent
    predicted = np.where(right, 0, n_classes - 1)
    training = np.zeros(n_classes, np.int64)
    training[0] = 50 * size
    return Trial(
        learner, n_classes, size, repeat, training, 7 * size, seconds, 0.25,
        Classification(setup.names, confusion),
        precision_by_distance(np.zeros(N_TEST), predicted, np.full(N_TEST, TRUE_DISTANCE)),
        right,
        np.arange(N_TEST) % 4 > 0,  # three of four phrase pairs were seen
        None if active is None else np.array(active),
    )  # fmt: skip
