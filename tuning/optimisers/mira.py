"""Batch MIRA on n-best lists (Cherry and Foster 2012): large-margin updates, sentence by sentence.

For each sentence, hope is the hypothesis with the highest sum of model score and metric gain, fear
the one with the highest difference. If their model scores differ by less than their gains, the
weights move just far enough, but at most by `step` times the difference of their features:

    w ← w + η (f_hope − f_fear),   η = min(step, (Δgain − Δscore) / |f_hope − f_fear|²)

The gain of a hypothesis e of a sentence s is the metric of a pseudo-corpus B with e added, times
the source words of both (Chiang et al. 2008):

    gain(e) = (|B| + |s|) · metric(B + e),   then   B ← decay · B + (statistics of the best e)

B reflects what the model currently prefers. When it becomes too long, longer hypotheses stop
gaining at once, within the pass; a linear approximation of the metric would keep rewarding length.
Weights are averaged over all updates; of the averages after every fifth pass and the last, the one
with the best score on the pool is returned.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.metrics.bleu import Bleu, bleu_of
from hyperbaton.tuning.optimisers.interface import Optimiser, Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool

JUDGED = 5  # passes between two averages that are scored


@dataclass(frozen=True)
class Mira(Optimiser):
    """Batch MIRA."""

    name: ClassVar[str] = "mira"
    # The hypotheses of the first pools differ too little to show where a step goes too far: full
    # steps would lead from short translations to some that are several times too long, and back
    first_step: ClassVar[float] = 0.25
    # Its scores stay level soon; those of PRO rise longer, and MERT stops by itself
    iterations: ClassVar[int] = 10
    patience: ClassVar[int] = 3

    passes: int = 60  # passes over the development set in each round
    step: float = 0.003  # longest update step
    decay: float = 0.999  # factor by which the pseudo-corpus shrinks with each sentence

    def check_settings(self) -> None:
        self._check_least(passes=1)
        self._check_share("decay")
        if not self.step > 0:
            raise SettingError(f"mira.step is {self.step}", expected="above 0")

    def improve(
        self, pool: Pool, objective: Objective, start: Start, seed: SeedSequence
    ) -> FloatArray:
        scaled = scale_pool(pool, start.weights, start.tuned)
        draw = np.random.default_rng(seed)
        lists = _Lists(
            np.ascontiguousarray(scaled.features.T),
            scaled.constant,
            pool.statistics,
            pool.offsets,
            np.ones(pool.n_sentences) if start.sizes is None else start.sizes,
        )
        point = scaled.point(start.weights)
        best_point, best_score = point, -np.inf
        one_pass = _pass_for_bleu if _is_bleu(objective) else partial(_pass_for_any, objective)
        corpus = _Corpus(scaled.best_sums(point), np.array([lists.sizes.sum()]))
        sums = np.zeros(len(point))
        point = point.copy()
        for number in range(1, self.passes + 1):
            order = draw.permutation(pool.n_sentences)
            one_pass(lists, order, point, sums, corpus, self.step, self.decay)
            if number % JUDGED and number < self.passes:
                continue
            average = sums / (number * pool.n_sentences)
            score = pool.score(objective, scaled.weights(average))
            if score > best_score + LEAST_GAIN:
                best_point, best_score = average, score
        return scaled.weights(best_point)


class _Lists(NamedTuple):
    """The n-best lists; H hypotheses."""

    features: FloatArray  # (H, T)
    constant: FloatArray  # (H,)
    statistics: FloatArray  # (H, statistics)
    offsets: Int64Array  # (n_sentences + 1,)
    sizes: FloatArray  # (n_sentences,) source words


class _Corpus(NamedTuple):
    """The pseudo-corpus, which changes with every sentence."""

    statistics: FloatArray
    size: FloatArray  # (1,) source words


def _is_bleu(objective: Objective) -> bool:
    [term, *others] = objective.terms
    return not others and term.factor == 1.0 and type(term.metric) is Bleu


@kernel
def _pass_for_bleu(lists, order, point, sums, corpus, step, decay):
    """One update for every sentence; `point`, `sums` and `corpus` change."""
    together = np.empty(lists.statistics.shape[1])
    gains = np.empty(len(lists.constant))
    for sentence in order:
        size = (corpus.size[0] + lists.sizes[sentence]) / 100
        for row in range(lists.offsets[sentence], lists.offsets[sentence + 1]):
            for k in range(len(together)):
                together[k] = corpus.statistics[k] + lists.statistics[row, k]
            gains[row] = size * bleu_of(together)
        best = _update(lists, sentence, gains, point, step)
        _go_on(lists, sentence, best, point, sums, corpus, decay)


def _pass_for_any(
    metric: Metric,
    lists: _Lists,
    order: Int64Array,
    point: FloatArray,
    sums: FloatArray,
    corpus: _Corpus,
    step: float,
    decay: float,
) -> None:
    """The same for any metric; not compiled."""
    gains = np.empty(len(lists.constant))
    for sentence in order:
        rows = slice(lists.offsets[sentence], lists.offsets[sentence + 1])
        size = (corpus.size[0] + lists.sizes[sentence]) / metric.scale
        gains[rows] = size * metric.score(corpus.statistics + lists.statistics[rows])
        _take_one(lists, sentence, gains, point, sums, corpus, step, decay)


@kernel
def _take_one(lists, sentence, gains, point, sums, corpus, step, decay):
    best = _update(lists, sentence, gains, point, step)
    _go_on(lists, sentence, best, point, sums, corpus, decay)


@uncounted
def _update(lists, sentence, gains, point, step):
    """Moves the point; returns the best hypothesis before the move."""
    begin, end = lists.offsets[sentence], lists.offsets[sentence + 1]
    features = lists.features
    best, hope, fear = begin, begin, begin
    best_score = hope_score = fear_score = -np.inf
    for row in range(begin, end):
        score = lists.constant[row]
        for k in range(len(point)):
            score += point[k] * features[row, k]
        if score > best_score:
            best, best_score = row, score
        if score + gains[row] > hope_score:
            hope, hope_score = row, score + gains[row]
        if score - gains[row] > fear_score:
            fear, fear_score = row, score - gains[row]
    # remove the gains from both: the margin is a difference of model scores
    margin = (hope_score - gains[hope]) - (fear_score + gains[fear])
    loss = gains[hope] - gains[fear] - margin
    norm = 0.0
    for k in range(len(point)):
        norm += (features[hope, k] - features[fear, k]) ** 2
    if loss > 0 and norm > 0:
        size = min(step, loss / norm)
        for k in range(len(point)):
            point[k] += size * (features[hope, k] - features[fear, k])
    return best


@uncounted
def _go_on(lists, sentence, best, point, sums, corpus, decay):
    """Adds the point to the average, and the best hypothesis to the pseudo-corpus."""
    for k in range(len(point)):
        sums[k] += point[k]
    for k in range(len(corpus.statistics)):
        corpus.statistics[k] = decay * corpus.statistics[k] + lists.statistics[best, k]
    corpus.size[0] = decay * corpus.size[0] + lists.sizes[sentence]
