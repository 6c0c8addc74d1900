"""`me`: maximum entropy with a Gaussian prior (Zens and Ney 2006; losses.py) by L-BFGS.

At the optimum the expected counts of a feature differ from the observed ones by w/σ², the pull of
the prior; they may differ by the tolerance more. It is the same for every feature, so many clusters
can be solved as one problem.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.l_bfgs import fit_with_prior
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
        gradient = np.empty((problem.n_features, problem.n_classes))

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            return likelihood_and_gradient(problem, weights, gradient), gradient

        fit = fit_with_prior(
            loss,
            np.zeros_like(gradient),
            1 / self.sigma**2,
            maxiter=self.max_iterations,
            maxfun=20 * self.max_iterations,
            gtol=self.tolerance,
            ftol=0.0,
        )
        converged = bool(np.abs(fit.gradient).max() <= self.tolerance)
        return Solution(fit.weights, len(fit.trace), fit.value, converged, {"objective": fit.trace})
