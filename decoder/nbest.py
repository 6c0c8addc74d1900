"""The best derivations of a search lattice, in exact order.

The lattice consists of the hypotheses of the search and arcs for all its steps, including those
that lost in recombination. Best-first search reads derivations from the end to the beginning; the
score of the best path to each hypothesis is known, so derivations come in the order of their scores
(Soong and Huang 1991).
"""

from heapq import heapify, heappop, heappush

import numpy as np

from decoder.constraints.price import FORBIDDEN
from decoder.workspace import ARCS, HYPOTHESES, Workspace
from models.arrays import FloatArray, Ragged
from models.kernels import inner, kernel

ROOT = 0  # the hypothesis that has translated nothing


def best_derivations(workspace: Workspace, n_words: int, n: int) -> tuple[Ragged, FloatArray]:
    """Options (in target order) and scores of the `n` best derivations, or of all if fewer; none
    that a constraint forbids."""
    first, last = workspace.stacks["hypothesis"][n_words : n_words + 2].tolist()
    options, offsets, scores = _enumerate(
        workspace.hypotheses[: workspace.counters[HYPOTHESES]],
        workspace.arcs[: workspace.counters[ARCS]],
        first,
        last,
        n_words,
        n,
    )
    n_allowed = int(np.count_nonzero(scores > -FORBIDDEN / 2))  # they come first
    offsets = offsets[: n_allowed + 1]
    return Ragged(options[: offsets[-1]], offsets), scores[:n_allowed]


@inner
def arcs_by_end(n_hypotheses, arcs):
    """Arc numbers sorted by the hypothesis they lead to, and where those of each begin."""
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
    """Items are ends of derivations: the hypothesis that one begins with, the item behind it, the
    arc that leads there, and the score of all arcs. Among equals the item that came first wins."""
    order, arc_begin = arcs_by_end(len(hypotheses), arcs)
    items = [(hypothesis, -1, -1, 0.0) for hypothesis in range(first, last)]
    heap = [(-hypotheses[first + item].score, item) for item in range(last - first)]
    heapify(heap)
    n_found, n_options = 0, 0
    options = np.empty(n * n_words, np.int32)
    offsets, scores = np.zeros(n + 1, np.int64), np.empty(n)
    while heap and n_found < n:
        key, item = heappop(heap)
        node, behind, arc, score = items[item]
        if node == ROOT:
            scores[n_found] = -key
            while arc >= 0:
                options[n_options] = arcs[arc].option
                n_options += 1
                _, behind, arc, _ = items[behind]
            n_found += 1
            offsets[n_found] = n_options
            continue
        for place in range(arc_begin[node], arc_begin[node + 1]):
            step = arcs[order[place]]
            total = score + step.score
            heappush(heap, (-(hypotheses[step.before].score + total), len(items)))
            items.append((np.int64(step.before), item, np.int64(order[place]), total))
    return options[:n_options], offsets[: n_found + 1], scores[:n_found]
