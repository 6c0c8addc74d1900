"""Lexical weights of phrase pairs (Koehn, Och and Marcu 2003, eq. 8).

lex(e|f) = Π_e mean over the source words linked to e of w(e|f), with w(e|NULL) for a word without
links.

The word translation probabilities w(e|f) and w(f|e) are relative frequencies of links; an unaligned
word counts as linked to NULL. Like Moses in its lexicon files we keep seven decimals, so that the
tables agree, but we round nothing to zero.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.phrases.collecting import PhrasePairs
from hyperbaton.models.phrases.settings import GRID

NULL = UNKNOWN  # an id that no word of a corpus has
N_SPECIAL = len(SPECIAL)  # ids of words are not smaller
DECIMALS = 7
COUNTED_AT_ONCE = 50_000  # sentence pairs per batch


class LexicalTable(NamedTuple):
    """Target words by source word, NULL included, and both conditionals."""

    begin: Int64Array  # (source words + 1,)
    target: Int32Array  # sorted in each run
    target_given_source: FloatArray
    source_given_target: FloatArray


def estimate_lexical(corpus: AlignedCorpus) -> LexicalTable:
    # keys and counts; every run is at most half as long as the previous one
    runs = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for first in range(0, len(corpus), COUNTED_AT_ONCE):
        linked = _linked_words(corpus, first, min(first + COUNTED_AT_ONCE, len(corpus)))
        runs.append(np.unique(linked, return_counts=True))
        while len(runs) > 1 and len(runs[-2][0]) < 2 * len(runs[-1][0]):
            runs.append(_added(runs.pop(), runs.pop()))
    while len(runs) > 1:
        runs.append(_added(runs.pop(), runs.pop()))
    keys, counts = runs[0]
    source, target = keys >> 32, keys & 0xFFFFFFFF
    return LexicalTable(
        np.searchsorted(source, np.arange(len(corpus.source.vocabulary) + 1)),
        target.astype(np.int32),
        _rounded(counts / np.bincount(source, counts)[source]),
        _rounded(counts / np.bincount(target, counts)[target]),
    )


def _added(
    one: tuple[Int64Array, Int64Array], other: tuple[Int64Array, Int64Array]
) -> tuple[Int64Array, Int64Array]:
    keys, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.bincount(place, np.concatenate([one[1], other[1]]), len(keys))
    return keys, counts.astype(np.int64)


def _linked_words(corpus: AlignedCorpus, first: int, last: int) -> Int64Array:
    """Source id · 2^32 + target id of all links of some sentence pairs."""
    (source, source_start), (target, target_start) = (
        (words.values[words.offsets[first] : words.offsets[last]], words.offsets[first : last + 1])
        for words in (corpus.source.words, corpus.target.words)
    )
    offsets = corpus.links.offsets[first : last + 1]
    links = corpus.links.values[offsets[0] : offsets[-1]]
    row = np.repeat(np.arange(last - first), np.diff(offsets))
    source_at = source_start[row] - source_start[0] + links[:, 0]
    target_at = target_start[row] - target_start[0] + links[:, 1]
    lonely_source, lonely_target = np.delete(source, source_at), np.delete(target, target_at)
    sources = source[source_at], lonely_source, np.full(len(lonely_target), NULL)
    targets = target[target_at], np.full(len(lonely_source), NULL), lonely_target
    keys: Int64Array = np.concatenate(sources).astype(np.int64) << 32 | np.concatenate(targets)
    return keys


def _rounded(probabilities: FloatArray) -> FloatArray:
    rounded: FloatArray = np.maximum(np.round(probabilities, DECIMALS), 10.0**-DECIMALS)
    return rounded


def lexical_weights(
    pairs: PhrasePairs, source_words: Int32Array, target_words: Int32Array, table: LexicalTable
) -> tuple[FloatArray, FloatArray]:
    """lex(e|f) and lex(f|e) of every pair."""
    direct, inverse = _weights(
        pairs.n_pairs, pairs.source_at, pairs.source_length, pairs.target_at, pairs.target_length,
        pairs.inner, pairs.inner_by_source, source_words, target_words, table,
    )  # fmt: skip
    return direct, inverse


@inner
def lexical_weight(words, others, links, stride, is_source, table):
    """Π over the words of one side of the mean probability given the linked words of the other.

    Bit stride · target + source of `links` is a link. Symbols that are not words are skipped.
    """
    product = 1.0
    for a in range(len(words)):
        if words[a] < N_SPECIAL:
            continue
        total, n = 0.0, 0
        for b in range(len(others)):
            bit = stride * b + a if is_source else stride * a + b
            if (links >> np.uint64(bit)) & np.uint64(1):
                total += _probability(words[a], others[b], is_source, table)
                n += 1
        if n == 0:
            total, n = _probability(words[a], np.int32(NULL), is_source, table), 1
        product *= total / n
    return product


@inner
def _probability(word, given, is_source, table):
    source, target = (word, given) if is_source else (given, word)
    place = lower_bound(table.target, table.begin[source], table.begin[source + 1], target)
    return table.source_given_target[place] if is_source else table.target_given_source[place]


@kernel
def _weights(
    n_pairs, source_at, source_length, target_at, target_length, inner, inner_by_source,
    source_words, target_words, table,
):  # fmt: skip
    direct, inverse = np.empty(len(inner)), np.empty(len(inner))
    last = 0
    for node in range(len(n_pairs)):
        f = source_words[source_at[node] : source_at[node] + source_length[node]]
        first, last = last, last + n_pairs[node]
        for pair in range(first, last):
            e = target_words[target_at[pair] : target_at[pair] + target_length[pair]]
            direct[pair] = lexical_weight(e, f, inner[pair], GRID, False, table)
            inverse[pair] = lexical_weight(f, e, inner_by_source[pair], GRID, True, table)
    return direct, inverse
