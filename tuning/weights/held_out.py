"""Estimates whether tuned weights also gain on unseen sentences.

Development scores overestimate the gain, the more so the smaller the set. The optimism is estimated
by cross-validation on the pool: the sentences are divided into fifths, and the optimiser learns
weights from four of them, starting from the old weights. On the hypotheses of the pool, these
weights gain more on the four fifths than on the held-out one. The mean difference is subtracted
from the gain measured by decoding (Efron 1986: apparent error and its optimism). The rest must be
at least `SURE` standard errors, or the old weights are kept.

Decoding the held-out fifths instead would tell less. Weights learned from a pool alone were never
decoded with, and may lead to regions that the pool does not cover; the weights of a run are those
that decoding found good.
"""

from typing import NamedTuple, Protocol

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.tuning.evaluation.significance import resampled_scores
from hyperbaton.tuning.optimisers.interface import Start
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.trace import HeldOut
from hyperbaton.tuning.weights.vector import WeightVector

N_PARTS = 5
LEAST = 2  # sentences in each part
SURE = 1.0  # standard errors above 0
HELD_OUT_RESAMPLES = 500  # of the sentences, for the standard error


class PoolTask(Protocol):
    """A task with a pool: tuning a system, or reranking n-best lists, whose pool never grows."""

    @property
    def settings(self) -> TuneSettings: ...

    @property
    def threads(self) -> int: ...

    @property
    def reporter(self) -> Reporter: ...

    @property
    def objective(self) -> Objective: ...

    @property
    def vector(self) -> WeightVector: ...

    @property
    def sizes(self) -> FloatArray:
        """Source words of every sentence."""


class WeightChange(NamedTuple):
    """Old and new weights, and their scores as shown to users."""

    before: FloatArray
    after: FloatArray
    score_before: float
    score_after: float


def judge_unseen(task: PoolTask, pool: Pool, change: WeightChange, n_rounds: int) -> HeldOut | None:
    """Estimates the gain on unseen sentences; None if there are too few sentences. Gradual
    optimisers run `n_rounds` times."""
    n_parts = min(N_PARTS, pool.n_sentences // LEAST)
    if n_parts < 2:
        return None
    objective = task.objective
    optimism = max(_optimism(task, pool, change.before, n_rounds, n_parts), 0.0)
    expected = change.score_after - objective.shown_sign * optimism
    rows = (pool.best_rows(weights) for weights in (change.before, change.after))
    chosen = [pool.statistics[best] for best in rows]
    old, new = resampled_scores(objective, chosen, n_resamples=HELD_OUT_RESAMPLES)
    error = float(np.std(new - old, ddof=1))
    gain = objective.shown_sign * (expected - change.score_before)
    return HeldOut(change.score_before, expected, error, gain >= SURE * error)


def _optimism(task: PoolTask, pool: Pool, before: FloatArray, n_rounds: int, n_parts: int) -> float:
    """How much more weights gain on the sentences they were learned from than on others."""
    every = np.arange(pool.n_sentences)
    old = pool.statistics[pool.best_rows(before)]
    unseen, seen_gains = np.empty_like(old), []
    for number in range(n_parts):
        task.reporter.progress(f"learning without one of {n_parts} parts", number + 1)
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
    """Learns weights from a fixed pool; `number` varies the random seed."""
    weights, vector = before, task.vector
    if not (pool.deviations()[vector.tuned] > 0).any():
        return before
    optimiser = task.settings.optimiser
    for turn in range(n_rounds if optimiser.gradual else 1):
        start = Start(weights, vector.tuned, (), task.threads, sizes, vector.scaled)
        seed = np.random.SeedSequence([task.settings.seed, number, turn])
        weights = vector.normalise(optimiser.improve(pool, task.objective, start, seed))
    return weights


def check_pool(task: PoolTask, pool: Pool) -> None:
    """Raises if the features or the metric cannot tell the hypotheses apart."""
    deviations = pool.deviations()
    if not (deviations[task.vector.tuned] > 0).any():
        raise DataError(
            "the tuned features are equal for all translations of a sentence",
            expected=f"n-best lists of {len(pool) / pool.n_sentences:.1f} hypotheses on average",
            advice="raise --n-best, or fix fewer features",
        )
    scores = task.objective.smooth_sentence_scores(pool.statistics)
    differences = scores - scores[pool.offsets[:-1]][pool.sentence_of]
    if not (np.abs(differences) > LEAST_GAIN).any():
        raise DataError(
            f"{task.objective.name} is the same for all translations of every sentence",
            expected="tuning needs translations with different scores",
            advice="check that the references belong to these sentences, or use another metric",
        )
    constant = np.flatnonzero(task.vector.tuned & (deviations == 0))
    if len(constant):
        names = ", ".join(task.vector.names[number] for number in constant)
        task.reporter.talk(
            f"warning: {names}: equal for all translations of every sentence, so the weight is "
            "not tuned"
        )
