"""Every learner of the catalogue through the same laws."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from hyperbaton.foundation.errors import NotFitted, SettingError
from hyperbaton.models.learning.catalogue import LEARNERS, make_learner
from hyperbaton.models.learning.losses import log_softmax
from tests.models.learning.examples import make_examples
from tests.refusals import refusals, refused

NAMES = list(LEARNERS)


def test_the_catalogue():
    assert NAMES == [
        "mms", "svm", "svm-multiclass", "mmr", "me", "me-gis", "mlr-primal", "mlr-dual"
    ]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_constructors_are_inert_and_settings_come_back(name):
    learner = make_learner(name)
    assert learner.name == name
    assert not hasattr(learner, "weights_")
    for field in dataclasses.fields(learner):
        assert getattr(learner, field.name) == field.default
    assert make_learner(name, **learner.settings()).settings() == learner.settings()


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_are_those_of_the_scores(name):
    examples, labels = make_examples(0, n=50, n_classes=4)
    learner = make_learner(name)
    assert learner.fit(examples, labels, 4) is learner
    assert learner.weights_.shape == (4, 6)
    scores = examples.toarray() @ learner.weights_.T
    assert np.allclose(learner.decision(examples), scores, atol=1e-12)
    found = learner.probabilities(examples)
    assert np.allclose(found, np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))
    assert np.allclose(found.sum(axis=1), 1)
    assert learner.n_iterations_ >= 1
    assert np.isfinite(learner.objective_)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_learned_is_better_than_the_most_frequent_class(name):
    examples, labels = make_examples(2, n=200, n_features=12)
    settings = {"embedding": "centred", "penalty": 0.1} if name == "mmr" else {}
    found = make_learner(name, **settings).fit(examples, labels, 3).decision(examples)
    most = np.bincount(labels).max() / 200
    assert (found.argmax(axis=1) == labels).mean() > most + 0.1


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_weights_and_float32_nearly_the_same(name):
    examples, labels = make_examples(1, n=60, n_features=10)
    first, again, other = (
        make_learner(name).fit(examples, labels, 3, seed=seed) for seed in (7, 7, 8)
    )
    assert np.array_equal(first.weights_, again.weights_)
    if name in ("mms", "mlr-primal"):  # the order in which examples come matters
        assert not np.array_equal(first.weights_, other.weights_)
    narrow = make_learner(name).fit(
        sparse.csr_matrix(examples, dtype=np.float32), labels, 3, seed=7
    )
    assert np.allclose(narrow.weights_, first.weights_, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_fitting_leaves_the_examples_alone(name):
    examples, labels = make_examples(1)
    copies = examples.copy(), labels.copy()
    make_learner(name).fit(examples, labels, 3)
    assert np.array_equal(examples.toarray(), copies[0].toarray())
    assert np.array_equal(labels, copies[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_class_that_never_occurs_is_never_the_best(name):
    examples, labels = make_examples(3, n=60)
    learner = make_learner(name).fit(examples, np.array([0, 3, 4])[labels], 5)
    assert learner.weights_.shape == (5, 6)
    best = learner.decision(examples).argmax(axis=1)
    some = np.diff(examples.indptr) > 0  # without features all classes are equal
    assert set(best[some]) <= {0, 3, 4}


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_one_class_only(name):
    examples, labels = make_examples(3)
    learner = make_learner(name).fit(examples, np.full(len(labels), 1), 3)
    some = np.diff(examples.indptr) > 0
    assert set(learner.decision(examples)[some].argmax(axis=1)) == {1}
    alone = make_learner(name).fit(examples, np.zeros(len(labels), int), 1)
    assert np.all(alone.probabilities(examples) == 1)
    assert np.isfinite(alone.weights_).all()
    assert alone.converged_


@pytest.mark.parametrize("name", NAMES)
def test_examples_without_any_feature_leave_weights_at_zero(name):
    learner = make_learner(name).fit(sparse.csr_array((4, 3)), [0, 1, 1, 0], 2)
    assert not learner.weights_.any()
    assert np.all(learner.probabilities(sparse.csr_array((4, 3))) == 0.5)


@pytest.mark.parametrize("name", NAMES)
def test_bad_examples_are_refused(name):
    examples, labels = make_examples(1)
    learner = make_learner(name)
    with pytest.raises(NotFitted, match=f"{name} is not fitted\n  call fit"):
        learner.decision(examples)
    refused("nothing to learn from", lambda: learner.fit(examples[:0], labels[:0], 3))
    refused("nan", lambda: learner.fit(examples * np.nan, labels, 3))
    refused("classes have the shape", lambda: learner.fit(examples, labels[:-1], 3))
    learner.fit(examples, labels, 3)
    refused("expected 6, as in training", lambda: learner.decision(examples[:, :5]))


@refusals(
    ("mlr-duel", {}, "'mlr-duel' … did you mean mlr-dual?"),
    ("zzz", {}, "'zzz' … known: me, me-gis, mlr-dual, mlr-primal, mmr,"),
    ("me", {"sigmo": 1}, "the learner 'me' has no setting 'sigmo' … did you mean sigma?"),
    ("me", {"sigma": 0}, "me.sigma: 0.0 … a number above 0"),
    ("me", {"sigma": "x"}, "me.sigma cannot be 'x' … expected a number"),
    ("me-gis", {"tolerance": -1}, "me-gis.tolerance: -1.0 is not possible"),
    ("mms", {"learning_rate": 0}, "mms.learning_rate: 0.0 is not possible"),
    ("mms", {"distance": "treee"}, "'treee' … did you mean tree?"),
    ("svm", {"penalty": 0}, "svm.penalty: 0.0 is not possible"),
    ("svm-multiclass", {"distance": "x"}, "'x' … known: flat, neighbours, tr"),
    ("mmr", {"embedding": "centre"}, "'centre' … did you mean centred"),
    ("mlr-primal", {"max_rounds": 0}, "mlr-primal.max_rounds: 0 is not possible"),
    ("mlr-dual", {"initial_mass": 1}, "mlr-dual.initial_mass: 1.0 … a number"),
    error=SettingError,
)
def test_wrong_names_and_settings(name, settings):
    make_learner(name, **settings)


def test_settings_are_checked_again_when_they_were_changed():
    learner = make_learner("svm")
    learner.penalty = -1
    with pytest.raises(SettingError, match=r"svm\.penalty: -1 is not possible"):
        learner.fit(*make_examples(0), 3)


def test_softmax_of_large_scores_does_not_overflow():
    found = np.exp(log_softmax(np.array([[1000.0, 1000.0], [-1000.0, 0.0]])))
    assert found.tolist() == [[0.5, 0.5], [0.0, 1.0]]
