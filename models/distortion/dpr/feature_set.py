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
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from models.arrays import Float32Array, Int32Array, Int64Array, Ragged
from models.distortion.dpr.samples import Places
from models.estimator import Estimator

CHUNK = 20_000  # rows that a thread takes at a time
DROPPED = -1  # number of a column that is not used
SOURCE, TRANSLATION, BOTH = 1, 2, 3  # which kinds of features are wanted


class Layers(NamedTuple):
    """A text as words and as word classes."""

    words: Ragged
    classes: Ragged


Text = Any  # what a set of features makes of a text: arrays for its compiled code
Rows = tuple[Int64Array, Int32Array, Float32Array]  # compressed sparse rows: begin, columns, values


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
        self, source: Text, target: Text, places: Places, number: Int32Array, parts: int = BOTH
    ) -> Rows:
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
    def describe(
        self, column: int, source: Callable[[int], str], target: Callable[[int], str]
    ) -> str:
        """What a raw column stands for, with the words of both sides by their ids."""


def feature_rows(
    features: FeatureSet,
    source: Text,
    target: Text,
    places: Places,
    number: Int32Array,
    threads: int = 2,
) -> Rows:
    """The rows of many places, made by several threads."""

    def work(first: int) -> Rows:
        return features.rows(source, target, places.rows(first, first + CHUNK), number)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(work, range(0, len(places.inner), CHUNK)))
    sizes = np.concatenate([[0], *(np.diff(begin) for begin, _, _ in parts)])
    return (
        np.cumsum(sizes),
        np.concatenate([np.empty(0, np.int32), *(columns for _, columns, _ in parts)]),
        np.concatenate([np.empty(0, np.float32), *(values for _, _, values in parts)]),
    )


def number_columns(columns: Int32Array, n_columns: int, min_count: int) -> Int32Array:
    """New numbers, without holes, for the columns that occur `min_count` times; DROPPED for the
    others."""
    kept = np.bincount(columns, minlength=n_columns) >= max(1, min_count)
    number = np.full(n_columns, DROPPED, np.int32)
    number[kept] = np.arange(np.count_nonzero(kept))
    return number


def renumbered(rows: Rows, number: Int32Array) -> csr_matrix:
    """Rows under new column numbers, as a matrix; dropped columns are left out."""
    begin, columns, values = rows
    new = number[columns]
    kept = new != DROPPED
    before = np.concatenate([[0], np.cumsum(kept)])
    n_columns = int(number.max(initial=DROPPED)) + 1
    matrix = csr_matrix(
        (values[kept], new[kept], before[begin]), shape=(len(begin) - 1, n_columns), copy=False
    )
    matrix.has_canonical_format = True  # columns of a row rise, and new numbers keep their order
    return matrix
