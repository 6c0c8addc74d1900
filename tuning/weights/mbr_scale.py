"""Chooses the scale for minimum Bayes risk (`tuning/evaluation/consensus.py`) on n-best lists of
the development set."""

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
    without: float  # the score without minimum Bayes risk
    kept: float


def choose_scale(lists: Hypotheses, weights: Mapping[str, float], task: TuningTask) -> ScaleChoice:
    """The scale whose choices from the lists score best; among equals, the one closest to the
    default."""
    objective = task.objective
    chosen = [lists.offsets[:-1], *_chosen(lists, weights, task)]
    sums = [lists.statistics(rows, objective, task.dev).sum(axis=0) for rows in chosen]
    without, *scores = objective.score(np.stack(sums)).tolist()
    kept = max(
        zip(scores, SCALES, strict=True), key=lambda pair: (pair[0], -abs(pair[1] - MBR_SCALE))
    )[1]
    shown = dict(zip(SCALES, map(objective.shown, scores), strict=True))
    return ScaleChoice(shown, objective.shown(without), kept)


def _chosen(lists: Hypotheses, weights: Mapping[str, float], task: TuningTask) -> Int64Array:
    """The first row with the translation of the highest expected gain, by scale and sentence."""
    scores = lists.features @ task.vector.vector(weights)
    size = size_of_weights(weights)
    rows = np.empty((len(SCALES), len(task.dev)), np.int64)
    for sentence, (begin, end) in enumerate(pairwise(lists.offsets.tolist())):
        texts = lists.texts(np.arange(begin, end))
        scored = Scored(texts, scores[begin:end])
        by_scale = gains_by_scale([scored], [scale / size for scale in SCALES])
        task.reporter.progress("comparing translations of sentences", sentence + 1)
        best = [gains.texts[gains.best] for gains in by_scale]
        rows[:, sentence] = [begin + texts.index(text) for text in best]
    return rows
