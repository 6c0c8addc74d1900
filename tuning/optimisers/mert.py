"""Minimum error rate training (Och 2003): searches for the weights with the best score on the pool.

From each of many starts, exact line searches along all features and along random directions are
repeated until none improves the score. Starts are the current weights, weights of earlier rounds,
and random points around the best of these (Moore and Quirk 2008 found that such walks end higher
than starts anywhere). The first sweep follows only the features. After each sweep, only the best
third of the starts continues. The best final point wins; of equal ones the first, which keeps the
current weights if nothing is better.

All starts sweep at the same time along the same random directions, so that the slopes of the
hypotheses along each direction are computed only once. Every start has its own generator for the
order of directions, so the result does not depend on the number of threads.

Line search needs only the derivations that are best somewhere on a line. A lattice has all of them,
an n-best list only a few (Macherey et al. 2008). With lattices, two steps alternate:

1. add to the pool all derivations that are best somewhere on lines through the weights, along all
   features and along random directions: then a step along any of these lines is exact;
2. run MERT on the pool;

until the weights do not improve any more.
"""

from collections.abc import Sequence
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

MOST_SWEEPS = 50  # over all directions; usually a few suffice
PROMISING = 3  # one start in this many continues after each sweep
WALK = 0.5  # deviation of random steps around a point, in units of its mean weight


# A direction in the space of points, and (H,) the slopes of the hypotheses' scores along it
Direction = tuple[FloatArray, FloatArray]


class Place(NamedTuple):
    """The current point of a start."""

    point: FloatArray
    score: float
    draw: np.random.Generator  # of this start
    moves: bool = True  # whether the last sweep improved the score


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
        """Returns the best weights found; earlier weights serve as starts too."""
        scaled = scale_pool(pool, start.weights, start.tuned)
        given = [scaled.point(values) for values in (start.weights, *start.earlier)]
        shared, *draws = map(np.random.default_rng, seed.spawn(1 + len(given) + self.restarts))
        known = max(given, key=lambda point: _score(scaled, objective, point))
        points = [*given, *(_random_start(known, draw) for draw in draws[len(given) :])]
        places = [
            Place(point, _score(scaled, objective, point), draw)
            for point, draw in zip(points, draws, strict=True)
        ]
        with ThreadPoolExecutor(start.threads) as executor:
            for number in range(MOST_SWEEPS):
                if not any(place.moves for place in places):
                    break
                random = shared.normal(size=(self.directions if number else 0, len(known)))
                move = partial(sweep, scaled, objective, directions_of(scaled, random))
                places = _promising(list(executor.map(move, places)))
                if not number:  # random directions may go on where no feature does
                    places = [place._replace(moves=True) for place in places]
        best = max(place.score for place in places)
        first = next(place for place in places if place.score >= best - LEAST_GAIN)
        return scaled.weights(first.point)


def _promising(places: Sequence[Place]) -> list[Place]:
    """The best third of the starts, in their order."""
    ranked = sorted(range(len(places)), key=lambda number: -places[number].score)
    return [places[number] for number in sorted(ranked[: -(-len(places) // PROMISING)])]


def _random_start(known: FloatArray, draw: np.random.Generator) -> FloatArray:
    """A point around `known`."""
    deviation = WALK * (float(np.abs(known).mean()) or 1.0)
    return known + draw.normal(0, deviation, len(known))


def sweep(
    scaled: ScaledPool, metric: Metric, directions: Sequence[Direction], place: Place
) -> Place:
    """Searches along all directions, in random order."""
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
    """The directions of all features, and random ones."""
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
        for turn_seed in seed.spawn(self.turns):
            draw = np.random.default_rng(turn_seed)
            pool = start.grow(pool, self._lines(pool, best, start.tuned, draw))
            new = super().improve(pool, objective, replace(start, weights=best), turn_seed)
            if not pool.score(objective, new) > pool.score(objective, best) + LEAST_GAIN:
                break
            best = new
        return best

    def _lines(
        self, pool: Pool, weights: FloatArray, tuned: BoolArray, draw: np.random.Generator
    ) -> Lines:
        """Lines along the axes of the scaled space and in random directions."""
        scaled = scale_pool(pool, weights, tuned)
        point, size = scaled.point(weights), len(scaled.columns)
        along = np.concatenate([np.eye(size), draw.normal(size=(self.directions, size))])
        directions = np.zeros((len(along), len(weights)))
        directions[:, scaled.columns] = along / scaled.deviations
        return Lines(weights, directions, REACH * np.abs(point).sum() / np.abs(along).sum(axis=1))
