"""The log likelihood of events and its gradient, lane by lane.

P(NP = j | CP = i) = exp score(i → j) / Z_i. The candidates, over which Z sums, are all places but i
and BOS; with `open_only`, without visited places.

Blocks are distributed over a fixed number of lanes; a lane sums its blocks in order, and lanes are
summed in order, so the result does not depend on the number of threads or workers.
"""

from typing import NamedTuple, Self

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.next_word.blocks import Blocks
from hyperbaton.models.distortion.next_word.scores import (
    CI,
    CN,
    PAIR,
    add_changes,
    label_scores,
    sequence_changes,
    sequence_scores,
)
from hyperbaton.models.learning.losses import to_probabilities

LANES = 4
VALUE_ONLY, GRADIENT, CURVATURE = 0, 1, 2  # what to compute besides the value


class Descent(NamedTuple):
    """The state of one lane of AdaGrad (`likelihood.py`)."""

    weights: FloatArray
    squares: FloatArray  # δ + G


class Lanes:
    """The lanes of a likelihood."""

    def __init__(self, blocks: Blocks, labels: int, *, open_only: bool) -> None:
        self.blocks, self.labels, self.open_only = blocks, labels, open_only
        self.shape = (blocks.index.n_features + 1, labels)

    def keep(self, lane: int, threads: int = 1) -> None:
        """Makes the features of a lane if they do not exist yet."""
        self.blocks.keep(range(lane, len(self.blocks), LANES), threads)

    def add_up(self, lane: int, weights: FloatArray, wanted: int, gradient: FloatArray) -> float:
        """Minus the log likelihood; adds the gradient or curvature, if wanted, to `gradient`."""
        value, index = 0.0, self.blocks.index
        for number in range(lane, len(self.blocks), LANES):
            block = self.blocks[number]
            value += _add_block(
                block, index, self.blocks.events, weights, self.open_only, wanted, gradient
            )
        return value

    def n_visits(self, lane: int) -> Int32Array:
        """The number of blocks with each feature, (n_features + 1,)."""
        visits = np.zeros(self.shape[0], np.int32)
        seen = np.full(self.shape[0], -1, np.int32)
        for number in range(lane, len(self.blocks), LANES):
            _count_visits(self.blocks[number], self.blocks.index, number, seen, visits)
        return visits

    def descend(
        self, lane: int, state: Descent, share: FloatArray, step: float, order: Int64Array
    ) -> None:
        """Visits the blocks of the lane in the given order, with a step after each."""
        index, events = self.blocks.index, self.blocks.events
        gradient = np.zeros(self.shape)
        for number in order[order % LANES == lane].tolist():
            block = self.blocks[number]
            _add_block(block, index, events, state.weights, self.open_only, GRADIENT, gradient)
            _take_steps(block, index, gradient, *state, share, step)

    def at(self, here: Workplace, lane: int) -> Self:  # noqa: ARG002
        """The lanes for the task of a lane, in the process that made all features."""
        return self


@kernel
def _add_block(block, index, events, weights, open_only, wanted_too, gradient):
    """Minus the log likelihood of a block; adds to the gradient or the curvature if wanted."""
    labels, value = weights.shape[1], 0.0
    for sentence in range(block.first, block.last):
        begin = events.word_offsets[sentence]
        n_words = events.word_offsets[sentence + 1] - begin
        wanted = np.full(n_words + 1, labels != PAIR)
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            wanted[events.current[event]] = True
        scores = np.zeros((labels, n_words + 1, n_words + 1))
        label_scores(block, index, sentence, n_words, weights, wanted, scores)
        totals = scores[0]
        if labels != PAIR:
            totals = np.zeros((n_words + 1, n_words + 1))
            sequence_scores(scores, n_words, totals)
        # several events may have the same current place, so rows are added
        residual = np.zeros((n_words + 1, n_words + 1))
        spread = np.zeros((n_words + 1, n_words + 1))
        changes = np.zeros((labels, n_words + 1, n_words + 1))
        p = np.empty(n_words + 1)  # of the candidates, 0 elsewhere
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            i, following = events.current[event], events.next[event]
            number = event - events.offsets[sentence]
            for j in range(1, n_words + 2):
                is_open = not open_only or j > n_words or events.closed[begin + j - 1] >= number
                p[j - 1] = totals[i, j - 1] if j != i and is_open else -np.inf
            value += to_probabilities(p) - totals[i, following - 1]
            if wanted_too == GRADIENT:
                residual[i] += p
                residual[i, following - 1] -= 1.0
            elif wanted_too == CURVATURE:
                residual[i] += p * (1.0 - p)
                _add_spread(p, i, spread[i])
        if wanted_too == VALUE_ONLY:
            continue
        if labels == PAIR:
            changes[0] = residual
        else:
            sequence_changes(residual, n_words, changes)
            if wanted_too == CURVATURE:
                changes[CN] *= 2.0  # (2 CN)² has the factor 4; `sequence_changes` gives 2
                changes[CI] = spread
        add_changes(block, index, sentence, n_words, wanted, changes, gradient)
    return value


@inner
def _add_spread(p, i, spread):
    """Adds the variance of CI[i, j] in the score of an event's NP, to which it contributes if NP is
    beyond j."""
    beyond = 0.0
    for j in range(len(p), i, -1):
        spread[j - 1] += beyond * (1.0 - beyond)
        beyond += p[j - 1]
    beyond = 0.0
    for j in range(1, i):
        spread[j - 1] += beyond * (1.0 - beyond)
        beyond += p[j - 1]


@kernel
def _count_visits(block, index, number, seen, visits):
    for rows in (block.side.reshape(-1), block.tags.reshape(-1), block.distance.reshape(-1)):
        for feature in rows:
            if seen[feature] != number:
                seen[feature] = number
                visits[feature] += 1
    for record in block.cells:
        if record:
            for feature in range(index.begin[record - 1], index.begin[record]):
                if seen[feature] != number:
                    seen[feature] = number
                    visits[feature] += 1


@kernel
def _take_steps(block, index, gradient, weights, squares, share, step):
    """One step of AdaGrad for every feature of the block; resets the gradient to 0."""
    last = len(weights) - 1
    gradient[last] = 0.0
    for rows in (block.side.reshape(-1), block.tags.reshape(-1), block.distance.reshape(-1)):
        for feature in rows:
            take_step(np.uint64(feature), gradient, weights, squares, share, step)
    for record in block.cells:
        if record:
            for feature in range(index.begin[record - 1], index.begin[record]):
                take_step(np.uint64(feature), gradient, weights, squares, share, step)


@inner
def take_step(feature, gradient, weights, squares, share, step):
    """Takes one step for a feature; a second call has no effect, because its gradient is 0."""
    for label in range(np.uint64(weights.shape[1])):
        if gradient[feature, label] != 0.0:
            g = gradient[feature, label] + share[feature] * weights[feature, label]
            squares[feature, label] += g * g
            weights[feature, label] -= step * g / np.sqrt(squares[feature, label])
            gradient[feature, label] = 0.0
