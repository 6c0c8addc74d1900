"""Hierarchical orientation (Galley and Manning 2008) in decoding, with an exact test for blocks.

Backward, a step is monotone if some block of the last phrases ends where the next phrase begins,
and a swap if one begins where it ends; a block is the set of words covered by the last k phrases,
if they are contiguous.

    source   0 1 2 3 4 5 6           2:4 was taken, then 0:2, now 4:5
             ╰2╯ ╰1╯ 3               a swap first; then monotone, because both together are a block
                                     that ends at 4, although the last phrase ends at 2

Forward, the orientation of the previous phrase depends on the block of the *next* phrases: monotone
if the first k of them cover contiguous words that begin where the phrase ended. That is known only
later:

    source   0 1 2 3 4 5 6           0:1 was taken, now 3:4; 5:6 was covered long before. If 1:3
             1 . . 2 . ■ .           comes next, or 4:5 and then 1:3, then 0:1 was monotone. If 6:7
                                     comes first it was not: no block has 6 and 3 without 5.

A step into the stretch of uncovered words next to the phrase counts as monotone (or, on the left,
as a swap) at once, and the phrase waits. If the search leaves the stretch before its covered words
are a block, that step replaces the value by the one for a discontinuous move. So the sum over a
derivation is exact, and in both directions the same as in training
(`models/phrases/orientation.py`). Moses and Galley and Manning approximate: backward they join
pairs of blocks (see `histories.py`), and forward they use the coverage. Blocks in training may
begin inside a phrase, but this makes no difference: a phrase is contiguous, and if a part of it is
next to an uncovered word, so is the whole.

At the beginning of a sentence, a phrase at its first word is monotone, any other discontinuous to
the right. As in Moses, the end of the sentence is not scored. Whether a phrase is left or right of
the next one does not depend on blocks, so the tables of `model.py` score types with the classes
`leftright`.
"""

from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.coverage import cover
from hyperbaton.foundation.hashing import EMPTY, add_row, enlarged
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.models.distortion.interface import OptionTable, SentenceScorer, Steps
from hyperbaton.models.distortion.msd.histories import (
    BEGINNING,
    HEADER,
    OPEN_LEFT,
    OPEN_RIGHT,
    WAITING,
    first_histories,
    make_row,
    n_open,
    open_side,
)
from hyperbaton.models.distortion.span_moves import (
    ORIENTATION_SHARE,
    class_of_orientation,
    orientation_jumps,
)
from hyperbaton.models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from hyperbaton.models.phrases.reordering import CLASSES, ReorderingType

ABSENT = -1  # in place of the first column of a direction without columns


class HierarchicalScorer(SentenceScorer):
    """A state is a history and the kind of the last option; options with equal forward scores have
    the same kind."""

    jump_share: ClassVar[float] = ORIENTATION_SHARE

    def __init__(self, kind: ReorderingType, options: OptionTable) -> None:
        self._type, self._options = kind, options
        directions = dict.fromkeys(direction for direction, _ in kind.columns)
        n_classes = len(CLASSES[kind.classes])
        columns = {direction: number * n_classes for number, direction in enumerate(directions)}
        self.n_features = len(kind.columns)
        self._backward = columns.get("backward", ABSENT)
        self._forward = columns.get("forward", ABSENT)
        self._class = class_of_orientation(kind.classes)
        self._spans = options.start, options.end
        self._n_words = options.n_words
        self._scores = options.reordering
        asked = self._scores[:, max(self._forward, 0) :][:, :n_classes]
        if self._forward == ABSENT:
            asked = np.zeros((len(options), n_classes))
        self._kinds, kind_of = np.unique(asked, axis=0, return_inverse=True)  # (K, classes)
        self._kind = kind_of.reshape(-1).astype(np.int32)  # (N,)
        # (K, 2): whether a phrase must wait on its right and on its left side; unknown words have
        # no scores, and some classes do not distinguish orientations
        hoped, feared = self._class[[MONOTONE, SWAP]], self._class[[RIGHT, LEFT]]
        has_scores = (self._kinds[:, hoped] != 0) | (self._kinds[:, feared] != 0)
        self._wants = np.ascontiguousarray(has_scores & (hoped != feared))
        self._histories = first_histories()

    def features(self, steps: Steps) -> FloatArray:
        values = np.zeros((len(steps.option), self.n_features))
        _score(
            *self._spans, *_in_one_piece(steps), self._histories, self._backward, self._forward,
            self._class, self._scores, self._kinds, values,
        )  # fmt: skip
        return values

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        return orientation_jumps(self._type, self._options, self._scores * weights)

    def advance(self, steps: Steps) -> Int64Array:
        states = np.empty(len(steps.option), np.int64)
        done = 0
        while True:
            done = _advance(
                *self._spans, *_in_one_piece(steps), self._histories, self._n_words, self._kind,
                self._wants, self._forward != ABSENT, states, done,
            )  # fmt: skip
            if done == len(states):
                return states
            self._histories = enlarged(self._histories)


def _in_one_piece(steps: Steps) -> tuple[Int32Array, Int64Array, UInt64Array]:
    """Options, states and coverage as contiguous arrays; another layout would be compiled again."""
    return (
        np.ascontiguousarray(steps.option, np.int32),
        np.ascontiguousarray(steps.state, np.int64),
        np.ascontiguousarray(steps.coverage, np.uint64),
    )


@uncounted
def _is_as_before(start, end, option, state, coverage, step):
    """Whether a step has the same state, coverage and span as the previous step."""
    if step == 0 or state[step] != state[step - 1]:
        return False
    here, before = option[step], option[step - 1]
    if start[here] != start[before] or end[here] != end[before]:
        return False
    for word in range(coverage.shape[1]):
        if coverage[step, word] != coverage[step - 1, word]:
            return False
    return True


@kernel
def _score(
    start, end, option, state, coverage, histories, backward, forward, class_of, scores, kinds,
    values,
):  # fmt: skip
    column = 0
    for step in range(len(option)):
        here = option[step]
        if not _is_as_before(start, end, option, state, coverage, step):
            history, kind = state[step] // len(kinds), state[step] % len(kinds)
            row = histories.values[histories.begin[history] : histories.begin[history + 1]]
            covered = coverage[step]
            if backward != ABSENT:
                column = backward + class_of[_backward(row, covered, start[here], end[here])]
            if forward != ABSENT and row[0] != BEGINNING:
                _score_forward(
                    row, covered, start[here], end[here], kind, class_of, kinds,
                    values[step, forward:],
                )  # fmt: skip
        elif forward != ABSENT:  # forward scores depend on the previous option only
            for at in range(forward, forward + kinds.shape[1]):
                values[step, at] = values[step - 1, at]
        if backward != ABSENT:
            values[step, column] = scores[here, column]


@uncounted
def _backward(row, coverage, start, end):
    """Orientation of a span towards the blocks of a history."""
    if row[0] == BEGINNING:
        return MONOTONE if start == 0 else RIGHT
    block = HEADER + WAITING * row[1]
    # only the shortest block can be without holes, because all others have more
    if block < len(row) and n_open(coverage, row[block], row[block + 1]) == 0:
        if row[block + 1] == start:
            return MONOTONE
        if row[block] == end:
            return SWAP
    return RIGHT if start >= row[0] >> 2 else LEFT


@uncounted
def _score_forward(row, coverage, start, end, kind, class_of, kinds, values):
    """Adds the last phrase's score of the step; corrects the scores of phrases that waited in
    vain."""
    side = open_side(row[0], coverage, start, end)
    if side == OPEN_RIGHT:
        orientation = MONOTONE
    elif side == OPEN_LEFT:
        orientation = SWAP
    else:
        orientation = RIGHT if start >= row[0] >> 2 else LEFT
    values[class_of[orientation]] += kinds[kind, class_of[orientation]]
    for waiting in range(HEADER, HEADER + WAITING * row[1], WAITING):
        if row[waiting] <= start and end <= row[waiting + 1]:
            continue
        kind, is_left = row[waiting + 2] >> 1, row[waiting + 2] & 1
        hoped, actual = (SWAP, LEFT) if is_left else (MONOTONE, RIGHT)
        values[class_of[hoped]] -= kinds[kind, class_of[hoped]]
        values[class_of[actual]] += kinds[kind, class_of[actual]]


@kernel
def _advance(
    start, end, option, state, coverage, histories, n_words, kind_of, wants, with_forward, states,
    done,
):  # fmt: skip
    """Fills in the states after the steps from `done` on; returns the first step that is not
    done."""
    after = np.empty(coverage.shape[1], np.uint64)
    result = np.empty(8 * n_words + 16, np.int32)
    new = EMPTY
    for step in range(done, len(option)):
        here = option[step]
        if step == done or not _is_as_before(start, end, option, state, coverage, step):
            history, kind = state[step] // len(wants), state[step] % len(wants)
            row = histories.values[histories.begin[history] : histories.begin[history + 1]]
            covered = coverage[step]
            for word in range(len(after)):
                after[word] = covered[word]
            cover(after, start[here], end[here])
            length = make_row(
                row, covered, after, n_words, start[here], end[here], kind, wants[kind],
                with_forward, result,
            )  # fmt: skip
            new = add_row(histories, result, length)
            if new == EMPTY:
                return step
        states[step] = new * len(wants) + kind_of[here]
    return len(option)
