"""Minimum error rate training (Och 2003): the weights under which the pool scores best.

From each of many starts, exact line searches along all features and along random directions are
repeated until none finds anything better. Starts are the weights in use, weights of earlier
rounds, and random points: half of them anywhere, with weights of both signs, half of them around
the best weights known (Moore and Quirk 2008 found such walks to end higher). After two sweeps over
the directions it shows which starts are good: the better third goes on to the end. The best end of
all is taken; of equal ones the first, so the weights in use if nothing is better.

Every start has a generator of its own, so the result does not depend on the number of threads.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from models.arrays import BoolArray, FloatArray
from tuning.metrics.base import Metric
from tuning.optimisers.envelope import make_room
from tuning.optimisers.line_search import BETTER, search_line
from tuning.optimisers.pool import Pool, best_of_each
from tuning.optimisers.scaling import ScaledPool, scale_pool

FIRST_SWEEPS = 2  # over all directions, for every start
MOST_SWEEPS = 50  # for those that go on; a handful is usual
PROMISING = 3  # one start of so many goes on
WALK = 0.5  # deviation of random steps around a point, in units of its mean weight


class End(NamedTuple):
    point: FloatArray
    score: float


def mert(
    pool: Pool,
    metric: Metric,
    weights: FloatArray,
    tuned: BoolArray,
    *,
    seed: np.random.SeedSequence,
    restarts: int = 20,
    directions: int = 10,
    earlier: Sequence[FloatArray] = (),
    threads: int = 1,
) -> FloatArray:
    """The best weights found, (features,).

    `restarts` random points, and `directions` random directions in each sweep; `earlier` weights
    are tried as well.
    """
    scaled = scale_pool(pool, weights, tuned)
    given = [scaled.point(values) for values in (weights, *earlier)]
    seeds = seed.spawn(len(given) + restarts)
    known = max(given, key=lambda point: _score(scaled, metric, point))

    draws = [np.random.default_rng(child) for child in seeds]

    def begin(number: int) -> End:
        draw = draws[number]
        if number < len(given):
            start = given[number]
        elif number % 2:
            start = random_point(draw, len(known), float(np.abs(known).sum()))
        else:
            start = known + draw.normal(0, WALK * float(np.abs(known).mean()), len(known))
        return climb(scaled, metric, start, draw, directions, FIRST_SWEEPS)

    with ThreadPoolExecutor(threads) as executor:
        ends = list(executor.map(begin, range(len(seeds))))
        ranked = sorted(range(len(ends)), key=lambda number: -ends[number].score)
        promising = sorted(ranked[: -(-len(ends) // PROMISING)])

        def go_on(number: int) -> End:
            return climb(scaled, metric, ends[number].point, draws[number], directions, MOST_SWEEPS)

        ends = list(executor.map(go_on, promising))
    best = max(end.score for end in ends)
    first = next(end for end in ends if end.score >= best - BETTER)
    return scaled.weights(first.point)


def random_point(draw: np.random.Generator, size: int, length: float) -> FloatArray:
    """Weights of both signs whose absolute values sum up to `length`."""
    point: FloatArray = draw.uniform(-1, 1, size)
    point *= (length or 1.0) / max(float(np.abs(point).sum()), 1e-9)
    return point


def climb(
    scaled: ScaledPool,
    metric: Metric,
    start: FloatArray,
    draw: np.random.Generator,
    n_random: int,
    most_sweeps: int = MOST_SWEEPS,
) -> End:
    """Line searches from a start until no direction is better."""
    room = make_room(scaled.offsets)
    point, score = start.copy(), _score(scaled, metric, start)
    for _ in range(most_sweeps):
        before = score
        at = scaled.scores(point)
        for direction in _directions(draw, len(point), n_random):
            along, slope = _slope(scaled, direction)
            unit = float(np.abs(point).sum() / np.abs(along).sum()) or 1.0
            step = search_line(
                at, slope, scaled.statistics, scaled.offsets, metric, score, unit, room
            )
            if step.x:
                point, score = point + step.x * along, step.score
                at = at + step.x * slope
        score = _score(scaled, metric, point)  # without what rounding has added up
        if not score > before + BETTER:
            break
    return End(point, score)


def _directions(draw: np.random.Generator, size: int, n_random: int) -> list[int | FloatArray]:
    """All features and some random directions, in random order."""
    directions: list[int | FloatArray] = [*range(size), *draw.normal(size=(n_random, size))]
    return [directions[number] for number in draw.permutation(len(directions))]


def _slope(scaled: ScaledPool, direction: int | FloatArray) -> tuple[FloatArray, FloatArray]:
    """A direction, and how the scores of the hypotheses change along it."""
    if isinstance(direction, int):
        along = np.zeros(len(scaled.columns))
        along[direction] = 1.0
        return along, scaled.features[direction]
    return direction, direction @ scaled.features


def _score(scaled: ScaledPool, metric: Metric, point: FloatArray) -> float:
    rows = best_of_each(scaled.scores(point), scaled.offsets)
    return float(metric.score(scaled.statistics[rows].sum(axis=0)))
