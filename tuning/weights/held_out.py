"""How much of what tuning changes is good for sentences that it has not seen.

The sentences of the pool are parted into halves. From each, the optimiser learns weights, beginning
with those before; the other half judges the way there: none of the change, a quarter of it, and so
on to all of it. Of the change that the whole run has found, the share with the best score is kept.
On a development set that is large enough it is all, on one that is too small to learn from none.
Nothing is decoded for this, the pool has translations for all these weights.
"""

from collections.abc import Sequence

import numpy as np

from models.arrays import FloatArray, Int64Array
from tuning.optimisers.interface import Start
from tuning.optimisers.pool import Pool
from tuning.weights.task import TuningTask

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
LEAST = 2  # sentences in each half


def held_out_scores(
    task: TuningTask, pool: Pool, before: FloatArray, n_rounds: int
) -> tuple[float, ...]:
    """Of the objective, for each of `SHARES`; more is better. Optimisers that go part of the way go
    `n_rounds` times. Nothing if there are too few sentences."""
    if pool.n_sentences < 2 * LEAST:
        return ()
    task.listeners.report("learning from halves of the pool", len(pool))
    halves = [np.arange(begin, pool.n_sentences, 2) for begin in range(2)]
    sums = np.zeros((len(SHARES), pool.statistics.shape[1]))
    for number, (own, other) in enumerate((halves, halves[::-1])):
        change = _learned(task, pool, own, before, n_rounds, number) - before
        judge = pool.part(other)
        for row, share in zip(sums, SHARES, strict=True):
            row += judge.statistics[judge.best_rows(before + share * change)].sum(axis=0)
    return tuple(task.objective.score(sums).tolist())


def best_share(scores: Sequence[float]) -> float:
    """Of equal ones the largest; all if there are no scores."""
    return max(zip(scores, SHARES, strict=True))[1] if scores else SHARES[-1]


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
