"""Batch MIRA: one pass against a slow one, slopes of metrics, and what it learns."""

import numpy as np
import pytest

from tests.tuning.optimisers.pools import MEAN, oracle, planted_pool
from tuning.metrics.base import Outputs
from tuning.metrics.bleu import Bleu
from tuning.optimisers.interface import Start
from tuning.optimisers.line_search import BETTER
from tuning.optimisers.mira import Mira, _one_pass, metric_slopes
from tuning.optimisers.pool import Pool, scale_pool

ALL = np.ones(7, dtype=bool)


def mira(pool, weights, tuned=ALL, seed=1, **settings):
    start = Start(weights, tuned)
    return Mira(**settings).improve(pool, MEAN, start, np.random.SeedSequence(seed))


def slow_pass(features, constant, statistics, gains, offsets, order, point, step, decay):
    sums, corpus, n = np.zeros_like(point), np.zeros(statistics.shape[1]), 0.0
    for sentence in order:
        rows = np.arange(offsets[sentence], offsets[sentence + 1])
        scores = features[rows] @ point + constant[rows]
        best, hope, fear = (
            rows[np.argmax(values)]
            for values in (scores, scores + gains[rows], scores - gains[rows])
        )
        difference = features[hope] - features[fear]
        loss = gains[hope] - gains[fear] - (difference @ point + constant[hope] - constant[fear])
        if loss > 0 and difference.any():
            point = point + min(step, loss / (difference @ difference)) * difference
        sums = sums + point
        corpus = decay * corpus + statistics[best]
        n = decay * n + 1
    return point, sums, corpus, n


@pytest.mark.parametrize("seed", range(5))
def test_a_pass_is_the_slow_one(seed):
    pool, planted = planted_pool(seed, n_sentences=20, noise=1.0)
    draw = np.random.default_rng(seed)
    tuned = ALL.copy()
    tuned[2] = False
    scaled = scale_pool(pool, planted, tuned)
    features = np.ascontiguousarray(scaled.features.T)
    gains = draw.normal(size=len(pool))
    order = draw.permutation(pool.n_sentences)
    start = draw.normal(size=5)
    point, sums, corpus, n = start.copy(), np.zeros(5), np.zeros(2), np.zeros(1)
    _one_pass(
        features, scaled.constant, pool.statistics, gains, pool.offsets, order, point, sums,
        corpus, n, 0.05, 0.9,
    )  # fmt: skip
    expected = slow_pass(
        features, scaled.constant, pool.statistics, gains, pool.offsets, order, start, 0.05, 0.9
    )
    for ours, slow in zip((point, sums, corpus, n[0]), expected, strict=True):
        np.testing.assert_allclose(ours, slow)


def test_slopes_tell_what_a_sentence_adds():
    lines = ["a b c d e f", "a b x d e f", "g h i j k", "g h i k j"]
    references = [["a b c d e g"], ["a b c d e f"], ["g h i j k l"], ["g h i j k"]]
    metric = Bleu()
    statistics = metric.statistics(Outputs(lines, references))
    corpus = 100 * statistics.sum(axis=0)
    slopes = metric_slopes(metric, corpus, 400.0)
    for row in statistics:
        exact = metric.score(corpus + row) - metric.score(corpus)
        assert row @ slopes == pytest.approx(float(exact), abs=1e-3)


def test_a_count_of_zero_has_the_slope_of_the_first_one():
    metric = Bleu()
    # 12 of 15 words match, 6 of 12 bigrams, 3 of 9 trigrams and none of 6 4-grams; 18 are expected
    corpus = np.array([15.0, 18, 12, 6, 3, 0, 15, 12, 9, 6])
    slopes = metric_slopes(metric, corpus, 3.0)
    # smoothing counts half a 4-gram, so a whole one doubles the precision
    bleu = 100 * np.exp(1 - 18 / 15) * (12 / 15 * 6 / 12 * 3 / 9 * 0.5 / 6) ** 0.25
    assert slopes[5] == pytest.approx(bleu * (2**0.25 - 1))
    assert np.isfinite(slopes).all()
    assert np.all(slopes[2:6] > 0)
    # without any match the score is 0, and the first one of any length lifts it
    nothing = metric_slopes(metric, np.array([4.0, 4, 0, 0, 0, 0, 4, 3, 2, 1]), 1.0)
    assert np.flatnonzero(nothing).tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_optimum_is_approached(seed):
    pool, _ = planted_pool(seed)
    start = np.full(7, 0.01)
    found = mira(pool, start, seed=seed)
    before, after = pool.score(MEAN, start), pool.score(MEAN, found)
    assert after - before > 0.9 * (oracle(pool) - before) > 10
    again = mira(pool, start, seed=seed)
    assert again.tolist() == found.tolist()
    assert found[6] == 0.01


def test_of_all_passes_the_best_average_is_taken():
    pool, planted = planted_pool(1, noise=3.0)

    def score(passes):
        found = mira(pool, planted, passes=passes)
        return pool.score(MEAN, found)

    scores = [score(passes) for passes in range(1, 9)]
    assert np.all(np.diff(scores) >= -BETTER)
    assert scores[-1] > scores[0]


def test_fixed_weights_stay():
    pool, planted = planted_pool(5)
    tuned = ALL.copy()
    tuned[[1, 4]] = False
    start = np.where(tuned, 0.01, planted)
    found = mira(pool, start, tuned)
    assert found[[1, 4]].tolist() == planted[[1, 4]].tolist()
    assert pool.score(MEAN, found) > pool.score(MEAN, start)


def test_nothing_to_gain():
    pool, _ = planted_pool(6)
    same = Pool(pool.features, np.ones_like(pool.statistics), pool.keys, pool.offsets)
    start = np.linspace(-1, 1, 7)
    found = mira(same, start, passes=3)
    np.testing.assert_allclose(found, start)
