"""L-BFGS, by scipy, with one thread for its vectors; and losses with a Gaussian prior.

BLAS would share every sum of a long vector among all cores. Then the last digits may depend on how
many there are, and where the cores have other work, as the threads that compute an objective or a
second fit, its threads wait for each other many times longer than the sums take.

The objective of `fit_weights` is −log L(w) + λ/2 · ‖w‖², with λ = 1/σ² of the prior. L-BFGS is slow
on it because features differ by orders of magnitude in how often they fire; it works on
x = w · √(h + λ) instead, where h is about the second derivative by each weight at the start (a
diagonal preconditioner).

Held-out events decide how strong the prior should be (`search_prior`). The search goes from strong
to weak priors, each from the weights of the one before, and stops when the held-out likelihood
falls.
"""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import Float32Array, FloatArray
from hyperbaton.foundation.progress import silent

Objective = Callable[[FloatArray], tuple[float, FloatArray]]  # value and gradient
REMEMBERED_STEPS = 5  # steps that L-BFGS remembers
WEAKEST = 0.25  # prior that is tried


def summed(parts: Iterable[tuple[float, FloatArray]]) -> tuple[float, FloatArray]:
    """The value and gradient of a loss from those of its parts, added up in their order, so that
    they do not depend on how many threads make them. The first gradient becomes the sum."""
    remaining = iter(parts)
    value, total = next(remaining)
    for part, gradient in remaining:
        value += part
        total += gradient
        del gradient  # they are long, and the next part makes another one
    return value, total


class Fit(NamedTuple):
    weights: FloatArray
    value: float  # of the objective
    gradient: FloatArray  # of the objective by w · scale, (weights,)
    n_passes: int  # times that the loss was computed
    trace: FloatArray  # value after each iteration


def minimise(
    objective: Objective,
    start: FloatArray,
    callback: Callable[..., None] | None = None,
    **options: float,
) -> Any:
    """What scipy finds; the objective gives value and gradient, `options` are those of L-BFGS-B."""
    with threadpool_limits(1, "blas"):
        return minimize(
            objective, start, jac=True, method="L-BFGS-B", callback=callback, options=options
        )


def fit_with_prior(
    loss: Objective,
    start: FloatArray,
    prior: float | FloatArray,
    *,
    scale: float | Float32Array = 1.0,
    n_events: int = 1,
    report: Callable[[int], None] = silent,
    **options: float,
) -> Fit:
    """Minimises (loss(w) + ½ Σ λ w²) / n_events, with the prior's λ for all weights or each.

    L-BFGS works on w · `scale`, a diagonal preconditioner; `start` is in these units, of the shape
    of the weights. What the loss returns as gradient is changed, and valid until the next call.
    """
    numbers, trace = count(1), list[float]()

    def objective(x: FloatArray) -> tuple[float, FloatArray]:
        weights = x.reshape(start.shape) / scale
        value, gradient = loss(weights)
        value += 0.5 * float(np.vdot(weights, weights * prior))
        weights *= prior
        gradient += weights
        gradient /= scale
        gradient /= n_events
        report(next(numbers))
        return value / n_events, gradient.reshape(-1)

    def note(intermediate_result: Any) -> None:
        trace.append(float(intermediate_result.fun))

    found = minimise(objective, start.reshape(-1), note, **options)
    weights = found.x.reshape(start.shape) / scale
    return Fit(weights, float(found.fun), found.jac, found.nfev, np.array(trace))


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
