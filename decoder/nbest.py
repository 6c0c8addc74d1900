"""The best derivations of a search lattice, in exact order.

The lattice is what the search has left: hypotheses, and arcs for all steps, also those that lost in
recombination. Derivations are read from the end to the beginning by best-first search; the score of
the best path to a hypothesis is known, so what is taken next is always the best of what is left
(Soong and Huang 1991).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoder.search import ARCS, HYPOTHESES
from decoder.workspace import Workspace
from models.arrays import Ragged

FloatArray = NDArray[np.float64]
ROOT = 0  # the hypothesis that has translated nothing


def best_derivations(workspace: Workspace, n_words: int, n: int) -> tuple[Ragged, FloatArray]:
    """Options (in target order) and scores of the `n` best derivations, or of all there are."""
    n_arcs, n_hypotheses = workspace.counters[ARCS], workspace.counters[HYPOTHESES]
    to = workspace.arc_to[:n_arcs]
    arcs = np.argsort(to, kind="stable").astype(np.int32)
    arc_begin = np.searchsorted(to[arcs], np.arange(n_hypotheses + 1))
    options, lengths, scores = _enumerate(
        workspace.score,
        workspace.arc_from,
        workspace.arc_option,
        workspace.arc_score,
        arcs,
        arc_begin,
        int(workspace.stack_begin[n_words]),
        int(workspace.stack_begin[n_words + 1]),
        n_words,
        n,
    )
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Ragged(options, offsets), scores


@njit(cache=True, nogil=True)
def _enumerate(score, arc_from, arc_option, arc_score, arcs, arc_begin, first, last, n_words, n):
    """Items are ends of derivations: a hypothesis, and the arcs from there to the end."""
    size = max(1024, 2 * (last - first))
    node, parent = np.empty(size, np.int32), np.empty(size, np.int32)
    arc, behind = np.empty(size, np.int32), np.empty(size)
    priority, heap = np.empty(size), np.empty(size, np.int32)
    n_items, n_heap, n_found, n_options = 0, 0, 0, 0
    options = np.empty(n * n_words, np.int32)
    lengths, scores = np.zeros(n, np.int64), np.empty(n)
    for hypothesis in range(first, last):
        node[n_items], parent[n_items], arc[n_items] = hypothesis, -1, -1
        behind[n_items], priority[n_items] = 0.0, score[hypothesis]
        n_heap = _push(heap, priority, n_heap, n_items)
        n_items += 1
    while n_heap and n_found < n:
        item = heap[0]
        n_heap = _pop(heap, priority, n_heap)
        if node[item] == ROOT:
            scores[n_found] = priority[item]
            while arc[item] >= 0:
                options[n_options] = arc_option[arc[item]]
                n_options += 1
                lengths[n_found] += 1
                item = parent[item]
            n_found += 1
            continue
        for number in range(arc_begin[node[item]], arc_begin[node[item] + 1]):
            if n_items == size:
                size *= 2
                node, parent, arc = _longer(node), _longer(parent), _longer(arc)
                behind, priority, heap = _longer(behind), _longer(priority), _longer(heap)
            step = arcs[number]
            node[n_items], parent[n_items], arc[n_items] = arc_from[step], item, step
            behind[n_items] = behind[item] + arc_score[step]
            priority[n_items] = score[node[n_items]] + behind[n_items]
            n_heap = _push(heap, priority, n_heap, n_items)
            n_items += 1
    return options[:n_options], lengths[:n_found], scores[:n_found]


@njit(cache=True, nogil=True)
def _longer(values):
    result = np.empty(2 * len(values), values.dtype)
    result[: len(values)] = values
    return result


@njit(cache=True, nogil=True)
def _push(heap, keys, size, item):
    """Adds an item to the heap; greater keys come first, among equals the smaller item."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if keys[other] > keys[item] or (keys[other] == keys[item] and other < item):
            break
        heap[at] = other
        at = above
    heap[at] = item
    return size + 1


@njit(cache=True, nogil=True)
def _pop(heap, keys, size):
    """Removes the first item; returns the new size."""
    size -= 1
    item = heap[size]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size:
            a, b = heap[below], heap[below + 1]
            if keys[b] > keys[a] or (keys[b] == keys[a] and b < a):
                below += 1
        other = heap[below]
        if keys[item] > keys[other] or (keys[item] == keys[other] and item < other):
            break
        heap[at] = other
        at = below
    heap[at] = item
    return size
