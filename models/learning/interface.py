"""What a learner is, for whoever trains one and for whoever writes a new one.

A learner finds a weight vector w_o for each class o. The score of a class is w_o·φ, and

    p(o | φ) = exp(w_o·φ) / Σ_o' exp(w_o'·φ)        (Ni et al. 2011, eq. 3 with h = exp)

for all of them. Only the entropy and logistic learners fit this probability to data; for those that
separate classes by a margin it is a monotone transformation of the scores, as in the paper.

A learner is a dataclass whose fields are its settings. `solve` is the work, and changes nothing:
threads may share a learner. `fit` checks, solves, and keeps what was learned in attributes whose
names end in `_`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.errors import DataError, SettingError, nearest
from models.learning.cluster_rows import ClusterRows
from models.learning.cluster_solving import Advance, solve_one_by_one
from models.learning.problem import Problem, make_problem, make_rows


@dataclass(frozen=True, eq=False)
class Solution:
    """What `solve` has found."""

    weights: FloatArray  # (F, K): the classes of one feature lie together, as kernels want them
    n_iterations: int
    objective: float  # of what the learner minimises, at these weights
    converged: bool  # the tolerance was reached before the iterations ran out
    trace: Mapping[str, FloatArray] = field(default_factory=dict)  # (n_iterations,) each


class Learner(ABC):
    """A linear classifier of K classes over F features."""

    name: ClassVar[str]

    weights_: FloatArray  # (K, F)
    n_iterations_: int
    objective_: float
    converged_: bool
    trace_: Mapping[str, FloatArray]

    @abstractmethod
    def check_settings(self) -> None:
        """Raises `SettingError` for values that are not possible."""

    @abstractmethod
    def solve(self, problem: Problem, seed: int) -> Solution:
        """Learns from checked examples; changes nothing in the learner."""

    def solve_clusters(
        self, problem: Problem, clusters: ClusterRows, seed: int, pool: Executor, advance: Advance
    ) -> tuple[NDArray[np.float32], Mapping[str, FloatArray]]:
        """A sub-model for each cluster: weights of its features, (entries of `clusters.features`,
        K), and what is worth tracing of all together. Learners that have a faster way than
        cluster after cluster override this."""
        return solve_one_by_one(
            lambda part, own_seed: self.solve(part, own_seed).weights,
            problem,
            clusters,
            seed,
            pool,
            advance,
        ), {}

    def fit(self, X: Any, y: Any, n_classes: int, *, seed: int = 0) -> Self:  # noqa: N803
        """Learns from X, (n, F) in compressed sparse rows, and the classes y, (n,) whole numbers
        from 0. Classes that never occur in y are possible."""
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
        if not hasattr(self, "weights_"):
            raise DataError(f"the learner {self.name} has not learned anything", advice="fit it")
        make_rows(X, self.weights_.shape[1])
        return np.asarray(X @ self.weights_.T, dtype=np.float64)

    def probabilities(self, X: Any) -> FloatArray:  # noqa: N803
        """p(o | φ), (n, K); each row sums to one."""
        return softmax(self.decision(X))

    def settings(self) -> Mapping[str, Any]:
        """The constructor's arguments."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # learners are dataclasses

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What was learned, to be saved."""
        return {"weights": self.weights_}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Takes what `arrays` gave, in a learner made with the same settings."""
        self.weights_ = np.asarray(arrays["weights"], dtype=np.float64)
        return self

    def _check_positive(self, *keys: str) -> None:
        for key in keys:
            self._check(key, getattr(self, key) > 0, "a number above 0")

    def _check(self, key: str, good: bool, expected: str) -> None:
        if not good:
            raise SettingError(
                f"{getattr(self, key)!r} is not possible",
                where=f"{self.name}.{key}",
                expected=expected,
            )

    def _check_choice(self, key: str, known: list[str]) -> None:
        value = getattr(self, key)
        self._check(key, value in known, nearest(str(value), known))


def softmax(scores: FloatArray) -> FloatArray:
    """exp(s) / Σ exp(s) of each row, without overflow."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return result
