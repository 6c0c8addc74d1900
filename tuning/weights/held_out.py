"""How much of what tuning changes is good for sentences that it has not seen.

The sentences of the pool are parted into halves. From each, the optimiser learns weights, beginning
with those before; the other half judges the way there: none of the change, a quarter of it, and so
on to all of it. Of the change that the whole run has found, the share is kept that gains most
beyond its standard error, which grows with the share and falls with the number of sentences. On a
development set that is large enough it is all, on one that is too small to learn from none. Nothing
is decoded for this: the pool has translations for all these weights.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import FloatArray, Int64Array
from tuning.evaluation.significance import resampled_scores
from tuning.metrics.base import Metric
from tuning.optimisers.interface import Start
from tuning.optimisers.pool import Pool
from tuning.weights.task import TuningTask

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
LEAST = 2  # sentences in each half
RESAMPLES = 500  # of the sentences, for standard errors


class HeldOut(NamedTuple):
    """What unseen halves say; nothing if there are too few sentences."""

    scores: tuple[float, ...] = ()  # for each of `SHARES`; more is better
    share: float = SHARES[-1]  # to be kept


def judge_halves(task: TuningTask, pool: Pool, before: FloatArray, n_rounds: int) -> HeldOut:
    """Optimisers that go part of the way go `n_rounds` times."""
    if pool.n_sentences < 2 * LEAST:
        return HeldOut()
    task.listeners.report("learning from halves of the pool", len(pool))
    halves = [np.arange(begin, pool.n_sentences, 2) for begin in range(2)]
    statistics = np.empty((len(SHARES), pool.n_sentences, pool.statistics.shape[1]))
    for number, (own, other) in enumerate((halves, halves[::-1])):
        change = _learned(task, pool, own, before, n_rounds, number) - before
        judge = pool.part(other)
        for found, share in zip(statistics, SHARES, strict=True):
            found[other] = judge.statistics[judge.best_rows(before + share * change)]
    scores = task.objective.score(statistics.sum(axis=1))
    return HeldOut(tuple(scores.tolist()), best_share(task.objective, statistics))


def best_share(metric: Metric, statistics: FloatArray) -> float:
    """The share that gains most beyond its standard error, of equal ones the largest; `statistics`
    are those of the sentences, (shares, sentences, statistics)."""
    scores = metric.score(statistics.sum(axis=1))
    none, *others = resampled_scores(metric, list(statistics), n_resamples=RESAMPLES)
    errors = [0.0, *(float(np.std(other - none, ddof=1)) for other in others)]
    return max(zip((scores - scores[0] - errors).tolist(), SHARES, strict=True))[1]


def _learned(
    task: TuningTask, pool: Pool, own: Int64Array, before: FloatArray, n_rounds: int, number: int
) -> FloatArray:
    half, weights = pool.part(own), before
    if not (half.deviations()[task.vector.tuned] > 0).any():
        return before
    optimiser = task.settings.optimiser
    for turn in range(n_rounds if optimiser.gradual else 1):
        start = Start(
            weights, task.vector.tuned, (), task.threads, task.sizes[own], task.vector.scaled
        )
        seed = np.random.SeedSequence([task.settings.seed, number, turn])
        found = optimiser.improve(half, task.objective, start, seed)
        weights = task.vector.normalise(found)
    return weights
