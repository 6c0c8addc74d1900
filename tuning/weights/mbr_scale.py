"""The scale for minimum Bayes risk that suits a system: tried on the n-best lists of its
development set (`tuning/evaluation/consensus.py`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hyperbaton.foundation.arrays import Int64Array
from hyperbaton.models.system.folder import MBR_SCALE
from hyperbaton.tuning.evaluation.consensus import Scored, gains_by_scale, size_of_weights
from hyperbaton.tuning.weights.hypotheses import Hypotheses
from hyperbaton.tuning.weights.task import TuningTask

SCALES = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0)
N_BEST = 100


@dataclass(frozen=True)
class ScaleChoice:
    scores: dict[float, float]  # of the development set, by scale
    without: float  # the score of the best translations as they are
    kept: float


def choose_scale(lists: Hypotheses, weights: Mapping[str, float], task: TuningTask) -> ScaleChoice:
    """The scale whose choices from the lists score best; of equal ones the nearest to that of
    systems without."""
    objective = task.objective
    chosen = [lists.offsets[:-1], *_chosen(lists, weights, task)]
    sums = [lists.statistics(rows, objective, task.dev).sum(axis=0) for rows in chosen]
    without, *scores = objective.score(np.stack(sums)).tolist()
    kept = max(
        zip(scores, SCALES, strict=True), key=lambda one: (one[0], -abs(one[1] - MBR_SCALE))
    )[1]
    shown = dict(zip(SCALES, map(objective.shown, scores), strict=True))
    return ScaleChoice(shown, objective.shown(without), kept)


def _chosen(lists: Hypotheses, weights: Mapping[str, float], task: TuningTask) -> Int64Array:
    """For every scale and sentence the first row with the translation that gains most."""
    scores = lists.features @ task.vector.vector(weights)
    size = size_of_weights(weights)
    rows = np.empty((len(SCALES), len(task.dev)), np.int64)
    for sentence, (begin, end) in enumerate(pairwise(lists.offsets.tolist())):
        texts = lists.texts(np.arange(begin, end))
        scored = Scored(texts, scores[begin:end])
        found = gains_by_scale([scored], [scale / size for scale in SCALES])
        task.reporter.progress("comparing translations of sentences", sentence + 1)
        rows[:, sentence] = [begin + texts.index(one.texts[one.best]) for one in found]
    return rows
