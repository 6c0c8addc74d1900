"""The phrase table: arrays that are written once and then mapped into memory.

Source phrases form a sorted trie; each node has a run of entries, best φ(e|f) first. The options of
a sentence are found by walking the trie from every position.

An entry takes 24 bytes. Values that many entries share are stored once and referred to by number:
rows of counts with their probabilities, inner alignments, and rows of reordering scores. Scores are
natural logs in float32 (24 significant bits: an error of at most 4e-6), and counts are float32 too,
exact up to 16,777,216.
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Ragged, UInt64Array
from hyperbaton.foundation.files.array_files import ArrayFolder, load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays, chunks_of
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import SortedTrie

FORMAT = 3
SCORES = ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")  # as in Moses
DIRECT_PHRASE = SCORES.index("direct_phrase")
# columns of `frequency_rows`, c(e) first as in Moses
TARGET_COUNT, SOURCE_COUNT, COUNT, INVERSE, DIRECT = range(5)
FLOOR = -100.0  # log of a probability of 0, as in Moses

Entries: TypeAlias = Any  # any numpy index of entries
ALL_ROWS = slice(None)


@dataclass(frozen=True, eq=False)
class PhraseTable:
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    trie_word: Int32Array
    trie_children: Int32Array
    entry_begin: Int32Array  # (n_nodes + 1,) entries of node v are entry_begin[v]:entry_begin[v+1]
    target: Int32Array  # (n_entries,) row of target_phrases
    target_words: Int32Array
    target_offsets: Int32Array
    lexical: Float32Array  # (n_entries, 2) natural logs, inverse and direct
    frequency: Int32Array  # (n_entries,) row of the frequencies
    frequency_rows: Float32Array  # (rows, 5) c(e), c(f), c(f, e), log φ(f|e), log φ(e|f)
    alignment: Int32Array  # (n_entries,) number of the inner alignment
    alignments: UInt64Array  # distinct inner alignments, bit 8 · target + source
    reordering: Int32Array  # (n_entries,) row of the reordering scores
    reordering_rows: Float32Array  # distinct rows of natural logs, (rows, columns of the type)
    reordering_type: str = ""  # such as wbe-msd-bidirectional-fe; empty: no reordering scores
    n_occurrences: float = 0.0  # of all phrase pairs, including pruned ones

    def __len__(self) -> int:
        return len(self.target)

    @property
    def trie(self) -> SortedTrie:
        return SortedTrie(self.trie_word, self.trie_children)

    @property
    def target_phrases(self) -> Ragged:
        """Word ids."""
        return Ragged(self.target_words, self.target_offsets)  # type: ignore[arg-type]

    def scores_of(self, entries: Entries = ALL_ROWS) -> Float32Array:
        """Natural logs, (n, 4), columns as in SCORES."""
        rows, lexical = self.frequency_rows[self.frequency[entries]], self.lexical[entries]
        columns = rows[..., INVERSE], lexical[..., 0], rows[..., DIRECT], lexical[..., 1]
        return np.stack(columns, axis=-1)

    def inner_of(self, entries: Entries = ALL_ROWS) -> UInt64Array:
        """Inner alignments, bit 8 · target + source."""
        return self.alignments[self.alignment[entries]]

    def reordering_of(self, entries: Entries = ALL_ROWS) -> FloatArray:
        """Natural logs, (n, columns of the type)."""
        rows = self.reordering_rows[self.reordering[entries]]
        return rows.astype(np.float64)

    def counts_of(self, entries: Entries = ALL_ROWS) -> FloatArray:
        """c(e), c(f), c(f, e), in Moses' order; counts from Moses may be fractions."""
        rows = self.frequency_rows[self.frequency[entries]]
        return rows[..., : COUNT + 1].astype(np.float64)

    def save(self, directory: Path) -> None:
        values = vars(self)
        arrays = {name: values[name] for name in values if isinstance(values[name], np.ndarray)}
        words = {name: values[name] for name in values if isinstance(values[name], Vocabulary)}
        header = {name: values[name] for name in HEADER}
        save_arrays(directory, FORMAT, header, arrays, words)

    @classmethod
    def load(cls, directory: Path) -> "PhraseTable":
        """Maps a saved table into memory; pages are read at first use."""
        return cls.of(load_arrays(directory, FORMAT, _laws))

    @classmethod
    def of(cls, folder: ArrayFolder) -> "PhraseTable":
        given: Mapping[str, Any] = {**folder.header, **folder.arrays, **folder.vocabularies}
        return cls(**{field.name: given[field.name] for field in fields(cls)})


HEADER = ("reordering_type", "n_occurrences")
LONGEST_TARGET = 1000  # words of a target phrase
LARGEST_COUNT = 1e15  # more than any corpus has words, and far below the limit of float32


def _laws(arrays: CheckedArrays) -> None:
    word = arrays.indices("trie_word", np.int32, (None,), below=arrays.words("source_vocabulary"))
    n_nodes = len(word)
    children = arrays.ranges("trie_children", np.int32, n_nodes, first=1, rows=n_nodes)
    deeper = np.all(children[:-1] > np.arange(n_nodes, dtype=np.int32))
    arrays.that("trie_children", deeper, "has nodes that are their own children")
    n_targets = len(arrays.array("target_offsets", np.int32, (None,))) - 1
    target = arrays.indices("target", np.int32, (None,), below=n_targets)
    n_entries = target.shape
    begin = arrays.ranges("entry_begin", np.int32, len(target), rows=n_nodes)
    n_words = arrays.words("target_vocabulary")
    words = arrays.indices("target_words", np.int32, (None,), below=n_words)
    offsets = arrays.ranges("target_offsets", np.int32, len(words))
    rows = arrays.array("frequency_rows", np.float32, (None, DIRECT + 1))
    counts = rows[:, : COUNT + 1]
    known = not len(counts) or (counts.min() >= 0 and counts.max() <= LARGEST_COUNT)
    arrays.that("frequency_rows", known, "has negative or too large counts")
    arrays.finite("frequency_rows", rows[:, COUNT + 1 :])
    arrays.floats("lexical", np.float32, (*n_entries, 2))
    arrays.indices("frequency", np.int32, n_entries, below=len(rows))
    alignments = arrays.array("alignments", np.uint64, (None,))
    alignment = arrays.indices("alignment", np.int32, n_entries, below=len(alignments))
    kind = arrays.header.get("reordering_type")
    arrays.that("header", isinstance(kind, str), f"says that reordering_type is {kind!r}")
    columns = len(ReorderingType.parse(str(kind)).columns) if kind else 0
    n_rows = len(arrays.floats("reordering_rows", np.float32, (None, columns)))
    arrays.indices("reordering", np.int32, n_entries, below=n_rows)
    arrays.number("n_occurrences", float)
    longest = int(np.diff(offsets).max(initial=0))
    arrays.that("target_offsets", longest <= LONGEST_TARGET, f"has a phrase of {longest} words")
    trie = SortedTrie(word, children)
    inside = _links_inside(trie, begin, target, offsets, alignment, alignments)
    arrays.that("alignment", inside, "has links to words outside their phrases")


def _links_inside(
    trie: SortedTrie,
    entry_begin: Int32Array,
    target: Int32Array,
    target_offsets: Int32Array,
    alignment: Int32Array,
    alignments: UInt64Array,
) -> bool:
    """Whether every inner alignment links only words of the entry's phrases."""
    source_length = np.zeros(len(trie.word), np.uint8)
    low, high = 0, 1  # the nodes of a level; their children form the next level
    for depth in range(1, GRID + 1):
        low, high = int(trie.children[low]), int(trie.children[high])
        source_length[low:] = depth
    target_length = np.minimum(np.diff(target_offsets), GRID).astype(np.uint8)
    bits = np.arange(GRID * GRID, dtype=np.uint64)
    has = (alignments[:, None] >> bits & np.uint64(1)).astype(np.uint8)
    last_source = (has * (bits % GRID + 1).astype(np.uint8)).max(axis=1, initial=0)
    last_target = (has * (bits // GRID + 1).astype(np.uint8)).max(axis=1, initial=0)
    has_room = np.repeat(source_length, np.diff(entry_begin))

    def fits(part: slice) -> bool:
        at = alignment[part]
        words = target_length.take(target[part], mode="clip")
        return bool(
            np.all(last_source.take(at, mode="clip") <= has_room[part])
            and np.all(last_target.take(at, mode="clip") <= words)
        )

    with ThreadPoolExecutor(2) as pool:
        return all(pool.map(fits, chunks_of(len(target))))


def logarithms(probabilities: NDArray[Any]) -> Float32Array:
    logs = np.maximum(np.log(np.maximum(probabilities, 1e-300)), FLOOR)
    return logs.astype(np.float32)  # type: ignore[no-any-return]
