"""PRO: its sampler against a slow one, its regression against scikit-learn, and what it learns."""

import numpy as np
import pytest

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.objective import Objective, Term
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool
from hyperbaton.tuning.optimisers.pro import Pro, corpus_gains, fit_pairs
from tests.tuning.optimisers.pools import MEAN, planted_pool

ALL = np.ones(7, dtype=bool)
MASK = (1 << 64) - 1


def pro(pool, weights, tuned=ALL, seed=1, free_scale=True, **settings):
    start = Start(weights, tuned, free_scale=free_scale)
    return Pro(**settings).improve(pool, MEAN, start, np.random.SeedSequence(seed))


def slow_pairs(gains, offsets, seed, candidates, pairs, threshold):
    """splitmix64 in Python's own numbers."""
    result = []
    for sentence, state in enumerate(seed.generate_state(len(offsets) - 1, np.uint64).tolist()):
        begin, size = offsets[sentence], offsets[sentence + 1] - offsets[sentence]
        if size < 2:
            continue
        drawn = []
        for _ in range(candidates):
            rows = []
            for _ in range(2):
                state = (state + 0x9E3779B97F4A7C15) & MASK
                mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
                mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
                mixed ^= mixed >> 31
                rows.append(int(begin + ((mixed >> 32) * int(size) >> 32)))
            if gains[rows[0]] < gains[rows[1]]:
                rows = rows[::-1]
            if gains[rows[0]] - gains[rows[1]] >= threshold:
                drawn.append(rows)
        result += drawn[:pairs]
    return result


def test_pairs_differ_clearly_and_are_the_first_that_do():
    pool, _ = planted_pool(1, n_sentences=8)
    gains = pool.statistics[:, 0]
    offsets = np.append(pool.offsets, pool.offsets[-1])  # the last sentence has no hypothesis
    seed = np.random.SeedSequence(3)
    found = Pro(100, 10, 0.2).sample(gains, offsets, seed)
    assert np.stack(found, axis=1).tolist() == slow_pairs(gains, offsets, seed, 100, 10, 0.2)
    assert (gains[found.better] - gains[found.worse] >= 0.2).all()


def test_a_pair_that_differs_by_the_threshold_is_clear():
    gains, offsets = np.array([0.25, 0.5]), np.array([0, 2])
    seed = np.random.SeedSequence(1)
    assert Pro(100, 1, 0.25).sample(gains, offsets, seed).better.tolist() == [1]
    assert not len(Pro(100, 1, 0.2500001).sample(gains, offsets, seed).better)


TEXTS = [["a b c d e f", "a b x d", "c"], ["g h i j k", "g h i j k l m n"], ["o"], [""]]
REFERENCES = ["a b c d x f", "g h i j k l", "o p", ""]


def test_a_hypothesis_is_worth_what_the_whole_set_becomes_with_it():
    from sacrebleu.metrics.bleu import BLEU

    lists = list(zip(TEXTS, REFERENCES, strict=True))
    outputs = Outputs(sum(TEXTS, []), [[one] for texts, one in lists for _ in texts])  # noqa: RUF017
    offsets = np.cumsum([0, *map(len, TEXTS)])
    preferred = [1, 0, 0, 0]  # by the only feature
    features = np.concatenate(
        [np.arange(len(texts)) == k for texts, k in zip(TEXTS, preferred, strict=True)]
    )
    objective = Objective([Term(1.0, Bleu())])
    pool = Pool(
        features[:, None] * 1.0,
        objective.statistics(outputs),
        np.arange(7).astype(np.uint64),
        offsets,
    )
    sizes = np.array([4.0, 3, 2, 0])  # an empty sentence counts as a word
    start = Start(np.ones(1), np.ones(1, bool), sizes=sizes)
    found = corpus_gains(pool, objective, start)
    bleu = BLEU(tokenize="none", force=True)
    for sentence, texts in enumerate(TEXTS):
        for k, text in enumerate(texts):
            now = [own[which] for own, which in zip(TEXTS, preferred, strict=True)]
            now[sentence] = text
            score = bleu.corpus_score(now, [REFERENCES]).score
            words = [4, 3, 2, 1]
            expected = score / 100 * sum(words) / words[sentence]
            assert found[offsets[sentence] + k] == pytest.approx(expected)


def test_all_hypotheses_are_drawn():
    gains = np.array([0.0, 1, 0.5, 2])
    found = Pro(500, 500, 0.1).sample(gains, np.array([0, 4]), np.random.SeedSequence(1))
    drawn = set(zip(found.better.tolist(), found.worse.tolist(), strict=True))
    assert drawn == {(1, 0), (2, 0), (3, 0), (1, 2), (3, 1), (3, 2)}


def test_the_regression_is_that_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    pool, planted = planted_pool(2, noise=1.0)
    scaled = scale_pool(pool, planted, ALL)
    gains = pool.statistics[:, 0]
    drawn = Pro(50, 5, 0.1).sample(gains, pool.offsets, np.random.SeedSequence(1))
    differences = (scaled.features[:, drawn.better] - scaled.features[:, drawn.worse]).T
    # without an intercept, a pair and its mirror image say the same twice: half the penalty each
    both = np.concatenate([differences, -differences])
    labels = np.repeat([1, 0], len(differences))
    theirs = LogisticRegression(C=0.5, fit_intercept=False, tol=1e-8).fit(both, labels)
    ours = fit_pairs(scaled.features, np.zeros(len(pool)), drawn, 1.0)
    np.testing.assert_allclose(ours, theirs.coef_[0], rtol=2e-3, atol=2e-3)


def test_interpolation_is_the_share_of_the_new_weights():
    pool, _ = planted_pool(4)
    start = np.append(np.full(6, 0.1), 0.0)
    new, half = (pro(pool, start, interpolation=share) for share in (1.0, 0.25))
    np.testing.assert_allclose(half, 0.25 * new + 0.75 * start)
    deviations = pool.deviations()
    assert np.abs(new * deviations).sum() == pytest.approx(np.abs(start * deviations).sum())
