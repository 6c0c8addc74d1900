"""How long learners take to the same training error, with the rounds counted by hand."""

import numpy as np
import pytest
from scipy import sparse

from models.distortion.dpr.early_stopping import clustered
from tuning.reproduction.experiment_data import TrainingSet
from tuning.reproduction.time_to_error import ROUNDS, goals_of, times_to_goals


@pytest.fixture(scope="module")
def training():
    """Noisy examples in two clusters."""
    rng = np.random.default_rng(0)
    dense = (rng.random((300, 30)) < 0.2).astype(float)
    dense[:, 0] = 1.0
    scores = dense @ rng.normal(size=(30, 3)) + rng.gumbel(size=(300, 3))
    examples, classes = sparse.csr_matrix(dense), scores.argmax(axis=1)
    return TrainingSet(examples, classes, 3, np.arange(300) % 2, min_examples=100, seed=5)


def error_after(training, name, settings):
    examples, classes, cluster = training.examples, training.classes, training.cluster
    learner = clustered(name, settings, 100).fit(examples, classes, 3, cluster, seed=5)
    return np.mean(learner.decision(examples, cluster).argmax(axis=1) != classes)


@pytest.mark.parametrize(
    ("name", "settings", "key"),
    [
        ("mms", {"held_out": 0.3, "learning_rate": 0.1}, "max_rounds"),
        ("me", {}, "max_iterations"),
        ("mlr-dual", {"epsilon": 0.1, "sigma": 1.0}, "max_rounds"),
    ],
)
def test_the_first_training_that_reaches_the_goal_is_timed(training, name, settings, key):
    without = settings | ({"held_out": 0.0} if name == "mms" else {})
    errors = [error_after(training, name, without | {key: rounds}) for rounds in ROUNDS[:8]]
    goals = sorted([errors[0], sorted(errors)[2]], reverse=True)  # some number reaches both
    times = times_to_goals(name, settings, training, goals)
    for found, goal in zip(times, goals, strict=True):
        assert found.n_rounds == next(r for r, e in zip(ROUNDS, errors, strict=False) if e <= goal)
        assert found.seconds is not None
        assert found.seconds > 0
        assert (found.learner, found.n_classes, found.goal) == (name, 3, goal)


def test_who_stops_above_the_goal_has_no_time(training):
    easy, found = times_to_goals("svm", {}, training, [1.0, -1.0])
    assert (easy.n_rounds, easy.goal) == (1, 1.0)
    assert easy.seconds is not None
    assert (found.seconds, found.goal) == (None, -1.0)
    assert found.n_rounds < ROUNDS[-1]  # more rounds changed nothing


def test_a_logistic_model_sets_the_strictest_goal():
    errors = {"mms": 0.5, "mlr-primal": 0.3, "me:sigma=1": 0.2}
    assert goals_of(errors) == pytest.approx((0.4, 0.3, 0.21))
    del errors["me:sigma=1"]
    assert goals_of(errors) == pytest.approx((0.4, 0.31))
    assert goals_of({"svm": 0.1, "mms": 0.3}) == pytest.approx((0.4, 0.3, 0.2, 0.11))
