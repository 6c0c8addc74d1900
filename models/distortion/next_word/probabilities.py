"""All probabilities of one sentence at once: log P(NP | CP) as a table.

Rows are CP, from BOS (0) to the last word; columns are NP − 1, from the first word to EOS. The
pair where both are the same place is −∞.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.distortion.next_word.blocks import make_block
from models.distortion.next_word.events import Events
from models.distortion.next_word.index import FeatureIndex
from models.distortion.next_word.scores import PAIR, label_scores, sequence_scores
from models.distortion.next_word.templates import Symbols
from models.kernels import kernel


def next_word_scores(symbols: Symbols, index: FeatureIndex, weights: NDArray[Any]) -> FloatArray:
    """Scores of all candidates (eqs. 1, 2) of one sentence, (n + 1, n + 1)."""
    nothing = np.empty(0, np.int32)
    offsets = np.zeros(2, np.int64)
    n_words = len(symbols.words)
    events = Events(nothing, nothing, offsets, nothing, np.array([0, n_words]))
    totals: FloatArray = _scores(symbols, events, index, weights)
    return totals


@kernel
def _scores(symbols, events, index, weights):
    block = make_block(symbols, events, index, 0, 1, True)
    n_words, labels = len(symbols.words), weights.shape[1]
    scores = np.zeros((labels, n_words + 1, n_words + 1))
    label_scores(block, 0, n_words, weights, np.ones(n_words + 1, np.bool_), scores)
    if labels == PAIR:
        return scores[0]
    totals = np.zeros((n_words + 1, n_words + 1))
    sequence_scores(scores, n_words, totals)
    return totals


@kernel
def log_probabilities(scores):
    """log P(NP | CP) from scores, over all candidates."""
    n_places = len(scores)
    result = np.empty((n_places, n_places))
    for i in range(n_places):
        highest, z = -np.inf, 0.0
        for column in range(n_places):
            if column + 1 != i:
                highest = max(highest, scores[i, column])
        for column in range(n_places):
            if column + 1 != i:
                z += np.exp(scores[i, column] - highest)
        for column in range(n_places):
            result[i, column] = scores[i, column] - highest - np.log(z)
        if i:
            result[i, i - 1] = -np.inf
    return result
