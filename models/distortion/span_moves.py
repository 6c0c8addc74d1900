"""Orientations of moves between the spans of a sentence: the next phrase is monotone if it begins
where the last one ended, and a swap if it ends where that one began."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted_kernel
from hyperbaton.models.distortion.interface import OptionTable, Steps
from hyperbaton.models.distortion.tables import Moves, TableScorer
from hyperbaton.models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from hyperbaton.models.phrases.reordering import CLASSES, ReorderingType

ORIENTATION_SHARE = 0.5  # chosen on sentences of Kyoto's `tune` and held-out sentences of jaen


def class_of_orientation(classes: str) -> Int64Array:
    """The class number of each of the four orientations."""
    class_of = np.zeros(4, np.int64)
    for number, orientations in enumerate(CLASSES[classes].values()):
        class_of[list(orientations)] = number
    return class_of


def moves_between_spans(
    n_words: int, start: Int32Array, end: Int32Array, class_of_orientation: Int64Array
) -> tuple[Int32Array, NDArray[np.uint8]]:
    """The span number of each option, (N + 1,), the beginning first, and the class of the move
    between each two spans."""
    number = np.zeros((n_words, n_words + 1), np.int32)  # by start and end; 0 is the beginning
    number[start, end] = EMPTY
    n_spans = np.count_nonzero(number) + 1
    span, spans = np.zeros(len(start) + 1, np.int32), np.empty((2, n_spans), np.int32)
    class_of = np.empty((n_spans, n_spans), np.uint8)
    _number_and_classify(start, end, class_of_orientation, number, span, *spans, class_of)
    return span, class_of


def orientation_jumps(
    kind: ReorderingType, options: OptionTable, weighted: FloatArray
) -> FloatArray:
    """How much worse than the monotone way each jump is, (n_words + 1, n_words): for the best
    options of the shortest spans there, by their weighted scores, without swaps.

    It is never better, because nothing is estimated of the moves inside a gap; with untuned
    weights, the search found much worse translations when it was.
    """
    columns = [direction for direction, _ in kind.columns]
    first = [columns.index(d) if d in columns else EMPTY for d in ("backward", "forward")]
    jumps = np.zeros((options.n_words + 1, options.n_words))
    best = np.full((2, options.n_words + 1), EMPTY, np.int32)
    class_of = class_of_orientation(kind.classes)
    _fill_jumps(options.start, options.end, weighted, class_of, *first, best, jumps)
    return jumps


class OrientationScorer(TableScorer):
    """Scores of moves between spans, by class: a feature for each direction and class. Backward
    features belong to the next option, forward features to the previous one."""

    jump_share: ClassVar[float] = ORIENTATION_SHARE

    def __init__(self, kind: ReorderingType, options: OptionTable, scores: FloatArray) -> None:
        self._kind, self._options = kind, options
        self._span, self._class = moves_between_spans(
            options.n_words, options.start, options.end, class_of_orientation(kind.classes)
        )
        self._scores = scores  # (N, columns of the kind)
        self._n_classes = len(CLASSES[kind.classes])
        self._directions = tuple(dict.fromkeys(direction for direction, _ in kind.columns))
        self.n_features = len(kind.columns)
        self.tables, self.finish_values = (), None
        # forward features depend on the previous option, backward ones only on its span
        places = np.arange(len(options) + 1)
        spans = self._span.astype(np.int64)
        self.state_of_option = places if "forward" in self._directions else spans

    def features(self, steps: Steps) -> FloatArray:
        values = np.zeros((len(steps.option), self._scores.shape[1]))
        step = np.arange(len(steps.option))
        class_ = self._class[self._span[steps.previous + 1], self._span[steps.option + 1]]
        for number, direction in enumerate(self._directions):
            column = number * self._n_classes + class_
            asked = steps.option if direction == "backward" else steps.previous
            values[step, column] = np.where(asked >= 0, self._scores[asked, column], 0.0)
        return values

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        return orientation_jumps(self._kind, self._options, self._scores * weights)

    def moves(self, weights: FloatArray) -> list[Moves]:
        weighted = self._scores * weights
        after = np.zeros((len(weighted), self._n_classes))
        before = np.zeros((len(weighted) + 1, self._n_classes))
        for number, direction in enumerate(self._directions):
            scores = weighted[:, number * self._n_classes : (number + 1) * self._n_classes]
            if direction == "backward":
                after += scores
            else:
                before[1:] += scores
        return [Moves(self._span, self._class, before, after)]


@uncounted_kernel
def _number_and_classify(start, end, class_of_orientation, number, span, starts, ends, class_of):
    """Fills in the span numbers of the options, the spans, and the classes of moves between
    them."""
    starts[0], ends[0] = -1, 0  # there is no swap with the beginning
    n_spans = 1
    for option in range(len(start)):
        if number[start[option], end[option]] == EMPTY:
            number[start[option], end[option]] = n_spans
            starts[n_spans], ends[n_spans] = start[option], end[option]
            n_spans += 1
        span[option + 1] = number[start[option], end[option]]
    for before in range(n_spans):
        for after in range(n_spans):
            if starts[after] == ends[before]:
                orientation = MONOTONE
            elif ends[after] == starts[before]:
                orientation = SWAP
            else:
                orientation = RIGHT if starts[after] >= ends[before] else LEFT
            class_of[before, after] = class_of_orientation[orientation]


@uncounted_kernel
def _fill_jumps(start, end, weighted, class_of_orientation, backward, forward, best, jumps):
    """Fills in `orientation_jumps`; `backward` and `forward` are first columns, or EMPTY. `best`
    gets the best options that start and end at each place."""
    n_words = jumps.shape[1]
    for option in range(len(start) - 1, -1, -1):
        best[0, start[option]], best[1, end[option]] = option, option
    monotone = class_of_orientation[MONOTONE]
    for before in range(n_words + 1):
        for after in range(n_words):
            if before == after:
                continue
            class_ = class_of_orientation[RIGHT if after > before else LEFT]
            entered, left = best[0, after], best[1, before]
            if backward != EMPTY and entered != EMPTY:
                jumps[before, after] += weighted[entered, backward + class_]
                jumps[before, after] -= weighted[entered, backward + monotone]
            if forward != EMPTY and left != EMPTY:
                jumps[before, after] += weighted[left, forward + class_]
                jumps[before, after] -= weighted[left, forward + monotone]
            jumps[before, after] = min(jumps[before, after], 0.0)
