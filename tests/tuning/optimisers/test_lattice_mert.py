"""MERT that asks for what is best on lines: what it asks, and what it makes of the answers."""

import numpy as np
import pytest

from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.line_search import REACH
from hyperbaton.tuning.optimisers.mert import LatticeMert, Mert
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool
from tests.tuning.optimisers.pools import MEAN, oracle, planted_pool

ALL = np.ones(7, dtype=bool)
START = np.full(7, 0.1)
SETTINGS = {"restarts": 3, "directions": 2}


def first_two(pool):
    """The first two hypotheses of every sentence."""
    rows = (pool.offsets[:-1, None] + np.arange(2)).ravel()
    offsets = np.arange(pool.n_sentences + 1) * 2
    return Pool(pool.features[rows], pool.statistics[rows], pool.keys[rows], offsets)


def improved(optimiser, pool, grow=None):
    start = Start(START, ALL, grow=grow)
    return optimiser.improve(pool, MEAN, start, np.random.SeedSequence(1))


def test_what_it_asks_for_joins_the_pool():
    whole, _ = planted_pool(2)
    asked = []

    def grow(pool, lines):
        asked.append((pool, lines))
        return pool.merge(whole)

    few = first_two(whole)
    found = improved(LatticeMert(**SETTINGS), few, grow)
    alone = improved(Mert(**SETTINGS), few)
    assert whole.score(MEAN, alone) < 0.999 * oracle(whole) < whole.score(MEAN, found)
    pool, lines = asked[0]
    assert pool is few
    assert lines.weights.tolist() == START.tolist()
    # along every feature that varies and two random directions, as far as the weights are large
    assert len(lines.directions) == len(lines.reach) == 6 + 2
    scaled = scale_pool(few, START, ALL)
    size = np.abs(scaled.point(START)).sum()
    for direction, reach in zip(lines.directions, lines.reach, strict=True):
        assert np.abs(scaled.point(reach * direction)).sum() == pytest.approx(REACH * size)
    assert np.count_nonzero(lines.directions[:6]) == 6
    # then at the weights that were found, until these are not better
    assert 1 < len(asked) <= LatticeMert().turns
    assert asked[-1][1].weights.tolist() == found.tolist()


def test_without_lattices_it_is_mert():
    pool, _ = planted_pool(3)
    found = improved(LatticeMert(**SETTINGS), pool)
    assert found.tolist() == improved(Mert(**SETTINGS), pool).tolist()
