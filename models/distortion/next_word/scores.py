"""Scores of candidates, and their derivatives by the weights (Goto et al. 2013, eqs. 1, 2).

In the pair model (eq. 1) the score of a candidate j after CP i is the sum of the weights of the
features of (i, j). The sequence model (eq. 2) has three weights for each feature, for the labels
C of the current place, N of the candidate and I of the places between. With CN, CI and IN the sums
of the weights of a pair under each pair of labels,

    score(i → j) = 2 · CN[i, j] + Σ_k CI[i, k] + Σ_k IN[k, j],      k strictly between i and j.

(i, j) itself is in both sums of eq. 2, hence the 2. Both sums over k are running sums, along a row
away from i and along a column away from j. The gradient runs the other way: CI[i, k] is part of
score(i → j) for every j beyond k, so its derivative is the sum over these j.

           j=1   2   3   4   5
    CP 2    ·   C   I   I   N    score(2 → 5) = 2 CN[2,5] + CI[2,3] + CI[2,4] + IN[3,5] + IN[4,5]
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.distortion.next_word.blocks import columns, make_block
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.selection import PairIndex
from hyperbaton.models.distortion.next_word.templates import (
    DISTANCES,
    MARGIN,
    SIDE,
    TAGS,
    WORD_PAIRS,
    Symbols,
    distance_class,
)
from hyperbaton.models.learning.losses import log_softmax

PAIR, SEQUENCE = 1, 3  # labels: weights for each feature
CN, CI, IN = 0, 1, 2
# CN, CI, IN as unsigned indices: Numba then omits the code for negative ones
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
# distance of the words of each template from their pair (i, j) in a padded sentence
FIRST_OFFSET = np.ascontiguousarray(WORD_PAIRS[:, 0] + MARGIN)
SECOND_OFFSET = np.ascontiguousarray(WORD_PAIRS[:, 1] + MARGIN)
# distance of a pair minus the distance of its words, forwards and back
SHORTER = np.stack([SECOND_OFFSET - FIRST_OFFSET, FIRST_OFFSET - SECOND_OFFSET])
BORDER = 2 * MARGIN  # largest distance of a pair from its words
WIDER = 2 * BORDER + 2


@inner
def label_scores(block, sentence, n_words, weights, wanted, scores):
    """Fills scores[label, i, j − 1] with sums of weights of all pairs of wanted rows, for each
    label.

    `weights` are those of the block's features, (features, labels); the first row is 0.
    """
    labels = weights.shape[1]
    number, tags, width = sentence - block.first, block.tags, n_words + WIDER
    side = _side_sums(block, block.side_begin[number], n_words, weights)
    distance = _distance_sums(block, weights)
    words = np.zeros(((n_words + WIDER) * width, labels))
    _add_words(block, sentence, n_words, weights, words, True)  # of records
    for i in range(n_words + 1):
        if not wanted[i]:
            continue
        row = block.pair_begin[number] + i * (n_words + 1)
        for column in range(n_words + 1):
            j = column + 1
            if i == j:
                continue
            o, d = 1 if j < i else 0, distance_class(i, j)
            pair, at = np.uint64(row + column), np.uint64(place_of(i, j, width))
            cn = side[i, o, CN] + side[j, o, labels + CN] + distance[o, d, CN] + words[at, ZERO]
            if labels == PAIR:
                for k in range(TAGS):
                    cn += weights[np.uint64(tags[pair, np.uint64(k)]), ZERO]
                scores[CN, i, column] = cn
                continue
            ci = side[i, o, CI] + side[j, o, SEQUENCE + CI] + distance[o, d, CI] + words[at, ONE]
            in_ = side[i, o, IN] + side[j, o, SEQUENCE + IN] + distance[o, d, IN] + words[at, TWO]
            for k in range(TAGS):
                feature = np.uint64(tags[pair, np.uint64(k)])
                cn += weights[feature, ZERO]
                ci += weights[feature, ONE]
                in_ += weights[feature, TWO]
            scores[CN, i, column], scores[CI, i, column], scores[IN, i, column] = cn, ci, in_


@uncounted
def place_of(i, j, width):
    """The index of a pair among all pairs of places in a padded sentence and beyond it."""
    return (i + BORDER) * width + j + BORDER


@inner
def _add_words(block, sentence, n_words, values, sums, of_records):
    """With `of_records`, adds values of records to the pairs with their words; otherwise adds
    values of pairs to records, which is the transpose.

    A record belongs to up to 21 pairs, some of them beyond the ends of the sentence, which are not
    used.
    """
    begin, template, first = block.begin, block.template, block.begin[0]
    width = n_words + WIDER
    back = FIRST_OFFSET * width + SECOND_OFFSET  # from the words to their pair
    cell = np.uint64(block.cell_begin[sentence - block.first])
    for o in range(2):
        for a in range(n_words + 5):
            low, high = columns(n_words, o, a)
            for b in range(low, high):
                record = np.uint64(block.cells[cell])
                cell += ONE
                if not record:
                    continue
                place, distance = place_of(a, b, width), a - b if o else b - a
                for at in range(begin[record - ONE], begin[record]):
                    row, t = np.uint64(at), np.uint64(template[np.uint64(at - first)])
                    if distance > SHORTER[o, t]:
                        pair = np.uint64(place - back[t])
                        here, there = (row, pair) if of_records else (pair, row)
                        _add_labels(values, here, sums, there)


@uncounted
def _add_labels(values, here, sums, there):
    """Adds a row of values, one for each label, to a row of sums."""
    sums[there, ZERO] += values[here, ZERO]
    if values.shape[1] != PAIR:
        sums[there, ONE] += values[here, ONE]
        sums[there, TWO] += values[here, TWO]


@inner
def _distance_sums(block, weights):
    labels = weights.shape[1]
    sums = np.empty((2, DISTANCES, labels))
    for o in range(2):
        for d in range(DISTANCES):
            for label in range(labels):
                sums[o, d, label] = (
                    weights[block.distance[o, d, 0], label]
                    + weights[block.distance[o, d, 1], label]
                )
    return sums


@inner
def _side_sums(block, first, n_words, weights):
    """Sums of the weights of each place's features, as i and as j, (n + 2, 2, 2 · labels)."""
    labels = weights.shape[1]
    sums = np.zeros((n_words + 2, 2, 2 * labels))
    for place in range(n_words + 2):
        for o in range(2):
            for k in range(2 * SIDE):
                feature = np.uint64(block.side[first + place, o, k])
                to = labels if k >= SIDE else 0
                for label in range(labels):
                    sums[place, o, to + label] += weights[feature, np.uint64(label)]
    return sums


@inner
def sequence_scores(scores, n_words, totals):
    """Fills totals[i, j − 1] by eq. 2 for all pairs."""
    for i in range(n_words + 1):
        between = 0.0
        for j in range(i + 1, n_words + 2):
            totals[i, j - 1] = 2.0 * scores[CN, i, j - 1] + between
            between += scores[CI, i, j - 1]
        between = 0.0
        for j in range(i - 1, 0, -1):
            totals[i, j - 1] = 2.0 * scores[CN, i, j - 1] + between
            between += scores[CI, i, j - 1]
    for j in range(1, n_words + 2):
        between = 0.0
        for i in range(j - 1, -1, -1):
            totals[i, j - 1] += between
            between += scores[IN, i, j - 1]
        between = 0.0
        for i in range(j + 1, n_words + 1):
            totals[i, j - 1] += between
            between += scores[IN, i, j - 1]


def next_word_scores(symbols: Symbols, index: PairIndex, weights: NDArray[Any]) -> FloatArray:
    """Scores of all candidates (eqs. 1, 2) of one sentence, (n + 1, n + 1)."""
    nothing = np.empty(0, np.int32)
    offsets = np.zeros(2, np.int64)
    n_words = len(symbols.words)
    events = NextWordEvents(nothing, nothing, offsets, nothing, np.array([0, n_words]))
    block = make_block(symbols, events, index, 0, 1)
    totals: FloatArray = _scores(block, n_words, weights)
    return totals


@kernel
def _scores(block, n_words, weights):
    labels = weights.shape[1]
    scores = np.zeros((labels, n_words + 1, n_words + 1))
    wanted = np.ones(n_words + 1, np.bool_)
    label_scores(block, 0, n_words, weights[block.features], wanted, scores)
    if labels == PAIR:
        return scores[0]
    totals = np.zeros((n_words + 1, n_words + 1))
    sequence_scores(scores, n_words, totals)
    return totals


def log_probabilities(scores: FloatArray) -> FloatArray:
    """log P(NP | CP) from scores, over all candidates.

    Rows are CP, from BOS (0) to the last word; columns are NP − 1, from the first word to EOS. It
    is −∞ if both are the same place.
    """
    others = scores.copy()
    np.fill_diagonal(others[1:], -np.inf)
    return log_softmax(others)


@inner
def sequence_changes(residual, n_words, changes):
    """Fills changes[label, i, j − 1] with the derivatives by CN, CI and IN, given the derivatives
    by the totals, residual[i, j − 1]."""
    for i in range(n_words + 1):
        beyond = 0.0
        for j in range(n_words + 1, i, -1):
            changes[CN, i, j - 1] = 2.0 * residual[i, j - 1]
            changes[CI, i, j - 1] = beyond
            beyond += residual[i, j - 1]
        beyond = 0.0
        for j in range(1, i):
            changes[CN, i, j - 1] = 2.0 * residual[i, j - 1]
            changes[CI, i, j - 1] = beyond
            beyond += residual[i, j - 1]
    for j in range(1, n_words + 2):
        beyond = 0.0
        for i in range(j):
            changes[IN, i, j - 1] = beyond
            beyond += residual[i, j - 1]
        beyond = 0.0
        for i in range(n_words, j, -1):
            changes[IN, i, j - 1] = beyond
            beyond += residual[i, j - 1]


@inner
def add_changes(block, sentence, n_words, wanted, changes, gradient):
    """Adds the derivatives of all pairs of wanted rows to the gradient of the weights of the
    block's features."""
    labels = gradient.shape[1]
    number, tags, width = sentence - block.first, block.tags, n_words + WIDER
    side = np.zeros((n_words + 2, 2, 2 * labels))
    distance = np.zeros((2, DISTANCES, labels))
    words = np.zeros(((n_words + WIDER) * width, labels))
    for i in range(n_words + 1):
        if not wanted[i]:
            continue
        row = block.pair_begin[number] + i * (n_words + 1)
        for column in range(n_words + 1):
            j = column + 1
            if i == j:
                continue
            o, d = 1 if j < i else 0, distance_class(i, j)
            pair, at = np.uint64(row + column), np.uint64(place_of(i, j, width))
            for label in range(labels):
                change = changes[label, i, column]
                side[i, o, label] += change
                side[j, o, labels + label] += change
                distance[o, d, label] += change
                words[at, label] = change
            if labels == PAIR:
                change = changes[0, i, column]
                for k in range(TAGS):
                    gradient[np.uint64(tags[pair, np.uint64(k)]), ZERO] += change
            else:
                cn, ci, in_ = changes[CN, i, column], changes[CI, i, column], changes[IN, i, column]
                for k in range(TAGS):
                    feature = np.uint64(tags[pair, np.uint64(k)])
                    gradient[feature, ZERO] += cn
                    gradient[feature, ONE] += ci
                    gradient[feature, TWO] += in_
    _add_sides(block, number, n_words, side, distance, gradient)
    _add_words(block, sentence, n_words, words, gradient, False)  # of pairs


@inner
def _add_sides(block, number, n_words, side, distance, gradient):
    labels = gradient.shape[1]
    first = block.side_begin[number]
    for place in range(n_words + 2):
        for o in range(2):
            for k in range(2 * SIDE):
                feature = np.uint64(block.side[first + place, o, k])
                to = labels if k >= SIDE else 0
                for label in range(labels):
                    gradient[feature, np.uint64(label)] += side[place, o, to + label]
    for o in range(2):
        for d in range(DISTANCES):
            for k in range(2):
                for label in range(labels):
                    gradient[block.distance[o, d, k], label] += distance[o, d, label]
