"""The phrase table: entries of phrase pairs, with their reordering scores.

The options of a sentence are found by walking the trie of source phrases from every position. An
entry takes 24 bytes; rows of reordering scores are shared like the other values.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array
from hyperbaton.foundation.files.array_laws import CheckedArrays, chunks_of
from hyperbaton.models.phrases.entries import (
    ALL_ROWS,
    CheckedEntries,
    Entries,
    EntryTable,
    entry_laws,
    linked_symbols,
)
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.settings import GRID

HEADER = ("reordering_type", "n_occurrences")
LONGEST_TARGET = 1000  # words of a target phrase


@dataclass(frozen=True, eq=False)
class PhraseTable(EntryTable):
    """Bit 8 · target + source of an inner alignment is a link."""

    FORMAT: ClassVar[int] = 3

    reordering: Int32Array  # (n_entries,) row of the reordering scores
    reordering_rows: Float32Array  # distinct rows of natural logs, (rows, columns of the type)
    reordering_type: str = ""  # such as wbe-msd-bidirectional-fe; empty: no reordering scores
    n_occurrences: float = 0.0  # of all phrase pairs, including pruned ones

    def reordering_of(self, entries: Entries = ALL_ROWS) -> FloatArray:
        """Natural logs, (n, columns of the type)."""
        rows = self.reordering_rows[self.reordering[entries]]
        return rows.astype(np.float64)

    @staticmethod
    def laws(arrays: CheckedArrays) -> None:
        entries = entry_laws(arrays)
        kind = arrays.header.get("reordering_type")
        arrays.that("header", isinstance(kind, str), f"says that reordering_type is {kind!r}")
        columns = len(ReorderingType.parse(str(kind)).columns) if kind else 0
        n_rows = len(arrays.floats("reordering_rows", np.float32, (None, columns)))
        arrays.indices("reordering", np.int32, entries.target.shape, below=n_rows)
        arrays.number("n_occurrences", float)
        longest = int(np.diff(entries.offsets).max(initial=0))
        arrays.that("target_offsets", longest <= LONGEST_TARGET, f"has a phrase of {longest} words")
        arrays.that("alignment", _links_inside(entries), "has links to words outside their phrases")


def _links_inside(entries: CheckedEntries) -> bool:
    """Whether every inner alignment links only words of the entry's phrases."""
    source_length = np.zeros(len(entries.trie.word), np.uint8)
    low, high = 0, 1  # the nodes of a level; their children form the next level
    for depth in range(1, GRID + 1):
        low, high = int(entries.trie.children[low]), int(entries.trie.children[high])
        source_length[low:] = depth
    target_length = np.minimum(np.diff(entries.offsets), GRID).astype(np.uint8)
    last_source, last_target = linked_symbols(entries.alignments, GRID, GRID * GRID)
    has_room = np.repeat(source_length, np.diff(entries.begin))

    def fits(part: slice) -> bool:
        at = entries.alignment[part]
        words = target_length.take(entries.target[part], mode="clip")
        return bool(
            np.all(last_source.take(at, mode="clip") <= has_room[part])
            and np.all(last_target.take(at, mode="clip") <= words)
        )

    with ThreadPoolExecutor(2) as pool:
        return all(pool.map(fits, chunks_of(len(entries.target))))
