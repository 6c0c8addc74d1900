"""Selects and numbers the features of a model: those with large enough counts.

All features of the pair (CP, NP) of an event are counted. For the other candidates of the same
event only four templates are counted (Goto et al. 2013, §4.2 and footnote 12), which limits the
number of features.

Half of a model's features are two words at certain offsets from i and j, ⟨o, s_p, s_q⟩. Those with
the same orientation and words form a record: features with consecutive numbers, one for each of the
21 templates that occurs.

    record 5: features 700 to 702       templates of 700, 701, 702: 0, 1, 4

So training and decoding look up the words of two places once instead of for 21 pairs of places, and
weights that are used together are adjacent. All other features, with at most one word besides tags,
are numbered before these, by their keys (`KeyIndex`).
"""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import SENTENCES_AT_ONCE
from hyperbaton.foundation import hashing
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.files.array_files import restored, saved
from hyperbaton.foundation.hashing import KeyIndex, index_keys
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.templates import (
    ABSENT,
    BOTH,
    CANDIDATE,
    ORIENTATION_BIT,
    SIDE,
    TAG_PAIR,
    WORD_BITS,
    Symbols,
    both_keys,
    candidate_keys,
    distance_class,
    distance_key,
    key_of_words,
    orientation_key,
    padded,
    side_keys,
    word_template,
)

RANGES = 64  # ranges of keys, whose counts are summed separately
ALL_TEMPLATES = 2 * SIDE + BOTH + 2
_WORDS = (1 << (2 * WORD_BITS)) - 1  # the bits of two words in a key


def select_features(
    symbols: Symbols, events: NextWordEvents, min_count: int = 4, threads: int = 2
) -> Int64Array:
    """The keys of the features with counts of at least `min_count`, the most frequent first, so
    that features that are used together are close in memory."""

    def count(first: int) -> tuple[Int64Array, Int32Array]:
        last = min(first + SENTENCES_AT_ONCE, events.n_sentences)
        keys = _counted_keys(symbols, events, first, last)
        distinct, counts = np.unique(keys, return_counts=True)
        return distinct, counts.astype(np.int32)

    with ThreadPoolExecutor(threads) as pool:
        chunks = list(pool.map(count, range(0, events.n_sentences, SENTENCES_AT_ONCE)))
        ranges = pairwise(_bounds([keys for keys, _ in chunks]))
        parts = list(pool.map(lambda ends: _often(chunks, ends, min_count), ranges))
    keys, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    return keys[np.argsort(-counts, kind="stable")]


def _bounds(keys: list[Int64Array]) -> list[int]:
    """The bounds of ranges of keys that each take a small part of memory."""
    some = np.sort(np.concatenate([np.empty(0, np.int64), *(chunk[::RANGES] for chunk in keys)]))
    inner = np.unique(some[:: max(len(some) // RANGES, 1)])
    return [0, *inner[inner > 0].tolist(), np.iinfo(np.int64).max]


def _often(
    chunks: list[tuple[Int64Array, Int32Array]], ends: tuple[int, int], min_count: int
) -> tuple[Int64Array, Int64Array]:
    """The keys of a range with large enough counts over all chunks, and their counts."""
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
    """The keys of all counted features, with repetitions; some are ABSENT."""
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


class PairIndex(NamedTuple):
    others: KeyIndex
    records: KeyIndex  # by orientation and words
    begin: Int32Array  # (records + 1,) the first feature of each record
    template: NDArray[np.uint8]  # (features of records,)
    n_features: int


def make_pair_index(keys: Int64Array) -> PairIndex:
    """The index of distinct keys. Records are numbered in the order of their first keys, so
    frequent records come first if frequent keys do."""
    template = word_template(keys)
    is_words = (template >= 0) & (template < TAG_PAIR)
    others = keys[~is_words]
    template, keys = template[is_words], keys[is_words]
    words = ((keys >> ORIENTATION_BIT & 1) << (2 * WORD_BITS)) | (keys & _WORDS)
    _, first, number = np.unique(words, return_index=True, return_inverse=True)
    in_order = np.lexsort((template, first[number]))
    words, template = words[in_order], template[in_order]
    is_new = np.ones(len(words) + 1, np.bool_)
    is_new[1:-1] = words[1:] != words[:-1]
    begin = np.flatnonzero(is_new)
    return PairIndex(
        index_keys(others),
        index_keys(words[begin[:-1]]),
        (begin + len(others)).astype(np.int32),
        template.astype(np.uint8),
        len(others) + len(words),
    )


@inner
def record_key(first, second, o):
    """The key of the record of two words; ABSENT if one of them is unknown."""
    if first < 0 or second < 0:
        return np.int64(ABSENT)
    return np.int64((((o << WORD_BITS) | first) << WORD_BITS) | second)


def keys_in_order(index: PairIndex) -> Int64Array:
    """The keys by number."""
    words = hashing.keys_in_order(index.records)
    words = np.repeat(words, np.diff(index.begin))
    keys = key_of_words(index.template.astype(np.int64), words >> (2 * WORD_BITS), words & _WORDS)
    return np.concatenate([hashing.keys_in_order(index.others), keys])


def saved_index(index: PairIndex) -> dict[str, NDArray[Any]]:
    """The index as arrays, for files and workers."""
    pairs, record = index.records
    return saved(index.others) | {"pairs": pairs, "record": record} | saved(index)


def restored_index(arrays: Mapping[str, NDArray[Any]]) -> PairIndex:
    return restored(
        PairIndex,
        arrays,
        others=restored(KeyIndex, arrays),
        records=KeyIndex(arrays["pairs"], arrays["record"]),
        n_features=int(arrays["begin"][-1]),
    )
