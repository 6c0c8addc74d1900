"""`mms-extragradient` against eq. 6 of Ni et al. (2011) solved by scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.extragradient import (
    ExtraGradient,
    largest_singular_value,
    project_on_simplex,
)
from hyperbaton.models.learning.losses import DISTANCES
from hyperbaton.models.learning.problem import make_problem
from tests.models.learning.examples import make_examples, structured_losses

largest_singular_value, project_on_simplex = map(
    kernel, (largest_singular_value, project_on_simplex)
)  # compiled, as in use


def solve_by_scipy(dense, labels, distance, radius):
    """min Σ ξ_n over w and ξ ≥ 0 under ξ_n ≥ Δ(o_n, o) + (w_o − w_{o_n})·φ_n and ‖w_o‖² ≤ R²."""
    (n, n_features), n_classes = dense.shape, len(distance)
    size = n_classes * n_features

    def slack(x):
        scores = dense @ x[:size].reshape(n_classes, n_features).T
        own = scores[np.arange(n), labels]
        return (x[size:, None] - scores - distance[labels] + own[:, None]).ravel()

    def room(x):
        return radius**2 - (x[:size].reshape(n_classes, n_features) ** 2).sum(axis=1)

    start = np.concatenate([np.full(size, 1e-3), np.full(n, 2.0)])
    found = minimize(
        lambda x: x[size:].sum(),
        start,
        jac=lambda x: np.concatenate([np.zeros(size), np.ones(len(x) - size)]),
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": slack}, {"type": "ineq", "fun": room}],
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize(
    ("seed", "radius", "distance"),
    [(0, 0.3, "neighbours"), (1, 1.0, "flat"), (2, 3.0, "neighbours"), (3, 0.05, "neighbours")],
)
def test_the_optimum_is_that_of_scipy(seed, radius, distance):
    examples, labels = make_examples(seed, n=15, n_features=4)
    dense, matrix = examples.toarray(), DISTANCES[distance](3)
    learner = ExtraGradient(
        radius=radius, tolerance=1e-7, max_iterations=100_000, distance=distance
    ).fit(examples, labels, 3)
    assert learner.converged_
    best = solve_by_scipy(dense, labels, matrix, radius)
    assert learner.objective_ == pytest.approx(best, abs=2e-5)
    assert learner.objective_ == pytest.approx(
        structured_losses(dense, labels, learner.weights_, matrix).sum()
    )
    assert np.all(np.linalg.norm(learner.weights_, axis=1) <= radius * (1 + 1e-12))


def test_the_values_of_the_players_enclose_the_optimum_all_the_way():
    examples, labels = make_examples(4, n=30, n_features=8)
    learner = ExtraGradient(radius=1.0, tolerance=1e-8, max_iterations=20_000).fit(
        examples, labels, 3
    )
    best = learner.objective_
    assert np.all(learner.trace_["objective"] >= best - 1e-6)
    assert np.all(learner.trace_["dual"] <= best + 1e-6)
    gap = learner.trace_["objective"] - learner.trace_["dual"]
    assert gap[0] > 1
    assert gap[-1] <= 30 * 1e-8


def test_iterations_may_run_out():
    examples, labels = make_examples(4, n=30, n_features=8)
    learner = ExtraGradient(tolerance=1e-9, max_iterations=3).fit(examples, labels, 3)
    assert learner.n_iterations_ == 3
    assert not learner.converged_


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_projection_on_the_simplex_satisfies_its_optimality_conditions(values):
    point, out = np.array(values), np.empty(len(values))
    project_on_simplex(point, np.empty(len(values)), out)
    assert out.min() >= 0
    assert out.sum() == pytest.approx(1)
    lowered = (point - out)[out > 1e-12]  # by the same amount where something is left
    assert np.ptp(lowered) <= 1e-9
    assert np.all(point[out <= 1e-12] <= lowered.max() + 1e-9)


def test_largest_singular_value():
    dense = np.random.default_rng(0).random((20, 7))
    problem = make_problem(sparse.csr_array(dense), np.zeros(20, int), 1)
    assert largest_singular_value(problem) == pytest.approx(np.linalg.norm(dense, 2), rel=1e-9)
    nothing = make_problem(sparse.csr_array((3, 2)), np.zeros(3, int), 1)
    assert largest_singular_value(nothing) == 0
