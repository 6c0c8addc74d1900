"""The likelihood of moves under the network, and its gradient by back-propagation.

Each function undoes one of `network.py`, in reverse order: given the derivative of the loss by a
result, it finds those by what the result was made from.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.next_word.attention.network import (
    CLASSES,
    HEADS,
    NO_DROPOUT,
    REACH,
    Array,
    Distances,
    Dropout,
    LayerRecord,
    Network,
    Record,
    distances,
    forward,
    root_mean_square,
)


class Moves(NamedTuple):
    """Sentences of equal length with the moves that were made in them."""

    words: Int32Array  # (B, L)
    symbols: Int32Array
    counts: Array  # (B, L, L) number of moves from place to place


def log_probability(network: Network, moves: Moves) -> float:
    """The sum of log P of all moves."""
    scores, _ = forward(network, moves.words, moves.symbols)
    return _total(_log_probabilities(scores), moves)


def loss_and_gradient(
    network: Network, moves: Moves, dropout: Dropout = NO_DROPOUT
) -> tuple[float, Network]:
    """−Σ log P of the moves, and its gradient. That of `words` has one row for each place of the
    batch, in order, because most words do not occur in it."""
    scores, record = forward(network, moves.words, moves.symbols, dropout)
    log_p = _log_probabilities(scores)
    by_scores = np.exp(log_p)
    by_scores *= moves.counts.sum(axis=2, keepdims=True)
    by_scores -= moves.counts
    return -_total(log_p, moves), backward(network, record, by_scores)


def _total(log_p: Array, moves: Moves) -> float:
    made = moves.counts > 0
    return float((moves.counts[made] * log_p[made]).sum())


def _log_probabilities(scores: Array) -> Array:
    """log P(next | current); overwrites the scores. There are no moves to BOS, nor from a place to
    itself."""
    places = np.arange(1, scores.shape[1])
    scores[:, :, 0] = -np.inf
    scores[:, places, places] = -np.inf
    scores -= scores.max(axis=2, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=2, keepdims=True))
    return scores


def backward(network: Network, record: Record, by_scores: Array) -> Network:
    distance = distances(by_scores.shape[1])
    gradient = Network(np.empty(0), *(np.zeros_like(part) for part in network[1:]))
    scale = by_scores.dtype.type(network.words.shape[1] ** -0.5)
    x = record.normed
    by_x = _by_distances(network, gradient, x, by_scores, distance)
    by_queries = (by_scores @ record.keys).reshape(x.shape) * scale
    by_keys = (by_scores.swapaxes(1, 2) @ record.queries).reshape(x.shape) * scale
    gradient.query[...] = x.T @ by_queries
    gradient.key[...] = x.T @ by_keys
    by_x += _by_passed(network, gradient, record, by_scores * scale)
    by_x += by_queries @ network.query.T
    by_x += by_keys @ network.key.T
    by_x = _by_norm(record.last, by_x, network.gains[-1], gradient.gains[-1])
    for layer in range(network.n_layers - 1, -1, -1):
        by_x = _by_layer(network, gradient, layer, record.layers[layer], by_x, distance)
    by_x = by_x * record.keep
    add_rows(by_x, record.symbols.ravel(), gradient.symbols)
    return gradient._replace(words=by_x)


def _by_distances(
    network: Network, gradient: Network, x: Array, by_scores: Array, distance: Distances
) -> Array:
    """The derivative by x of the terms of `forward` that depend on distances."""
    # place by place: (L, B, L) by (L, L, classes)
    one_hot = np.eye(2 * CLASSES, dtype=by_scores.dtype)[distance.classes]
    gradient.far[...] = _by_bias(by_scores.sum(axis=0), distance)
    by_leave = (by_scores.swapaxes(0, 1) @ one_hot).swapaxes(0, 1).reshape(len(x), -1)
    by_enter = (by_scores.transpose(2, 0, 1) @ one_hot.swapaxes(0, 1)).swapaxes(0, 1)
    by_enter = by_enter.reshape(len(x), -1)
    gradient.leave[...] = x.T @ by_leave
    gradient.enter[...] = x.T @ by_enter
    by_x: Array = by_leave @ network.leave.T + by_enter @ network.enter.T
    return by_x


def _by_passed(network: Network, gradient: Network, record: Record, by_scores: Array) -> Array:
    """The derivative by x of the sums over passed places."""
    x, (a, b, c, d) = record.normed, record.passed
    by_first, by_second = np.zeros_like(by_scores), np.zeros_like(by_scores)
    add_sums_beyond(by_scores, by_first)
    add_sums_beyond(by_scores.swapaxes(1, 2), by_second)
    parts = by_first @ b, by_first.swapaxes(1, 2) @ a, by_second.swapaxes(1, 2) @ d, by_second @ c
    by_passed = np.stack(parts).reshape(len(parts), len(x), -1)
    gradient.between[...] = x.T @ by_passed
    by_x: Array = (by_passed @ network.between.swapaxes(1, 2)).sum(axis=0)
    return by_x


def _by_layer(
    network: Network,
    gradient: Network,
    layer: int,
    record: LayerRecord,
    by_x: Array,
    distance: Distances,
) -> Array:
    """The derivative by the input of a layer."""
    by_narrowed = by_x * record.keep_narrowed
    gradient.narrow[layer] = record.widened.T @ by_narrowed
    by_widened = by_narrowed @ network.narrow[layer].T
    by_widened *= record.widened > 0
    gradient.bias[layer] = by_widened.sum(axis=0)
    gradient.widen[layer] = record.normed_between.T @ by_widened
    gains = network.gains[2 * layer + 1], gradient.gains[2 * layer + 1]
    by_x = by_x + _by_norm(record.between, by_widened @ network.widen[layer].T, *gains)

    by_mixed = by_x * record.keep_mixed
    gradient.mix[layer] = record.collected.T @ by_mixed
    by_collected = by_mixed @ network.mix[layer].T
    _, n_sentences, _, n_places, per_head = record.heads.shape
    by_collected = by_collected.reshape(n_sentences, n_places, HEADS, per_head).swapaxes(1, 2)
    queries, keys, values = record.heads
    by_attention = by_collected @ values.swapaxes(2, 3)
    by_attention -= np.einsum("bhij,bhij->bhi", by_attention, record.attention)[..., None]
    by_attention *= record.attention
    gradient.near[layer] = [_by_bias(part, distance) for part in by_attention.sum(axis=0)]
    by_heads = np.empty((n_sentences, n_places, 3, HEADS, per_head), by_x.dtype)
    scale = by_x.dtype.type(per_head**-0.5)
    by_heads[:, :, 0] = (by_attention @ keys).swapaxes(1, 2) * scale
    by_heads[:, :, 1] = (by_attention.swapaxes(2, 3) @ queries).swapaxes(1, 2) * scale
    by_heads[:, :, 2] = (record.attention.swapaxes(2, 3) @ by_collected).swapaxes(1, 2)
    by_attend: Array = by_heads.reshape(len(by_x), -1)
    gradient.attend[layer] = record.normed.T @ by_attend
    gains = network.gains[2 * layer], gradient.gains[2 * layer]
    return by_x + _by_norm(record.before, by_attend @ network.attend[layer].T, *gains)


def _by_bias(by_pair: Array, distance: Distances) -> Array:
    """The derivative by the biases of distances, given that by all pairs of places."""
    return np.bincount(distance.near.ravel(), by_pair.ravel(), 2 * REACH + 1)


def _by_norm(x: Array, by_y: Array, gain: Array, by_gain: Array) -> Array:
    """The derivative by x of y = norm(x) · gain; adds that by the gain."""
    inverse = root_mean_square(x)
    normed = x * inverse
    by_gain += np.einsum("pd,pd->d", by_y, normed)
    by_normed = by_y * gain
    mean = np.einsum("pd,pd->p", by_normed, normed)[:, None] / x.shape[1]
    by_x: Array = (by_normed - normed * mean) * inverse
    return by_x


@kernel
def add_sums_beyond(by_scores, by_values):
    """Undoes `add_sums_between`: adds to by_values[i, k] the sum of by_scores[i, j] over all j
    beyond k, seen from i."""
    n_places = by_scores.shape[1]
    for sentence in range(len(by_scores)):
        for i in range(n_places):
            total = 0.0
            for k in range(n_places - 2, i, -1):
                total += by_scores[sentence, i, k + 1]
                by_values[sentence, i, k] += total
            total = 0.0
            for k in range(1, i):
                total += by_scores[sentence, i, k - 1]
                by_values[sentence, i, k] += total


@kernel
def add_rows(values, row, sums):
    """Adds each row of values to a row of the sums."""
    for place in range(len(row)):
        for column in range(values.shape[1]):
            sums[row[place], column] += values[place, column]
