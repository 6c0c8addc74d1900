"""Statistics of a parallel corpus: sizes, lengths, alignment, and distances of reordering.

Distance is the distortion of Goto et al. (2013) along the target sentence: for two aligned target
words with no aligned word between them, NP − CP − 1, where CP is the rightmost source word of the
first and NP the leftmost source word of the second. 0 is monotone. Moves from the beginning of the
sentence count (CP is −1); moves to its end do not.
"""

from dataclasses import dataclass

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.foundation.arrays import Int64Array

BIN_STARTS = (-14, -7, -3, -1, 0, 1, 2, 4, 8, 15)  # distances; the first bin has no start


@dataclass(frozen=True)
class SideStatistics:
    n_words: int
    n_types: int
    n_once: int  # types that occur once
    mean_length: float
    longest: int
    share_unaligned: float


@dataclass(frozen=True)
class CorpusStatistics:
    n_pairs: int
    n_links: int
    source: SideStatistics
    target: SideStatistics
    distances: tuple[tuple[str, int], ...]  # name of the bin, number of moves
    share_monotone: float
    farthest: int


def statistics(corpus: AlignedCorpus) -> CorpusStatistics:
    moves = distances(corpus)
    return CorpusStatistics(
        n_pairs=len(corpus),
        n_links=len(corpus.links.values),
        source=_side(corpus.source, corpus, 0),
        target=_side(corpus.target, corpus, 1),
        distances=_histogram(moves),
        share_monotone=float(np.mean(moves == 0)) if len(moves) else 0.0,
        farthest=int(np.abs(moves).max(initial=0)),
    )


def distances(corpus: AlignedCorpus) -> Int64Array:
    """NP − CP − 1 for every move of the corpus, pair by pair, in target order."""
    row = corpus.links.row_of_value
    source, target = corpus.links.values.astype(np.int64).T
    order = np.lexsort((source, target, row))
    row, source, target = row[order], source[order], target[order]
    # The links of one target word are now adjacent, leftmost source word first
    first = np.ones(len(row), dtype=bool)
    first[1:] = (np.diff(row) != 0) | (np.diff(target) != 0)
    begin = np.flatnonzero(first)
    end = np.append(begin[1:], len(row))[: len(begin)]
    leftmost, rightmost, pair = source[begin], source[end - 1], row[begin]
    current = np.full(len(begin), -1)  # CP of the first move of each sentence
    if len(begin):
        same = pair[1:] == pair[:-1]
        current[1:][same] = rightmost[:-1][same]
    moves: Int64Array = leftmost - current - 1
    return moves


def _histogram(moves: Int64Array) -> tuple[tuple[str, int], ...]:
    names = map(bin_name, (None, *BIN_STARTS), (*(start - 1 for start in BIN_STARTS), None))
    bins = np.searchsorted(BIN_STARTS, moves, side="right")
    counts = np.bincount(bins, minlength=len(BIN_STARTS) + 1)
    return tuple(zip(names, counts.tolist(), strict=True))


def bin_name(low: int | None, high: int | None) -> str:
    if low is None:
        return f"≤ {high}"
    if high is None:
        return f"≥ {low}"
    return str(low) if low == high else f"{low} to {high}"


def _side(side: Side, corpus: AlignedCorpus, column: int) -> SideStatistics:
    counts = np.bincount(side.words.values, minlength=len(side.vocabulary))
    lengths = side.words.lengths
    n_words = len(side.words.values)
    aligned = np.zeros(n_words, dtype=bool)
    aligned[side.words.offsets[corpus.links.row_of_value] + corpus.links.values[:, column]] = True
    return SideStatistics(
        n_words=n_words,
        n_types=int(np.count_nonzero(counts)),
        n_once=int(np.count_nonzero(counts == 1)),
        mean_length=float(lengths.mean()) if len(lengths) else 0.0,
        longest=int(lengths.max(initial=0)),
        share_unaligned=float(1 - aligned.mean()) if n_words else 0.0,
    )
