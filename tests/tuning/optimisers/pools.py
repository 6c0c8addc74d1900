"""Pools whose best weights are known."""

import numpy as np

from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.optimisers.objective import Objective, Term
from hyperbaton.tuning.optimisers.pool import Pool

MEAN = Objective([Term(1.0, Ribes())])  # a metric that is the mean of single scores


def planted_pool(seed=0, n_sentences=60, size=40, n_features=6, noise=0.0):
    """A pool, and weights under which the best hypothesis of every sentence is the best there is.

    A hypothesis is the better the higher it scores under these weights; features are of very
    different size, one is the same for all hypotheses of a sentence.
    """
    draw = np.random.default_rng(seed)
    counts = draw.integers(2, size, size=n_sentences)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    scales = np.array([1, 100, 0.01, 5, 1, 20][:n_features])
    features = draw.normal(size=(offsets[-1], n_features)) * scales
    weights = draw.choice([-1, 1], n_features) * draw.uniform(0.5, 2, n_features) / scales
    quality = features @ weights + noise * draw.normal(size=len(features))
    scores = 1 / (1 + np.exp(-quality / 2))
    constant = np.repeat(draw.normal(size=n_sentences), counts)
    features = np.concatenate([features, constant[:, None]], axis=1)
    statistics = np.stack([scores, np.ones(len(scores))], axis=1)
    keys = np.arange(len(scores)).astype(np.uint64)
    return Pool(features, statistics, keys, offsets), np.append(weights, 0.0)


def oracle(pool):
    """The score of the best hypotheses."""
    best = np.maximum.reduceat(pool.statistics[:, 0], pool.offsets[:-1])
    return 100 * best.mean()
