"""Orientations of moves between the spans of a sentence: the next phrase is monotone if it begins
where the last one ended, and a swap if it ends where that one began."""

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.hashing import EMPTY
from models.kernels import uncounted_kernel
from models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from models.phrases.reordering import CLASSES


def class_of_orientation(classes: str) -> Int64Array:
    """The number of the class that each of the four orientations belongs to."""
    class_of = np.zeros(4, np.int64)
    for number, orientations in enumerate(CLASSES[classes].values()):
        class_of[list(orientations)] = number
    return class_of


def moves_between_spans(
    n_words: int, start: Int32Array, end: Int32Array, class_of_orientation: Int64Array
) -> tuple[Int32Array, NDArray[np.uint8]]:
    """The span of each option, (N + 1,), the beginning first, and the class of the move from one
    span to another."""
    number = np.zeros((n_words, n_words + 1), np.int32)  # by start and end; 0 is the beginning's
    number[start, end] = EMPTY
    n_spans = np.count_nonzero(number) + 1
    span, spans = np.zeros(len(start) + 1, np.int32), np.empty((2, n_spans), np.int32)
    class_of = np.empty((n_spans, n_spans), np.uint8)
    _number_and_classify(start, end, class_of_orientation, number, span, *spans, class_of)
    return span, class_of


@uncounted_kernel
def _number_and_classify(start, end, class_of_orientation, number, span, starts, ends, class_of):
    """Fills in the spans of the options, the spans, and the classes of the moves between them."""
    starts[0], ends[0] = -1, 0  # nothing is swapped with the beginning
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
