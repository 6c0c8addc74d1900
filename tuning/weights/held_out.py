"""Whether what tuning has learned is good for sentences that it has not seen.

The sentences are parted into fifths. From the pool of all but one, the optimiser learns weights,
beginning with those before, and the fifth, decoded with them, judges them. They must be better
there in 19 of 20 such development sets, going by the standard error of what they gain, or the
weights before stay: a set that is too small teaches its own chances.

The pool alone would not do as a judge. Its translations were found with weights that all sentences
had a part in, and flatter such weights. Halves would teach less than the whole set has taught.
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

PARTS = 5
LEAST = 2  # sentences in each part
SURE = 1.64  # standard errors above 0: 19 of 20 cases
RESAMPLES = 500  # of the sentences, for the standard error


# The statistics of all sentences of a task's development set, decoded with these weights
Decode = Callable[[TuningTask, Mapping[str, float]], FloatArray]


def judge_unseen(
    task: TuningTask, pool: Pool, before: FloatArray, n_rounds: int, decode: Decode
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
        learned = _learned(task, pool, rows, before, n_rounds, number)
        unseen = slice(number, None, n_parts)
        part = replace(task, dev=task.dev.part(unseen))
        new[unseen] = decode(part, task.vector.by_name(learned))
    score = task.objective.score(np.stack([old.sum(axis=0), new.sum(axis=0)]))
    one, two = resampled_scores(task.objective, [old, new], n_resamples=RESAMPLES)
    error = float(np.std(two - one, ddof=1))
    first, last = map(task.objective.shown, score.tolist())
    return HeldOut(first, last, error, bool(score[1] - score[0] >= SURE * error))


def _learned(
    task: TuningTask, pool: Pool, own: Int64Array, before: FloatArray, n_rounds: int, number: int
) -> FloatArray:
    seen, weights, vector = pool.part(own), before, task.vector
    if not (seen.deviations()[vector.tuned] > 0).any():
        return before
    optimiser = task.settings.optimiser
    for turn in range(n_rounds if optimiser.gradual else 1):
        start = Start(weights, vector.tuned, (), task.threads, task.sizes[own], vector.scaled)
        seed = np.random.SeedSequence([task.settings.seed, number, turn])
        weights = vector.normalise(optimiser.improve(seen, task.objective, start, seed))
    return weights
