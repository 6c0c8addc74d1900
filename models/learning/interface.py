"""The interface of learners.

A learner finds a weight vector w_o for each class o. The score of a class is w_o·φ, and

    p(o | φ) = exp(w_o·φ) / Σ_o' exp(w_o'·φ)        (Ni et al. 2011, eq. 3 with h = exp)

for all learners. Only the entropy and logistic learners fit this probability to data; for
maximum-margin learners it is a monotone transformation of the scores, as in the paper.

A learner implements only `solve`, which does not change the learner, so threads may share one.
`fit` checks, solves, and stores results in attributes whose names end in `_`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.estimator import Estimator
from hyperbaton.models.learning.losses import log_softmax
from hyperbaton.models.learning.problem import Problem, check_matrix, make_problem


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of `solve`."""

    weights: FloatArray  # (F, K): the classes of one feature are adjacent, for the kernels
    n_iterations: int
    objective: float  # at these weights
    converged: bool  # the tolerance was reached before the iterations ran out
    trace: Mapping[str, FloatArray] = field(default_factory=dict)  # (n_iterations,) each


class Learner(Estimator, ABC):
    """A linear classifier of K classes over F features."""

    # Whether the objective is a sum over examples and weights, so that clusters, which share no
    # feature, can be solved as one problem with the same optimum
    solves_together: ClassVar[bool] = False
    # Settings that are chosen on held-out examples unless they are given, and the values to try
    # (`early_stopping.py`)
    searched: ClassVar[Mapping[str, tuple[float, ...]]] = {}

    weights_: FloatArray  # (K, F)
    n_iterations_: int
    objective_: float
    converged_: bool
    trace_: Mapping[str, FloatArray]

    def check_settings(self) -> None:
        """Raises `SettingError` for invalid values."""

    @abstractmethod
    def solve(self, problem: Problem, seed: int) -> Solution:
        """Learns from checked examples without changing the learner."""

    def fit(self, X: Any, y: Any, n_classes: int, *, seed: int = 0) -> Self:  # noqa: N803
        """Learns from X, (n, F) in compressed sparse rows, and the classes y, (n,) integers from 0.
        Classes may be absent from y."""
        self.check_settings()
        problem = make_problem(X, y, n_classes)
        solution = self.solve(problem, seed)
        self.weights_ = np.ascontiguousarray(solution.weights.T)
        self.n_iterations_ = solution.n_iterations
        self.objective_ = solution.objective
        self.converged_ = solution.converged
        self.trace_ = solution.trace
        return self

    def decision(self, X: Any) -> FloatArray:  # noqa: N803
        """w_o·φ for each example and class, (n, K)."""
        check_matrix(X, self.weights_.shape[1])
        return np.asarray(X @ self.weights_.T, dtype=np.float64)

    def probabilities(self, X: Any) -> FloatArray:  # noqa: N803
        """p(o | φ), (n, K); each row sums to one."""
        return np.exp(log_softmax(self.decision(X)))
