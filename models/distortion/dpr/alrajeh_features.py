"""The features of Alrajeh and Niranjan (2014, section 4, Table 1).

Every pair of linked words inside the phrase pair is a feature, and so is every source word next to
the phrase, up to `window` words away. As in the paper's bag of words, the side does not matter, and
a feature that occurs twice counts twice.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.coverage import ONE
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.distortion.dpr.feature_set import (
    BOTH,
    DROPPED,
    FEATURES,
    MOST_WINDOW_WORDS,
    SOURCE,
    TRANSLATION,
    FeatureRows,
    FeatureSet,
    Layers,
)
from hyperbaton.models.distortion.dpr.samples import PairPlaces
from hyperbaton.models.phrases.settings import GRID


class AlrajehFeatures(FeatureSet):
    name: ClassVar[str] = "alrajeh"

    def __init__(self, window: int = 1) -> None:
        self.window = window

    def check(self) -> None:
        self._check(
            "window", 0 <= self.window <= MOST_WINDOW_WORDS, f"expected 0 to {MOST_WINDOW_WORDS}"
        )

    def fit(self, source: Layers, target: Layers, links: Ragged) -> tuple[Int32Array, Int32Array]:
        self.check()
        row = links.row_of_value
        first = source.words.values[source.words.offsets[row] + links.values[:, 0]]
        second = target.words.values[target.words.offsets[row] + links.values[:, 1]]
        self.pairs_ = np.unique((first.astype(np.int64) << 32) | second)
        n_words = int(source.words.values.max(initial=0)) + 1
        self.n_columns_ = len(self.pairs_) + n_words
        return source.words.values, target.words.values

    def text(self, layers: Layers, *, target: bool) -> Int32Array:  # noqa: ARG002
        return layers.words.values

    def rows(
        self,
        source: Int32Array,
        target: Int32Array,
        places: PairPlaces,
        number: Int32Array,
        parts: int = BOTH,
    ) -> FeatureRows:
        begin: Int64Array
        most = 2 * self.window * len(places.inner) + int(np.bitwise_count(places.inner).sum())
        columns, values = np.empty(most, np.int32), np.empty(most, np.float32)
        begin = _emit(
            source, target, places, self.pairs_, self.window, number, parts, columns, values
        )
        return begin, columns[: begin[-1]].copy(), values[: begin[-1]].copy()

    def edge_columns(
        self,
        words: Int32Array,
        classes: Int32Array,  # noqa: ARG002
        number: Int32Array,
    ) -> Int32Array:
        columns: Int32Array = _edge_columns(words, len(self.pairs_), self.window, number)
        return columns

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"pairs": self.pairs_, "n_columns": np.array([self.n_columns_])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        self.pairs_, self.n_columns_ = arrays["pairs"], int(arrays["n_columns"][0])
        return self

    def laws(self, arrays: CheckedArrays) -> int:
        pairs = arrays.array(f"{FEATURES}pairs", np.int64, (None,))
        arrays.rises(f"{FEATURES}pairs", pairs)
        [n_columns] = arrays.array(f"{FEATURES}n_columns", np.int64, (1,)).tolist()
        fits = len(pairs) <= n_columns <= len(pairs) + arrays.words("source")
        arrays.that(f"{FEATURES}n_columns", fits, f"is {n_columns}")
        return int(n_columns)

    def describe(
        self, column: int, source: Callable[[int], str], target: Callable[[int], str]
    ) -> str:
        """For instance `hon & book` or `beside: wa`."""
        if column >= len(self.pairs_):
            return f"beside: {source(column - len(self.pairs_))}"
        pair = int(self.pairs_[column])
        return f"{source(pair >> 32)} & {target(pair & 0xFFFFFFFF)}"


@kernel
def _emit(source, target, places, pairs, window, number, parts, columns, values):
    """Writes the columns, in increasing order, and counts of every place, concatenated; returns the
    start of each place."""
    begin = np.zeros(len(places.inner) + 1, np.int64)
    at = 0
    for place in range(len(places.inner)):
        here = at
        start, end = places.source_start[place], places.source_end[place]
        if parts & SOURCE:
            for word in range(max(start - window, places.sentence_start[place]), start):
                at = _put(len(pairs) + source[word], number, columns, values, here, at)
            for word in range(end, min(end + window, places.sentence_end[place])):
                at = _put(len(pairs) + source[word], number, columns, values, here, at)
        if parts & TRANSLATION:
            for e in range(places.target_end[place] - places.target_start[place]):
                for f in range(end - start):
                    if (places.inner[place] >> np.uint64(GRID * e + f)) & ONE:
                        word = np.int64(source[start + f])
                        key = (word << 32) | np.int64(target[places.target_start[place] + e])
                        pair = lower_bound(pairs, 0, len(pairs), key)
                        if pair < len(pairs) and pairs[pair] == key:
                            at = _put(pair, number, columns, values, here, at)
        begin[place + 1] = at
    return begin


@kernel
def _edge_columns(words, n_pairs, window, number):
    """The columns of the words on the left and on the right of each place."""
    columns = np.full((2, len(words) + 1, window), DROPPED, np.int32)
    for place in range(len(words) + 1):
        for k in range(window):
            for side, at in ((0, place - 1 - k), (1, place + k)):
                if 0 <= at < len(words) and n_pairs + words[at] < len(number):
                    columns[side, place, k] = number[n_pairs + words[at]]
    return columns


@inner
def _put(raw, number, columns, values, since, at):
    """Inserts one column in order after `since`, or increases its count; ignores dropped columns
    and words that are not in the corpus."""
    if raw >= len(number) or number[raw] == DROPPED:
        return at
    column = number[raw]
    place = at
    while place > since and columns[place - 1] > column:
        place -= 1
    if place > since and columns[place - 1] == column:
        values[place - 1] += 1
        return at
    for later in range(at, place, -1):
        columns[later], values[later] = columns[later - 1], values[later - 1]
    columns[place], values[place] = column, 1
    return at + 1
