"""Minimum error rate training on search lattices (Macherey et al. 2008).

Line search needs only the derivations that are best somewhere on a line, and a lattice has all of
them, which are far more than an n-best list has. So, in turn:

1. the pool gets what is best anywhere on lines through the weights, along all features and along
   random directions: whatever one step along one of them can reach is known exactly;
2. MERT searches the pool,

until its weights are not better than those before or have no better neighbours in the lattice.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import SeedSequence

from hyperbaton.foundation.arrays import BoolArray, FloatArray
from hyperbaton.tuning.optimisers.interface import Lines, Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN, REACH
from hyperbaton.tuning.optimisers.mert import Mert
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool


@dataclass(frozen=True)
class LatticeMert(Mert):
    """Minimum error rate training on search lattices."""

    name: ClassVar[str] = "mert-lattice"

    arcs: int = 100  # of the lattices, for each source word
    turns: int = 5  # at most, in each round

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
