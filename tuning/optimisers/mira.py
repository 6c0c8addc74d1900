"""Batch MIRA on n-best lists (Cherry and Foster 2012): large margins, sentence by sentence.

For each sentence, hope has the highest sum of model score and metric gain, fear the highest
difference. If their model scores differ by less than their gains do, the weights move just far
enough, but never by more than `step` times the difference of their features:

    w ← w + η (f_hope − f_fear),   η = min(step, (Δgain − Δscore) / |f_hope − f_fear|²)

The gain of a hypothesis is what it adds to the metric of a pseudo-corpus: the summed statistics of
best hypotheses, which fade by `decay` with every sentence. The metric is taken as linear around
that corpus (as Tromble et al. 2008 do with BLEU), with slopes measured anew in each pass, so that
any metric can be used and all work on a sentence is compiled. Weights are averaged over all
updates; of the averages after each pass, the one that scores best on the pool is returned.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import SeedSequence

from models.arrays import FloatArray
from models.errors import SettingError
from models.kernels import kernel
from tuning.metrics.base import Metric
from tuning.optimisers.interface import Optimiser, Start
from tuning.optimisers.line_search import BETTER
from tuning.optimisers.objective import Objective
from tuning.optimisers.pool import Pool, scale_pool


@dataclass(frozen=True)
class Mira(Optimiser):
    """Batch MIRA."""

    name: ClassVar[str] = "mira"

    passes: int = 60  # over the development set, in each round
    step: float = 0.01  # the longest step
    decay: float = 0.999  # how fast the pseudo-corpus fades

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
        features = np.ascontiguousarray(scaled.features.T)  # (H, T)
        point = scaled.point(start.weights)
        best_point, best_score = point, -np.inf
        corpus = scaled.best_sums(point)
        n_sentences = np.array([float(pool.n_sentences)])  # in the pseudo-corpus, faded as well
        sums = np.zeros(len(point))
        for number in range(1, self.passes + 1):
            slopes = metric_slopes(objective, corpus, float(n_sentences[0]))
            gains = pool.statistics @ slopes * (n_sentences[0] / objective.scale)
            point, corpus = point.copy(), corpus.copy()
            _one_pass(
                features, scaled.constant, pool.statistics, gains, pool.offsets,
                draw.permutation(pool.n_sentences), point, sums, corpus, n_sentences, self.step,
                self.decay,
            )  # fmt: skip
            average = sums / (number * pool.n_sentences)
            score = pool.score(objective, scaled.weights(average))
            if score > best_score + BETTER:
                best_point, best_score = average, score
        return scaled.weights(best_point)


def metric_slopes(metric: Metric, corpus: FloatArray, n_sentences: float) -> FloatArray:
    """How the metric changes with each statistic around a corpus, (statistics,).

    Measured over the mean statistics of a sentence in both directions, which smooths over the
    places where a metric has no slope. A count of 0 cannot fall, so its slope is that of the first
    one.
    """
    is_zero = corpus == 0
    above = np.where(is_zero, 1.0, np.abs(corpus) / max(n_sentences, 1.0))
    below = np.where(is_zero, 0.0, above)
    rises = metric.score(corpus + np.diag(above)) - metric.score(corpus - np.diag(below))
    slopes: FloatArray = rises / (above + below)
    return slopes


@kernel
def _one_pass(
    features, constant, statistics, gains, offsets, order, point, sums, corpus, n_sentences, step,
    decay,
):  # fmt: skip
    """One update for every sentence; `point`, `sums`, `corpus` and `n_sentences` change."""
    for sentence in order:
        begin, end = offsets[sentence], offsets[sentence + 1]
        best, hope, fear = begin, begin, begin
        best_score = hope_score = fear_score = -np.inf
        for row in range(begin, end):
            score = constant[row]
            for k in range(len(point)):
                score += point[k] * features[row, k]
            if score > best_score:
                best, best_score = row, score
            if score + gains[row] > hope_score:
                hope, hope_score = row, score + gains[row]
            if score - gains[row] > fear_score:
                fear, fear_score = row, score - gains[row]
        # (score + gain of hope) − (score − gain of fear) lacks twice the scores
        margin = (hope_score - gains[hope]) - (fear_score + gains[fear])
        loss = gains[hope] - gains[fear] - margin
        norm = 0.0
        for k in range(len(point)):
            norm += (features[hope, k] - features[fear, k]) ** 2
        if loss > 0 and norm > 0:
            size = min(step, loss / norm)
            for k in range(len(point)):
                point[k] += size * (features[hope, k] - features[fear, k])
        for k in range(len(point)):
            sums[k] += point[k]
        for k in range(len(corpus)):
            corpus[k] = decay * corpus[k] + statistics[best, k]
        n_sentences[0] = decay * n_sentences[0] + 1
