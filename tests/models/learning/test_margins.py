"""`svm`, `svm-multiclass` and `mmr` against scikit-learn and scipy."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from hyperbaton.models.learning.hinge import MarginRegression, SupportVectors
from hyperbaton.models.learning.losses import DISTANCES
from hyperbaton.models.learning.svm_multiclass import MulticlassSupportVectors
from tests.models.learning.examples import make_examples, structured_losses

EXACT = {"tolerance": 1e-9, "max_rounds": 100_000}


def hinge(values):
    return np.maximum(0, 1 - values)


@pytest.mark.parametrize(("seed", "penalty"), [(0, 0.1), (1, 1.0), (2, 10.0)])
def test_one_against_the_rest_is_the_optimum_of_liblinear(seed, penalty):
    examples, labels = make_examples(seed, n=40, signed=True)
    learner = SupportVectors(penalty=penalty, **EXACT).fit(examples, labels, 3)
    dense = examples.toarray()
    best = 0.0
    for o in range(3):
        sign = np.where(labels == o, 1, -1)
        their = LinearSVC(
            loss="hinge", C=penalty, fit_intercept=False, tol=1e-9, max_iter=1_000_000
        ).fit(dense, sign)
        best += (their.coef_**2).sum() / 2 + penalty * hinge(sign * (dense @ their.coef_[0])).sum()
        assert np.allclose(learner.weights_[o], their.coef_[0], atol=1e-5)
    assert learner.converged_
    assert learner.objective_ == pytest.approx(best, rel=1e-7)
    assert learner.trace_["dual"][-1] == pytest.approx(best, rel=1e-7)  # strong duality
    assert np.all(np.diff(learner.trace_["dual"]) >= -1e-9)


def test_one_against_the_rest_has_converged_when_every_class_has():
    """Two examples almost alike: what separates them is found slowly, what both are not at once."""
    examples = sparse.csr_array([[1.0, 0.0], [1.0, 0.1]])

    def learned(labels, n_classes, max_rounds):
        learner = SupportVectors(penalty=1000.0, tolerance=0.1, max_rounds=max_rounds)
        return learner.fit(examples, np.array(labels), n_classes)

    assert learned([0, 0], 2, max_rounds=20).converged_
    assert not learned([0, 1], 3, max_rounds=20).converged_  # the third class has
    assert learned([0, 1], 3, max_rounds=100_000).converged_


@pytest.mark.parametrize(("seed", "penalty"), [(0, 0.1), (1, 1.0), (2, 10.0)])
def test_multiclass_is_the_optimum_of_liblinear(seed, penalty):
    examples, labels = make_examples(seed, n=40, signed=True)
    learner = MulticlassSupportVectors(penalty=penalty, **EXACT).fit(examples, labels, 3)
    dense = examples.toarray()
    their = LinearSVC(
        multi_class="crammer_singer", C=penalty, fit_intercept=False, tol=1e-9, max_iter=1_000_000
    ).fit(dense, labels)
    losses = structured_losses(dense, labels, their.coef_, DISTANCES["flat"](3))
    best = (their.coef_**2).sum() / 2 + penalty * losses.sum()
    assert learner.converged_
    assert learner.objective_ == pytest.approx(best, rel=1e-6)
    assert learner.trace_["dual"][-1] == pytest.approx(best, rel=1e-6)
    assert np.allclose(learner.weights_, their.coef_, atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_multiclass_with_distances_is_eq_4_with_its_regulariser(seed):
    # (1/N) Σ ρ + λ/2 Σ ‖w‖² by scipy, as a quadratic program in w and ξ
    examples, labels = make_examples(seed, n=15, n_features=4, signed=True)
    dense, distance, rate = examples.toarray(), DISTANCES["neighbours"](3), 0.05  # λ
    size = 12

    def slack(x):
        scores = dense @ x[:size].reshape(3, 4).T
        own = scores[np.arange(15), labels]
        return (x[size:, None] - scores - distance[labels] + own[:, None]).ravel()

    found = minimize(
        lambda x: x[size:].mean() + rate / 2 * (x[:size] ** 2).sum(),
        np.concatenate([np.zeros(size), np.ones(15)]),
        jac=lambda x: np.concatenate([rate * x[:size], np.full(15, 1 / 15)]),
        method="SLSQP",
        constraints={"type": "ineq", "fun": slack},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert found.success
    learner = MulticlassSupportVectors(penalty=1 / (rate * 15), distance="neighbours", **EXACT)
    learner.fit(examples, labels, 3)
    assert learner.objective_ * rate == pytest.approx(found.fun, rel=1e-6)


@pytest.mark.parametrize("embedding", ["indicator", "centred"])
@pytest.mark.parametrize(("seed", "penalty"), [(0, 0.05), (1, 0.3), (2, 2.0)])
def test_regression_is_the_optimum_of_appendix_b(embedding, seed, penalty):
    examples, labels = make_examples(seed, n=20, signed=seed == 2)
    dense = examples.toarray()
    vectors = np.eye(3) if embedding == "indicator" else np.eye(3) - 1 / 3
    kernel = (vectors[labels] @ vectors[labels].T) * (dense @ dense.T)  # κ^φ(o) · κ^φ(f, e)
    found = minimize(
        lambda alpha: (alpha @ kernel @ alpha / 2 - alpha.sum(), kernel @ alpha - 1),
        np.zeros(20),
        jac=True,
        bounds=[(0, penalty)] * 20,
        method="L-BFGS-B",
        options={"maxiter": 10_000, "maxfun": 100_000, "ftol": 0, "gtol": 1e-10},
    )
    learner = MarginRegression(penalty=penalty, embedding=embedding, normalise=False, **EXACT)
    learner.fit(examples, labels, 3)
    assert learner.converged_
    assert learner.trace_["dual"][-1] == pytest.approx(-found.fun, rel=1e-7)
    weights = np.einsum("n,nd,nf->df", found.x, vectors[labels], dense)  # W = Σ α φ(o) φᵀ
    assert np.allclose(learner.weights_, weights, atol=1e-5)
    margins = ((dense @ learner.weights_.T) * vectors[labels]).sum(axis=1)
    primal = (learner.weights_**2).sum() / 2 + penalty * hinge(margins).sum()
    assert learner.objective_ == pytest.approx(primal)
    assert learner.objective_ == pytest.approx(-found.fun, rel=1e-6)  # strong duality


def test_regression_by_hand():
    # one feature; φ = 1 and 2 of class 0, 1 of class 1, C = ¼. Class 0: α₁ + 2 α₂ = w₀, margins
    # w₀ and 2 w₀: with α₂ = ¼ at its bound w₀ = ½ + α₁ and the margin 2 w₀ ≥ 1, so α₂ may be less:
    # α₁ = ¼, w₀ = ¼ + 2 α₂, 2 w₀ = 1 → α₂ = ⅛, w₀ = ½. Class 1: α = ¼ = w₁.
    examples = sparse.csr_array(np.array([[1.0], [2.0], [1.0]]))
    learner = MarginRegression(penalty=0.25, normalise=False, **EXACT).fit(examples, [0, 0, 1], 2)
    assert learner.weights_[:, 0].tolist() == pytest.approx([0.5, 0.25])
    # ½ (¼ + 1/16) + ¼ (½ + 0 + ¾)
    assert learner.objective_ == pytest.approx(0.46875)


def test_regression_can_train_at_length_one():
    examples, labels = make_examples(3, n=30, signed=True)
    with_nothing = sparse.vstack([examples, sparse.csr_array((1, 6))]).tocsr()
    labels = np.append(labels, 0)
    learner = MarginRegression(penalty=0.5, normalise=True, **EXACT)
    found = learner.fit(with_nothing, labels, 3)
    dense = with_nothing.toarray()
    norm = np.linalg.norm(dense, axis=1, keepdims=True)
    units = sparse.csr_array(dense / np.where(norm > 0, norm, 1))
    expected = MarginRegression(penalty=0.5, normalise=False, **EXACT).fit(units, labels, 3)
    assert found.objective_ == pytest.approx(expected.objective_)
    assert np.allclose(found.weights_, expected.weights_, atol=1e-6)
    other = MarginRegression(penalty=0.5, normalise=False, **EXACT).fit(with_nothing, labels, 3)
    assert not np.allclose(found.weights_, other.weights_, atol=1e-2)


@pytest.mark.parametrize("make", [SupportVectors, MulticlassSupportVectors, MarginRegression])
def test_examples_without_features_cost_what_they_cost(make):
    # nothing can be learned from them: the weights stay, the objective grows by C·(loss at 0)
    examples, labels = make_examples(0)
    alone = make(penalty=0.5, **EXACT).fit(examples, labels, 3)
    more = sparse.vstack([examples, sparse.csr_array((2, 6))]).tocsr()
    both = make(penalty=0.5, **EXACT).fit(more, np.append(labels, [0, 1]), 3)
    assert both.converged_
    assert np.allclose(both.weights_, alone.weights_, atol=1e-6)
    n_losses = 2 * 3 if make is SupportVectors else 2  # one for each class
    assert both.objective_ == pytest.approx(alone.objective_ + 0.5 * n_losses)
    assert both.trace_["dual"][-1] == pytest.approx(both.objective_)


@pytest.mark.parametrize("make", [SupportVectors, MulticlassSupportVectors, MarginRegression])
def test_rounds_may_run_out(make):
    examples, labels = make_examples(0)
    learner = make(penalty=10.0, tolerance=1e-12, max_rounds=2).fit(examples, labels, 3)
    assert not learner.converged_
    assert learner.n_iterations_ == 2
