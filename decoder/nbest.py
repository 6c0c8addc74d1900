"""The best derivations of a search lattice, in exact order.

The lattice consists of the hypotheses of the search, and arcs for all its steps, also those that
lost in recombination. Best-first search reads derivations from the end to the beginning; the score
of the best path to each hypothesis is known, so derivations come in the order of their scores
(Soong and Huang 1991).
"""

import numpy as np

from decoder.workspace import ARCS, HYPOTHESES, Workspace
from models.arrays import FloatArray, Ragged
from models.kernels import kernel

ROOT = 0  # the hypothesis that has translated nothing


def best_derivations(workspace: Workspace, n_words: int, n: int) -> tuple[Ragged, FloatArray]:
    """Options (in target order) and scores of the `n` best derivations, or of all there are."""
    first, last = workspace.stacks["hypothesis"][n_words : n_words + 2].tolist()
    options, offsets, scores = _enumerate(
        workspace.hypotheses[: workspace.counters[HYPOTHESES]],
        workspace.arcs[: workspace.counters[ARCS]],
        first,
        last,
        n_words,
        n,
    )
    return Ragged(options, offsets), scores


@kernel
def arcs_by_end(n_hypotheses, arcs):
    """Numbers of arcs sorted by the hypothesis that they lead to, and where each one's begin."""
    begin = np.zeros(n_hypotheses + 1, np.int64)
    for number in range(len(arcs)):
        begin[arcs[number].to + 1] += 1
    begin[:] = np.cumsum(begin)
    place, order = begin.copy(), np.empty(len(arcs), np.int32)
    for number in range(len(arcs)):
        order[place[arcs[number].to]] = number
        place[arcs[number].to] += 1
    return order, begin


@kernel
def _enumerate(hypotheses, arcs, first, last, n_words, n):
    """Items are ends of derivations: a hypothesis, and the arcs from there to the end."""
    order, arc_begin = arcs_by_end(len(hypotheses), arcs)
    size = max(1024, 2 * (last - first))
    node, parent = np.empty(size, np.int32), np.empty(size, np.int32)
    arc, behind = np.empty(size, np.int32), np.empty(size)
    priority, heap = np.empty(size), np.empty(size, np.int32)
    n_items, n_heap, n_found, n_options = 0, 0, 0, 0
    options = np.empty(n * n_words, np.int32)
    offsets, scores = np.zeros(n + 1, np.int64), np.empty(n)
    for hypothesis in range(first, last):
        node[n_items], parent[n_items], arc[n_items] = hypothesis, -1, -1
        behind[n_items], priority[n_items] = 0.0, hypotheses[hypothesis].score
        n_heap = _push(heap, priority, n_heap, n_items)
        n_items += 1
    while n_heap and n_found < n:
        item = heap[0]
        n_heap = _pop(heap, priority, n_heap)
        if node[item] == ROOT:
            scores[n_found] = priority[item]
            while arc[item] >= 0:
                options[n_options] = arcs[arc[item]].option
                n_options += 1
                item = parent[item]
            n_found += 1
            offsets[n_found] = n_options
            continue
        for place in range(arc_begin[node[item]], arc_begin[node[item] + 1]):
            if n_items == size:
                size *= 2
                node, parent, arc = _longer(node), _longer(parent), _longer(arc)
                behind, priority, heap = _longer(behind), _longer(priority), _longer(heap)
            step = arcs[order[place]]
            node[n_items], parent[n_items], arc[n_items] = step.before, item, order[place]
            behind[n_items] = behind[item] + step.score
            priority[n_items] = hypotheses[step.before].score + behind[n_items]
            n_heap = _push(heap, priority, n_heap, n_items)
            n_items += 1
    return options[:n_options], offsets[: n_found + 1], scores[:n_found]


@kernel
def _longer(values):
    result = np.empty(2 * len(values), values.dtype)
    result[: len(values)] = values
    return result


@kernel
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


@kernel
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
