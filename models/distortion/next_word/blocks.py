"""The feature numbers of all pairs of places of some sentences.

Features are looked up once and stored, because training uses them many times. A block has some
thousand pairs. Memory for blocks is limited; further blocks are in a temporary file.

A block has its own numbers for the features that occur in it, so the weights of a block are a short
array that fits into the cache of a processor. Number 0 stands for features that do not exist.

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
from numba import literal_unroll
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.hashing import EMPTY, VACANT, KeyIndex, find_number, first_slot
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.selection import PairIndex, record_key
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
NUMBERS = ("side", "tags", "cells")  # the block's numbers of features and records
LARGE_ARRAYS = ("features", "begin", "template", *NUMBERS)  # the large arrays of a block
MOST_SHORT = 1 << 16  # what numbers of two bytes can tell apart
NEAR_WORDS = 2  # words at this distance or less matter to pairs of both orientations


class Block(NamedTuple):
    """The block's feature numbers of the sentences first … last − 1; 0 if there is none."""

    first: int
    last: int
    features: Int32Array  # the model's number of each feature; n_features for number 0
    begin: Int32Array  # (records + 1,) the first feature of each record
    template: NDArray[np.uint8]  # (features of records,)
    side: NDArray[np.integer[Any]]  # (places, 2 orientations, 2 · SIDE) of a place as i, then as j
    side_begin: Int64Array  # (sentences,)
    tags: NDArray[np.integer[Any]]  # (pairs, TAGS) pairs of a sentence by row, then column
    pair_begin: Int64Array  # (sentences,)
    cells: NDArray[np.integer[Any]]  # by orientation and two words: record, from 1; 0: none
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
        return _narrow(make_block(self.symbols, self.events, self.index, first, last))

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
        arrays = [getattr(block, name) for name in LARGE_ARRAYS]
        # keep only the types and shapes of the arrays, without memory
        empty = (np.broadcast_to(array.dtype.type(0), array.shape) for array in arrays)
        fields: Any = dict(zip(LARGE_ARRAYS, empty, strict=True))
        self._spilled[number] = block._replace(**fields), self._file.seek(0, SEEK_END)
        for array in arrays:
            self._file.write(array.data)
        self._file.flush()

    def _read(self, block: Block, at: int) -> Block:
        assert self._file is not None
        arrays: Any = {
            name: np.empty_like(getattr(block, name), order="C") for name in LARGE_ARRAYS
        }
        os.preadv(self._file.fileno(), [*arrays.values()], at)  # thread-safe
        return block._replace(**arrays)


def _narrow(block: Block) -> Block:
    """The block with numbers of two bytes, if they are small enough."""
    n_others = len(block.features) - len(block.template)  # records have numbers of their own
    if max(n_others, len(block.begin)) > MOST_SHORT:
        return block
    short: Any = {name: getattr(block, name).astype(np.uint16) for name in NUMBERS}
    return block._replace(**short)


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
    tag = np.zeros((n_pairs, TAGS), np.int32)
    cells = np.empty(n_cells, np.int32)
    distance = np.empty((2, DISTANCES, 2), np.int32)
    of_others, of_words = _no_keys(side.size + tag.size + distance.size), _no_keys(n_cells)
    _number_distances(of_others, distance)
    for sentence in range(n_sentences):
        begin = events.word_offsets[first + sentence]
        n_words = events.word_offsets[first + sentence + 1] - begin
        words = padded(symbols.words, begin, n_words)
        tags = padded(symbols.tags, begin, n_words)
        _number_sides(of_others, words, tags, side[side_begin[sentence] :])
        _number_tags(of_others, words, tags, tag[pair_begin[sentence] :])
        _number_words(of_words, words, cells[cell_begin[sentence] :])
    others = _find_all(index.others, of_others, (side, tag, distance))
    records = _find_all(index.records, of_words, (cells,))
    features, begin, template = _own_features(index, others, records)
    return Block(
        first, last, features, begin, template, side, side_begin, tag, pair_begin, cells,
        cell_begin, distance,
    )  # fmt: skip


@inner
def columns(n_words, o, a):
    """The range of places b whose words matter together with those of a, both in padded sentences,
    for pairs of an orientation."""
    if o:
        return 1, min(a + NEAR_WORDS, n_words + 5) + 1
    return max(a - NEAR_WORDS, 1), n_words + 6


class Keys(NamedTuple):
    """Distinct keys, numbered from 1 in the order in which they occur."""

    slots: KeyIndex
    listed: Int64Array  # the number of keys, then the keys


@inner
def _no_keys(most):
    """Room for `most` distinct keys; tables that are more than half full save time here."""
    size = 16
    while 3 * size < 4 * most:
        size *= 2
    slots = KeyIndex(np.full(size, VACANT, np.int64), np.empty(size, np.int32))
    listed = np.empty(most + 1, np.int64)
    listed[0] = 0
    return Keys(slots, listed)


@uncounted
def _number(known, key):
    """The number of a key, which is added if it is new; 0 if the key is absent."""
    (keys, numbers), listed = known
    if key < 0:
        return np.int32(0)
    mask = len(keys) - 1
    slot = first_slot(key, mask)
    while keys[slot] != VACANT:
        if keys[slot] == key:
            return numbers[slot]
        slot = (slot + 1) & mask
    listed[0] += 1
    listed[listed[0]] = key
    keys[slot], numbers[slot] = key, listed[0]
    return numbers[slot]


@inner
def _number_sides(known, words, tags, side):
    keys = np.empty(SIDE, np.int64)
    for place in range(len(words) - 2 * MARGIN):
        for o in range(2):
            for which in range(2):
                side_keys(words, tags, place, which, o, keys)
                for number in range(SIDE):
                    side[place, o, which * SIDE + number] = _number(known, keys[number])


@inner
def _number_tags(known, words, tags, found):
    keys = np.empty(TAGS, np.int64)
    n_words = len(words) - 2 * MARGIN - 2
    pair = 0
    for i in range(n_words + 1):
        for j in range(1, n_words + 2):
            if i != j:
                tag_keys(words, tags, i, j, 1 if j < i else 0, keys)
                for number in range(TAGS):
                    found[pair, number] = _number(known, keys[number])
            pair += 1


@inner
def _number_words(known, words, cells):
    n_words = len(words) - 2 * MARGIN - 2
    cell = 0
    for o in range(2):
        for a in range(n_words + 5):
            low, high = columns(n_words, o, a)
            for b in range(low, high):
                cells[cell] = _number(known, record_key(words[a], words[b], o))
                cell += 1


@inner
def _number_distances(known, features):
    for o in range(2):
        for d in range(DISTANCES):
            features[o, d, 0] = _number(known, orientation_key(o))
            features[o, d, 1] = _number(known, distance_key(o, d))


@inner
def _find_all(index, known, numbered):
    """The numbers in the index of all keys that it has, after a 0; arrays of numbers of keys become
    numbers of these. One loop over all keys is faster than a search for each when it occurs."""
    n_keys, n_found = known.listed[0], 1
    found, own = np.zeros(n_keys + 1, np.int64), np.zeros(n_keys + 1, np.int32)
    for number in range(1, n_keys + 1):
        at = find_number(index, known.listed[number])
        if at != EMPTY:
            found[n_found], own[number] = at, n_found
            n_found += 1
    for numbers in literal_unroll(numbered):
        flat = numbers.reshape(-1)
        for at in range(len(flat)):
            flat[at] = own[flat[at]]
    return found[:n_found]


@inner
def _own_features(index, others, records):
    """The block's features, and the begin and templates of its records."""
    n_features = len(others)
    begin = np.empty(len(records), np.int32)
    for number in range(1, len(records)):
        begin[number - 1] = n_features
        n_features += index.begin[records[number] + 1] - index.begin[records[number]]
    begin[-1] = n_features
    features = np.empty(n_features, np.int32)
    template = np.empty(n_features - len(others), np.uint8)
    features[: len(others)], features[0] = others, index.n_features
    for number in range(1, len(records)):
        first = index.begin[records[number]]
        for own in range(begin[number - 1], begin[number]):
            features[own] = first + own - begin[number - 1]
            template[own - len(others)] = index.template[features[own] - index.begin[0]]
    return features, begin, template
