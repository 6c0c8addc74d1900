"""The features of all pairs of places of some sentences, as numbers.

Features are looked up once and kept, because training goes over them many times. A block holds
some thousand pairs. Memory for blocks is limited; those over the limit are made anew whenever they
are needed, which is slower but works for any amount of data.

The pair of CP i and candidate j of a sentence of n words is in row i (0 to n) and column j − 1.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from models.arrays import Int32Array, Int64Array
from models.distortion.next_word.events import Events
from models.distortion.next_word.selection import FeatureIndex, find
from models.distortion.next_word.templates import (
    BOTH,
    DISTANCES,
    SIDE,
    Symbols,
    both_keys,
    distance_key,
    orientation_key,
    padded,
    side_keys,
)
from models.kernels import inner, kernel

BLOCK_PAIRS = 40_000
KEPT_BYTES = 1_200_000_000


class Block(NamedTuple):
    """Numbers of features of the sentences first … last − 1; n_features where none fires."""

    first: int
    last: int
    side: Int32Array  # (places, 2 orientations, 2 · SIDE) features of a place as i, then as j
    side_begin: Int64Array  # (sentences,)
    both: Int32Array  # features of both places of a pair, one pair after the other
    pair_begin: Int32Array  # (pairs + 1,) of `both`; pairs of a sentence by row, then column
    sentence_pair: Int64Array  # (sentences,) first pair of each sentence
    distance: Int32Array  # (2, DISTANCES, 2) ⟨o⟩ and ⟨o, d⟩


class Blocks:
    """The blocks of a corpus.

    Without `all_rows`, only rows that are the CP of an event have features.
    """

    def __init__(
        self,
        symbols: Symbols,
        events: Events,
        index: FeatureIndex,
        *,
        all_rows: bool,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self.symbols, self.events, self.index, self.all_rows = symbols, events, index, all_rows
        self.bounds = block_bounds((events.lengths + 1) ** 2)
        self.kept_bytes = kept_bytes
        self.kept: dict[int, Block] = {}

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, number: int) -> Block:
        if number in self.kept:
            return self.kept[number]
        first, last = self.bounds[number], self.bounds[number + 1]
        block: Block = make_block(self.symbols, self.events, self.index, first, last, self.all_rows)
        return block

    def keep(self, threads: int) -> None:
        """Makes blocks and keeps them while there is room."""
        step, size = 16, 0
        with ThreadPoolExecutor(threads) as pool:
            for begin in range(0, len(self), step):
                numbers = range(begin, min(begin + step, len(self)))
                for number, block in zip(numbers, pool.map(self.__getitem__, numbers), strict=True):
                    size += block.side.nbytes + block.both.nbytes + block.pair_begin.nbytes
                    if size > self.kept_bytes:
                        return
                    self.kept[number] = block


def block_bounds(pairs: Int64Array) -> list[int]:
    """First sentences of blocks that have at most BLOCK_PAIRS pairs, or one sentence."""
    bounds, size = [0], 0
    for sentence, n_pairs in enumerate(pairs.tolist()):
        if size and size + n_pairs > BLOCK_PAIRS:
            bounds.append(sentence)
            size = 0
        size += n_pairs
    return [*bounds, len(pairs)] if len(pairs) else bounds


@kernel
def make_block(symbols, events, index, first, last, all_rows):
    n_places, n_pairs = 0, 0
    for sentence in range(first, last):
        n_words = events.word_offsets[sentence + 1] - events.word_offsets[sentence]
        n_places += n_words + 2
        n_pairs += (n_words + 1) ** 2
    side = np.full((n_places, 2, 2 * SIDE), index.n_features, np.int32)
    side_begin = np.empty(last - first, np.int64)
    both = np.empty(n_pairs * BOTH, np.int32)
    pair_begin = np.empty(n_pairs + 1, np.int32)
    sentence_pair = np.empty(last - first, np.int64)
    keys = np.empty(BOTH, np.int64)
    place, pair, at = 0, 0, 0
    for sentence in range(first, last):
        begin = events.word_offsets[sentence]
        n_words = events.word_offsets[sentence + 1] - begin
        words = padded(symbols.words, begin, n_words)
        tags = padded(symbols.tags, begin, n_words)
        side_begin[sentence - first], sentence_pair[sentence - first] = place, pair
        for p in range(n_words + 2):
            for o in range(2):
                for which in range(2):
                    side_keys(words, tags, p, which, o, keys)
                    for number in range(SIDE):
                        side[place + p, o, which * SIDE + number] = find(index, keys[number])
        place += n_words + 2
        wanted = np.full(n_words + 2, all_rows)
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            wanted[events.current[event]] = True
        for i in range(n_words + 1):
            for j in range(1, n_words + 2):
                pair_begin[pair] = at
                pair += 1
                if i == j or not wanted[i]:
                    continue
                both_keys(words, tags, i, j, 1 if j < i else 0, keys)
                for number in range(BOTH):
                    feature = find(index, keys[number])
                    if feature < index.n_features:
                        both[at] = feature
                        at += 1
    pair_begin[pair] = at
    return Block(
        first, last, side, side_begin, both[:at].copy(), pair_begin, sentence_pair,
        _distance_features(index),
    )  # fmt: skip


@inner
def _distance_features(index):
    features = np.empty((2, DISTANCES, 2), np.int32)
    for o in range(2):
        for d in range(DISTANCES):
            features[o, d, 0] = find(index, orientation_key(o))
            features[o, d, 1] = find(index, distance_key(o, d))
    return features
