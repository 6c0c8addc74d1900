"""Whether what tuning has learned is good for sentences that it has not seen.

A development set flatters the weights that it has taught, the more the smaller it is. How much is
estimated from the pool: the sentences are parted into fifths, and from all but one the optimiser
learns weights, beginning with those before. Among the hypotheses of the pool, these weights gain
more on the sentences that have taught them than on the fifth that has not; the difference is taken
from what decoding has shown (Efron 1986: apparent error and its optimism). What is left must be
`SURE` standard errors, or the weights before stay: a set that is too small teaches its own chances.

Decoding the fifths instead would say less. Weights that were learned from a pool alone were never
tried, and may lead to where it knows little; those of a run are the ones that decoding found good.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.significance import resampled_scores
from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.pool_task import PoolTask
from hyperbaton.tuning.weights.trace import HeldOut

N_PARTS = 5
LEAST = 2  # sentences in each part
SURE = 1.0  # standard errors above 0
HELD_OUT_RESAMPLES = 500  # of the sentences, for the standard error


class WeightChange(NamedTuple):
    """Of the weights, and of the score that people see."""

    before: FloatArray
    after: FloatArray
    score_before: float
    score_after: float


def judge_unseen(task: PoolTask, pool: Pool, change: WeightChange, n_rounds: int) -> HeldOut | None:
    """None if there are too few sentences. Optimisers that go part of the way go `n_rounds`
    times."""
    n_parts = min(N_PARTS, pool.n_sentences // LEAST)
    if n_parts < 2:
        return None
    objective = task.objective
    flattery = max(_optimism(task, pool, change.before, n_rounds, n_parts), 0.0)
    expected = change.score_after - objective.shown_sign * flattery
    chosen = [pool.statistics[pool.best_rows(own)] for own in (change.before, change.after)]
    old, new = resampled_scores(objective, chosen, n_resamples=HELD_OUT_RESAMPLES)
    error = float(np.std(new - old, ddof=1))
    gain = objective.shown_sign * (expected - change.score_before)
    return HeldOut(change.score_before, expected, error, gain >= SURE * error)


def _optimism(task: PoolTask, pool: Pool, before: FloatArray, n_rounds: int, n_parts: int) -> float:
    """How much more weights gain on sentences that have taught them than on others."""
    every = np.arange(pool.n_sentences)
    old = pool.statistics[pool.best_rows(before)]
    unseen, seen_gains = np.empty_like(old), []
    for number in range(n_parts):
        task.reporter.progress(f"learning without a part of {n_parts}", number + 1)
        is_seen = every % n_parts != number
        rows = np.flatnonzero(is_seen)
        weights = learned(task, pool.part(rows), task.sizes[rows], before, n_rounds, number)
        new = pool.statistics[pool.best_rows(weights)]
        seen_gains.append(_gain(task, old[is_seen], new[is_seen]))
        unseen[~is_seen] = new[~is_seen]
    return float(np.mean(seen_gains)) - _gain(task, old, unseen)


def _gain(task: PoolTask, old: FloatArray, new: FloatArray) -> float:
    before, after = task.objective.score(np.stack([old.sum(axis=0), new.sum(axis=0)]))
    return float(after - before)


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
