"""L-BFGS for many millions of weights (Liu and Nocedal 1989), by the two-loop recursion.

With a memory of six steps, scipy's works in the space of 17 vectors of doubles, beside points and
gradients. This one keeps five vectors in all, and twelve of single precision for the steps and the
changes of the gradient: these only shape the direction, and every step is judged by the objective
itself. An evaluation passes over all data, so the line search takes the first step that satisfies
the weak Wolfe conditions.

Vectors are added up piece by piece in a fixed order, so that neither cores nor memory matter.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from models.arrays import Float32Array, FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray]]

PIECE = 1 << 16  # numbers that are handled at a time, so that nothing of full length is made
DECREASE, SLOPE = 1e-4, 0.9  # of Wolfe's conditions
LONGEST, SHORTEST = 4.0, 0.1  # factors from one step that is tried to the next
MOST_TRIES = 20


class Minimum(NamedTuple):
    x: FloatArray
    value: float


class _Point(NamedTuple):
    x: FloatArray
    value: float
    gradient: FloatArray


class _Step(NamedTuple):
    moved: Float32Array
    changed: Float32Array  # the gradient
    product: float


def minimise_lean(
    objective: Objective,
    start: FloatArray,
    *,
    evaluations: int,
    tolerance: float,
    first_step: float = 1.0,
    memory: int = 6,
) -> Minimum:
    """The best point after at most so many evaluations, or when a step gains less than `tolerance`
    of the value. The first step goes `first_step` times the gradient."""
    left = evaluations

    def evaluate(x: FloatArray) -> _Point:
        nonlocal left
        left -= 1
        return _Point(x, *objective(x))

    with threadpool_limits(1, "blas"):
        here = evaluate(start)
        steps: deque[_Step] = deque(maxlen=memory)
        while left > 0:
            direction = _direction(here.gradient, steps, first_step)
            there = _searched(evaluate, here, direction, lambda: left)
            if there is None:
                if not steps:
                    break
                steps.clear()  # start again along the gradient
                continue
            gain = here.value - there.value
            largest = max(abs(here.value), abs(there.value), 1.0)
            _remember(steps, here, there)
            here = there
            if gain <= tolerance * largest:
                break
    return Minimum(here.x, here.value)


def _searched(
    evaluate: Callable[[FloatArray], _Point],
    here: _Point,
    direction: FloatArray,
    left: Callable[[], int],
) -> _Point | None:
    """A point along the direction that is good enough, or the best one found; none if all are
    worse."""
    slope = _dot(here.gradient, direction)
    low, high, step = 0.0, np.inf, 1.0
    best: _Point | None = None
    for _ in range(MOST_TRIES):
        if slope >= 0.0 or not left():
            break
        there = evaluate(_sum(here.x, step, direction))
        if not there.value <= here.value + DECREASE * step * slope:
            high = step  # too far; the parabola through value, slope and value says where to
            rise = there.value - here.value - step * slope
            lowest = -slope * step**2 / (2 * rise) if np.isfinite(rise) else 0.0
            step = min(max(lowest, low + SHORTEST * (high - low)), (low + high) / 2)
            continue
        best = there
        slope_there = _dot(there.gradient, direction)
        if slope_there >= SLOPE * slope:
            break
        low = step  # not far enough
        further = step * LONGEST
        if slope_there > slope:  # where a straight line through both slopes ends
            further = min(further, step * slope / (slope - slope_there))
        step = further if np.isinf(high) else (low + high) / 2
    return best


def _direction(gradient: FloatArray, steps: deque[_Step], first_step: float) -> FloatArray:
    """Minus the gradient times the inverse of the Hessian as far as the steps know it."""
    direction = -gradient
    if not steps:
        direction *= first_step
        return direction
    shares = []
    for step in reversed(steps):
        share = _dot(direction, step.moved) / step.product
        _add(direction, -share, step.changed)
        shares.append(share)
    last = steps[-1]
    direction *= last.product / _dot(last.changed, last.changed)
    for step, share in zip(steps, reversed(shares), strict=True):
        _add(direction, share - _dot(direction, step.changed) / step.product, step.moved)
    return direction


def _remember(steps: deque[_Step], here: _Point, there: _Point) -> None:
    if len(steps) == steps.maxlen:
        steps.popleft()  # before there is another one
    moved, changed = (np.empty(len(here.x), np.float32) for _ in range(2))
    for piece in _pieces(len(moved)):
        moved[piece] = there.x[piece] - here.x[piece]
        changed[piece] = there.gradient[piece] - here.gradient[piece]
    product = _dot(moved, changed)
    if product > 0.0:
        steps.append(_Step(moved, changed, product))


def _pieces(size: int) -> Iterator[slice]:
    return (slice(begin, begin + PIECE) for begin in range(0, size, PIECE))


def _dot(first: NDArray[Any], second: NDArray[Any]) -> float:
    return sum(
        float(np.dot(first[piece].astype(np.float64), second[piece].astype(np.float64)))
        for piece in _pieces(len(first))
    )


def _add(to: FloatArray, factor: float, what: NDArray[Any]) -> None:
    for piece in _pieces(len(to)):
        to[piece] += factor * what[piece].astype(np.float64)


def _sum(x: FloatArray, factor: float, direction: FloatArray) -> FloatArray:
    result = x.copy()
    _add(result, factor, direction)
    return result
