"""What a task must have so that weights can be learned from a pool: that of a system, or that of
n-best lists whose pool never grows."""

from typing import Protocol

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.objective import Objective
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.vector import WeightVector


class PoolTask(Protocol):
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


def check_pool(task: PoolTask, pool: Pool) -> None:
    """Checks that there is something to choose from."""
    deviations = pool.deviations()
    if not (deviations[task.vector.tuned] > 0).any():
        raise DataError(
            "all translations of a sentence look alike to the features that are tuned",
            expected=f"n-best lists of {len(pool) / pool.n_sentences:.1f} hypotheses on average",
            advice="raise --n-best, or fix fewer features",
        )
    scores = task.objective.smooth_sentence_scores(pool.statistics)
    differences = scores - scores[pool.offsets[:-1]][pool.sentence_of]
    if not (np.abs(differences) > LEAST_GAIN).any():
        raise DataError(
            f"{task.objective.name} is the same for all translations of every sentence",
            expected="there is nothing to tune towards",
            advice="check that the references belong to these sentences, or take another metric",
        )
    constant = np.flatnonzero(task.vector.tuned & (deviations == 0))
    if len(constant):
        names = ", ".join(task.vector.names[number] for number in constant)
        task.reporter.talk(
            f"warning: {names}: the same for all translations of every sentence, "
            "so the weight stays as it is"
        )
