"""Batch MIRA: one pass against a slow one, gains of length, and what it learns."""

import numpy as np
import pytest

from hyperbaton.foundation.kernels import kernel
from hyperbaton.tuning.metrics import bleu
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.chrf import Chrf
from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.mira import (
    JUDGED,
    Mira,
    _Corpus,
    _Lists,
    _pass_for_any,
    _pass_for_bleu,
)
from hyperbaton.tuning.optimisers.objective import Objective, Term
from hyperbaton.tuning.optimisers.pool import Pool
from tests.tuning.optimisers.pools import MEAN, planted_pool

ALL = np.ones(7, dtype=bool)
bleu_of = kernel(bleu.bleu_of)


def mira(pool, weights, tuned=ALL, seed=1, **settings):
    start = Start(weights, tuned)
    return Mira(**settings).improve(pool, MEAN, start, np.random.SeedSequence(seed))


def random_lists(draw, metric, n_sentences=20, n_features=4):
    """N-best lists of random words, with their statistics."""
    sizes = draw.integers(1, 6, n_sentences)
    references = [" ".join(draw.choice(list("abcd"), draw.integers(4, 9))) for _ in sizes]
    texts, own = [], []
    for size, reference in zip(sizes, references, strict=True):
        for _ in range(size):
            words = reference.split()
            words[draw.integers(len(words))] = draw.choice(list("abcdx"))
            texts.append(" ".join(words[: draw.integers(1, 10)]))
            own.append([reference])
    n = len(texts)
    return _Lists(
        draw.normal(size=(n, n_features)),
        draw.normal(size=n),
        metric.statistics(Outputs(texts, own)),
        np.concatenate([[0], np.cumsum(sizes)]),
        draw.integers(3, 12, n_sentences).astype(float),
    )


def slow_pass(score, lists, order, point, corpus, size, step, decay):
    """As in the paper, with the metric recomputed from scratch for every hypothesis."""
    sums = np.zeros_like(point)
    for sentence in order:
        rows = np.arange(lists.offsets[sentence], lists.offsets[sentence + 1])
        scores = lists.features[rows] @ point + lists.constant[rows]
        words = size + lists.sizes[sentence]
        gains = np.array([words * score(corpus + lists.statistics[row]) / 100 for row in rows])
        best, hope, fear = map(np.argmax, (scores, scores + gains, scores - gains))
        difference = lists.features[rows[hope]] - lists.features[rows[fear]]
        loss = gains[hope] - gains[fear] - (scores[hope] - scores[fear])
        if loss > 0 and difference.any():
            point = point + min(step, loss / (difference @ difference)) * difference
        sums = sums + point
        corpus = decay * corpus + lists.statistics[rows[best]]
        size = decay * size + lists.sizes[sentence]
    return point, sums, corpus, size


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [Bleu(), Bleu(order=2), Chrf()], ids=lambda one: one.name)
def test_a_pass_is_the_slow_one(seed, metric):
    draw = np.random.default_rng(seed)
    lists = random_lists(draw, metric)
    order = draw.permutation(len(lists.sizes))
    start = draw.normal(size=4)
    before, size = 3 * lists.statistics[:7].sum(axis=0), 40.0
    expected = slow_pass(metric.score, lists, order, start, before, size, 0.05, 0.9)
    point, sums, corpus = start.copy(), np.zeros(4), _Corpus(before.copy(), np.array([size]))
    state = lists, order, point, sums, corpus, 0.05, 0.9
    if isinstance(metric, Bleu):
        _pass_for_bleu(*state)
    else:
        _pass_for_any(Objective([Term(1.0, metric)]), *state)
    for ours, slow in zip((point, sums, corpus.statistics, corpus.size[0]), expected, strict=True):
        np.testing.assert_allclose(ours, slow)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_compiled_bleu_is_bleu(order):
    draw, metric = np.random.default_rng(order), Bleu(order=order)
    for _ in range(200):
        totals = np.sort(draw.integers(0, 12, order))[::-1]
        matches = np.minimum(totals, draw.integers(0, 12, order))
        sums = np.concatenate([[totals[0], draw.integers(0, 14)], matches, totals]).astype(float)
        assert bleu_of(sums) == pytest.approx(float(metric.score(sums)), rel=1e-12)


def ladder(n_sentences, ratio):
    """Sentences of ten words; their hypotheses have 1 to 10 times as many, of which the first
    `ratio` words are right. The only feature counts words."""
    reference = [f"w{n}" for n in range(10)]
    texts = [" ".join((reference[:ratio] + ["x"] * 100)[: 10 * n]) for n in range(1, 11)] + [
        " ".join(reference[:ratio])
    ]
    one = Bleu().statistics(Outputs(texts, [[" ".join(reference)]] * len(texts)))
    n = len(texts)
    words = np.array([len(text.split()) for text in texts], float)
    return Pool(
        np.tile(words, n_sentences)[:, None],
        np.tile(one, (n_sentences, 1)),
        np.arange(n * n_sentences, dtype=np.uint64),
        np.arange(n_sentences + 1) * n,
    )


def test_length_is_not_rewarded_without_end():
    # Seven of ten words are right and the corpus is too short, so some words more, even wrong ones,
    # raise BLEU; a hundred in every sentence do not
    pool = ladder(200, 7)
    lists = _Lists(
        pool.features, np.zeros(len(pool)), pool.statistics, pool.offsets, np.full(200, 10.0)
    )
    point = np.array([-0.01])
    corpus = _Corpus(pool.statistics[pool.best_rows(point)].sum(axis=0), np.array([2000.0]))
    longest = 0.0
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(200)
        for sentence in order:  # one by one, to see every state on the way
            _pass_for_bleu(lists, np.array([sentence]), point, np.zeros(1), corpus, 0.01, 0.999)
            longest = max(longest, corpus.statistics[0] / corpus.statistics[1])
    assert longest < 1.2


def test_of_the_averages_after_every_fifth_pass_the_best_is_taken():
    pool, planted = planted_pool(1, noise=3.0)

    def score(passes):
        found = mira(pool, planted, passes=passes, step=0.01)
        return pool.score(MEAN, found)

    scores = [score(passes) for passes in range(JUDGED, 9 * JUDGED, JUDGED)]
    assert np.all(np.diff(scores) >= -LEAST_GAIN)
    assert score(2 * JUDGED + 1) >= scores[1]  # the last pass counts as well
    assert scores[-1] > scores[0]


def test_seeds_decide_the_order_of_the_sentences():
    pool, _ = planted_pool(1, noise=3.0)
    one, again, other = (mira(pool, np.full(7, 0.1), seed=seed, passes=2) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist()
    assert one.tolist() != other.tolist()
