"""How long learners take to the same training error, with the rounds counted by hand."""

import numpy as np
import pytest
from scipy import sparse

from hyperbaton.models.learning import catalogue
from hyperbaton.models.learning.catalogue import make_learner
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.tuning.reproduction.experiment_data import TrainingSet
from hyperbaton.tuning.reproduction.time_to_error import ROUNDS, goals_of, times_to_goals


@pytest.fixture(scope="module")
def training():
    """Noisy examples in two clusters."""
    rng = np.random.default_rng(0)
    dense = (rng.random((300, 30)) < 0.2).astype(float)
    dense[:, 0] = 1.0
    scores = dense @ rng.normal(size=(30, 3)) + rng.gumbel(size=(300, 3))
    examples, classes = sparse.csr_matrix(dense), scores.argmax(axis=1)
    labelled = ClusteredExamples(examples, classes, 3, np.arange(300) % 2)
    return TrainingSet(labelled, min_examples=100, seed=5)


def error_after(training, name, settings):
    learner = ClusteredLearner(make_learner(name, **settings), 100).fit(training.examples, seed=5)
    examples = training.examples
    found = learner.decision(examples.X, examples.cluster).argmax(axis=1)
    return np.mean(found != examples.y)


@pytest.mark.parametrize(
    ("name", "settings", "key"),
    [
        ("mms", {"learning_rate": 0.1}, "max_rounds"),
        ("me", {}, "max_iterations"),
        ("mlr-dual", {"epsilon": 0.1, "sigma": 1.0}, "max_rounds"),
    ],
)
def test_the_first_training_that_reaches_the_goal_is_timed(training, name, settings, key):
    errors = [error_after(training, name, settings | {key: rounds}) for rounds in ROUNDS[:8]]
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


class Majority(Learner):
    """Has no rounds, and so no setting that limits them."""

    name = "majority"

    def solve(self, problem, seed):  # noqa: ARG002
        weights = np.zeros((problem.n_features, problem.n_classes))
        weights[0] = np.bincount(problem.labels, minlength=problem.n_classes)
        return Solution(weights, 1, 0.0, True)


def test_a_learner_without_rounds_is_trained_once(training, monkeypatch):
    monkeypatch.setitem(catalogue.LEARNERS, "majority", f"{__name__}:Majority")
    easy, hard = times_to_goals("majority", {}, training, [1.0, -1.0])
    assert (easy.n_rounds, easy.seconds is None) == (1, False)
    assert (hard.n_rounds, hard.seconds) == (1, None)


def test_a_logistic_model_sets_the_strictest_goal():
    errors = {"mms": 0.5, "mlr-primal": 0.3, "me:sigma=1": 0.2}
    assert goals_of(errors) == pytest.approx((0.4, 0.3, 0.21))
    del errors["me:sigma=1"]
    assert goals_of(errors) == pytest.approx((0.4, 0.31))
    assert goals_of({"svm": 0.1, "mms": 0.3}) == pytest.approx((0.4, 0.3, 0.2, 0.11))
