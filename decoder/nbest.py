"""The best derivations of a search lattice, in exact order.

The lattice consists of the hypotheses of the search and arcs for all its steps, including those
that lost in recombination. The next best path to a hypothesis is the best of the next paths through
its arcs; to find it, only the predecessor on its last path must find its next path, recursively
(the recursive enumeration algorithm of Jiménez and Marzal 1999). The cost grows with the number of
wanted derivations, even if thousands of others have the same score.
"""

import numpy as np

from hyperbaton.decoder.constraints.price import FORBIDDEN
from hyperbaton.decoder.workspace import ARCS, HYPOTHESES, Workspace
from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.foundation.kernels import inner, kernel

ROOT = 0  # the empty hypothesis
NONE = -1
ARC, BEFORE, SCORE = range(3)  # of a path
FIRST, LAST, STATE = range(3)  # of a hypothesis
# The next path can be chosen; first needs another path for the arc of the last one; does not exist
READY, USED, ENDED = range(3)


def best_derivations(workspace: Workspace, n_words: int, n: int) -> tuple[Ragged, FloatArray]:
    """Options (in target order) and scores of the `n` best derivations, or all if fewer, without
    those that a constraint forbids."""
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
    """Arc numbers sorted by end hypothesis, and the start of each hypothesis' arcs."""
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
    """Enumerates the best paths; among paths with equal scores, the first arc wins."""
    lattice = hypotheses, arcs, *arcs_by_end(len(hypotheses), arcs)
    # For each arc: the path that it continues, or NONE for the best, which is computed on demand;
    # and the score with it. Both are set when the arc's end first needs a path
    continued, values = np.empty(len(arcs), np.int64), np.empty(len(arcs))
    # For each hypothesis: its first and last path so far, and the state of the next
    known = np.full((len(hypotheses), 3), NONE)
    known[ROOT] = (0, 0, ENDED)
    # Paths: arc, path before, score; and the next best path to the same hypothesis
    paths, following = [(NONE, NONE, hypotheses[ROOT].score)], [NONE]
    ends = np.array([hypotheses[number].score for number in range(first, last)])
    n_found, n_options = 0, 0
    options = np.empty(n * n_words, np.int32)
    offsets, scores = np.zeros(n + 1, np.int64), np.empty(n)
    while n_found < n and last > first:
        end = np.argmax(ends)
        if ends[end] == -np.inf:
            break
        node = first + end
        path = known[node, LAST]
        if path != NONE:
            scores[n_found] = paths[path][SCORE]
            n_options = _write_options(path, paths, arcs, options, n_options)
            n_found += 1
            offsets[n_found] = n_options
        _find_next(node, lattice, continued, values, known, paths, following)
        ends[end] = paths[known[node, LAST]][SCORE] if known[node, STATE] != ENDED else -np.inf
    return options[:n_options], offsets[: n_found + 1], scores[:n_found]


@inner
def _find_next(wanted, lattice, continued, values, known, paths, following):
    """Adds the next best path to a hypothesis, or finds that there is none."""
    hypotheses, arcs, order, arc_begin = lattice
    waiting = [wanted]
    while waiting:
        node = waiting[-1]
        begin, end = arc_begin[node], arc_begin[node + 1]
        if known[node, STATE] == NONE:
            for place in range(begin, end):
                arc = order[place]
                continued[arc] = NONE
                values[arc] = hypotheses[arcs[arc].before].score + arcs[arc].score
            known[node, STATE] = READY
        elif known[node, STATE] == USED:  # give the arc of the last path its next path
            arc, path, _ = paths[known[node, LAST]]
            before = arcs[arc].before
            if following[path] == NONE and known[before, STATE] != ENDED:
                waiting.append(before)
                continue
            continued[arc] = following[path]
            values[arc] = -np.inf
            if following[path] != NONE:
                values[arc] = paths[following[path]][SCORE] + arcs[arc].score
            known[node, STATE] = READY
        best, value = NONE, -np.inf
        for place in range(begin, end):
            if values[order[place]] > value:
                best, value = order[place], values[order[place]]
        if best == NONE:
            known[node, STATE] = ENDED
            waiting.pop()
            continue
        if continued[best] == NONE:
            before = arcs[best].before
            if known[before, FIRST] == NONE:
                waiting.append(before)
                continue
            continued[best] = known[before, FIRST]
        if known[node, FIRST] == NONE:
            known[node, FIRST] = len(paths)
        else:
            following[known[node, LAST]] = len(paths)
        known[node, LAST], known[node, STATE] = len(paths), USED
        paths.append((best, continued[best], value))
        following.append(NONE)
        waiting.pop()


@inner
def _write_options(path, paths, arcs, options, begin):
    """Writes the options of a path, from its first step; returns their end."""
    end, step = begin, path
    while paths[step][ARC] != NONE:
        end, step = end + 1, paths[step][BEFORE]
    for place in range(end - 1, begin - 1, -1):
        options[place] = arcs[paths[path][ARC]].option
        path = paths[path][BEFORE]
    return end
