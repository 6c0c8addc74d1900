"""Weights that maximise the log likelihood with a Gaussian prior, by L-BFGS.

The objective is −log L(w) + λ/2 · ‖w‖², with λ = 1/σ² of the prior. L-BFGS is slow on it because
features differ by orders of magnitude in how often they fire; it works on x = w · √(h + λ) instead,
where h is about the second derivative by each weight at the start (a diagonal preconditioner).

Held-out sentences decide how strong the prior should be: the paper gives no number, and with the
same λ the sequence model, which has three weights for each feature, is worse than the pair model.
The search goes from strong to weak priors, each from the weights of the one before, and stops when
the held-out likelihood falls.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.progress import silent
from hyperbaton.models.learning.l_bfgs import Fit, fit_with_prior

REMEMBERED_STEPS = 5  # steps that L-BFGS remembers
WEAKEST = 0.25  # prior that is tried


class NegativeLogLikelihood(Protocol):
    """Minus a log likelihood of weights."""

    @property
    def n_events(self) -> int: ...

    def value(self, weights: FloatArray) -> float: ...

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]: ...

    def curvature(self, weights: FloatArray) -> FloatArray: ...


class PriorTrial(NamedTuple):
    prior: float
    held_out: float  # mean log P of held-out events


def fit_weights(
    likelihood: NegativeLogLikelihood,
    start: FloatArray,
    prior: float,
    passes: int,
    report: Callable[[int], None] = silent,
    tolerance: float = 2e-5,
) -> Fit:
    """Weights after at most `passes` over the events, or when a step of L-BFGS gains less than
    `tolerance` of the objective. Vectors are long: the array `start` is used for others."""
    scale = np.sqrt(likelihood.curvature(start) + prior).astype(np.float32)
    start *= scale
    scale[-1] = np.inf  # features that do not exist keep the weight 0
    return fit_with_prior(
        likelihood.value_and_gradient,
        start,
        prior,
        scale=scale,
        n_events=likelihood.n_events,
        report=report,
        maxfun=passes,
        maxiter=passes,
        maxcor=REMEMBERED_STEPS,
        ftol=tolerance,
        gtol=0.0,
    )


def search_prior(
    likelihood: NegativeLogLikelihood,
    held_out: NegativeLogLikelihood,
    start: FloatArray,
    strongest: float,
    passes: int,
    report: Callable[[int], None] = silent,
) -> tuple[PriorTrial, list[PriorTrial], FloatArray]:
    """The best prior, all that were tried, and the weights under the best one; from `strongest`
    down by halves, with `passes` for each. With too few passes, weights are still small when the
    prior is weak, and it seems better than it is."""
    trials: list[PriorTrial] = []
    weights, best_weights, n_passes = start, start, 0
    prior = strongest
    best = PriorTrial(prior, -np.inf)

    def count(done: int) -> None:
        report(n_passes + done)

    while prior >= WEAKEST:
        fit = fit_weights(likelihood, weights.copy(), prior, passes, count)
        n_passes += fit.n_passes
        weights = fit.weights
        trial = PriorTrial(prior, -held_out.value(weights) / held_out.n_events)
        trials.append(trial)
        if trial.held_out <= best.held_out:
            break
        best, best_weights = trial, weights
        prior /= 2
    return best, trials, best_weights
