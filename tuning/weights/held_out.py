"""Whether what tuning has learned is good for sentences that it has not seen.

The sentences are parted into fifths. From the pool of all but one, the optimiser learns weights,
beginning with those before, and the fifth, decoded with them, judges them. They must be better
there in 19 of 20 such development sets, going by the standard error of what they gain, or the
weights before stay: a set that is too small teaches its own chances.

The pool of a tuning run would not do as a judge. Its translations were found with weights that all
sentences had a part in, and flatter such weights; only lists from elsewhere may judge. Halves would
teach less than the whole set has taught.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from models.arrays import FloatArray
from tuning.evaluation.significance import resampled_scores
from tuning.optimisers.interface import Start
from tuning.optimisers.pool import Pool
from tuning.weights.pool_task import PoolTask
from tuning.weights.trace import HeldOut

PARTS = 5
LEAST = 2  # sentences in each part
SURE = 1.64  # standard errors above 0: 19 of 20 cases
RESAMPLES = 500  # of the sentences, for the standard error


# The statistics of some of the sentences, decoded with these weights
Decode: TypeAlias = Callable[[slice, Mapping[str, float]], FloatArray]


def judge_unseen(
    task: PoolTask, pool: Pool, before: FloatArray, n_rounds: int, decode: Decode
) -> HeldOut | None:
    """None if there are too few sentences. Optimisers that go part of the way go `n_rounds`
    times."""
    n_parts = min(PARTS, pool.n_sentences // LEAST)
    if n_parts < 2:
        return None
    every = np.arange(pool.n_sentences)
    old = pool.statistics[pool.best_rows(before)]
    new = np.empty_like(old)
    for number in range(n_parts):
        task.listeners.report(f"learning without a part of {n_parts}", number + 1)
        rows = every[every % n_parts != number]
        weights = learned(task, pool.part(rows), task.sizes[rows], before, n_rounds, number)
        unseen = slice(number, None, n_parts)
        new[unseen] = decode(unseen, task.vector.by_name(weights))
    score = task.objective.score(np.stack([old.sum(axis=0), new.sum(axis=0)]))
    one, two = resampled_scores(task.objective, [old, new], n_resamples=RESAMPLES)
    error = float(np.std(two - one, ddof=1))
    first, last = map(task.objective.shown, score.tolist())
    return HeldOut(first, last, error, bool(score[1] - score[0] >= SURE * error))


def learned(
    task: PoolTask, pool: Pool, sizes: FloatArray, before: FloatArray, n_rounds: int, number: int
) -> FloatArray:
    """Weights from a pool that does not change; `number` makes chance another one."""
    weights, vector = before, task.vector
    if not (pool.deviations()[vector.tuned] > 0).any():
        return before
    optimiser = task.settings.optimiser
    for turn in range(n_rounds if optimiser.gradual else 1):
        start = Start(weights, vector.tuned, (), task.threads, sizes, vector.scaled)
        seed = np.random.SeedSequence([task.settings.seed, number, turn])
        weights = vector.normalise(optimiser.improve(pool, task.objective, start, seed))
    return weights
