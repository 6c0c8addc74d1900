"""`me`: maximum entropy with a Gaussian prior (Zens and Ney 2006; losses.py) by L-BFGS.

At the optimum the expected counts of a feature differ from the observed ones by w/σ², the pull of
the prior; they may differ by the tolerance more. It is the same for every feature, so many clusters
can be solved as one problem.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.l_bfgs import minimise
from hyperbaton.models.learning.losses import likelihood_and_gradient
from hyperbaton.models.learning.problem import Problem


@dataclass(eq=False, kw_only=True)
class Entropy(Learner):
    name: ClassVar[str] = "me"
    solves_together: ClassVar[bool] = True

    sigma: float = 0.3  # standard deviation of the prior
    tolerance: float = 0.2  # feature counts
    max_iterations: int = 200

    def check_settings(self) -> None:
        self._check_positive("sigma", "tolerance", "max_iterations")

    def solve(self, problem: Problem, seed: int) -> Solution:  # noqa: ARG002
        shape = problem.n_features, problem.n_classes
        gradient = np.empty(shape)
        values: list[float] = []

        def objective(flat: FloatArray) -> tuple[float, FloatArray]:
            weights = flat.reshape(shape)
            loss = likelihood_and_gradient(problem, weights, gradient)
            total = loss + (flat @ flat) / (2 * self.sigma**2)
            return total, (gradient + weights / self.sigma**2).ravel()

        def note(intermediate_result: Any) -> None:
            values.append(float(intermediate_result.fun))

        found = minimise(
            objective,
            np.zeros(shape[0] * shape[1]),
            note,
            maxiter=self.max_iterations,
            maxfun=20 * self.max_iterations,
            gtol=self.tolerance,
            ftol=0.0,
        )
        converged = bool(np.abs(found.jac).max() <= self.tolerance)
        weights = found.x.reshape(shape)
        return Solution(
            weights, int(found.nit), float(found.fun), converged, {"objective": np.array(values)}
        )
