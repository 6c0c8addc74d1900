"""Scores of candidates, and what a change of weights does to them (Goto et al. 2013, eqs. 1, 2).

In the pair model (eq. 1) the score of a candidate j after CP i is the sum of the weights of the
features of (i, j). The sequence model (eq. 2) has three weights for each feature, for the labels
C of the current place, N of the candidate and I of the places between. With CN, CI and IN the sums
of the weights of a pair under each pair of labels,

    score(i → j) = 2 · CN[i, j] + Σ_k CI[i, k] + Σ_k IN[k, j],      k strictly between i and j.

(i, j) itself is in both sums of eq. 2, hence the 2. Both sums over k are running sums, along a row
away from i and along a column away from j. The gradient runs the other way: what is added to
score(i → j) belongs to every CI[i, k] on the way, so CI[i, k] gets the sum over all j beyond k.

           j=1   2   3   4   5
    CP 2    ·   C   I   I   N    score(2 → 5) = 2 CN[2,5] + CI[2,3] + CI[2,4] + IN[3,5] + IN[4,5]
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.distortion.next_word.blocks import make_block
from models.distortion.next_word.events import Events
from models.distortion.next_word.selection import FeatureIndex
from models.distortion.next_word.templates import DISTANCES, SIDE, Symbols, distance_class
from models.kernels import inner, kernel

PAIR, SEQUENCE = 1, 3  # labels: weights for each feature
CN, CI, IN = 0, 1, 2
# CN, CI, IN as unsigned indices: Numba then leaves out the code for negative ones
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@inner
def label_scores(block, sentence, n_words, weights, wanted, scores):
    """Sums of weights of all pairs of wanted rows, for each label, into scores[label, i, j − 1].

    `weights` is (n_features + 1, labels); the last row is that of features that do not exist.
    """
    labels = weights.shape[1]
    number, both, pair_begin = sentence - block.first, block.both, block.pair_begin
    side = _side_sums(block, block.side_begin[number], n_words, weights)
    distance = np.empty((2, DISTANCES, labels))
    for o in range(2):
        for d in range(DISTANCES):
            for label in range(labels):
                distance[o, d, label] = (
                    weights[block.distance[o, d, 0], label]
                    + weights[block.distance[o, d, 1], label]
                )
    for i in range(n_words + 1):
        if not wanted[i]:
            continue
        row = block.sentence_pair[number] + i * (n_words + 1)
        for column in range(n_words + 1):
            j = column + 1
            if i == j:
                continue
            o, d = 1 if j < i else 0, distance_class(i, j)
            pair = np.uint64(row + column)
            begin, end = np.uint64(pair_begin[pair]), np.uint64(pair_begin[pair + ONE])
            if labels == PAIR:
                total = side[i, o, 0] + side[j, o, 1] + distance[o, d, 0]
                for at in range(begin, end):
                    total += weights[np.uint64(both[at]), ZERO]
                scores[0, i, column] = total
            else:
                cn = side[i, o, CN] + side[j, o, SEQUENCE + CN] + distance[o, d, CN]
                ci = side[i, o, CI] + side[j, o, SEQUENCE + CI] + distance[o, d, CI]
                in_ = side[i, o, IN] + side[j, o, SEQUENCE + IN] + distance[o, d, IN]
                for at in range(begin, end):
                    feature = np.uint64(both[at])
                    cn += weights[feature, ZERO]
                    ci += weights[feature, ONE]
                    in_ += weights[feature, TWO]
                scores[CN, i, column], scores[CI, i, column], scores[IN, i, column] = cn, ci, in_


@inner
def _side_sums(block, first, n_words, weights):
    """Sums of the weights of each place's features, as i and then as j, (n + 2, 2, 2 · labels)."""
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
    """Eq. 2 for all pairs, totals[i, j − 1]."""
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
    """log P(NP | CP) from scores, over all candidates.

    Rows are CP, from BOS (0) to the last word; columns are NP − 1, from the first word to EOS. The
    pair where both are the same place is −∞.
    """
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


@inner
def sequence_changes(residual, n_words, changes):
    """What one unit more of CN, CI and IN changes, changes[label, i, j − 1], if one unit more of
    a total changes residual[i, j − 1]."""
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
    """Adds the changes of all pairs of wanted rows to the gradient of their features' weights."""
    labels = gradient.shape[1]
    number, both, pair_begin = sentence - block.first, block.both, block.pair_begin
    side = np.zeros((n_words + 2, 2, 2 * labels))
    distance = np.zeros((2, DISTANCES, labels))
    for i in range(n_words + 1):
        if not wanted[i]:
            continue
        row = block.sentence_pair[number] + i * (n_words + 1)
        for column in range(n_words + 1):
            j = column + 1
            if i == j:
                continue
            o, d = 1 if j < i else 0, distance_class(i, j)
            for label in range(labels):
                change = changes[label, i, column]
                side[i, o, label] += change
                side[j, o, labels + label] += change
                distance[o, d, label] += change
            pair = np.uint64(row + column)
            begin, end = np.uint64(pair_begin[pair]), np.uint64(pair_begin[pair + ONE])
            if labels == PAIR:
                change = changes[0, i, column]
                for at in range(begin, end):
                    gradient[np.uint64(both[at]), ZERO] += change
            else:
                cn, ci, in_ = changes[CN, i, column], changes[CI, i, column], changes[IN, i, column]
                for at in range(begin, end):
                    feature = np.uint64(both[at])
                    gradient[feature, ZERO] += cn
                    gradient[feature, ONE] += ci
                    gradient[feature, TWO] += in_
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
