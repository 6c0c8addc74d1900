"""SciPy's L-BFGS with single-threaded BLAS, and losses with a Gaussian prior.

BLAS would divide every sum over a long vector among all cores. The last digits would then depend on
the number of cores, and if the cores also compute objectives or a second fit, its threads would
wait for each other many times longer than the sums take.

The objective of `fit_weights` is −log L(w) + λ/2 · ‖w‖², with λ = 1/σ² of the prior. L-BFGS is slow
on it because the frequencies of features differ by orders of magnitude; it works on
x = w · √(h + λ) instead, where h approximates the second derivative by each weight at the start (a
diagonal preconditioner).

`search_prior` chooses the strength of the prior on held-out events. It halves the usual one as long
as the held-out likelihood increases, or else doubles it. From prior to prior, weights change about
as much as they did before, so each fit starts where the last two point to.
"""

from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy  # type: ignore[import-untyped]  # parts of it are loaded when they are used
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import Float32Array, FloatArray
from hyperbaton.foundation.progress import silent

Objective = Callable[[FloatArray], tuple[float, FloatArray]]  # value and gradient
REMEMBERED_STEPS = 5  # L-BFGS memory
WEAKEST, STRONGEST = 0.25, 1024.0  # priors to try


def summed(parts: Iterable[tuple[float, FloatArray]]) -> tuple[float, FloatArray]:
    """Sums the values and gradients of the parts of a loss in order, so that the result does not
    depend on the number of threads. The first gradient is overwritten with the sum."""
    remaining = iter(parts)
    value, total = next(remaining)
    for part, gradient in remaining:
        value += part
        total += gradient
        del gradient  # frees a long array before the next part allocates one
    return value, total


class Fit(NamedTuple):
    weights: FloatArray
    value: float  # of the objective
    gradient: FloatArray  # of the objective by w · scale, (weights,)
    n_passes: int  # number of evaluations of the loss
    trace: FloatArray  # value after each iteration


def minimise(
    objective: Objective,
    start: FloatArray,
    callback: Callable[..., None] | None = None,
    **options: float,
) -> Any:
    """SciPy's result; the objective returns value and gradient, `options` are those of L-BFGS-B."""
    with threadpool_limits(1, "blas"):
        return scipy.optimize.minimize(
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
    """Minimises (loss(w) + ½ Σ λ w²) / n_events, with one λ of the prior, or one for each weight.

    L-BFGS works on w · `scale`, a diagonal preconditioner; `start` has these units and the shape of
    the weights. The gradient that the loss returns is overwritten; the loss may reuse it.
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

    result = minimise(objective, start.reshape(-1), note, **options)
    weights = result.x.reshape(start.shape) / scale
    return Fit(weights, float(result.fun), result.jac, result.nfev, np.array(trace))


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
    """Fits weights with at most `passes` over the events, or until a step of L-BFGS gains less than
    `tolerance` of the objective. Overwrites `start` to save memory."""
    scale = np.sqrt(likelihood.curvature(start) + prior).astype(np.float32)
    start *= scale
    scale[-1] = np.inf  # the weight of missing features stays 0
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
    usual: float,
    passes: int,
    report: Callable[[int], None] = silent,
) -> tuple[PriorTrial, list[PriorTrial], FloatArray]:
    """The best prior, all trials, and the weights under the best prior. Makes `passes` for each
    prior, and twice as many for the first: with too few, weights remain small under a weak prior,
    which then seems better than it is."""
    trials, numbers = list[PriorTrial](), count(1)

    def tried(prior: float, guess: FloatArray, passes: int) -> tuple[PriorTrial, FloatArray]:
        fit = fit_weights(likelihood, guess, prior, passes, lambda _: report(next(numbers)))
        held_out_mean = -held_out.value(fit.weights) / held_out.n_events
        trials.append(PriorTrial(prior, held_out_mean))
        return trials[-1], fit.weights

    best, weights = tried(usual, start.copy(), 2 * passes)
    for factor in (0.5, 2.0):
        step: FloatArray | float = 0.0
        while WEAKEST <= best.prior * factor <= STRONGEST:
            trial, new = tried(best.prior * factor, weights + step, passes)
            if trial.held_out <= best.held_out:
                break
            best, weights, step = trial, new, new - weights
        if best.prior != usual:
            break
    return best, trials, weights
