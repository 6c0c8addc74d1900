"""The best derivations of a search, in exact order.

A search leaves a forest: items, and arcs for all its steps, including those that lost in
recombination. An arc makes an item from up to two others: the hypothesis before a step, or the
items in the gaps of a rule. The next derivation of an item is found on demand (Huang and Chiang
2005, algorithm 3): it is the best candidate that was not taken, and only the candidate taken last
gets new neighbours, with the next derivation of one of its items. Each is reached in one way: the
first item may move on only while the second is at its best. So the cost grows with the number of
wanted derivations, even if thousands of others have the same score.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.kernels import inner, kernel

NONE = -1
MANY = 64  # arcs of an item, which are sorted before they are listed
ARC, SCORE = 0, 3  # of a derivation or a candidate
FIRST, LAST, STATE, CANDIDATE = range(4)  # of an item
# Untouched; the next derivation can be chosen; the last one needs neighbours; has no more
NEW, READY, USED, ENDED = range(4)


class Forest(NamedTuple):
    best: FloatArray  # (items,) score of the best derivation
    # (arcs,) the item that it makes, those that it is made from or NONE, and the score of the step
    to: Int32Array
    one: Int32Array
    two: Int32Array
    score: FloatArray


def best_derivations(forest: Forest, goal: int, n: int) -> tuple[Ragged, FloatArray]:
    """The arcs of the `n` best derivations of an item, or of all if there are fewer, each arc
    before those of its items; and their scores. Of equal derivations, the one whose last arc comes
    first is the better."""
    best = np.append(forest.best, 0.0)  # for NONE, which is the last
    kinds = np.int32, np.int32, np.int32, np.float64
    columns = (np.ascontiguousarray(*column) for column in zip(forest[1:], kinds, strict=True))
    arcs, offsets, scores = _enumerate(Forest(best, *columns), goal, n)
    return Ragged(arcs, offsets), scores


@kernel
def _enumerate(forest, goal, n):
    by_end, begin = _arcs_by_end(forest)
    known = np.full((len(forest.best), 4), NONE)
    known[:, STATE] = NEW
    # Arc, derivations of its items, score; and the next derivation or candidate of the same item
    found = [(np.int64(NONE), np.int64(NONE), np.int64(NONE), 0.0)]
    candidates = [(np.int64(NONE), np.int64(NONE), np.int64(NONE), 0.0)]
    following, behind = [np.int64(NONE)], [np.int64(NONE)]
    arcs, offsets, scores = [np.int64(NONE)], np.zeros(n + 1, np.int64), np.empty(n)
    n_found = 0
    while n_found < n:
        _find_next(goal, forest, by_end, begin, known, found, following, candidates, behind)
        if known[goal, STATE] == ENDED:
            break
        last = known[goal, LAST]
        scores[n_found] = found[last][SCORE]
        _write_arcs(last, found, arcs)
        n_found += 1
        offsets[n_found] = len(arcs) - 1
    written = np.empty(len(arcs) - 1, np.int64)
    for at in range(len(written)):
        written[at] = arcs[at + 1]
    return written, offsets[: n_found + 1].copy(), scores[:n_found].copy()


@inner
def _arcs_by_end(forest):
    """Arc numbers sorted by the item that they make, and the start of each item's arcs."""
    begin = np.zeros(len(forest.best) + 1, np.int64)
    for number in range(len(forest.to)):
        begin[forest.to[number] + 1] += 1
    begin[:] = np.cumsum(begin)
    place, order = begin.copy(), np.empty(len(forest.to), np.int32)
    for number in range(len(forest.to)):
        order[place[forest.to[number]]] = number
        place[forest.to[number]] += 1
    return order, begin


@inner
def _find_next(wanted, forest, by_end, begin, known, found, following, candidates, behind):
    """Adds the next best derivation of an item, or finds that there is none."""
    waiting = [np.int64(wanted)]
    while waiting:
        item = waiting[-1]
        if known[item, STATE] == NEW:
            own = by_end[begin[item] : begin[item + 1]]
            scores = forest.score[own] + forest.best[forest.one[own]] + forest.best[forest.two[own]]
            if len(own) > MANY:
                order = np.argsort(-scores, kind="mergesort")
                own, scores = own[order], scores[order]
            for at in range(len(own) - 1, -1, -1):  # usually the best come first
                none = np.int64(NONE)
                _add(candidates, behind, known, item, own[at], none, none, scores[at])
            known[item, STATE] = READY
        elif known[item, STATE] == USED:
            missing = _add_neighbours(item, forest, known, found, following, candidates, behind)
            if missing != NONE:
                waiting.append(missing)
                continue
            known[item, STATE] = READY
        best = known[item, CANDIDATE]
        if best == NONE:
            known[item, STATE] = ENDED
            waiting.pop()
            continue
        arc, one, two, score = candidates[best]
        inside = np.int64(forest.one[arc]), np.int64(forest.two[arc])
        missing = np.int64(NONE)
        for child in inside:
            if child != NONE and known[child, FIRST] == NONE:
                missing = child
        if missing != NONE:
            waiting.append(missing)
            continue
        if one == NONE and inside[0] != NONE:
            one = known[inside[0], FIRST]
        if two == NONE and inside[1] != NONE:
            two = known[inside[1], FIRST]
        known[item, CANDIDATE] = behind[best]
        if known[item, FIRST] == NONE:
            known[item, FIRST] = len(found)
        else:
            following[known[item, LAST]] = len(found)
        known[item, LAST], known[item, STATE] = len(found), USED
        found.append((arc, one, two, score))
        following.append(np.int64(NONE))
        waiting.pop()


@inner
def _add(candidates, behind, known, item, arc, one, two, score):
    """Puts a candidate into the list of its item, best first; of equals, first those with the first
    arc, and of these the one that was added first."""
    number, last, at = len(candidates), np.int64(NONE), known[item, CANDIDATE]
    while at != NONE and (
        candidates[at][SCORE] > score
        or (candidates[at][SCORE] == score and candidates[at][ARC] <= arc)
    ):
        last, at = at, behind[at]
    candidates.append((np.int64(arc), one, two, score))
    behind.append(at)
    if last == NONE:
        known[item, CANDIDATE] = number
    else:
        behind[last] = number


@inner
def _add_neighbours(item, forest, known, found, following, candidates, behind):
    """Adds the neighbours of the last derivation of an item; or returns an item whose next
    derivation must be found before."""
    arc, one, two, _ = found[known[item, LAST]]
    first, second = np.int64(forest.one[arc]), np.int64(forest.two[arc])
    moves_one = first != NONE and (second == NONE or two == known[second, FIRST])
    if moves_one and following[one] == NONE and known[first, STATE] != ENDED:
        return first
    if second != NONE and following[two] == NONE and known[second, STATE] != ENDED:
        return second
    score = forest.score[arc]
    if moves_one and following[one] != NONE:
        other = found[two][SCORE] if second != NONE else 0.0
        after = following[one]
        _add(candidates, behind, known, item, arc, after, two, score + found[after][SCORE] + other)
    if second != NONE and following[two] != NONE:
        after = following[two]
        value = score + found[one][SCORE] + found[after][SCORE]
        _add(candidates, behind, known, item, arc, one, after, value)
    return np.int64(NONE)


@inner
def _write_arcs(derivation, found, arcs):
    """Appends the arcs of a derivation, each before those of its items."""
    waiting = [np.int64(derivation)]
    while waiting:
        arc, one, two, _ = found[waiting.pop()]
        arcs.append(arc)
        if two != NONE:
            waiting.append(two)
        if one != NONE:
            waiting.append(one)
