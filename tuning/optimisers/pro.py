"""Pairwise ranking optimisation (Hopkins and May 2011): tuning as classification.

Many pairs of hypotheses are drawn from the pool of each sentence; of those whose metric scores
differ clearly, the ones that differ most are kept. A logistic regression learns from the difference
of their features which of two is better; its weights, mixed with those in use, are the new weights.

The metric judges single sentences here, so BLEU is smoothed (BLEU+1). The sampler runs compiled;
every sentence draws from a generator of its own.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from models.arrays import FloatArray, Int64Array
from models.hashing import GOLDEN, mixed
from models.kernels import inner, kernel
from tuning.optimisers.interface import Optimiser, Start
from tuning.optimisers.objective import Objective
from tuning.optimisers.pool import Pool, scale_pool


class Pairs(NamedTuple):
    """Rows of the pool; the first of each pair is the better one."""

    better: Int64Array  # (P,)
    worse: Int64Array  # (P,)


@dataclass(frozen=True)
class Pro(Optimiser):
    """Pairwise ranking; the letters are those of the paper."""

    name: ClassVar[str] = "pro"
    gradual: ClassVar[bool] = True

    candidates: int = 5000  # Γ: pairs drawn for each sentence
    pairs: int = 50  # Ξ: pairs kept of them
    threshold: float = 0.05  # α: the least difference of a pair, as a share of the metric's scale
    interpolation: float = 0.1  # Ψ: share of the new weights, mixed with those in use
    prior: float = 1.0  # precision of the Gaussian around 0 that holds the weights

    def check_settings(self) -> None:
        self._check_least(candidates=1, pairs=1, threshold=0, prior=0)
        self._check_share("interpolation")

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        """The old weights if no two hypotheses differ enough."""
        scaled = scale_pool(pool, start.weights, start.tuned)
        gains = objective.smooth_sentence_scores(pool.statistics) / objective.scale
        drawn = self.sample(gains, pool.offsets, seed)
        if not len(drawn.better):
            return start.weights
        old = scaled.point(start.weights)
        constant = np.zeros(len(pool)) if start.free_scale else scaled.constant
        new = fit_pairs(scaled.features, constant, drawn, self.prior)
        if start.free_scale and old.any() and new.any():
            # The clearer the data, the longer the regression's weights
            new *= np.abs(old).sum() / np.abs(new).sum()
        return scaled.weights(self.interpolation * new + (1 - self.interpolation) * old)

    def sample(self, gains: FloatArray, offsets: Int64Array, seed: SeedSequence) -> Pairs:
        """The pairs to learn from, sentence by sentence, the clearest first."""
        seeds = seed.generate_state(len(offsets) - 1, np.uint64)
        return Pairs(*_sample(gains, offsets, seeds, self.candidates, self.pairs, self.threshold))


def fit_pairs(features: FloatArray, constant: FloatArray, pairs: Pairs, prior: float) -> FloatArray:
    """Weights under which the better hypotheses are the likelier ones, (T,).

    `features` (T, H) and `constant` (H,) are those of a scaled pool.
    """
    from models.learning.l_bfgs import minimise

    differences = (features[:, pairs.better] - features[:, pairs.worse]).T  # (P, T)
    offset = constant[pairs.better] - constant[pairs.worse]  # (P,)

    def loss(point: FloatArray) -> tuple[float, FloatArray]:
        margins = differences @ point + offset
        gradient = -np.exp(-np.logaddexp(0, margins)) @ differences + prior * point
        return float(np.logaddexp(0, -margins).sum() + prior * point @ point / 2), gradient

    result: FloatArray = minimise(loss, np.zeros(len(features))).x
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


@inner
def _below(state, size):
    """A number below `size` from a state of splitmix64 (Steele et al. 2014)."""
    return np.int64((mixed(state) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))
