"""Scores of steps from the probabilities of a sentence's options (`model.py`)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.dpr.samples import MSD, Orientations
from hyperbaton.models.distortion.interface import HeatMap, OptionTable, Steps
from hyperbaton.models.distortion.span_moves import OrientationScorer
from hyperbaton.models.distortion.tables import Moves, Table, TableScorer
from hyperbaton.models.phrases.reordering import ReorderingType

LOG_HALF = np.log(0.5)
BIDIRECTIONAL = ReorderingType(classes=MSD, direction="bidirectional")
BACKWARD = ReorderingType(classes=MSD, direction="backward")


class Scaling(NamedTuple):
    """Parameters of the factor min(cap, 1 / (β p(o))) for each word of distance, after eq. (7)."""

    beta: float
    cap: float
    monotone_penalty: float  # distance charged for d = 0 if it is unlikely


class PredictedMoves(NamedTuple):
    """The classifiers' predictions for the options of a sentence."""

    sentence: Sentence
    options: OptionTable
    setup: Orientations
    log_p: Sequence[FloatArray]  # (N, classes) each: for the move, and for the next phrase's move


class MoveScorer(TableScorer):
    def __init__(self, predicted: PredictedMoves) -> None:
        self._predicted = predicted

    def distributions(self) -> Sequence[FloatArray]:
        """The distributions over classes for every option, (N, classes)."""
        return [np.exp(log_p) for log_p in self._predicted.log_p]

    def heat_maps(self) -> Sequence[HeatMap]:
        """p(move) of each source phrase, with its first option as translation."""
        sentence, options, setup, _ = self._predicted
        spans = np.stack([options.start, options.end], axis=1)
        _, first = np.unique(spans, axis=0, return_index=True)
        phrases = tuple(" ".join(sentence.words[slice(*span)]) for span in spans[first])
        title = "p(move), d = previous end − start" if setup.last else "p(move)"
        return [
            HeatMap(title, phrases, setup.names, p[first], "source phrase", "class of moves")
            for title, p in zip((title, "p(next move)"), self.distributions(), strict=False)
        ]


class DistanceScorer(MoveScorer):
    """One table, by the end of the previous option and the next option; with `scaling`,
    probabilities become factors of distances."""

    def __init__(self, predicted: PredictedMoves, scaling: Scaling | None) -> None:
        super().__init__(predicted)
        _, options, setup, (log_p,) = predicted
        moves = _classes_of_distances(setup, options.n_words)
        if scaling:
            values = _scaled(log_p, options.start, moves, scaling)
        else:
            values = _direct(log_p, options.start, moves)
        rows = np.empty(len(options) + 1, np.int32)
        rows[0], rows[1:] = 0, options.end
        table = Table(rows, np.arange(len(options), dtype=np.int32), values)
        TableScorer.__init__(self, 1, [table])


class BidirectionalScorer(MoveScorer, OrientationScorer):
    """A feature for each orientation, towards the previous phrase and towards the next, as in the
    lexicalised model."""

    kind = BIDIRECTIONAL

    def __init__(self, predicted: PredictedMoves) -> None:
        MoveScorer.__init__(self, predicted)
        OrientationScorer.__init__(self, self.kind, predicted.options, np.hstack(predicted.log_p))


class CornerScorer(BidirectionalScorer):
    """log p of the orientation of each move between two spans: the sum of the backward features."""

    kind = BACKWARD

    def __init__(self, predicted: PredictedMoves) -> None:
        super().__init__(predicted)
        self.n_features = 1

    def features(self, steps: Steps) -> FloatArray:
        total: FloatArray = super().features(steps).sum(axis=1, keepdims=True)
        return total

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        return super().jump_estimate(self._repeated(weights))

    def moves(self, weights: FloatArray) -> list[Moves]:
        return super().moves(self._repeated(weights))

    def _repeated(self, weights: FloatArray) -> FloatArray:
        """The weight of each orientation."""
        return np.repeat(weights, len(self._predicted.setup))


@lru_cache(maxsize=256)
def _classes_of_distances(setup: Orientations, n_words: int) -> Int64Array:
    """The class of every possible distance d in a sentence, at n_words + d."""
    classes = setup.of(np.arange(-n_words, n_words + 1))
    classes.setflags(write=False)
    return classes


@kernel
def _direct(log_p, start, class_of_distance):
    """log p(o) of the move from each previous end to each option, (n_words + 1, N, 1)."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    for previous_end in range(n_words + 1):
        for option in range(len(start)):
            o = class_of_distance[n_words + previous_end - start[option]]
            values[previous_end, option, 0] = log_p[option, o]
    return values


@kernel
def _scaled(log_p, start, class_of_distance, scaling):
    """−|d| / (β p(o)), eq. (7), in the same form; if p(d = 0) ≤ ½, d = 0 costs as much as
    `monotone_penalty` words. If all classes are equally likely, nothing was learned about the
    phrase, and the value is −|d|."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    # score of each word of distance, (N, classes)
    prices = -np.minimum(scaling.cap, np.exp(-log_p) / scaling.beta)
    charged = np.zeros(len(start))  # distance charged for d = 0
    for option in range(len(start)):
        if log_p[option].min() == log_p[option].max():
            prices[option] = -1.0
        elif log_p[option, class_of_distance[n_words]] <= LOG_HALF:
            charged[option] = scaling.monotone_penalty
    for previous_end in range(n_words + 1):
        for option in range(len(start)):
            d = previous_end - start[option]
            distance = float(abs(d)) if d else charged[option]
            price = prices[option, class_of_distance[n_words + d]]
            values[previous_end, option, 0] = distance * price
    return values
