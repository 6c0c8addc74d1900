"""The log likelihood of events and its gradient, over all blocks and with threads.

P(NP = j | CP = i) = exp score(i → j) / Z_i. The candidates, over which Z sums, are all places but i
and BOS; with `open_only`, places that were visited before are left out as well.

Blocks are dealt out to a fixed number of lanes; a lane adds up its blocks in order, and lanes are
added up in order, so the result does not depend on how many threads there are.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from models.arrays import FloatArray
from models.distortion.next_word.blocks import Blocks
from models.distortion.next_word.scores import (
    CI,
    CN,
    PAIR,
    add_changes,
    label_scores,
    sequence_changes,
    sequence_scores,
)
from models.kernels import inner, kernel

LANES = 8
NOTHING, GRADIENT, CURVATURE = 0, 1, 2  # what is wanted besides the value


class Likelihood:
    """The objective of training on some sentences."""

    def __init__(self, blocks: Blocks, labels: int, *, open_only: bool, threads: int) -> None:
        self.blocks, self.labels, self.open_only = blocks, labels, open_only
        self.threads = threads
        self.shape = (blocks.index.n_features + 1, labels)
        self._gradients: list[FloatArray] = []
        blocks.keep(threads)

    @property
    def n_events(self) -> int:
        return len(self.blocks.events.current)

    @property
    def n_batches(self) -> int:
        """Of one block for each lane."""
        return -(-len(self.blocks) // LANES)

    def value(self, weights: FloatArray) -> float:
        """Minus the log likelihood of all events."""
        return self._sum(weights, NOTHING)

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The same, and its gradient, (n_features + 1, labels); the last row is meaningless."""
        value = self._sum(weights, GRADIENT)
        return value, self._total()

    def batch_gradient(self, weights: FloatArray, batch: int) -> FloatArray:
        """The gradient over the events of a batch."""
        self._sum(weights, GRADIENT, slice(batch * LANES, (batch + 1) * LANES))
        return self._total()

    def curvature(self, weights: FloatArray) -> FloatArray:
        """About the second derivative by each weight: as if no two pairs shared a feature."""
        self._sum(weights, CURVATURE)
        return self._total()

    def _sum(self, weights: FloatArray, wanted: int, part: slice = slice(None)) -> float:
        blocks = range(len(self.blocks))[part]
        if wanted and not self._gradients:
            self._gradients = [np.empty(self.shape) for _ in range(LANES)]
        none = np.empty((0, self.labels))

        def work(lane: int) -> float:
            gradient = none
            if wanted:
                gradient = self._gradients[lane]
                gradient[:] = 0.0
            value = 0.0
            for number in blocks[lane::LANES]:
                block = self.blocks[number]
                value += _add_block(
                    block, self.blocks.events, weights, self.open_only, wanted, gradient
                )
            return value

        with ThreadPoolExecutor(self.threads) as pool:
            return sum(pool.map(work, range(LANES)))

    def _total(self) -> FloatArray:
        total = self._gradients[0].copy()
        for gradient in self._gradients[1:]:
            total += gradient
        return total


@kernel
def _add_block(block, events, weights, open_only, wanted_too, gradient):
    """Minus the log likelihood of a block; adds to the gradient or the curvature if wanted."""
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
        residual = np.zeros((n_words + 1, n_words + 1))
        changes = np.zeros((labels, n_words + 1, n_words + 1))
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            i, following = events.current[event], events.next[event]
            number = event - events.offsets[sentence]
            highest = -np.inf
            is_candidate = np.ones(n_words + 1, np.bool_)
            for j in range(1, n_words + 2):
                is_open = not open_only or j > n_words or events.closed[begin + j - 1] >= number
                is_candidate[j - 1] = j != i and is_open
                if is_candidate[j - 1]:
                    highest = max(highest, totals[i, j - 1])
            z = 0.0
            for column in range(n_words + 1):
                if is_candidate[column]:
                    p = np.exp(totals[i, column] - highest)
                    residual[i, column] = p
                    z += p
            value += np.log(z) + highest - totals[i, following - 1]
            for column in range(n_words + 1):
                residual[i, column] /= z
            if wanted_too == GRADIENT:
                residual[i, following - 1] -= 1.0
        if wanted_too == NOTHING:
            continue
        if wanted_too == CURVATURE:
            _curvature_changes(residual, n_words, changes)
        elif labels == PAIR:
            changes[0] = residual
        else:
            sequence_changes(residual, n_words, changes)
        add_changes(block, sentence, n_words, wanted, changes, gradient)
    return value


@inner
def _curvature_changes(probability, n_words, changes):
    """Variances of what each pair adds to the scores of an event."""
    if len(changes) == PAIR:
        changes[0] = probability * (1.0 - probability)
        return
    beyond = np.zeros_like(changes)
    sequence_changes(probability, n_words, beyond)
    sequence_changes(probability * (1.0 - probability), n_words, changes)
    changes[CN] *= 2.0
    changes[CI] = beyond[CI] * (1.0 - beyond[CI])  # places beyond are of one event, rows are not
