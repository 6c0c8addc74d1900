"""The feature numbers of all pairs of places of some sentences.

Features are looked up once and stored, because training uses them many times. A block has some
thousand pairs. Memory for blocks is limited; further blocks are in a temporary file.

The pair of CP i and candidate j of a sentence of n words is in row i (0 to n) and column j − 1. The
features of two words are stored once for the two words (`selection.py`), not for every pair of
places near them. The words at places a and b matter to pairs (i, j) with |a − i| ≤ 2 and
|b − j| ≤ 2, with separate records for the two directions:

           b=0 1 2 3 4 5 6 7 8              o = 0, NP after CP:   b ≥ a − NEAR_WORDS
    a=4      1 1 · · · · · 0 0              o = 1, NP before CP:  b ≤ a + NEAR_WORDS  ·: both
"""

import os
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from os import SEEK_END
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any, NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.hashing import EMPTY, find_number
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.selection import PairIndex, find_record
from hyperbaton.models.distortion.next_word.templates import (
    DISTANCES,
    MARGIN,
    SIDE,
    TAGS,
    Symbols,
    distance_key,
    orientation_key,
    padded,
    side_keys,
    tag_keys,
)

BLOCK_PAIRS = 10_000  # more steps of AdaGrad per pass than with larger blocks
LARGE_ARRAYS = ("side", "tags", "cells")  # the large arrays of a block
NEAR_WORDS = 2  # words at this distance or less matter to pairs of both orientations


class Block(NamedTuple):
    """Feature numbers of the sentences first … last − 1; n_features if there is none."""

    first: int
    last: int
    side: Int32Array  # (places, 2 orientations, 2 · SIDE) of a place as i, then as j
    side_begin: Int64Array  # (sentences,)
    tags: Int32Array  # (pairs, TAGS) pairs of a sentence by row, then column
    pair_begin: Int64Array  # (sentences,)
    cells: Int32Array  # by orientation and two words: record, from 1; 0: none
    cell_begin: Int64Array  # (sentences,)
    distance: Int32Array  # (2, DISTANCES, 2) ⟨o⟩ and ⟨o, d⟩

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, name).nbytes for name in LARGE_ARRAYS)


class Blocks:
    def __init__(
        self, symbols: Symbols, events: NextWordEvents, index: PairIndex, *, kept_bytes: int
    ) -> None:
        self.symbols, self.events, self.index = symbols, events, index
        self.bounds = block_bounds((events.lengths + 1) ** 2)
        self.kept_bytes = kept_bytes
        self.kept: dict[int, Block] = {}
        self._spilled: dict[
            int, tuple[Block, int]
        ] = {}  # block, position of its arrays in the file
        self._file: IO[bytes] | None = None
        self._size, self._lock = 0, Lock()

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, number: int) -> Block:
        if number in self.kept:
            return self.kept[number]
        if number in self._spilled:
            return self._read(*self._spilled[number])
        first, last = self.bounds[number], self.bounds[number + 1]
        block: Block = make_block(self.symbols, self.events, self.index, first, last)
        return block

    def keep(self, numbers: Sequence[int], threads: int) -> None:
        """Makes blocks and keeps them in memory up to the limit, then on disk."""
        step = 16
        with self._lock, ThreadPoolExecutor(threads) as pool:
            new = [n for n in numbers if n not in self.kept and n not in self._spilled]
            for begin in range(0, len(new), step):
                some = new[begin : begin + step]
                for number, block in zip(some, pool.map(self.__getitem__, some), strict=True):
                    self._size += block.nbytes
                    if self._size <= self.kept_bytes:
                        self.kept[number] = block
                    else:
                        self._write(number, block)

    def _write(self, number: int, block: Block) -> None:
        if self._file is None:
            self._file = TemporaryFile(prefix="hyperbaton-")  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        at = self._file.seek(0, SEEK_END)
        # keep only the shapes of the arrays, without memory
        shapes: dict[str, Any] = {
            name: np.broadcast_to(np.int32(0), getattr(block, name).shape) for name in LARGE_ARRAYS
        }
        self._spilled[number] = block._replace(**shapes), at
        for name in LARGE_ARRAYS:
            self._file.write(getattr(block, name).data)
        self._file.flush()

    def _read(self, block: Block, at: int) -> Block:
        assert self._file is not None
        arrays: dict[str, Any] = {}
        for name in LARGE_ARRAYS:
            shape = getattr(block, name).shape
            values = np.empty(shape, np.int32)
            os.preadv(self._file.fileno(), [values.data.cast("B")], at)  # thread-safe
            at += values.nbytes
            arrays[name] = values
        return block._replace(**arrays)


def block_bounds(pairs: Int64Array) -> list[int]:
    """The first sentences of blocks with at most BLOCK_PAIRS pairs, or one sentence."""
    bounds, size = [0], 0
    for sentence, n_pairs in enumerate(pairs.tolist()):
        if size and size + n_pairs > BLOCK_PAIRS:
            bounds.append(sentence)
            size = 0
        size += n_pairs
    return [*bounds, len(pairs)] if len(pairs) else bounds


@kernel
def make_block(symbols, events, index, first, last):
    n_sentences, n_places, n_pairs, n_cells = last - first, 0, 0, 0
    side_begin, pair_begin = np.empty(n_sentences, np.int64), np.empty(n_sentences, np.int64)
    cell_begin = np.empty(n_sentences, np.int64)
    for sentence in range(n_sentences):
        begin = events.word_offsets[first + sentence]
        n_words = events.word_offsets[first + sentence + 1] - begin
        side_begin[sentence], pair_begin[sentence] = n_places, n_pairs
        cell_begin[sentence] = n_cells
        n_places += n_words + 2
        n_pairs += (n_words + 1) ** 2
        for o in range(2):
            for a in range(n_words + 5):
                low, high = columns(n_words, o, a)
                n_cells += high - low
    side = np.empty((n_places, 2, 2 * SIDE), np.int32)
    tag = np.full((n_pairs, TAGS), index.n_features, np.int32)
    cells = np.empty(n_cells, np.int32)
    for sentence in range(n_sentences):
        begin = events.word_offsets[first + sentence]
        n_words = events.word_offsets[first + sentence + 1] - begin
        words = padded(symbols.words, begin, n_words)
        tags = padded(symbols.tags, begin, n_words)
        _find_sides(index, words, tags, side[side_begin[sentence] :])
        _find_tags(index, words, tags, tag[pair_begin[sentence] :])
        _find_records(index, words, cells[cell_begin[sentence] :])
    return Block(
        first, last, side, side_begin, tag, pair_begin, cells, cell_begin,
        _distance_features(index),
    )  # fmt: skip


@inner
def columns(n_words, o, a):
    """The range of places b whose words matter together with those of a, both in padded sentences,
    for pairs of an orientation."""
    if o:
        return 1, min(a + NEAR_WORDS, n_words + 5) + 1
    return max(a - NEAR_WORDS, 1), n_words + 6


@inner
def _find(index, key):
    """The number of a feature of at most one word; `n_features` if it does not exist."""
    number = find_number(index.others, key)
    return number if number != EMPTY else index.n_features


@inner
def _find_sides(index, words, tags, side):
    keys = np.empty(SIDE, np.int64)
    for place in range(len(words) - 2 * MARGIN):
        for o in range(2):
            for which in range(2):
                side_keys(words, tags, place, which, o, keys)
                for number in range(SIDE):
                    side[place, o, which * SIDE + number] = _find(index, keys[number])


@inner
def _find_tags(index, words, tags, found):
    keys = np.empty(TAGS, np.int64)
    n_words = len(words) - 2 * MARGIN - 2
    pair = 0
    for i in range(n_words + 1):
        for j in range(1, n_words + 2):
            if i != j:
                tag_keys(words, tags, i, j, 1 if j < i else 0, keys)
                for number in range(TAGS):
                    found[pair, number] = _find(index, keys[number])
            pair += 1


@inner
def _find_records(index, words, cells):
    n_words = len(words) - 2 * MARGIN - 2
    cell = 0
    for o in range(2):
        for a in range(n_words + 5):
            low, high = columns(n_words, o, a)
            for b in range(low, high):
                cells[cell] = find_record(index, words[a], words[b], o)
                cell += 1


@inner
def _distance_features(index):
    features = np.empty((2, DISTANCES, 2), np.int32)
    for o in range(2):
        for d in range(DISTANCES):
            features[o, d, 0] = _find(index, orientation_key(o))
            features[o, d, 1] = _find(index, distance_key(o, d))
    return features
