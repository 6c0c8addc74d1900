"""The log likelihood of events and its gradient, lane by lane.

P(NP = j | CP = i) = exp score(i → j) / Z_i. The candidates, over which Z sums, are all places but i
and BOS; with `open_only`, without visited places.

Blocks are distributed over a fixed number of lanes; a lane sums its blocks in order, and lanes are
summed in order, so the result does not depend on the number of threads or workers.
"""

from typing import Self

import numpy as np

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Int64Array
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
        value, events = 0.0, self.blocks.events
        for number in range(lane, len(self.blocks), LANES):
            block = self.blocks[number]
            own = weights[block.features].astype(np.float64)
            change = np.zeros_like(own)
            value += _loss(block, events, own, self.open_only, wanted, change)
            if wanted != VALUE_ONLY:
                _add(change, block.features, gradient)
        return value

    def n_visits(self, lane: int) -> Int32Array:
        """The number of blocks with each feature, (n_features + 1,)."""
        visits = np.zeros(self.shape[0], np.int32)
        for number in range(lane, len(self.blocks), LANES):
            visits[self.blocks[number].features] += 1  # without repetitions
        return visits

    def descend(
        self,
        lane: int,
        weights: Float32Array,
        squares: Float32Array,
        share: FloatArray,
        step: float,
        order: Int64Array,
    ) -> None:
        """Visits the blocks of the lane in the given order, with a step after each."""
        events = self.blocks.events
        for number in order[order % LANES == lane].tolist():
            block = self.blocks[number]
            own = weights[block.features].astype(np.float64)
            gradient = np.zeros_like(own)
            _loss(block, events, own, self.open_only, GRADIENT, gradient)
            _take_steps(gradient, own, block.features, weights, squares, share, step)

    def at(self, here: Workplace, lane: int) -> Self:  # noqa: ARG002
        """The lanes for the task of a lane, in the process that made all features."""
        return self


@kernel  # the only one that is large, because compiling it takes long
def _loss(block, events, weights, open_only, wanted_too, gradient):
    """Minus the log likelihood of a block; adds to the gradient or the curvature if wanted.
    `weights` and `gradient` are those of the block's features."""
    labels, value = weights.shape[1], 0.0
    for sentence in range(block.first, block.last):
        begin = events.word_offsets[sentence]
        n_words = events.word_offsets[sentence + 1] - begin
        wanted = np.full(n_words + 1, labels != PAIR)
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            wanted[events.current[event]] = True
        scores = np.zeros((labels, n_words + 1, n_words + 1))
        label_scores(block, sentence, n_words, weights, wanted, scores)
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
        add_changes(block, sentence, n_words, wanted, changes, gradient)
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
def _add(change, features, gradient):
    for number in range(len(features)):
        for label in range(change.shape[1]):
            gradient[features[number], label] += change[number, label]


@kernel
def _take_steps(gradient, own, features, weights, squares, share, step):
    """One step of AdaGrad for every feature of a block."""
    for number in range(1, len(own)):
        feature = features[number]
        for label in range(own.shape[1]):
            if gradient[number, label] != 0.0:
                g = gradient[number, label] + share[feature] * own[number, label]
                squares[feature, label] += g * g
                weights[feature, label] -= step * g / np.sqrt(squares[feature, label])
