"""The interface of feature sets, for training and decoding.

Two kinds of features describe a phrase pair in context: those of the source phrase and its context,
which are the same for all translations of a span, and those of one translation. Both have raw
columns, which a set numbers once from a corpus: template by template, and within each by the number
of the n-gram or word pair, so that no feature name is hashed or sorted for an example. Columns that
are frequent enough are then renumbered without gaps.

Context features belong to one of the two edges of the phrase. A decoder scores many spans with the
same edges, so it computes the columns of every possible edge once.
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

ROWS_AT_ONCE = 20_000  # batch size of a thread
DROPPED = -1  # number of an unused column
SOURCE, TRANSLATION, BOTH = 1, 2, 3  # kinds of features to compute


class Layers(NamedTuple):
    """A text as words and as word classes."""

    words: Ragged
    classes: Ragged


Text = Any  # a text as the arrays that a feature set uses
FeatureRows = tuple[Int64Array, Int32Array, Float32Array]  # sparse: begin, columns, values

MOST_WINDOW_WORDS = 20  # words of a window or an n-gram
FEATURES = "features_"  # prefix of saved arrays of a feature set


class FeatureSet(Estimator, ABC):
    """Features with raw columns. `fit` numbers the features of a corpus."""

    n_columns_: int

    @abstractmethod
    def check(self) -> None:
        """Rejects invalid settings."""

    @abstractmethod
    def fit(self, source: Layers, target: Layers, links: Ragged) -> tuple[Text, Text]:
        """Learns the columns; returns both texts in the form of `text`."""

    @abstractmethod
    def text(self, layers: Layers, *, target: bool) -> Text:
        """Converts a source or target text to the form for `rows`."""

    @abstractmethod
    def rows(
        self, source: Text, target: Text, places: PairPlaces, number: Int32Array, parts: int = BOTH
    ) -> FeatureRows:
        """The features of every place, as columns `number[raw column]`."""

    @abstractmethod
    def edge_columns(
        self, words: Int32Array, classes: Int32Array, number: Int32Array
    ) -> Int32Array:
        """The source features of one sentence by edges, (2, n_words + 1, width): a phrase [start,
        end) has the columns of [0, start] and of [1, end], padded with DROPPED. A feature with
        count 2 occurs twice."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The learned arrays, for saving."""

    @abstractmethod
    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restores the learned arrays."""

    @abstractmethod
    def laws(self, arrays: CheckedArrays) -> int:
        """Checks saved arrays, whose names begin with FEATURES; returns the number of raw
        columns."""

    @abstractmethod
    def describe(
        self, column: int, source: Callable[[int], str], target: Callable[[int], str]
    ) -> str:
        """Describes a raw column; `source` and `target` give the words of ids."""


class DescribedPlaces(NamedTuple):
    """Places in texts, and the features that describe them."""

    features: FeatureSet
    source: Text
    target: Text
    places: PairPlaces
    threads: int = 2

    def chunks(self, number: Int32Array) -> Iterator[FeatureRows]:
        """Yields the rows of all places in batches, computed by several threads."""
        features, source, target, places, threads = self

        def work(first: int) -> FeatureRows:
            return features.rows(source, target, places.rows(first, first + ROWS_AT_ONCE), number)

        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(work, range(0, len(places.inner), ROWS_AT_ONCE))

    def matrix(self, min_count: int) -> tuple[csr_matrix, Int32Array]:
        """The matrix of columns that occur at least `min_count` times, and new numbers for all raw
        columns.

        Rows are computed twice, to count and to fill, so that no other large array is needed.
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
        for chunk_begin, chunk_columns, chunk_values in self.chunks(number):
            end = at + len(chunk_columns)
            begin[row + 1 : row + len(chunk_begin)] = at + chunk_begin[1:]
            columns[at:end], values[at:end] = chunk_columns, chunk_values
            row, at = row + len(chunk_begin) - 1, end
        shape = len(begin) - 1, np.count_nonzero(kept)
        matrix = csr_matrix((values, columns, begin), shape=shape, copy=False)
        matrix.has_canonical_format = True  # columns increase, and new numbers keep their order
        return matrix, number


@kernel
def _count(columns, counts):
    for column in columns:
        counts[column] += 1
