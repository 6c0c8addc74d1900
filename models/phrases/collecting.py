"""Collects the distinct phrase pairs among occurrences of some source phrases, with counts.

Occurrences are sorted by source phrase, then inside each run by target phrase and inner alignment,
so that equal pairs and equal alignments are adjacent. The inner alignment of a pair is its most
frequent one; ties are broken as in Moses.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.phrases.numbering import number_phrases, number_rows
from hyperbaton.models.phrases.orientation import ORIENTATIONS
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import Nodes, build_nodes, sorted_order

FULL_ROW = np.uint64((1 << GRID) - 1)


class PhrasePairs(NamedTuple):
    """Distinct phrase pairs by the node of their source phrase."""

    nodes: Nodes
    source_at: Int32Array  # by node: an occurrence of its phrase, if it has one
    source_length: Int32Array
    source_count: Int32Array  # by node: c(f)
    n_pairs: Int32Array  # by node
    target_at: Int32Array  # by pair: an occurrence of its target phrase
    target_length: Int32Array
    pair_count: Int32Array  # c(f, e)
    inner: UInt64Array  # ties as in Moses
    inner_by_source: UInt64Array  # ties broken from the source side
    orientation: Int32Array  # row of the counts of orientations
    orientations: Int32Array  # (rows, columns) distinct counts of orientations

    @property
    def node(self) -> Int64Array:
        """The node of each pair."""
        return np.repeat(np.arange(len(self.n_pairs)), self.n_pairs)


def collect(
    occurrences: NDArray[Any],  # OCCURRENCE
    source_words: Int32Array,
    target_words: Int32Array,
    columns: Int64Array,  # (2, orientations) column that counts an orientation, EMPTY if none
    by_source: bool,  # orientations are counted by source phrase, not by pair
) -> PhrasePairs:
    at, length = _column(occurrences, "source_at"), _column(occurrences, "source_length")
    phrase, first = number_phrases(source_words, at, length)
    at, length = at[first], length[first]
    nodes = build_nodes(source_words, at, length, sorted_order(source_words, at, length), GRID)
    is_phrase = nodes.phrase != EMPTY
    target_at, target_length = (
        _column(occurrences, "target_at"),
        _column(occurrences, "target_length"),
    )
    target, first = number_phrases(target_words, target_at, target_length)
    target_at, target_length = target_at[first], target_length[first]
    inner = _column(occurrences, "inner", np.uint64)
    orientation = (occurrences["backward"] * ORIENTATIONS + occurrences["forward"]).astype(np.uint8)
    begin, *runs = _sorted_runs(
        nodes.of_phrases[phrase], len(nodes.word), target, inner, orientation
    )
    n_pairs, which, count, inner, by_source_side, counts = _grouped(
        begin, *runs, columns, int(columns.max()) + 1, by_source
    )
    row, rows = number_rows(counts)
    return PhrasePairs(
        nodes,
        np.where(is_phrase, at[nodes.phrase], 0).astype(np.int32),
        np.where(is_phrase, length[nodes.phrase], 0).astype(np.int32),
        np.diff(begin).astype(np.int32),
        n_pairs,
        target_at[which],
        target_length[which],
        count,
        inner,
        by_source_side,
        row,
        rows,
    )


def _column(occurrences: NDArray[Any], name: str, kind: type = np.int32) -> NDArray[Any]:
    return occurrences[name].astype(kind)


@kernel
def _sorted_runs(node, n_nodes, target, inner, orientation):
    """The start of each node's run, and the sorted columns."""
    begin = np.zeros(n_nodes + 1, np.int64)
    for k in range(len(node)):
        begin[node[k] + 1] += 1
    for k in range(n_nodes):
        begin[k + 1] += begin[k]
    cursor = begin[:-1].copy()
    targets, inners = np.empty_like(target), np.empty_like(inner)
    orientations = np.empty_like(orientation)
    for k in range(len(node)):
        at = cursor[node[k]]
        targets[at], inners[at], orientations[at] = target[k], inner[k], orientation[k]
        cursor[node[k]] += 1
    for k in range(n_nodes):
        a, b = begin[k], begin[k + 1]
        _sort(targets[a:b], inners[a:b], orientations[a:b])
    return begin, targets, inners, orientations


@uncounted
def _sort(target, inner, orientation):
    """Sorts a run by target phrase and inner alignment (Shell 1959; with the gaps of Gonnet and
    Baeza-Yates 1991). NumPy's sorts would take longer to compile than all other code here."""
    gap = len(target)
    while gap > 1:
        gap = max(1, gap * 5 // 11)
        for k in range(gap, len(target)):
            t, i, o = target[k], inner[k], orientation[k]
            at = k
            while at >= gap and (
                target[at - gap] > t or (target[at - gap] == t and inner[at - gap] > i)
            ):
                target[at], inner[at] = target[at - gap], inner[at - gap]
                orientation[at] = orientation[at - gap]
                at -= gap
            target[at], inner[at], orientation[at] = t, i, o


@kernel
def _grouped(begin, target, inner, orientation, columns, n_columns, by_source):
    """Pairs by node; target, count, inner alignments and counts of orientations by pair."""
    n_nodes = len(begin) - 1
    n_pairs = np.zeros(n_nodes, np.int32)
    for node in range(n_nodes):
        for k in range(begin[node], begin[node + 1]):
            n_pairs[node] += k == begin[node] or target[k] != target[k - 1]
    n = n_pairs.sum()
    targets, counts = np.empty(n, np.int32), np.empty(n, np.int32)
    by_target, from_source = np.empty(n, np.uint64), np.empty(n, np.uint64)
    rows = np.zeros((n, n_columns), np.int32)
    pair = 0
    for node in range(n_nodes):
        first = pair
        k = begin[node]
        while k < begin[node + 1]:
            end = k + 1
            while end < begin[node + 1] and target[end] == target[k]:
                end += 1
            targets[pair], counts[pair] = target[k], end - k
            by_target[pair], from_source[pair] = _most_frequent(inner[k:end])
            row = rows[first if by_source else pair]
            for at in range(k, end):
                backward = columns[0, orientation[at] // ORIENTATIONS]
                forward = columns[1, orientation[at] % ORIENTATIONS]
                if backward != EMPTY:
                    row[backward] += 1
                if forward != EMPTY:
                    row[forward] += 1
            pair += 1
            k = end
        if by_source:
            for other in range(first + 1, pair):
                for column in range(n_columns):
                    rows[other, column] = rows[first, column]
    return n_pairs, targets, counts, by_target, from_source, rows


@inner
def _most_frequent(inner):
    """The most frequent of sorted values; the greater one of equals, seen from either side."""
    by_target, by_source = inner[0], inner[0]
    most, at = 0, 0
    while at < len(inner):
        end = at + 1
        while end < len(inner) and inner[end] == inner[at]:
            end += 1
        if end - at > most:
            by_target = by_source = inner[at]
            most = end - at
        elif end - at == most:
            if _greater(inner[at], by_target):
                by_target = inner[at]
            if _greater(_transposed(inner[at]), _transposed(by_source)):
                by_source = inner[at]
        at = end
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
