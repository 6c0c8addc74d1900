"""L-BFGS, by scipy, with one thread for its vectors; and losses with a Gaussian prior.

BLAS would share every sum of a long vector among all cores. Then the last digits may depend on how
many there are, and where the cores have other work, as the threads that compute an objective or a
second fit, its threads wait for each other many times longer than the sums take.
"""

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import Float32Array, FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray]]  # value and gradient


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
    report: Callable[[int], None] | None = None,
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
        if report:
            report(next(numbers))
        return value / n_events, gradient.reshape(-1)

    def note(intermediate_result: Any) -> None:
        trace.append(float(intermediate_result.fun))

    found = minimise(objective, start.reshape(-1), note, **options)
    weights = found.x.reshape(start.shape) / scale
    return Fit(weights, float(found.fun), found.jac, found.nfev, np.array(trace))
