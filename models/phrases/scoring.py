"""Phrase pairs with their scores, from their occurrences.

φ(e|f) and φ(f|e) are relative frequencies. The inner alignment of a pair is its most frequent one.
Lexical weights follow Koehn, Och and Marcu (2003, eq. 8): lex(e|f) = Π_e mean over the source words
linked to e of w(e|f), with w(e|NULL) for a word without links.

The word translation probabilities w(e|f) and w(f|e) are relative frequencies of links; an unaligned
word counts as linked to NULL. Like Moses in its lexicon files we keep seven decimals, so that the
tables agree, but we round nothing to zero.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from models.arrays import BoolArray, FloatArray, Int32Array, Int64Array, UInt64Array
from models.data.corpus import AlignedCorpus
from models.data.sorted_arrays import lower_bound
from models.data.vocabulary import UNKNOWN
from models.kernels import inner, kernel
from models.phrases.extraction import GRID, Occurrences
from models.phrases.trie import SpanIds

FULL_ROW = np.uint64((1 << GRID) - 1)
NULL = UNKNOWN  # the id that no word of a corpus has
DECIMALS = 7


@dataclass(frozen=True, eq=False)
class PhrasePairs:
    """Distinct phrase pairs, sorted by source id, then target id."""

    source: Int32Array  # ids of `SpanIds`
    target: Int32Array
    count: Int64Array
    source_count: Int64Array  # c(f) and c(e): occurrences in all pairs
    target_count: Int64Array
    inner: UInt64Array  # the most frequent alignment; ties as in Moses
    inner_by_source: UInt64Array  # the same with ties broken from the source side
    pair_of: Int64Array  # for each occurrence the number of its pair

    def take(self, keep: BoolArray) -> "PhrasePairs":
        """The chosen pairs; `pair_of` keeps the old numbers."""
        columns = {name: column[keep] for name, column in vars(self).items() if name != "pair_of"}
        return replace(self, **columns)


def collect(occurrences: Occurrences, source: SpanIds, target: SpanIds) -> PhrasePairs:
    """Counts the distinct pairs and chooses their inner alignments."""
    source_id = source.ids[occurrences.source_length - 1, occurrences.source_at]
    target_id = target.ids[occurrences.target_length - 1, occurrences.target_at]
    keys = (source_id.astype(np.int64) << 32) | target_id
    pairs, pair_of, count = np.unique(keys, return_inverse=True, return_counts=True)
    source_of, target_of = (pairs >> 32).astype(np.int32), (pairs & 0xFFFFFFFF).astype(np.int32)
    # Occurrences by pair and alignment, so that equal alignments are neighbours
    order = np.lexsort((occurrences.inner, pair_of))
    begin = np.concatenate([[0], np.cumsum(count)])
    inner, inner_by_source = _most_frequent(occurrences.inner[order], begin)
    return PhrasePairs(
        source_of,
        target_of,
        count,
        np.bincount(source_of, count, len(source.length)).astype(np.int64)[source_of],
        np.bincount(target_of, count, len(target.length)).astype(np.int64)[target_of],
        inner,
        inner_by_source,
        pair_of,
    )


@kernel
def _most_frequent(inner, begin):
    """The most frequent value of each group; among equals the greater one, from either side."""
    n = len(begin) - 1
    by_target = np.empty(n, np.uint64)
    by_source = np.empty(n, np.uint64)
    for group in range(n):
        most = 0
        at = begin[group]
        while at < begin[group + 1]:
            run = at + 1
            while run < begin[group + 1] and inner[run] == inner[at]:
                run += 1
            count = run - at
            if count > most:
                by_target[group] = by_source[group] = inner[at]
                most = count
            elif count == most:
                if _greater(inner[at], by_target[group]):
                    by_target[group] = inner[at]
                if _greater(_transposed(inner[at]), _transposed(by_source[group])):
                    by_source[group] = inner[at]
            at = run
    return by_target, by_source


@inner
def _transposed(bits):
    """The grid with source and target exchanged."""
    result = np.uint64(0)
    for place in range(GRID * GRID):
        if (bits >> np.uint64(place)) & np.uint64(1):
            result |= np.uint64(1) << np.uint64((place % GRID) * GRID + place // GRID)
    return result


@inner
def _greater(a, b):
    """Moses' order of alignments: row by row, each row as the ascending list of its positions;
    lists are compared element by element, and a proper prefix of another list is smaller."""
    for row in range(GRID):
        x = (a >> np.uint64(GRID * row)) & FULL_ROW
        y = (b >> np.uint64(GRID * row)) & FULL_ROW
        if x == y:
            continue
        position = 0
        while ((x ^ y) >> np.uint64(position)) & np.uint64(1) == 0:
            position += 1
        x_has = (x >> np.uint64(position)) & np.uint64(1)
        rest = (y if x_has else x) >> np.uint64(position)
        # The list without this position continues with a greater one, or has ended
        return (rest == 0) == (x_has == 1)
    return False


class LexicalTable(NamedTuple):
    """Sorted keys (source id · 2^32 + target id), NULL included, and both conditionals."""

    keys: Int64Array
    target_given_source: FloatArray
    source_given_target: FloatArray


def estimate_lexical(corpus: AlignedCorpus) -> LexicalTable:
    source_ids, target_ids = corpus.source.words.values, corpus.target.words.values
    row = corpus.links.row_of_value
    source_at = corpus.source.words.offsets[row] + corpus.links.values[:, 0]
    target_at = corpus.target.words.offsets[row] + corpus.links.values[:, 1]
    lonely_source = np.delete(source_ids, source_at)
    lonely_target = np.delete(target_ids, target_at)
    nulls_source = np.full(len(lonely_target), NULL)
    nulls_target = np.full(len(lonely_source), NULL)
    source = np.concatenate([source_ids[source_at], lonely_source, nulls_source])
    target = np.concatenate([target_ids[target_at], nulls_target, lonely_target])
    keys, counts = np.unique((source.astype(np.int64) << 32) | target, return_counts=True)
    return LexicalTable(
        keys,
        _rounded(counts / np.bincount(source)[keys >> 32]),
        _rounded(counts / np.bincount(target)[keys & 0xFFFFFFFF]),
    )


def _rounded(probabilities: FloatArray) -> FloatArray:
    rounded: FloatArray = np.maximum(np.round(probabilities, DECIMALS), 10.0**-DECIMALS)
    return rounded


def lexical_weights(
    pairs: PhrasePairs, source: SpanIds, target: SpanIds, corpus: AlignedCorpus
) -> tuple[FloatArray, FloatArray]:
    """lex(e|f) and lex(f|e) of every pair."""
    direct, inverse = _weights(
        pairs.inner,
        pairs.inner_by_source,
        source.first_at[pairs.source],
        source.length[pairs.source],
        target.first_at[pairs.target],
        target.length[pairs.target],
        corpus.source.words.values,
        corpus.target.words.values,
        *estimate_lexical(corpus),
    )
    return direct, inverse


@kernel
def _weights(
    inner, inner_by_source, source_at, source_length, target_at, target_length,
    source_words, target_words, keys, target_given_source, source_given_target,
):  # fmt: skip
    n, n_keys = len(inner), len(keys)
    direct, inverse = np.ones(n), np.ones(n)
    for pair in range(n):
        for e in range(target_length[pair]):
            word = np.int64(target_words[target_at[pair] + e])
            total, links = 0.0, 0
            for f in range(source_length[pair]):
                if (inner[pair] >> np.uint64(GRID * e + f)) & np.uint64(1):
                    other = np.int64(source_words[source_at[pair] + f])
                    at = lower_bound(keys, 0, n_keys, (other << 32) | word)
                    total += target_given_source[at]
                    links += 1
            if links == 0:
                total = target_given_source[lower_bound(keys, 0, n_keys, (NULL << 32) | word)]
                links = 1
            direct[pair] *= total / links
        for f in range(source_length[pair]):
            word = np.int64(source_words[source_at[pair] + f])
            total, links = 0.0, 0
            for e in range(target_length[pair]):
                if (inner_by_source[pair] >> np.uint64(GRID * e + f)) & np.uint64(1):
                    other = np.int64(target_words[target_at[pair] + e])
                    at = lower_bound(keys, 0, n_keys, (word << 32) | other)
                    total += source_given_target[at]
                    links += 1
            if links == 0:
                total = source_given_target[lower_bound(keys, 0, n_keys, word << 32 | NULL)]
                links = 1
            inverse[pair] *= total / links
    return direct, inverse
