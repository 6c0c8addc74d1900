"""The best derivations of a chart, in exact order.

The chart is a forest: items, and arcs for all steps taken, each a rule with items in its gaps. The
next derivation of an item is found on demand (Huang and Chiang 2005, algorithm 3): it is the best
candidate that was not taken, and only the candidate taken last gets new neighbours, with the next
derivation of one of its items. Each is reached in one way: the first item may move on only while
the second is at its best.
"""

import numpy as np

from hyperbaton.decoder.chart.derivations import Derivations
from hyperbaton.decoder.chart.workspace import ARCS, ITEMS, ChartWorkspace
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel

ARC, ONE, TWO, SCORE, NEXT = range(5)  # of a derivation or a candidate
FIRST, LAST, STATE, CANDIDATE = range(4)  # of an item
# Untouched; the next derivation can be chosen; the last one needs neighbours; has no more
NEW, READY, USED, ENDED = range(4)


def best_derivations(
    workspace: ChartWorkspace, goal: int, n: int
) -> tuple[Derivations, FloatArray]:
    """The `n` best derivations of an item, or all if there are fewer, and their scores."""
    items = workspace.items[: workspace.counters[ITEMS]]
    arcs = workspace.arcs[: workspace.counters[ARCS]]
    nodes, offsets, scores = _enumerate(items, arcs, goal, n)
    spans = items[arcs["to"][nodes]]
    n_gaps = np.zeros(len(nodes), np.int32)
    for name in ("one", "two"):
        n_gaps += arcs[name][nodes] != EMPTY
    columns = arcs["entry"][nodes], spans["start"].copy(), spans["end"].copy(), n_gaps
    return Derivations(*columns, offsets), scores


@kernel
def _enumerate(items, arcs, goal, n):
    """The arcs of the best derivations, each before the arcs of its gaps; offsets and scores."""
    known = np.full((len(items), 4), EMPTY)
    known[:, STATE] = NEW
    # Arc, derivations of its items, score, and the next derivation of the same item
    found = [(np.int64(EMPTY), np.int64(EMPTY), np.int64(EMPTY), 0.0)]
    following = [np.int64(EMPTY)]
    candidates = [(np.int64(EMPTY), np.int64(EMPTY), np.int64(EMPTY), 0.0, np.int64(EMPTY))]
    nodes, offsets, scores = [np.int64(EMPTY)], np.zeros(n + 1, np.int64), np.empty(n)
    n_found = 0
    while n_found < n:
        _find_next(goal, items, arcs, known, found, following, candidates)
        if known[goal, STATE] == ENDED:
            break
        last = known[goal, LAST]
        scores[n_found] = found[last][SCORE]
        _write_arcs(last, found, nodes)
        n_found += 1
        offsets[n_found] = len(nodes) - 1
    written = np.empty(len(nodes) - 1, np.int64)
    for at in range(len(written)):
        written[at] = nodes[at + 1]
    return written, offsets[: n_found + 1].copy(), scores[:n_found].copy()


@inner
def _find_next(wanted, items, arcs, known, found, following, candidates):
    """Adds the next best derivation of an item, or finds that there is none."""
    waiting = [np.int64(wanted)]
    while waiting:
        item = waiting[-1]
        if known[item, STATE] == NEW:
            arc = np.int64(items[item].arc)
            while arc != EMPTY:
                score = arcs[arc].score
                for inside in (arcs[arc].one, arcs[arc].two):
                    score += items[inside].score if inside != EMPTY else 0.0
                _add(candidates, known, item, arc, np.int64(EMPTY), np.int64(EMPTY), score)
                arc = np.int64(arcs[arc].before)
            known[item, STATE] = READY
        elif known[item, STATE] == USED:
            missing = _add_neighbours(item, arcs, known, found, following, candidates)
            if missing != EMPTY:
                waiting.append(missing)
                continue
            known[item, STATE] = READY
        before, best = _best(candidates, known, item)
        if best == EMPTY:
            known[item, STATE] = ENDED
            waiting.pop()
            continue
        arc, one, two, score, after = candidates[best]
        inside = np.int64(arcs[arc].one), np.int64(arcs[arc].two)
        missing = np.int64(EMPTY)
        for child in inside:
            if child != EMPTY and known[child, FIRST] == EMPTY:
                missing = child
        if missing != EMPTY:
            waiting.append(missing)
            continue
        if one == EMPTY and inside[0] != EMPTY:
            one = known[inside[0], FIRST]
        if two == EMPTY and inside[1] != EMPTY:
            two = known[inside[1], FIRST]
        if before == EMPTY:
            known[item, CANDIDATE] = after
        else:
            candidates[before] = (*candidates[before][:NEXT], after)
        if known[item, FIRST] == EMPTY:
            known[item, FIRST] = len(found)
        else:
            following[known[item, LAST]] = len(found)
        known[item, LAST], known[item, STATE] = len(found), USED
        found.append((arc, one, two, score))
        following.append(np.int64(EMPTY))
        waiting.pop()


@inner
def _add(candidates, known, item, arc, one, two, score):
    candidates.append((arc, one, two, score, known[item, CANDIDATE]))
    known[item, CANDIDATE] = len(candidates) - 1


@inner
def _add_neighbours(item, arcs, known, found, following, candidates):
    """Adds the neighbours of the last derivation of an item; or returns an item whose next
    derivation must be found before."""
    arc, one, two, score = found[known[item, LAST]]
    first, second = np.int64(arcs[arc].one), np.int64(arcs[arc].two)
    moves_one = first != EMPTY and (second == EMPTY or two == known[second, FIRST])
    if moves_one and following[one] == EMPTY and known[first, STATE] != ENDED:
        return first
    if second != EMPTY and following[two] == EMPTY and known[second, STATE] != ENDED:
        return second
    if moves_one and following[one] != EMPTY:
        after = following[one]
        value = score - found[one][SCORE] + found[after][SCORE]
        _add(candidates, known, item, arc, after, two, value)
    if second != EMPTY and following[two] != EMPTY:
        after = following[two]
        value = score - found[two][SCORE] + found[after][SCORE]
        _add(candidates, known, item, arc, one, after, value)
    return np.int64(EMPTY)


@inner
def _best(candidates, known, item):
    """The best candidate of an item and the one before it in the list; of equals, the one that
    was added first."""
    before, best, last, at = (
        np.int64(EMPTY),
        np.int64(EMPTY),
        np.int64(EMPTY),
        known[item, CANDIDATE],
    )
    while at != EMPTY:
        if best == EMPTY or candidates[at][SCORE] >= candidates[best][SCORE]:
            before, best = last, at
        last, at = at, candidates[at][NEXT]
    return before, best


@inner
def _write_arcs(derivation, found, nodes):
    """Appends the arcs of a derivation, each before those of its gaps."""
    waiting = [np.int64(derivation)]
    while waiting:
        arc, one, two, _ = found[waiting.pop()]
        nodes.append(arc)
        if two != EMPTY:
            waiting.append(two)
        if one != EMPTY:
            waiting.append(one)
