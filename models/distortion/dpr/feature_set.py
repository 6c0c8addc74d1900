"""What a set of features is, for training and decoding alike.

Two kinds of features describe a phrase pair in its place: those of the source phrase and its
surroundings, which are the same for all translations of a span, and those of one translation. Both
have raw columns, which a set numbers once when it has seen a corpus: template by template, and
within each by the number of the n-gram or word pair, so that no name is ever hashed or sorted for
an example. Columns that were seen often enough are then numbered anew without holes.

Surroundings stand before the phrase or behind it: each of their features belongs to one of its two
edges. A decoder looks at many spans between the same edges, so it asks for the columns of every
possible edge once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import Float32Array, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.estimator import Estimator
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.dpr.samples import PairPlaces

ROWS_AT_ONCE = 20_000  # that a thread takes
DROPPED = -1  # number of a column that is not used
SOURCE, TRANSLATION, BOTH = 1, 2, 3  # which kinds of features are wanted


class Layers(NamedTuple):
    """A text as words and as word classes."""

    words: Ragged
    classes: Ragged


Text = Any  # what a set of features makes of a text: arrays for its compiled code
FeatureRows = tuple[Int64Array, Int32Array, Float32Array]  # sparse: begin, columns, values

MOST_WINDOW_WORDS = 20  # words of a window or an n-gram
FEATURES = "features_"  # begins the names of saved arrays that belong to a set of features


class FeatureSet(Estimator, ABC):
    """Features by raw columns. `fit` numbers what it finds in the texts of a corpus."""

    n_columns_: int

    @abstractmethod
    def check(self) -> None:
        """Refuses settings that leave no features."""

    @abstractmethod
    def fit(self, source: Layers, target: Layers, links: Ragged) -> tuple[Text, Text]:
        """Learns the columns; returns what `text` makes of both texts."""

    @abstractmethod
    def text(self, layers: Layers, *, target: bool) -> Text:
        """A source or a target text in the form that `rows` reads."""

    @abstractmethod
    def rows(
        self, source: Text, target: Text, places: PairPlaces, number: Int32Array, parts: int = BOTH
    ) -> FeatureRows:
        """The features of every place, as columns `number[raw column]`."""

    @abstractmethod
    def edge_columns(
        self, words: Int32Array, classes: Int32Array, number: Int32Array
    ) -> Int32Array:
        """The same for the source side of one sentence, by edges, (2, n_words + 1, width): a phrase
        [start, end) has the columns of [0, start] and of [1, end], padded with DROPPED. A feature
        that counts twice is there twice."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `fit` has learned, for saving."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The opposite of `arrays`."""

    @abstractmethod
    def laws(self, arrays: CheckedArrays) -> int:
        """Checks what was saved, under names that begin with FEATURES; how many raw columns there
        are."""

    @abstractmethod
    def describe(
        self, column: int, source: Callable[[int], str], target: Callable[[int], str]
    ) -> str:
        """What a raw column stands for, with the words of both sides by their ids."""


class DescribedPlaces(NamedTuple):
    """Places in texts, and the features that describe them."""

    features: FeatureSet
    source: Text
    target: Text
    places: PairPlaces
    threads: int = 2

    def chunks(self, number: Int32Array) -> Iterator[FeatureRows]:
        """The rows of some places after the other, made by several threads."""
        features, source, target, places, threads = self

        def work(first: int) -> FeatureRows:
            return features.rows(source, target, places.rows(first, first + ROWS_AT_ONCE), number)

        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(work, range(0, len(places.inner), ROWS_AT_ONCE))

    def matrix(self, min_count: int) -> tuple[csr_matrix, Int32Array]:
        """Columns that occur `min_count` times, as a matrix, and new numbers for all raw ones.

        Rows are made twice, to count and to keep, so that nothing as large as the matrix is needed
        beside it.
        """
        counts = np.zeros(self.features.n_columns_, np.int64)
        for _, columns, _ in self.chunks(np.arange(len(counts), dtype=np.int32)):
            _count(columns, counts)
        kept = counts >= max(1, min_count)
        number = np.full(len(counts), DROPPED, np.int32)
        number[kept] = np.arange(np.count_nonzero(kept))
        n_entries = int(counts[kept].sum())
        begin = np.zeros(len(self.places.inner) + 1, np.int64)
        columns, values = np.empty(n_entries, np.int32), np.empty(n_entries, np.float32)
        row = at = 0
        for own_begin, own_columns, own_values in self.chunks(number):
            end = at + len(own_columns)
            begin[row + 1 : row + len(own_begin)] = at + own_begin[1:]
            columns[at:end], values[at:end] = own_columns, own_values
            row, at = row + len(own_begin) - 1, end
        shape = len(begin) - 1, np.count_nonzero(kept)
        matrix = csr_matrix((values, columns, begin), shape=shape, copy=False)
        matrix.has_canonical_format = True  # columns rise, and new numbers keep their order
        return matrix, number


@kernel
def _count(columns, counts):
    for column in columns:
        counts[column] += 1
