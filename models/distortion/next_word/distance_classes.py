"""The distance of the next source word in nine classes (Green et al. 2010; Goto et al. 2013, §4.3).

The outbound model predicts the distance of the next place from the current one; the inbound model
predicts the distance of the current place from the next one. Both use the distortion NP − CP − 1. A
place has ten features: the words from two before to two after, its tag, its tag with the previous
and with the following tag, its word with its tag, and its fifth of the sentence (words only, not
BOS and EOS). Each class has a weight for each feature:

    P(c | place) = exp Σ_f w[f, c] / Σ_c' exp Σ_f w[f, c']

A class has one probability, whatever the number of places of a sentence in it.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.hashing import EMPTY, KeyIndex, find_number
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.templates import MARGIN, TAG_BITS, WORD_BITS, padded
from hyperbaton.models.learning.l_bfgs import summed
from hyperbaton.models.learning.losses import log_softmax, to_probabilities

N_CLASSES = 9
N_TEMPLATES = 10
FIFTHS = 5
EVENT_LANES = 8
EVENTS_AT_ONCE = 4096
_LOWEST = -(1 << 30)
# The lowest distortion of each class. Green's classes include −1, which is CP itself; Goto et al.
# shift the negative classes by one instead (footnote 6).
BINS = {
    "goto": np.array([_LOWEST, -7, -4, -2, 0, 1, 2, 4, 7]),
    "green": np.array([_LOWEST, -6, -3, -1, 0, 1, 2, 4, 7]),
}


def check_bins(bins: str) -> None:
    if bins not in BINS:
        raise SettingError(f"unknown distance classes {bins!r}", expected=nearest(bins, list(BINS)))


def distance_classes(distortions: NDArray[Any], bins: str) -> Int64Array:
    return np.searchsorted(BINS[bins], distortions, side="right") - 1


def class_names(bins: str) -> list[str]:
    """`≤ -8`, `-7 to -5`, …, `≥ 7`."""
    lowest = BINS[bins][1:].tolist()
    names = [f"≤ {lowest[0] - 1}"]
    for low, following in pairwise(lowest):
        # Goto's classes exclude −1
        high = -2 if low == -2 and following == 0 else following - 1
        names.append(str(low) if low == high else f"{low} to {high}")
    return [*names, f"≥ {lowest[-1]}"]


@kernel
def place_keys(symbols, offsets):
    """The features of every place of all sentences, (places, N_TEMPLATES); sentence s begins at
    offsets[s] + 2 · s."""
    n_sentences = len(offsets) - 1
    keys = np.full((offsets[-1] + 2 * n_sentences, N_TEMPLATES), -1, np.int64)
    row = 0
    for sentence in range(n_sentences):
        begin = offsets[sentence]
        n_words = offsets[sentence + 1] - begin
        words = padded(symbols.words, begin, n_words)
        tags = padded(symbols.tags, begin, n_words)
        for place in range(n_words + 2):
            at = place + MARGIN
            for offset in range(-2, 3):
                keys[row, offset + 2] = _key(offset + 2, words[at + offset], 0)
            keys[row, 5] = _key(5, tags[at], 0)
            keys[row, 6] = _key(6, tags[at - 1], tags[at])
            keys[row, 7] = _key(7, tags[at], tags[at + 1])
            keys[row, 8] = _key(8, words[at], tags[at])
            if 1 <= place <= n_words:
                keys[row, 9] = _key(9, FIFTHS * (place - 1) // n_words, 0)
            row += 1
    return keys


@inner
def _key(template, first, second):
    if first < 0 or second < 0:
        return np.int64(-1)
    return np.int64((template << (WORD_BITS + TAG_BITS)) | (first << TAG_BITS) | second)


def describe_place(key: int) -> list[tuple[str, int]]:
    """The names and symbols of a key of `place_keys`."""
    template, rest = divmod(key, 1 << (WORD_BITS + TAG_BITS))
    first, second = divmod(rest, 1 << TAG_BITS)
    if template < 5:
        return [(f"s[{template - 2:+d}]" if template != 2 else "s[0]", first)]
    return {
        5: [("t[0]", first)],
        6: [("t[-1]", first), ("t[0]", second)],
        7: [("t[0]", first), ("t[+1]", second)],
        8: [("s[0]", first), ("t[0]", second)],
        9: [("fifth", first)],
    }[template]


class ClassExamples:
    """Events as examples of one direction: features of a place, and a class.

    The objective of training (`models/learning/l_bfgs.py`).
    """

    def __init__(self, features: Int32Array, classes: Int64Array, threads: int) -> None:
        self.features, self.classes, self.threads = features, classes, threads

    @property
    def n_events(self) -> int:
        return len(self.classes)

    def value(self, weights: FloatArray) -> float:
        return self._sum(weights, (0, 0))[0]

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]:
        return self._sum(weights, weights.shape)

    def curvature(self, weights: FloatArray) -> FloatArray:
        """For equally likely classes: the count of the feature times p (1 − p)."""
        counts = np.bincount(self.features.reshape(-1), minlength=len(weights)).astype(np.float64)
        share = (N_CLASSES - 1) / N_CLASSES**2
        return np.repeat(counts[:, None] * share, N_CLASSES, axis=1)

    def _sum(self, weights: FloatArray, shape: tuple[int, ...]) -> tuple[float, FloatArray]:
        def work(lane: int) -> tuple[float, FloatArray]:
            value, gradient = 0.0, np.zeros(shape)
            for begin in range(
                lane * EVENTS_AT_ONCE, len(self.classes), EVENT_LANES * EVENTS_AT_ONCE
            ):
                rows = slice(begin, begin + EVENTS_AT_ONCE)
                value += _add_examples(self.features[rows], self.classes[rows], weights, gradient)
            return value, gradient

        with ThreadPoolExecutor(self.threads) as pool:
            return summed(pool.map(work, range(EVENT_LANES)))


@kernel
def _add_examples(features, classes, weights, gradient):
    value = 0.0
    scores = np.empty(N_CLASSES)
    for row in range(len(classes)):
        scores[:] = 0.0
        for k in range(features.shape[1]):
            feature = np.uint64(features[row, k])
            for c in range(N_CLASSES):
                scores[c] += weights[feature, np.uint64(c)]
        score = scores[classes[row]]
        value += to_probabilities(scores) - score
        if not len(gradient):
            continue
        scores[classes[row]] -= 1.0
        for k in range(features.shape[1]):
            feature = np.uint64(features[row, k])
            for c in range(N_CLASSES):
                gradient[feature, np.uint64(c)] += scores[c]
    return value


def event_places(events: NextWordEvents) -> tuple[Int64Array, Int64Array]:
    """The rows in `place_keys` of the current and the next place of every event."""
    sentence = np.repeat(np.arange(events.n_sentences), np.diff(events.offsets))
    first = events.word_offsets[sentence] + 2 * sentence
    return first + events.current, first + events.next


def select_place_features(keys: Int64Array, min_count: int) -> Int64Array:
    """The keys of features that occur at least `min_count` times."""
    distinct, counts = np.unique(keys, return_counts=True)
    return distinct[(counts >= min_count) & (distinct >= 0)]


@kernel
def number_features(index, keys, missing):
    """Feature numbers by key, (places, templates); `missing` for unknown keys."""
    numbers = np.empty(keys.shape, np.int32)
    for row in range(len(keys)):
        for template in range(keys.shape[1]):
            number = find_number(index, keys[row, template])
            numbers[row, template] = number if number != EMPTY else missing
    return numbers


def class_log_probabilities(keys: Int64Array, index: KeyIndex, weights: NDArray[Any]) -> FloatArray:
    """log P(class | place) of places with these features, (places, N_CLASSES)."""
    features = number_features(index, keys, len(weights) - 1)
    return log_softmax(weights[features].sum(axis=1, dtype=np.float64))
