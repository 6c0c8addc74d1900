"""Pairwise ranking optimisation (Hopkins and May 2011): tuning as classification.

From the pool of each sentence many pairs of hypotheses are drawn; those whose metric scores differ
clearly are kept, and of them the ones that differ most. A logistic regression learns which of two
is the better one from the difference of their features; its weights, mixed with those in use, are
the new weights.

The metric judges single sentences here, so BLEU is smoothed (BLEU+1). The sampler runs compiled;
every sentence draws from a generator of its own.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import BoolArray, FloatArray, Int64Array
from models.hashing import GOLDEN, mix
from models.kernels import kernel
from tuning.optimisers.objective import Objective
from tuning.optimisers.pool import Pool
from tuning.optimisers.scaling import scale_pool


class Pairs(NamedTuple):
    """Rows of the pool; the first of each pair is the better one."""

    better: Int64Array  # (P,)
    worse: Int64Array  # (P,)


def pro(
    pool: Pool,
    objective: Objective,
    weights: FloatArray,
    tuned: BoolArray,
    *,
    seed: np.random.SeedSequence,
    candidates: int = 5000,
    pairs: int = 50,
    threshold: float = 0.05,
    interpolation: float = 0.1,
    prior: float = 1.0,
    free_scale: bool = True,
) -> FloatArray:
    """New weights, (features,); the old ones if no two hypotheses differ enough.

    `candidates` pairs are drawn for every sentence (Γ in the paper), `pairs` of them kept (Ξ), if
    they differ by `threshold` (α) of the metric's scale. `interpolation` (Ψ) is the share of the
    new weights, `prior` the precision of the Gaussian around 0 that holds them. With `free_scale`
    only the direction of the weights counts; otherwise weights that are not tuned set the scale.
    """
    scaled = scale_pool(pool, weights, tuned)
    gains = objective.smooth_sentence_scores(pool.statistics) / objective.scale
    drawn = sample_pairs(gains, pool.offsets, seed, candidates, pairs, threshold)
    if not len(drawn.better):
        return weights
    start = scaled.point(weights)
    constant = np.zeros(len(pool)) if free_scale else scaled.constant
    found = fit_pairs(scaled.features, constant, drawn, prior)
    if free_scale and start.any() and found.any():
        # The regression's weights are the longer the clearer the data are
        found *= np.abs(start).sum() / np.abs(found).sum()
    return scaled.weights(interpolation * found + (1 - interpolation) * start)


def sample_pairs(
    gains: FloatArray,
    offsets: Int64Array,
    seed: np.random.SeedSequence,
    candidates: int,
    pairs: int,
    threshold: float,
) -> Pairs:
    """The pairs to learn from, sentence by sentence, the clearest first."""
    seeds = seed.generate_state(len(offsets) - 1, np.uint64)
    better, worse = _sample(gains, offsets, seeds, candidates, pairs, threshold)
    return Pairs(better, worse)


def fit_pairs(features: FloatArray, constant: FloatArray, pairs: Pairs, prior: float) -> FloatArray:
    """Weights under which the better hypotheses are the likelier ones, (T,).

    `features` (T, H) and `constant` (H,) are those of a scaled pool.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped]

    differences = (features[:, pairs.better] - features[:, pairs.worse]).T  # (P, T)
    offset = constant[pairs.better] - constant[pairs.worse]  # (P,)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        margins = differences @ point + offset
        gradient = -np.exp(-np.logaddexp(0, margins)) @ differences + prior * point
        return float(np.logaddexp(0, -margins).sum() + prior * point @ point / 2), gradient

    result: FloatArray = minimize(loss, np.zeros(len(features)), jac=True, method="L-BFGS-B").x
    return result


@kernel
def _sample(gains, offsets, seeds, candidates, pairs, threshold):
    n_sentences = len(offsets) - 1
    better = np.empty(n_sentences * pairs, np.int64)
    worse = np.empty(n_sentences * pairs, np.int64)
    first = np.empty(candidates, np.int64)
    second = np.empty(candidates, np.int64)
    difference = np.empty(candidates)
    n = 0
    for sentence in range(n_sentences):
        begin, size = offsets[sentence], offsets[sentence + 1] - offsets[sentence]
        if size < 2:
            continue
        state, kept = seeds[sentence], 0
        for _ in range(candidates):
            state += GOLDEN
            one = begin + _below(state, size)
            state += GOLDEN
            two = begin + _below(state, size)
            if gains[one] < gains[two]:
                one, two = two, one
            if gains[one] - gains[two] >= threshold:
                first[kept], second[kept] = one, two
                difference[kept] = gains[one] - gains[two]
                kept += 1
        order = np.argsort(-difference[:kept], kind="mergesort")
        for place in order[:pairs]:
            better[n], worse[n] = first[place], second[place]
            n += 1
    return better[:n], worse[:n]


@kernel
def _below(state, size):
    """A number below `size` from a state of splitmix64 (Steele et al. 2014)."""
    return np.int64((mix(state) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))
