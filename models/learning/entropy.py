"""Maximum entropy with a Gaussian prior (Zens and Ney 2006; losses.py): `me` by L-BFGS, `me-gis` by
generalised iterative scaling.

At the optimum, the expected counts of a feature differ from the observed ones by w/σ², because of
the prior; the tolerance is the largest additional difference. It is the same for every feature, so
many clusters can be solved as one problem.

Ni et al. (2011, §4.1.3) trained by scaling; `me-gis` exists to compare training times. With C
the largest sum of an example's features, Ẽ the observed and E the expected counts, every weight
takes the step δ that solves (Darroch and Ratcliff 1972; with the prior, Chen and Rosenfeld 1999)

    Ẽ − E exp(C δ) − (w + δ)/σ² = 0.

Features must not be negative. No correction feature is needed (Curran and Clark 2003).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.l_bfgs import fit_with_prior
from hyperbaton.models.learning.losses import likelihood_and_gradient, penalised_likelihood
from hyperbaton.models.learning.problem import Problem

MAX_NEWTON_STEPS = 50


@dataclass(eq=False, kw_only=True)
class Entropy(Learner):
    """Maximum entropy with a Gaussian prior, by L-BFGS (Zens and Ney 2006)."""

    name: ClassVar[str] = "me"
    solves_together: ClassVar[bool] = True

    sigma: float = 0.3  # σ: standard deviation of the Gaussian prior
    # stop when expected and observed feature counts agree to this difference
    tolerance: float = 0.2
    max_iterations: int = 200  # maximum number of iterations

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


@dataclass(eq=False, kw_only=True)
class IterativeScaling(Entropy):
    """The same by generalised iterative scaling (Darroch and Ratcliff 1972)."""

    name: ClassVar[str] = "me-gis"

    max_iterations: int = 1000  # maximum number of iterations

    def solve(self, problem: Problem, seed: int) -> Solution:  # noqa: ARG002
        if len(problem.data) and problem.data.min() < 0:
            raise DataError(
                f"a feature is {problem.data.min()}",
                expected="iterative scaling needs features that are not negative",
                advice="train with the learner me",
            )
        shape = problem.n_features, problem.n_classes
        rows = np.repeat(np.arange(len(problem.labels)), np.diff(problem.indptr))
        most = float(np.bincount(rows, problem.data, minlength=1).max())  # C
        place = problem.indices.astype(np.int64) * shape[1] + problem.labels[rows]
        observed = np.bincount(place, problem.data, minlength=shape[0] * shape[1]).reshape(shape)
        weights, gradient = np.zeros(shape), np.empty(shape)
        values: list[float] = []
        furthest = np.inf
        while len(values) < self.max_iterations and furthest > self.tolerance and most > 0:
            loss = likelihood_and_gradient(problem, weights, gradient)
            values.append(float(loss + (weights**2).sum() / (2 * self.sigma**2)))
            furthest = float(np.abs(gradient + weights / self.sigma**2).max())
            if furthest > self.tolerance:
                scale_weights(weights, gradient, observed, most, 1 / self.sigma**2)
        objective = penalised_likelihood(problem, weights, self.sigma)
        converged = furthest <= self.tolerance or most == 0
        return Solution(weights, len(values), objective, converged, {"objective": np.array(values)})


@kernel
def scale_weights(weights, gradient, observed, most, precision):
    """One step of every weight, by Newton's method: the function is decreasing and concave, so a
    step from the left of its zero ends on the right, and steps from the right never overshoot."""
    for feature in range(weights.shape[0]):
        for o in range(weights.shape[1]):
            goal = observed[feature, o]
            expected = goal + gradient[feature, o]
            w = weights[feature, o]
            step = 0.0
            for _ in range(MAX_NEWTON_STEPS):
                scaled = expected * np.exp(most * step)
                value = goal - scaled - (w + step) * precision
                change = value / (most * scaled + precision)
                # far to the left the tangent is nearly flat, and the step could overflow
                change = min(change, 1.0 / most)
                step += change
                if abs(change) <= 1e-12 * (1.0 + abs(step)):
                    break
            weights[feature, o] = w + step
