"""Minimum error rate training (Och 2003): the weights under which the pool scores best.

From each of many starts, exact line searches along all features and along random directions are
repeated until none finds anything better. Starts are the weights in use, weights of earlier
rounds, and random points: half of them anywhere, with weights of both signs, half of them around
the best weights known (Moore and Quirk 2008 found that such walks end higher). After one sweep
over the directions, only the best third of the starts continues to the end. The best end of all is
taken; of equal ones the first, which keeps the weights in use if nothing is better.

All starts sweep at the same time, along the same random directions, so that how the scores of
hypotheses change along each is worked out once for all. Every start has a generator of its own for
their order, so the result does not depend on the number of threads.

Line search needs only the derivations that are best somewhere on a line, and a lattice has all of
them, which are far more than an n-best list has (Macherey et al. 2008). So on lattices, in turn:

1. the pool gets what is best anywhere on lines through the weights, along all features and along
   random directions: whatever one step along one of them can reach is known exactly;
2. MERT searches the pool,

until its weights are not better than those before or have no better neighbours in the lattice.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from hyperbaton.foundation.arrays import BoolArray, FloatArray
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.optimisers.interface import Lines, Optimiser, Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN, REACH, LineSearch
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool, ScaledPool, scale_pool

MOST_SWEEPS = 50  # over all directions; a handful is usual
PROMISING = 3  # one start in this many continues after the first
WALK = 0.5  # deviation of random steps around a point, in units of its mean weight


# A direction in the space of points, and (H,) how much the scores of hypotheses change along it
Direction = tuple[FloatArray, FloatArray]


class Place(NamedTuple):
    """Where a start has come to."""

    point: FloatArray
    score: float
    draw: np.random.Generator  # its own
    moves: bool = True  # the last sweep has found something better


@dataclass(frozen=True)
class Mert(Optimiser):
    """Minimum error rate training."""

    name: ClassVar[str] = "mert"

    restarts: int = 20  # random starting points in each round
    directions: int = 10  # random search directions in each sweep

    def check_settings(self) -> None:
        self._check_least(restarts=0, directions=0)

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        """The best weights found; earlier weights are starts as well."""
        scaled = scale_pool(pool, start.weights, start.tuned)
        given = [scaled.point(values) for values in (start.weights, *start.earlier)]
        shared, *draws = map(np.random.default_rng, seed.spawn(1 + len(given) + self.restarts))
        known = max(given, key=lambda point: _score(scaled, objective, point))
        points = [*given, *_random_starts(known, draws, len(given))]
        places = [
            Place(point, _score(scaled, objective, point), draw)
            for point, draw in zip(points, draws, strict=True)
        ]
        with ThreadPoolExecutor(start.threads) as executor:
            for number in range(MOST_SWEEPS):
                if number == 1:
                    places = _promising(places)
                if not any(place.moves for place in places):
                    break
                random = shared.normal(size=(self.directions, len(known)))
                one = partial(sweep, scaled, objective, directions_of(scaled, random))
                places = list(executor.map(one, places))
        best = max(place.score for place in places)
        first = next(place for place in places if place.score >= best - LEAST_GAIN)
        return scaled.weights(first.point)


def _promising(places: Sequence[Place]) -> list[Place]:
    """The best third, in the order of the starts."""
    ranked = sorted(range(len(places)), key=lambda number: -places[number].score)
    return [places[number] for number in sorted(ranked[: -(-len(places) // PROMISING)])]


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


def sweep(
    scaled: ScaledPool, metric: Metric, directions: Sequence[Direction], place: Place
) -> Place:
    """Line searches along all directions, in random order."""
    if not place.moves:
        return place
    search = LineSearch(scaled.pool.statistics, scaled.pool.offsets, metric)
    point, score = place.point, place.score
    at = scaled.scores(point)
    for number in place.draw.permutation(len(directions)):
        along, slope = directions[number]
        unit = float(np.abs(point).sum() / np.abs(along).sum()) or 1.0
        step = search.best(at, slope, score, unit)
        if step.x:
            point, score = point + step.x * along, step.score
            at = at + step.x * slope
    score = _score(scaled, metric, point)  # without accumulated rounding
    return Place(point, score, place.draw, score > place.score + LEAST_GAIN)


def directions_of(scaled: ScaledPool, random: FloatArray) -> list[Direction]:
    """All features, and random directions."""
    axes = zip(np.eye(len(scaled.columns)), scaled.features, strict=True)
    return [*axes, *zip(random, random @ scaled.features, strict=True)]


def _score(scaled: ScaledPool, metric: Metric, point: FloatArray) -> float:
    return float(metric.score(scaled.best_sums(point)))


@dataclass(frozen=True)
class LatticeMert(Mert):
    """Minimum error rate training on search lattices."""

    name: ClassVar[str] = "mert-lattice"

    arcs: int = 100  # lattice arcs kept for each source word
    turns: int = 5  # maximum number of searches through the lattices in each round

    def check_settings(self) -> None:
        super().check_settings()
        self._check_least(arcs=1, turns=1)

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        if start.grow is None:
            return super().improve(pool, objective, start, seed)
        best = start.weights
        for own in seed.spawn(self.turns):
            draw = np.random.default_rng(own)
            pool = start.grow(pool, self._lines(pool, best, start.tuned, draw))
            found = super().improve(pool, objective, replace(start, weights=best), own)
            if not pool.score(objective, found) > pool.score(objective, best) + LEAST_GAIN:
                break
            best = found
        return best

    def _lines(
        self, pool: Pool, weights: FloatArray, tuned: BoolArray, draw: np.random.Generator
    ) -> Lines:
        """Those that line search takes in the scaled space."""
        scaled = scale_pool(pool, weights, tuned)
        point, size = scaled.point(weights), len(scaled.columns)
        along = np.concatenate([np.eye(size), draw.normal(size=(self.directions, size))])
        directions = np.zeros((len(along), len(weights)))
        directions[:, scaled.columns] = along / scaled.deviations
        return Lines(weights, directions, REACH * np.abs(point).sum() / np.abs(along).sum(axis=1))
