"""What all optimisers do: they approach what was planted, and change nothing without a reason."""

import numpy as np
import pytest

from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.mert import Mert
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.optimisers.pro import Pro
from tests.tuning.optimisers.pools import MEAN, oracle, planted_pool

ALL = np.ones(7, dtype=bool)
OPTIMISERS = [Mert(), Mira(), Pro(interpolation=1.0)]
pytestmark = pytest.mark.parametrize("optimiser", OPTIMISERS, ids=lambda one: one.name)


def improve(optimiser, pool, weights, tuned=ALL, seed=1):
    start = Start(weights, tuned, free_scale=bool(tuned.all()))
    return optimiser.improve(pool, MEAN, start, np.random.SeedSequence(seed))


def gains_most(pool, start, found):
    """Nine tenths of all that could be gained, which is much."""
    before, after = pool.score(MEAN, start), pool.score(MEAN, found)
    return after - before > 0.9 * (oracle(pool) - before) > 10


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_optimum_is_approached(optimiser, seed):
    pool, _ = planted_pool(seed)
    start = np.full(7, 0.01 if optimiser.name == "mira" else 0.1)
    found, again = (improve(optimiser, pool, start, seed=seed) for _ in range(2))
    assert gains_most(pool, start, found)
    assert again.tolist() == found.tolist()
    assert found[6] == start[6]  # of a feature that never varies


def test_fixed_weights_stay(optimiser):
    pool, planted = planted_pool(5)
    tuned = ~np.isin(np.arange(7), [1, 4])
    start = np.where(tuned, 0.01, planted)
    found = improve(optimiser, pool, start, tuned)
    assert found[[1, 4]].tolist() == planted[[1, 4]].tolist()
    assert gains_most(pool, start, found) or optimiser.name == "mira"
    assert pool.score(MEAN, found) > pool.score(MEAN, start)


def test_where_nothing_is_better_nothing_changes(optimiser):
    pool, _ = planted_pool(6)
    same = Pool(pool.features, np.ones_like(pool.statistics), pool.keys, pool.offsets)
    start = np.linspace(-1, 1, 7)
    np.testing.assert_allclose(improve(optimiser, same, start), start)
