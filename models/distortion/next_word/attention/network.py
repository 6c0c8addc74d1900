"""A small encoder that reads a whole sentence and scores all moves from place to place.

The places of a sentence are its n words, between its beginning (BOS) and its end (EOS). Each starts
as the sum of a vector of its word and one of its class or tag. Layers of self-attention (Vaswani et
al. 2017) with learned biases for distances let every place collect what it needs from the others:

    x ← x + mix(attention(norm(x)))        z[i, j] = q[i] · k[j] / √d + near[j − i],  softmax over j
    x ← x + narrow(relu(widen(norm(x))))

The score of a move from i to j is bilinear, plus what i, j and the distance say about it alone:

    score(i → j) = q[i] · k[j] / √D + leave[i, class of j − i] + enter[j, class of j − i]
                   + far[j − i] + Σ_k (a[i] · b[k] + c[k] · d[j]) / √D,  k strictly between i and j

The sum over the places that a move passes is that of the sequence model (Goto et al. 2013, eq. 2).

Sentences of a batch have equal lengths, so nothing is padded. The forward pass keeps what
`gradients.py` needs.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Float32Array, Int32Array
from hyperbaton.foundation.kernels import kernel

Array = NDArray[Any]  # (…) of the type of the network: float32, or float64 in tests

HEADS = 4
WIDER = 2  # size of the widened vectors, in sizes of the vectors
REACH = 64  # larger distances share their biases
EXACT, CLASSES = 8, 20  # distances up to EXACT are classes of their own; classes in each direction
PER_OCTAVE = 4  # classes for each doubling of larger distances
NARROWER = 4  # by which the vectors of passed places are smaller
# At first, each head of the first layer looks mostly at one distance: without that, few sentences
# do not teach what the words beside a word say.
FIRST_LOOKS, FOCUS = (-1, 1, -2, 2), 4.0
EPSILON = 1e-6


class Network(NamedTuple):
    """The learned arrays; also their gradients. D: size of the vectors, K: number of layers."""

    words: Array  # (rows, D)
    symbols: Array  # (classes or tags, D)
    attend: Array  # (K, D, 3 D) queries, keys, values of all heads
    near: Array  # (K, HEADS, 2 REACH + 1)
    mix: Array  # (K, D, D)
    widen: Array  # (K, D, WIDER · D)
    bias: Array  # (K, WIDER · D)
    narrow: Array  # (K, WIDER · D, D)
    gains: Array  # (2 K + 1, D) of the norms
    query: Array  # (D, D)
    key: Array  # (D, D)
    leave: Array  # (D, 2 CLASSES)
    enter: Array  # (D, 2 CLASSES)
    far: Array  # (2 REACH + 1,)
    between: Array  # (4, D, D / NARROWER) a, b, c, d

    @property
    def n_layers(self) -> int:
        return len(self.attend)


class LayerRecord(NamedTuple):
    """What the gradient of a layer needs; (P, D) if nothing else is said, with P = B · L places."""

    before: Array  # x
    normed: Array
    heads: Array  # (3, B, HEADS, L, d)
    attention: Array  # (B, HEADS, L, L)
    collected: Array
    keep_mixed: Any  # dropout masks; 1 without dropout
    between: Array  # x after attention
    normed_between: Array
    widened: Array  # (P, WIDER · D), after relu
    keep_narrowed: Any


class Record(NamedTuple):
    words: Int32Array  # (B, L) rows of words
    symbols: Int32Array
    keep: Any
    layers: list[LayerRecord]
    last: Array  # x, (P, D)
    normed: Array
    queries: Array  # (B, L, D)
    keys: Array
    passed: Array  # (4, B, L, D / NARROWER)


def new_network(
    n_words: int, n_symbols: int, size: int, n_layers: int, random: np.random.Generator
) -> Network:
    def normal(*shape: int, scale: float) -> Float32Array:
        return (random.standard_normal(shape, np.float32) * np.float32(scale)).astype(np.float32)

    def zeros(*shape: int) -> Float32Array:
        return np.zeros(shape, np.float32)

    wide, scale = WIDER * size, size**-0.5
    near = zeros(n_layers, HEADS, 2 * REACH + 1)
    near[0, range(HEADS), [REACH + distance for distance in FIRST_LOOKS]] = FOCUS
    between = normal(4, size, size // NARROWER, scale=scale)
    between[1:3] = 0  # the sums begin at 0
    return Network(
        normal(n_words, size, scale=0.05),
        normal(n_symbols, size, scale=0.05),
        normal(n_layers, size, 3 * size, scale=scale),
        near,
        normal(n_layers, size, size, scale=scale / 2),
        normal(n_layers, size, wide, scale=scale),
        zeros(n_layers, wide),
        normal(n_layers, wide, size, scale=wide**-0.5 / 2),
        np.ones((2 * n_layers + 1, size), np.float32),
        normal(size, size, scale=scale),
        normal(size, size, scale=scale),
        zeros(size, 2 * CLASSES),
        zeros(size, 2 * CLASSES),
        zeros(2 * REACH + 1),
        between,
    )


class Distances(NamedTuple):
    """Of all pairs of places i, j of L places."""

    near: Array  # (L, L) index of j − i among the biases
    classes: Array  # (L, L)


@lru_cache(64)
def distances(n_places: int) -> Distances:
    places = np.arange(n_places)
    distance = places[None, :] - places[:, None]
    size = np.maximum(abs(distance), 1)
    beyond = EXACT + PER_OCTAVE * np.log2(np.maximum(size / EXACT, 1))
    classes = np.where(size <= EXACT, size, np.minimum(beyond, CLASSES)).astype(np.int64) - 1
    classes += np.where(distance < 0, CLASSES, 0)
    return Distances(np.clip(distance, -REACH, REACH) + REACH, classes)


class Dropout:
    """Random masks that drop a share of the values, and scale the others up."""

    def __init__(self, share: float, random: np.random.Generator) -> None:
        self.share, self.random = share, random

    def mask(self, shape: tuple[int, ...]) -> Any:
        if not self.share:
            return np.float32(1.0)
        is_kept = self.random.random(shape, np.float32) >= self.share
        return is_kept * np.float32(1 / (1 - self.share))


NO_DROPOUT = Dropout(0.0, np.random.default_rng(0))


def forward(
    network: Network, words: Int32Array, symbols: Int32Array, dropout: Dropout = NO_DROPOUT
) -> tuple[Array, Record]:
    """The scores of all moves of B sentences with L places, (B, L, L), and a record of the way."""
    n_sentences, n_places = words.shape
    size = network.words.shape[1]
    scale = size**-0.5
    per_head = size // HEADS
    distance = distances(n_places)
    x = network.words[words.ravel()] + network.symbols[symbols.ravel()]  # (P, D)
    keep = dropout.mask(x.shape)
    x *= keep
    layers = []
    for layer in range(network.n_layers):
        before, normed = x, norm(x) * network.gains[2 * layer]
        heads = (normed @ network.attend[layer]).reshape(n_sentences, n_places, 3, HEADS, per_head)
        heads = np.ascontiguousarray(heads.transpose(2, 0, 3, 1, 4))
        logits = heads[0] @ heads[1].swapaxes(2, 3)
        logits *= per_head**-0.5
        logits += network.near[layer][:, distance.near]
        attention = softmax(logits)
        collected = (attention @ heads[2]).swapaxes(1, 2).reshape(x.shape)
        keep_mixed = dropout.mask(x.shape)
        x = before + (collected @ network.mix[layer]) * keep_mixed
        between, normed_between = x, norm(x) * network.gains[2 * layer + 1]
        widened = normed_between @ network.widen[layer]
        widened += network.bias[layer]
        np.maximum(widened, 0, out=widened)
        keep_narrowed = dropout.mask(x.shape)
        x = between + (widened @ network.narrow[layer]) * keep_narrowed
        record = LayerRecord(
            before, normed, heads, attention, collected, keep_mixed, between, normed_between,
            widened, keep_narrowed,
        )  # fmt: skip
        layers.append(record)
    normed = norm(x) * network.gains[-1]
    shape = n_sentences, n_places, -1
    queries, keys = (normed @ part for part in (network.query, network.key))
    queries, keys = queries.reshape(shape), keys.reshape(shape)
    scores = queries @ keys.swapaxes(1, 2)
    scores *= scale
    scores += network.far[distance.near]
    leave, enter = ((normed @ part).reshape(shape) for part in (network.leave, network.enter))
    places = np.arange(n_places)
    scores += leave[:, places[:, None], distance.classes]
    scores += enter[:, places, distance.classes]
    a, b, c, d = passed = (normed @ network.between).reshape(4, n_sentences, n_places, -1)
    add_sums_between((a * scale) @ b.swapaxes(1, 2), scores)
    add_sums_between((d * scale) @ c.swapaxes(1, 2), scores.swapaxes(1, 2))
    return scores, Record(words, symbols, keep, layers, x, normed, queries, keys, passed)


@kernel
def add_sums_between(values, scores):
    """Adds to scores[i, j] the sum of values[i, k] over all k strictly between i and j."""
    n_places = scores.shape[1]
    for sentence in range(len(scores)):
        for i in range(n_places):
            total = 0.0
            for j in range(i + 2, n_places):
                total += values[sentence, i, j - 1]
                scores[sentence, i, j] += total
            total = 0.0
            for j in range(i - 2, -1, -1):
                total += values[sentence, i, j + 1]
                scores[sentence, i, j] += total


def norm(x: Array) -> Array:
    """Vectors with a mean square of 1 (Zhang and Sennrich 2019)."""
    return x * root_mean_square(x)


def root_mean_square(x: Array) -> Array:
    """Its inverse, (P, 1)."""
    mean = np.einsum("pd,pd->p", x, x)[:, None] / x.shape[1]
    inverse: Array = (mean + x.dtype.type(EPSILON)) ** x.dtype.type(-0.5)
    return inverse


def softmax(logits: Array) -> Array:
    """Over the last axis; overwrites its argument."""
    logits -= logits.max(axis=-1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=-1, keepdims=True)
    return logits
