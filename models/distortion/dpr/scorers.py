"""The probabilities of a sentence's options as scores of steps (`model.py`)."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.dpr.samples import MSD, Orientations
from hyperbaton.models.distortion.interface import HeatMap, OptionTable, Steps
from hyperbaton.models.distortion.span_moves import (
    OrientationScorer,
    class_of_orientation,
    moves_between_spans,
)
from hyperbaton.models.distortion.tables import Moves, Table, TableScorer
from hyperbaton.models.phrases.reordering import ReorderingType

LOG_HALF = np.log(0.5)
BIDIRECTIONAL = ReorderingType(classes=MSD, direction="bidirectional")


class Scaling(NamedTuple):
    """The price of a word's distance, min(cap, 1 / (β p(o))), after eq. (7)."""

    beta: float
    cap: float
    monotone_penalty: float  # words that d = 0 is charged for where it is not expected


class MoveScorer(TableScorer):
    """Has log p of each class for every option, and in `forward` that of the next phrase's move."""

    def __init__(
        self,
        sentence: Sentence,
        options: OptionTable,
        setup: Orientations,
        log_p: FloatArray,
        *forward: FloatArray,
    ) -> None:
        self._sentence, self._options = sentence, options
        self._setup, self._log_p, self._forward = setup, log_p, forward

    def distributions(self) -> Sequence[FloatArray]:
        """Over the classes of every option, (N, classes)."""
        return [np.exp(own) for own in (self._log_p, *self._forward)]

    def heat_maps(self) -> Sequence[HeatMap]:
        """How each source phrase moves, with its first option as translation."""
        spans = np.stack([self._options.start, self._options.end], axis=1)
        _, first = np.unique(spans, axis=0, return_index=True)
        phrases = tuple(" ".join(self._sentence.words[slice(*span)]) for span in spans[first])
        title = "p(move), d = previous end − start" if self._setup.last else "p(move)"
        return [
            HeatMap(title, phrases, self._setup.names, p[first], "source phrase", "class of moves")
            for title, p in zip((title, "p(next move)"), self.distributions(), strict=False)
        ]


class DistanceScorer(MoveScorer):
    """One table, from the end of the previous option to the next option; `scaling` makes prices of
    probabilities."""

    def __init__(
        self,
        sentence: Sentence,
        options: OptionTable,
        setup: Orientations,
        log_p: FloatArray,
        scaling: Scaling | None,
    ) -> None:
        super().__init__(sentence, options, setup, log_p)
        moves = _classes_of_distances(setup, options.n_words)
        if scaling:
            values = _scaled(log_p, options.start, moves, scaling)
        else:
            values = _direct(log_p, options.start, moves)
        rows = np.empty(len(options) + 1, np.int32)
        rows[0], rows[1:] = 0, options.end
        table = Table(rows, np.arange(len(options), dtype=np.int32), values)
        TableScorer.__init__(self, 1, [table])


class CornerScorer(MoveScorer):
    """log p of the orientation of each move between two spans."""

    def __init__(
        self, sentence: Sentence, options: OptionTable, setup: Orientations, log_p: FloatArray
    ) -> None:
        super().__init__(sentence, options, setup, log_p)
        self._span: Int32Array
        self._class_of_move: NDArray[np.uint8]
        self._span, self._class_of_move = moves_between_spans(
            options.n_words, options.start, options.end, class_of_orientation(MSD)
        )
        self.state_of_option = self._span.astype(np.int64)
        self.n_features, self.tables, self.finish_values = 1, (), None

    def features(self, steps: Steps) -> FloatArray:
        span = self._span
        class_ = self._class_of_move[span[steps.previous + 1], span[steps.option + 1]]
        return self._log_p[steps.option, class_][:, None]

    def moves(self, weights: FloatArray) -> list[Moves]:
        nothing = np.zeros((len(self._options) + 1, len(self._setup)))
        after = self._log_p * weights[0]
        return [Moves(self._span, self._class_of_move, nothing, after)]


class BidirectionalScorer(MoveScorer, OrientationScorer):
    """A feature for each orientation, towards the previous phrase and towards the next, as in the
    lexicalised model."""

    def __init__(
        self,
        sentence: Sentence,
        options: OptionTable,
        setup: Orientations,
        log_p: FloatArray,
        forward: FloatArray,
    ) -> None:
        MoveScorer.__init__(self, sentence, options, setup, log_p, forward)
        OrientationScorer.__init__(self, BIDIRECTIONAL, options, np.hstack([log_p, forward]))


@lru_cache(maxsize=256)
def _classes_of_distances(setup: Orientations, n_words: int) -> Int64Array:
    """The class of every distance d that a sentence allows, at n_words + d."""
    classes = setup.of(np.arange(-n_words, n_words + 1))
    classes.setflags(write=False)
    return classes


@kernel
def _direct(log_p, start, class_of_distance):
    """log p(o) of going from each previous end to each option, (n_words + 1, N, 1)."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    for previous_end in range(n_words + 1):
        for option in range(len(start)):
            o = class_of_distance[n_words + previous_end - start[option]]
            values[previous_end, option, 0] = log_p[option, o]
    return values


@kernel
def _scaled(log_p, start, class_of_distance, scaling):
    """The same with −|d| / (β p(o)), eq. (7); where p(d = 0) is at most one half, going on costs
    as much as `monotone_penalty` words. Where all classes are equally likely, nothing was learned
    about the phrase, and −|d| remains."""
    n_words = len(class_of_distance) // 2
    values = np.empty((n_words + 1, len(start), 1))
    # of a word's distance, (N, classes)
    prices = -np.minimum(scaling.cap, np.exp(-log_p) / scaling.beta)
    charged = np.zeros(len(start))  # words that d = 0 is charged for
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
