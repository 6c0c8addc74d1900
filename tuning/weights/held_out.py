"""Whether what tuning has learned is good for sentences that it has not seen.

The sentences of the pool are parted into halves. From each, the optimiser learns weights, beginning
with those before, and the other half, decoded with them, judges them. They must be better there in
19 of 20 such development sets, going by the standard error of what they gain, or the weights before
stay: a set that is too small teaches its own chances.

The pool alone would not do as a judge. Its translations were found with weights that all sentences
had a part in, and flatter such weights.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from models.arrays import FloatArray, Int64Array
from tuning.evaluation.significance import resampled_scores
from tuning.optimisers.interface import Start
from tuning.optimisers.pool import Pool
from tuning.weights.task import TuningTask
from tuning.weights.trace import HeldOut

LEAST = 2  # sentences in each half
SURE = 1.64  # standard errors above 0: 19 of 20 cases
RESAMPLES = 500  # of the sentences, for the standard error


# The statistics of all sentences of a task's development set, decoded with these weights
Decode = Callable[[TuningTask, Mapping[str, float]], FloatArray]


def judge_halves(
    task: TuningTask, pool: Pool, before: FloatArray, n_rounds: int, decode: Decode
) -> HeldOut | None:
    """None if there are too few sentences. Optimisers that go part of the way go `n_rounds`
    times."""
    if pool.n_sentences < 2 * LEAST:
        return None
    task.listeners.report("learning from halves of the pool", len(pool))
    old = pool.statistics[pool.best_rows(before)]
    new = np.empty_like(old)
    for number in range(2):
        own, other = (slice(begin, None, 2) for begin in (number, 1 - number))
        rows = np.arange(pool.n_sentences)[own]
        learned = _learned(task, pool, rows, before, n_rounds, number)
        half = replace(task, dev=task.dev.part(other))
        new[other] = decode(half, task.vector.by_name(learned))
    score = task.objective.score(np.stack([old.sum(axis=0), new.sum(axis=0)]))
    one, two = resampled_scores(task.objective, [old, new], n_resamples=RESAMPLES)
    error = float(np.std(two - one, ddof=1))
    first, last = map(task.objective.shown, score.tolist())
    return HeldOut(first, last, error, bool(score[1] - score[0] >= SURE * error))


def _learned(
    task: TuningTask, pool: Pool, own: Int64Array, before: FloatArray, n_rounds: int, number: int
) -> FloatArray:
    half, weights, vector = pool.part(own), before, task.vector
    if not (half.deviations()[vector.tuned] > 0).any():
        return before
    optimiser = task.settings.optimiser
    for turn in range(n_rounds if optimiser.gradual else 1):
        start = Start(weights, vector.tuned, (), task.threads, task.sizes[own], vector.scaled)
        seed = np.random.SeedSequence([task.settings.seed, number, turn])
        weights = vector.normalise(optimiser.improve(half, task.objective, start, seed))
    return weights
