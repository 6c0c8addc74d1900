"""Pairwise ranking optimisation (Hopkins and May 2011): tuning as classification.

Pairs of hypotheses with clearly different metric scores are drawn from the pool of each sentence.
From the difference of their features, a logistic regression learns which of two is better; its
weights, mixed with those in use, are the new weights.

We deviate from the paper in two ways, because it makes translations too short. First, a hypothesis
is scored by the metric of the whole development set, with all other sentences translated as they
are now; BLEU+1 of the sentence alone smooths n-grams but not the brevity penalty (Nakov et al.
2012). Second, the first clear pairs are taken, not those that differ most, because these contain
the worst hypotheses of the pool, many of them far too long (Nakov et al. 2013).

The sampler is compiled; every sentence has its own random generator.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.hashing import GOLDEN, mixed
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.optimisers.interface import Optimiser, Start
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool


class RankedPairs(NamedTuple):
    """Rows of the pool; the first of each pair is the better one."""

    better: Int64Array  # (P,)
    worse: Int64Array  # (P,)


@dataclass(frozen=True)
class Pro(Optimiser):
    """Pairwise ranking; the Greek letters are those of Hopkins and May (2011)."""

    name: ClassVar[str] = "pro"
    gradual: ClassVar[bool] = True

    candidates: int = 5000  # Γ: most pairs drawn for each sentence
    pairs: int = 50  # Ξ: pairs kept for each sentence, the first that differ enough
    threshold: float = 0.05  # α: smallest difference of a pair, as a share of the metric's scale
    interpolation: float = 0.3  # Ψ: share of the new weights in the mixture with the current ones
    prior: float = 1.0  # precision of the Gaussian prior on the weights

    def check_settings(self) -> None:
        self._check_least(candidates=1, pairs=1, threshold=0, prior=0)
        self._check_share("interpolation")

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        """Returns new weights, or the old ones if no two hypotheses differ enough."""
        scaled = scale_pool(pool, start.weights, start.tuned)
        drawn = self.sample(corpus_gains(pool, objective, start), pool.offsets, seed)
        if not len(drawn.better):
            return start.weights
        old = scaled.point(start.weights)
        constant = np.zeros(len(pool)) if start.free_scale else scaled.constant
        new = fit_pairs(scaled.features, constant, drawn, self.prior)
        if start.free_scale and old.any() and new.any():
            # The length of the regression's weights only reflects how separable the data are
            new *= np.abs(old).sum() / np.abs(new).sum()
        return scaled.weights(self.interpolation * new + (1 - self.interpolation) * old)

    def sample(self, gains: FloatArray, offsets: Int64Array, seed: SeedSequence) -> RankedPairs:
        """Draws the pairs to learn from, sentence by sentence."""
        seeds = seed.generate_state(len(offsets) - 1, np.uint64)
        return RankedPairs(
            *_sample(gains, offsets, seeds, self.candidates, self.pairs, self.threshold)
        )


def corpus_gains(pool: Pool, objective: Objective, start: Start) -> FloatArray:
    """The metric of the development set with each hypothesis instead of the best one of its
    sentence, scaled up by set size / sentence size: a share of the metric's scale, up to a
    constant."""
    chosen = pool.statistics[pool.best_rows(start.weights)]
    sizes = np.ones(pool.n_sentences) if start.sizes is None else np.maximum(start.sizes, 1)
    sentence = pool.sentence_of
    scores = objective.score(chosen.sum(axis=0) - chosen[sentence] + pool.statistics)
    gains: FloatArray = scores / objective.scale * (sizes.sum() / sizes[sentence])
    return gains


def fit_pairs(
    features: FloatArray, constant: FloatArray, pairs: RankedPairs, prior: float
) -> FloatArray:
    """Fits weights by logistic regression on the pairs, (T,).

    `features` (T, H) and `constant` (H,) are those of a scaled pool.
    """
    from hyperbaton.models.learning.l_bfgs import minimise

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
    n = 0
    for sentence in range(n_sentences):
        begin, size = offsets[sentence], offsets[sentence + 1] - offsets[sentence]
        if size < 2:
            continue
        state, most = seeds[sentence], n + pairs
        for _ in range(candidates):
            if n == most:
                break
            state += GOLDEN
            one = begin + _below(state, size)
            state += GOLDEN
            two = begin + _below(state, size)
            if gains[one] < gains[two]:
                one, two = two, one
            if gains[one] - gains[two] >= threshold:
                better[n], worse[n] = one, two
                n += 1
    return better[:n], worse[:n]


@inner
def _below(state, size):
    """A number below `size` from a state of splitmix64 (Steele et al. 2014)."""
    return np.int64((mixed(state) >> np.uint64(32)) * np.uint64(size) >> np.uint64(32))
