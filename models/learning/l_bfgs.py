"""L-BFGS, by scipy, with one thread for its vectors.

BLAS would share every sum of a long vector among all cores. Then the last digits may depend on how
many there are, and where the cores have other work, as the threads that compute an objective or a
second fit, its threads wait for each other many times longer than the sums take.
"""

from collections.abc import Callable
from typing import Any

from scipy.optimize import minimize  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import FloatArray


def minimise(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    callback: Callable[..., None] | None = None,
    **options: float,
) -> Any:
    """What scipy finds; the objective gives value and gradient, `options` are those of L-BFGS-B."""
    with threadpool_limits(1, "blas"):
        return minimize(
            objective, start, jac=True, method="L-BFGS-B", callback=callback, options=options
        )
