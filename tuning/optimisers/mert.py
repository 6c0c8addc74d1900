"""Minimum error rate training (Och 2003): the weights under which the pool scores best.

From each of many starts, exact line searches along all features and along random directions are
repeated until none finds anything better. Starts are the weights in use, weights of earlier
rounds, and random points: half of them anywhere, with weights of both signs, half of them around
the best weights known (Moore and Quirk 2008 found that such walks end higher). After two sweeps
over the directions, only the best third of the starts continues to the end. The best end of all is
taken; of equal ones the first, which keeps the weights in use if nothing is better.

Every start has a generator of its own, so the result does not depend on the number of threads.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from models.arrays import FloatArray
from tuning.metrics.base import Metric
from tuning.optimisers.interface import Optimiser, Start
from tuning.optimisers.line_search import BETTER, LineSearch
from tuning.optimisers.objective import Objective
from tuning.optimisers.pool import Pool, ScaledPool, scale_pool

FIRST_SWEEPS = 2  # over all directions, for every start
MOST_SWEEPS = 50  # for those that continue; a handful is usual
PROMISING = 3  # one start in this many continues
WALK = 0.5  # deviation of random steps around a point, in units of its mean weight


class End(NamedTuple):
    point: FloatArray
    score: float


@dataclass(frozen=True)
class Mert(Optimiser):
    """Minimum error rate training."""

    name: ClassVar[str] = "mert"

    restarts: int = 20  # random starts in each round
    directions: int = 10  # random directions in each sweep

    def check_settings(self) -> None:
        self._check_least(restarts=0, directions=0)

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        """The best weights found; earlier weights are starts as well."""
        scaled = scale_pool(pool, start.weights, start.tuned)
        given = [scaled.point(values) for values in (start.weights, *start.earlier)]
        draws = [np.random.default_rng(own) for own in seed.spawn(len(given) + self.restarts)]
        known = max(given, key=lambda point: _score(scaled, objective, point))
        starts = [*given, *_random_starts(known, draws, len(given))]

        def go_on(number: int, point: FloatArray, most_sweeps: int) -> End:
            return climb(scaled, objective, point, draws[number], self.directions, most_sweeps)

        with ThreadPoolExecutor(start.threads) as executor:
            numbers = range(len(starts))
            ends = list(executor.map(go_on, numbers, starts, repeat(FIRST_SWEEPS)))
            ranked = sorted(numbers, key=lambda number: -ends[number].score)
            promising = sorted(ranked[: -(-len(ends) // PROMISING)])
            points = [ends[number].point for number in promising]
            ends = list(executor.map(go_on, promising, points, repeat(MOST_SWEEPS)))
        best = max(end.score for end in ends)
        first = next(end for end in ends if end.score >= best - BETTER)
        return scaled.weights(first.point)


def _random_starts(
    known: FloatArray, draws: Sequence[np.random.Generator], n_given: int
) -> Iterator[FloatArray]:
    """A point for every generator after the first ones: anywhere and around `known` in turn."""
    size, total, mean = len(known), float(np.abs(known).sum()), float(np.abs(known).mean())
    for number, draw in enumerate(draws[n_given:], n_given):
        if number % 2:
            yield random_point(draw, size, total)
        else:
            yield known + draw.normal(0, WALK * mean, size)


def random_point(draw: np.random.Generator, size: int, length: float) -> FloatArray:
    """Weights of both signs whose absolute values sum to `length`."""
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
    search = LineSearch(scaled.pool.statistics, scaled.pool.offsets, metric)
    point, score = start.copy(), _score(scaled, metric, start)
    for _ in range(most_sweeps):
        before = score
        at = scaled.scores(point)
        for direction in _directions(draw, len(point), n_random):
            along, slope = _slope(scaled, direction)
            unit = float(np.abs(point).sum() / np.abs(along).sum()) or 1.0
            step = search.best(at, slope, score, unit)
            if step.x:
                point, score = point + step.x * along, step.score
                at = at + step.x * slope
        score = _score(scaled, metric, point)  # without accumulated rounding
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
    return float(metric.score(scaled.best_sums(point)))
