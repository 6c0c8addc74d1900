"""Which features a model has, those that were counted often enough, and their numbers.

All features of the pair (CP, NP) of an event count. Of the other candidates of the same event only
four templates count (Goto et al. 2013, §4.2 and footnote 12), which keeps the number of features
down. Features are numbered by their keys in an open-addressing hash table that is written once.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import SENTENCES_AT_ONCE
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import first_slot, table_size
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.templates import (
    BOTH,
    CANDIDATE,
    SIDE,
    Symbols,
    both_keys,
    candidate_keys,
    distance_class,
    distance_key,
    orientation_key,
    padded,
    side_keys,
)

RANGES = 64  # of keys whose counts are added up at a time
ALL_TEMPLATES = 2 * SIDE + BOTH + 2  # templates
VACANT = -1  # in the keys of a slot that holds nothing


def select_features(
    symbols: Symbols, events: NextWordEvents, min_count: int = 4, threads: int = 2
) -> Int64Array:
    """The keys of the features that were counted at least `min_count` times, the most frequent
    first: what is used together should lie close together in memory."""

    def count(first: int) -> tuple[Int64Array, Int32Array]:
        last = min(first + SENTENCES_AT_ONCE, events.n_sentences)
        keys = _counted_keys(symbols, events, first, last)
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(np.int32)

    with ThreadPoolExecutor(threads) as pool:
        chunks = list(pool.map(count, range(0, events.n_sentences, SENTENCES_AT_ONCE)))
        ranges = pairwise(_bounds([keys for keys, _ in chunks]))
        parts = list(pool.map(lambda ends: _often(chunks, ends, min_count), ranges))
    keys, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return keys[np.argsort(-counts, kind="stable")]


def _bounds(keys: list[Int64Array]) -> list[int]:
    """Where ranges of keys begin and end that each take a small part of memory."""
    some = np.sort(np.concatenate([np.empty(0, np.int64), *(one[::RANGES] for one in keys)]))
    inner = np.unique(some[:: max(len(some) // RANGES, 1)])
    return [0, *inner[inner > 0].tolist(), np.iinfo(np.int64).max]


def _often(
    chunks: list[tuple[Int64Array, Int32Array]], ends: tuple[int, int], min_count: int
) -> tuple[Int64Array, Int64Array]:
    """The keys of a range that all chunks together have often enough, and their counts."""
    slices = [slice(*np.searchsorted(keys, ends)) for keys, _ in chunks]
    keys = np.concatenate([keys[part] for (keys, _), part in zip(chunks, slices, strict=True)])
    counts = np.concatenate([n[part] for (_, n), part in zip(chunks, slices, strict=True)])
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order].astype(np.int64)
    begin = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])
    totals = np.add.reduceat(counts, begin) if len(begin) else counts
    enough = totals >= min_count
    return keys[begin][enough], totals[enough]


@kernel
def _counted_keys(symbols, events, first, last):
    """A key for everything that counts; some are ABSENT."""
    size = 0
    for sentence in range(first, last):
        n_words = events.word_offsets[sentence + 1] - events.word_offsets[sentence]
        n_events = events.offsets[sentence + 1] - events.offsets[sentence]
        size += n_events * (ALL_TEMPLATES + n_words * CANDIDATE)
    keys = np.empty(size, np.int64)
    at = 0
    for sentence in range(first, last):
        begin = events.word_offsets[sentence]
        n_words = events.word_offsets[sentence + 1] - begin
        words = padded(symbols.words, begin, n_words)
        tags = padded(symbols.tags, begin, n_words)
        for event in range(events.offsets[sentence], events.offsets[sentence + 1]):
            i = events.current[event]
            for j in range(1, n_words + 2):
                if j == i:
                    continue
                o = 1 if j < i else 0
                if j != events.next[event]:
                    candidate_keys(words, tags, i, j, o, keys[at:])
                    at += CANDIDATE
                    continue
                both_keys(words, tags, i, j, o, keys[at:])
                at += BOTH
                side_keys(words, tags, i, 0, o, keys[at:])
                side_keys(words, tags, j, 1, o, keys[at + SIDE :])
                at += 2 * SIDE
                keys[at] = orientation_key(o)
                keys[at + 1] = distance_key(o, distance_class(i, j))
                at += 2
    return keys[:at]


class FeatureIndex(NamedTuple):
    """Features are numbered from 0."""

    keys: Int64Array  # (slots,) VACANT or a key
    numbers: Int32Array  # (slots,)
    n_features: int


def make_index(keys: Int64Array) -> FeatureIndex:
    """The index of distinct keys, numbered as they come."""
    size = table_size(len(keys))
    slots, numbers = np.full(size, VACANT, np.int64), np.zeros(size, np.int32)
    insert(slots, numbers, keys)
    return FeatureIndex(slots, numbers, len(keys))


def features_laws(arrays: CheckedArrays, keys: str, numbers: str, n_features: int) -> None:
    """Of an index on disk."""
    arrays.hash_table(keys, numbers, n_features, free=VACANT, by_key=True)


@kernel
def insert(slots, numbers, keys):
    """Puts distinct keys into the table, numbered as they come."""
    mask = len(slots) - 1
    for number in range(len(keys)):
        slot = first_slot(keys[number], mask)
        while slots[slot] != VACANT:
            slot = (slot + 1) & mask
        slots[slot] = keys[number]
        numbers[slot] = number


@inner
def find(index, key):
    """The number of a feature; n_features if there is no such feature."""
    if key < 0:
        return index.n_features
    mask = len(index.keys) - 1
    slot = first_slot(key, mask)
    while index.keys[slot] != VACANT:
        if index.keys[slot] == key:
            return np.int64(index.numbers[slot])
        slot = (slot + 1) & mask
    return index.n_features


def keys_in_order(index: FeatureIndex) -> Int64Array:
    """The keys by number."""
    used = index.keys != VACANT
    keys = np.empty(index.n_features, np.int64)
    keys[index.numbers[used]] = index.keys[used]
    return keys
