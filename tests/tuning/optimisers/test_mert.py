"""MERT finds what was planted, and nothing worse than what it was given."""

import numpy as np
import pytest

from hyperbaton.tuning.optimisers import mert
from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.mert import (
    WALK,
    Mert,
    Place,
    _promising,
    _random_start,
    directions_of,
    sweep,
)
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool
from tests.tuning.optimisers.pools import MEAN, oracle, planted_pool

ALL = np.ones(7, dtype=bool)


def run(pool, weights, tuned=ALL, seed=1, earlier=(), threads=1, **settings):
    start = Start(weights, tuned, earlier, threads)
    return Mert(**settings).improve(pool, MEAN, start, np.random.SeedSequence(seed))


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_optimum_is_found(seed):
    pool, planted = planted_pool(seed)
    assert pool.score(MEAN, planted) == pytest.approx(oracle(pool))
    start = np.full(7, 0.1)
    found = run(pool, start)
    assert pool.score(MEAN, start) < 90 < pool.score(MEAN, found)
    assert pool.score(MEAN, found) > 0.999 * oracle(pool)
    # and what was planted is where it points, as far as the data tell
    scaled = scale_pool(pool, planted, ALL)
    one, two = scaled.point(planted), scaled.point(found)
    assert one @ two / np.linalg.norm(one) / np.linalg.norm(two) > 0.98


def test_threads_do_not_matter_and_seeds_do():
    pool, _ = planted_pool(1, noise=3.0)
    start = np.full(7, 0.1)
    one, two, three = (run(pool, start, threads=threads) for threads in (1, 2, 3))
    assert one.tolist() == two.tolist() == three.tolist()
    assert run(pool, start, seed=2).tolist() != one.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_never_worse_than_the_start_or_earlier_weights(seed):
    pool, planted = planted_pool(seed, n_sentences=15, noise=2.0)
    draw = np.random.default_rng(seed)
    start, other = draw.normal(size=(2, 7))
    found = run(pool, start, restarts=0, directions=2, earlier=[other, planted])
    given = [pool.score(MEAN, weights) for weights in (start, other, planted)]
    assert pool.score(MEAN, found) >= max(given) - 2 * LEAST_GAIN


@pytest.mark.parametrize("seed", range(3))
def test_random_starts_lie_around_the_best_point_not_the_given_one(seed):
    """The third feature is fixed, so the size of the others' weights matters. One sentence has its
    better hypothesis where w0 > 0.5, another one where w0 + w1 > 2.05; a third one has none.

    The given weights are so small that lines through them and through points of their size reach
    neither. The earlier weights (1, 0) have the first; lines along the axes go as far as the
    weights are large, so from there to a sum of 2. From most points around them they go farther.
    """
    features = np.array([[0, 0, 0], [1, 0, -0.5], [0, 0, 0], [1, 1, -2.05]])
    features = np.concatenate([features, [[0, 0, 0], [0, 1, -1e3]]])  # as much of 1 as of 0
    statistics = np.array([[0, 1], [1, 1], [0, 1], [1, 1], [0, 1], [0, 1]], float)
    pool = Pool(features, statistics, np.arange(6).astype(np.uint64), np.array([0, 2, 4, 6]))
    tuned = np.array([True, True, False])
    given, earlier = np.array([0.001, 0, 1]), np.array([1.0, 0, 1])
    assert pool.score(MEAN, given) == 0
    assert pool.score(MEAN, earlier) == pytest.approx(100 / 3)
    options = {"directions": 0, "earlier": [earlier], "seed": seed}
    assert run(pool, given, tuned, restarts=0, **options).tolist() == earlier.tolist()
    found = run(pool, given, tuned, restarts=20, **options)
    assert pool.score(MEAN, found) == pytest.approx(200 / 3)
    assert found[0] + found[1] > 2.05


def test_scaling_all_weights_changes_no_best_hypothesis():
    pool, planted = planted_pool(4, noise=1.0)
    weights = planted + 0.1
    for factor in (1e-3, 0.5, 7.0, 1e4):
        assert (pool.best_rows(factor * weights) == pool.best_rows(weights)).all()


def test_fixed_weights_stay_and_are_counted():
    pool, planted = planted_pool(2)
    tuned = ALL.copy()
    tuned[[0, 3]] = False
    start = np.where(tuned, 0.01, planted)
    found = run(pool, start, tuned)
    assert found[[0, 3]].tolist() == planted[[0, 3]].tolist()
    assert pool.score(MEAN, found) > 0.999 * oracle(pool)
    wrong = np.where(tuned, 0.01, -10 * planted)  # as good as it gets under wrong weights
    assert pool.score(MEAN, run(pool, wrong, tuned)) < 0.99 * oracle(pool)


def test_random_starts_lie_around_the_best_point():
    known = np.array([0.5, -2.0, 0.0, 0.1])
    starts = np.array([_random_start(known, np.random.default_rng(seed)) for seed in range(400)])
    deviation = WALK * 0.65
    # within five standard errors of a normal distribution
    np.testing.assert_allclose(starts.mean(axis=0), known, atol=5 * deviation / 20)
    np.testing.assert_allclose(starts.std(axis=0), deviation, rtol=5 / np.sqrt(2 * 400))
    from_nothing = _random_start(np.zeros(4), np.random.default_rng(1))
    assert np.all(from_nothing != 0)


def test_the_first_sweep_follows_the_features_and_the_next_ones_random_directions_too(monkeypatch):
    pool, planted = planted_pool(3)
    best, seen = run(pool, planted), []

    def noting(scaled, metric, directions, place):
        seen.append((len(directions), place.moves))
        return sweep(scaled, metric, directions, place)

    monkeypatch.setattr(mert, "sweep", noting)
    run(pool, best, restarts=4, directions=3)
    n_features = 6  # one never varies
    assert seen[:5] == [(n_features, True)] * 5
    # even where no feature improves the start, as here the best of five
    assert seen[5:7] == [(n_features + 3, True)] * 2
    assert all(n == n_features + 3 for n, _ in seen[5:])


def test_the_best_third_of_the_starts_continues_in_their_order():
    def scores(*given):
        return [place.score for place in _promising([Place(None, score, None) for score in given])]

    assert scores(5.0, 1.0, 9.0, 2.0, 3.0, 4.0) == [5.0, 9.0]
    assert scores(1.0, 7.0, 2.0, 6.0) == [7.0, 6.0]
    assert scores(3.0) == [3.0]


def test_every_sweep_improves_until_nothing_moves():
    pool, _ = planted_pool(6, noise=2.0)
    scaled = scale_pool(pool, np.full(7, 0.1), ALL)
    draw = np.random.default_rng(1)
    place = Place(draw.normal(size=6), 0.0, draw)
    scores = []
    while place.moves:
        place = sweep(scaled, MEAN, directions_of(scaled, draw.normal(size=(3, 6))), place)
        scores.append(place.score)
        assert place.score == pytest.approx(pool.score(MEAN, scaled.weights(place.point)))
    assert len(scores) > 2
    assert np.all(np.diff(scores) >= -LEAST_GAIN)
    assert sweep(scaled, MEAN, [], place) is place


def test_directions_say_how_scores_change():
    pool, planted = planted_pool(2)
    scaled = scale_pool(pool, planted, ALL)
    point, random = np.random.default_rng(1).normal(size=(2, 6))
    directions = directions_of(scaled, random[None])
    assert [along.tolist() for along, _ in directions] == [*np.eye(6).tolist(), random.tolist()]
    for along, slope in directions:
        change = scaled.scores(point + 0.5 * along) - scaled.scores(point)
        np.testing.assert_allclose(change, 0.5 * slope, atol=1e-9)
