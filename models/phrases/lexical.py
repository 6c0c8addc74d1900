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
from hyperbaton.foundation.files.vocabulary import UNKNOWN
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.phrases.collecting import PhrasePairs
from hyperbaton.models.phrases.settings import GRID

NULL = UNKNOWN  # an id that no word of a corpus has
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
        pairs.inner, pairs.inner_by_source, source_words, target_words, *table,
    )  # fmt: skip
    return direct, inverse


@inner
def _place(begin, target, source_word, target_word):
    return lower_bound(target, begin[source_word], begin[source_word + 1], target_word)


@kernel
def _weights(
    n_pairs, source_at, source_length, target_at, target_length, inner, inner_by_source,
    source_words, target_words, begin, target, target_given_source, source_given_target,
):  # fmt: skip
    direct, inverse = np.ones(len(inner)), np.ones(len(inner))
    last = 0
    for node in range(len(n_pairs)):
        n_source, source = source_length[node], source_words[source_at[node] :]
        first, last = last, last + n_pairs[node]
        for pair in range(first, last):
            n_target, words = target_length[pair], target_words[target_at[pair] :]
            for e in range(n_target):
                total, links = 0.0, 0
                for f in range(n_source):
                    if (inner[pair] >> np.uint64(GRID * e + f)) & np.uint64(1):
                        total += target_given_source[_place(begin, target, source[f], words[e])]
                        links += 1
                if links == 0:
                    total = target_given_source[_place(begin, target, NULL, words[e])]
                    links = 1
                direct[pair] *= total / links
            for f in range(n_source):
                total, links = 0.0, 0
                for e in range(n_target):
                    if (inner_by_source[pair] >> np.uint64(GRID * e + f)) & np.uint64(1):
                        total += source_given_target[_place(begin, target, source[f], words[e])]
                        links += 1
                if links == 0:
                    total = source_given_target[_place(begin, target, source[f], NULL)]
                    links = 1
                inverse[pair] *= total / links
    return direct, inverse
