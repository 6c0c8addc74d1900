"""L-BFGS finds the optimum, with one thread of BLAS, and leaves the others as they were."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from hyperbaton.models.learning.l_bfgs import minimise
from tests.blas import blas_threads


def test_the_optimum_by_one_thread():
    target, seen, steps = np.arange(4.0), [], []

    def objective(x):
        seen.append(blas_threads())
        return float(((x - target) ** 2).sum()), 2 * (x - target)

    with threadpool_limits(2, "blas"):
        before = blas_threads()
        found = minimise(objective, np.zeros(4), steps.append, maxiter=20, gtol=1e-9)
        assert blas_threads() == before
    assert found.x == pytest.approx(target)
    assert before  # there is a BLAS at all
    assert {n for threads in seen for n in threads} == {1}
    assert steps


def test_options_are_those_of_l_bfgs():
    def objective(x):
        return float((x**4).sum()), 4 * x**3

    assert minimise(objective, np.ones(3), maxiter=2).nit == 2
