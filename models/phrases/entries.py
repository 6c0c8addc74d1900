"""What phrase tables and rule tables share: entries of pairs of sides, as arrays that are written
once and then mapped into memory.

Source sides form a sorted trie; each node has a run of entries, best φ(e|f) first. An entry takes
20 bytes. Values that many entries share are stored once and referred to by number: target sides,
rows of counts with their probabilities, and inner alignments. Scores are natural logs in float32
(24 significant bits: an error of at most 4e-6), and counts are float32 too, exact up to 16,777,216.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Ragged, UInt64Array
from hyperbaton.foundation.files.array_files import ArrayFolder, load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.models.phrases.sorted_trie import SortedTrie

SCORES = ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")  # as in Moses
DIRECT_PHRASE = SCORES.index("direct_phrase")
# columns of `frequency_rows`, c(e) first as in Moses
TARGET_COUNT, SOURCE_COUNT, COUNT, INVERSE, DIRECT = range(5)
FLOOR = -100.0  # log of a probability of 0, as in Moses
LARGEST_COUNT = 1e15  # more than any corpus has words, and far below the limit of float32

Entries: TypeAlias = Any  # any numpy index of entries
ALL_ROWS = slice(None)


@dataclass(frozen=True, eq=False)
class EntryTable(ABC):
    FORMAT: ClassVar[int]

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    trie_word: Int32Array  # the last symbol of each node
    trie_children: Int32Array
    entry_begin: Int32Array  # (n_nodes + 1,) entries of node v are entry_begin[v]:entry_begin[v+1]
    target: Int32Array  # (n_entries,) row of target_sides
    target_words: Int32Array
    target_offsets: Int32Array
    lexical: Float32Array  # (n_entries, 2) natural logs, inverse and direct
    frequency: Int32Array  # (n_entries,) row of the frequencies
    frequency_rows: Float32Array  # (rows, 5) c(e), c(f), c(f, e), log φ(f|e), log φ(e|f)
    alignment: Int32Array  # (n_entries,) number of the inner alignment
    alignments: UInt64Array  # distinct inner alignments, a bit for each pair of symbols

    def __len__(self) -> int:
        return len(self.target)

    @property
    def trie(self) -> SortedTrie:
        return SortedTrie(self.trie_word, self.trie_children)

    @property
    def target_sides(self) -> Ragged:
        """Symbols."""
        return Ragged(self.target_words, self.target_offsets)  # type: ignore[arg-type]

    def scores_of(self, entries: Entries = ALL_ROWS) -> Float32Array:
        """Natural logs, (n, 4), columns as in SCORES."""
        rows, lexical = self.frequency_rows[self.frequency[entries]], self.lexical[entries]
        columns = rows[..., INVERSE], lexical[..., 0], rows[..., DIRECT], lexical[..., 1]
        return np.stack(columns, axis=-1)

    def inner_of(self, entries: Entries = ALL_ROWS) -> UInt64Array:
        """Inner alignments."""
        return self.alignments[self.alignment[entries]]

    def counts_of(self, entries: Entries = ALL_ROWS) -> FloatArray:
        """c(e), c(f), c(f, e), in Moses' order; they may be fractions."""
        rows = self.frequency_rows[self.frequency[entries]]
        return rows[..., : COUNT + 1].astype(np.float64)

    def save(self, directory: Path) -> None:
        values = vars(self)
        arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        words = {name: value for name, value in values.items() if isinstance(value, Vocabulary)}
        header = {name: values[name] for name in values.keys() - arrays.keys() - words.keys()}
        save_arrays(directory, self.FORMAT, header, arrays, words)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Maps a saved table into memory; pages are read at first use."""
        return cls.of(load_arrays(directory, cls.FORMAT, cls.laws))

    @classmethod
    def of(cls, folder: ArrayFolder) -> Self:
        given: Mapping[str, Any] = {**folder.header, **folder.arrays, **folder.vocabularies}
        names = (field.name for field in fields(cls))
        return cls(**{name: given[name] for name in names if name in given})

    @staticmethod
    @abstractmethod
    def laws(arrays: CheckedArrays) -> None:
        """Checks the arrays of a saved table."""


class CheckedEntries(NamedTuple):
    """Arrays whose indices lie inside other arrays."""

    trie: SortedTrie
    begin: Int32Array
    target: Int32Array
    words: Int32Array  # of the target sides
    offsets: Int32Array
    alignment: Int32Array
    alignments: UInt64Array


def entry_laws(arrays: CheckedArrays, lowest_target_word: int = len(SPECIAL)) -> CheckedEntries:
    word = arrays.indices("trie_word", np.int32, (None,), below=arrays.words("source_vocabulary"))
    n_nodes = len(word)
    arrays.that("trie_word", n_nodes > 0, "has no root")
    children = arrays.ranges("trie_children", np.int32, n_nodes, first=1, rows=n_nodes)
    deeper = np.all(children[:-1] > np.arange(n_nodes, dtype=np.int32))
    arrays.that("trie_children", deeper, "has nodes that are their own children")
    n_targets = len(arrays.array("target_offsets", np.int32, (None,))) - 1
    target = arrays.indices("target", np.int32, (None,), below=n_targets)
    begin = arrays.ranges("entry_begin", np.int32, len(target), rows=n_nodes)
    below = arrays.words("target_vocabulary")
    words = arrays.indices("target_words", np.int32, (None,), low=lowest_target_word, below=below)
    offsets = arrays.ranges("target_offsets", np.int32, len(words))
    rows = arrays.array("frequency_rows", np.float32, (None, DIRECT + 1))
    counts = rows[:, : COUNT + 1]
    known = not len(counts) or (counts.min() >= 0 and counts.max() <= LARGEST_COUNT)
    arrays.that("frequency_rows", known, "has negative or too large counts")
    arrays.finite("frequency_rows", rows[:, COUNT + 1 :])
    arrays.floats("lexical", np.float32, (len(target), 2))
    arrays.indices("frequency", np.int32, target.shape, below=len(rows))
    alignments = arrays.array("alignments", np.uint64, (None,))
    alignment = arrays.indices("alignment", np.int32, target.shape, below=len(alignments))
    trie = SortedTrie(word, children)
    return CheckedEntries(trie, begin, target, words, offsets, alignment, alignments)


def linked_symbols(alignments: UInt64Array, stride: int, n_bits: int) -> tuple[Any, Any]:
    """How many source and target symbols each alignment needs; bit stride · target + source."""
    bits = np.arange(n_bits, dtype=np.uint64)
    has = (alignments[:, None] >> bits & np.uint64(1)).astype(np.uint8)
    source = (has * (bits % stride + 1).astype(np.uint8)).max(axis=1, initial=0)
    target = (has * (bits // stride + 1).astype(np.uint8)).max(axis=1, initial=0)
    return source, target


def logarithms(probabilities: NDArray[Any]) -> Float32Array:
    logs = np.maximum(probabilities, 1e-300)
    np.log(logs, out=logs)
    return np.maximum(logs, FLOOR, out=logs).astype(np.float32)  # type: ignore[no-any-return]
