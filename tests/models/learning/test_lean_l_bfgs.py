import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der
from scipy.special import expit

from models.learning import lean_l_bfgs
from models.learning.lean_l_bfgs import minimise_lean


def test_a_curved_valley():
    found = minimise_lean(
        lambda x: (float(rosen(x)), rosen_der(x)),
        np.zeros(6),
        evaluations=300,
        tolerance=1e-15,
        first_step=1e-3,
    )
    assert found.x == pytest.approx(1.0, abs=1e-4)
    assert found.value == pytest.approx(0.0, abs=1e-8)


def logistic(n_weights=40, n_examples=300):
    random = np.random.default_rng(3)
    features = random.normal(size=(n_examples, n_weights)) * np.logspace(-1, 1, n_weights)
    sign = np.where(features @ random.normal(size=n_weights) > 0, 1.0, -1.0)

    def objective(x):
        margin = sign * (features @ x)
        value = np.logaddexp(0.0, -margin).sum() + 0.5 * x @ x
        return float(value), x - features.T @ (sign * expit(-margin))

    return objective


def test_the_optimum_is_that_of_scipy_whatever_the_length_of_pieces(monkeypatch):
    objective = logistic()
    expected = minimize(objective, np.zeros(40), jac=True, method="L-BFGS-B", tol=1e-14)
    for piece in (lean_l_bfgs.PIECE, 7):
        monkeypatch.setattr(lean_l_bfgs, "PIECE", piece)
        found = minimise_lean(objective, np.zeros(40), evaluations=500, tolerance=1e-14)
        assert found.value == pytest.approx(expected.fun, rel=1e-9)
        assert found.x == pytest.approx(expected.x, abs=1e-3)


@pytest.mark.parametrize("first_step", [1e-6, 1.0, 1e6])
def test_a_first_step_of_any_length_is_mended(first_step):
    counted = []

    def objective(x):
        counted.append(x)
        return float(((x - 3.0) ** 2).sum()), 2 * (x - 3.0)

    found = minimise_lean(
        objective, np.zeros(2), evaluations=60, tolerance=1e-12, first_step=first_step
    )
    assert found.x == pytest.approx(3.0, abs=1e-4)
    assert len(counted) < 60


def test_it_never_evaluates_more_often_and_returns_the_best_point():
    objective, seen = logistic(), []

    def watched(x):
        value, gradient = objective(x)
        seen.append(value)
        return value, gradient

    for evaluations in (1, 2, 5, 9):
        seen.clear()
        start = np.zeros(40)
        found = minimise_lean(watched, start, evaluations=evaluations, tolerance=0.0)
        assert len(seen) == evaluations
        assert found.value == min(seen)
        assert objective(found.x)[0] == found.value
        assert not start.any()


def test_it_stays_where_nothing_is_better():
    found = minimise_lean(
        lambda x: (float(x @ x), 2 * x), np.zeros(3), evaluations=10, tolerance=1e-9
    )
    assert (found.x.tolist(), found.value) == ([0.0] * 3, 0.0)
