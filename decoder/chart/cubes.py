"""Cube pruning: fills a cell of the chart with items (Chiang 2007; Huang and Chiang 2007).

A match is a grid of the best rules of its source side and the items of the cells in its gaps, all
best first; each place of the grid is a step. The best steps of all matches of a cell are taken one
by one, up to the pop limit; without a limit the search is exhaustive. The queue is that of
the stack search (`decoder/cube_pruning.py`):

    open a match  →  its first step is scored  →  taken: the step becomes an item
                                               →  due: its neighbours are scored

Each place of a grid is reached in one way: a step has a neighbour with the next rule only if both
items are the best, and one with the next first item only if the second is the best.

Items of a cell with equal left words and equal right states are recombined.
"""

import numpy as np

from hyperbaton.decoder.chart.workspace import (
    ARCS,
    ITEMS,
    LARGEST,
    LM_WORDS,
    MEMBERS,
    NO_ITEMS,
    NO_SLOTS,
    NO_STEPS,
    OPENED,
    PRUNED,
    STEPS,
)
from hyperbaton.decoder.ranking.buckets import (
    HEADROOM,
    N_BUCKETS,
    OPTIMISM,
    bucket_of,
)
from hyperbaton.decoder.ranking.entry_memo import FIRST
from hyperbaton.foundation.coverage import ONE
from hyperbaton.foundation.hashing import EMPTY, mix_in
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.stepping import remembered_advance

TAKE, DUE, OPEN = 0, 1, 2  # kinds of queue items


@uncounted
def fill_cell(space, lm, ws, limits, head, cell, spot):
    """Fills a cell with the best steps of its matches, from the first match on; `spot` is the
    cell's start, end, and whether it belongs to the chain. Returns 0, or the code of a full
    array."""
    first = ws.counters[ITEMS]
    ws.cells[np.uint64(cell)].begin = ws.cells[np.uint64(cell)].end = ws.counters[MEMBERS]
    if head == EMPTY:
        return 0
    ws.bucket[:] = EMPTY
    top, n_waiting = _wait_to_open(space, ws, head)
    best_bucket = np.uint64(0)
    n_steps, n_evaluated, n_pops = 0, 0, 0
    while True:
        while n_evaluated < n_steps:
            hope = _evaluate(space, lm, ws, spot, n_evaluated)
            step = ws.steps[np.uint64(n_evaluated)]
            bucket = bucket_of(space, top - step.rank)
            step.below = ws.bucket[bucket]
            ws.bucket[bucket] = n_evaluated << 2 | TAKE
            n_waiting += 1
            due = bucket_of(space, top - hope + space.patience)
            if due < bucket:
                step.below_due = ws.bucket[due]
                ws.bucket[due] = n_evaluated << 2 | DUE
                n_waiting += 1
            best_bucket = min(best_bucket, min(bucket, due))
            n_evaluated += 1
        if n_pops == limits.pops or n_waiting == 0:
            break
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += ONE
        if n_steps + 3 > len(ws.steps):
            return NO_STEPS
        waiting = ws.bucket[best_bucket]
        number, kind = waiting >> 2, waiting & 3
        n_waiting -= 1
        if kind == OPEN:
            match = ws.matches[np.uint64(number)]
            ws.bucket[best_bucket] = match.below
            n_steps = _open(space, ws, n_steps, number)
            ws.counters[OPENED] += 1
            continue
        step = ws.steps[np.uint64(number)]
        if kind == DUE:
            ws.bucket[best_bucket] = step.below_due
            step.has_neighbours = 1
        else:
            if ws.counters[ITEMS] == len(ws.items) or ws.counters[ARCS] == len(ws.arcs):
                return NO_ITEMS
            if 2 * (ws.counters[ITEMS] - first) >= len(ws.slots):
                return NO_SLOTS
            ws.bucket[best_bucket] = step.below
            n_pops += 1
            _take(space, ws, first, spot, number)
            if step.has_neighbours:
                continue
        n_steps = _add_neighbours(space, ws, n_steps, number)
    ws.counters[STEPS] += n_steps
    _keep_best(space, ws, limits, first, cell, top)
    return 0


@uncounted
def _wait_to_open(space, ws, head):
    """Puts all matches into the queue; returns the best score, with room for better ones, and the
    number of matches."""
    memo, best, number, n = space.memo, -np.inf, head, 0
    while number != EMPTY:
        match = ws.matches[np.uint64(number)]
        rule = memo.entries[memo.begin[match.memo]]
        match.total = rule.base + rule.estimate
        for cell in (match.one, match.two):
            if cell != EMPTY:
                match.total += ws.items[ws.members[ws.cells[np.uint64(cell)].begin]].rank
        best = max(best, match.total)
        number = match.following
        n += 1
    top, number = best + HEADROOM * space.unit, head
    while number != EMPTY:
        match = ws.matches[np.uint64(number)]
        bucket = bucket_of(space, top - match.total - OPTIMISM * space.unit)
        match.below = ws.bucket[bucket]
        ws.bucket[bucket] = number << 2 | OPEN
        number = match.following
    return top, n


@uncounted
def _open(space, ws, n_steps, number):
    """Adds the first step of a match; returns the number of steps."""
    match, step = ws.matches[np.uint64(number)], ws.steps[np.uint64(n_steps)]
    step.match, step.rule, step.has_neighbours = number, space.memo.begin[match.memo], 0
    step.one = ws.cells[np.uint64(match.one)].begin if match.one != EMPTY else EMPTY
    step.two = ws.cells[np.uint64(match.two)].begin if match.two != EMPTY else EMPTY
    return n_steps + 1


@uncounted
def _add_neighbours(space, ws, n_steps, number):
    """Adds the neighbours of a step; returns the number of steps."""
    step = ws.steps[np.uint64(number)]
    match = ws.matches[np.uint64(step.match)]
    is_first = True  # whether the items after the dimension are the best
    if match.two != EMPTY:
        if step.two + 1 < ws.cells[np.uint64(match.two)].end:
            n_steps = _new_step(ws, n_steps, step.match, step.rule, step.one, step.two + 1)
        is_first = step.two == ws.cells[np.uint64(match.two)].begin
    if match.one != EMPTY and is_first:
        if step.one + 1 < ws.cells[np.uint64(match.one)].end:
            n_steps = _new_step(ws, n_steps, step.match, step.rule, step.one + 1, step.two)
        is_first = step.one == ws.cells[np.uint64(match.one)].begin
    if is_first and step.rule + 1 < space.memo.begin[match.memo + 1]:
        n_steps = _new_step(ws, n_steps, step.match, step.rule + 1, step.one, step.two)
    return n_steps


@uncounted
def _new_step(ws, n_steps, match, rule, one, two):
    step = ws.steps[np.uint64(n_steps)]
    step.match, step.rule, step.one, step.two = match, rule, one, two
    step.has_neighbours = 0
    return n_steps + 1


@uncounted
def _evaluate(space, lm, ws, spot, number):
    """Scores a step and finds its left words and right state; returns the rank that was to be
    expected."""
    step, is_chain = ws.steps[np.uint64(number)], spot[2]
    rule, symbols = space.memo.entries[np.uint64(step.rule)], space.memo.symbols
    new, most = ws.step_left[np.uint64(number)], 0 if is_chain else ws.left.shape[1]  # left words
    state = np.int32(space.begin_state if is_chain else EMPTY_STATE)
    total, language, is_whole = rule.base, 0.0, not is_chain
    hope = rule.base + rule.estimate
    n_words, n_left, n_asked, is_start = 0, 0, 0, not is_chain
    for at in range(np.uint64(rule.begin), np.uint64(rule.end)):
        word = symbols[at].word
        if word >= 0:
            if is_start:
                logprob, state = symbols[at].logprob, symbols[at].state
            else:
                logprob, state = remembered_advance(lm, ws.memory, state, word)
                n_asked += 1
            language += logprob
            n_words += 1
            if n_left < most:
                n_left = _add_left(new, n_left, word, state, logprob)
            continue
        inside = ws.members[np.uint64(step.one if word == FIRST else step.two)]
        item, known = ws.items[np.uint64(inside)], ws.left[np.uint64(inside)]
        total += item.score
        hope += item.rank
        is_same, k = is_start and n_words == 0, 0  # without words before, nothing changes
        while k < item.n_left and not is_same:
            word = known[k].word
            logprob, state = remembered_advance(lm, ws.memory, state, word)
            n_asked += 1
            language += logprob - known[k].logprob
            if n_left < most:
                n_left = _add_left(new, n_left, word, state, logprob)
            is_same = state == known[k].state
            k += 1
        while k < item.n_left and n_left < most:
            n_left = _add_left(new, n_left, known[k].word, known[k].state, known[k].logprob)
            k += 1
        if is_same or not item.is_whole:
            state = item.right
        n_words += item.n_left
        is_whole = is_whole and item.is_whole != 0
        is_start = False
    if is_chain and spot[1] == len(space.words):
        logprob, state = remembered_advance(lm, ws.memory, state, np.int32(space.end_word))
        language += logprob
        state = np.int32(EMPTY_STATE)  # nothing follows
    step.total = step.rank = total + space.weights.lm * language
    if n_left > 0:
        step.rank += space.gain[new[0].word]
    step.right, step.n_left = state, n_left
    step.is_whole = is_whole and n_words == n_left
    ws.counters[LM_WORDS] += n_asked
    return hope


@uncounted
def _add_left(left, n, word, state, logprob):
    left[n].word, left[n].state, left[n].logprob = word, state, logprob
    return n + 1


@uncounted
def _take(space, ws, first, spot, number):
    """Makes an item of the step, or recombines it with an existing one of the cell."""
    step, left = ws.steps[np.uint64(number)], ws.step_left[np.uint64(number)]
    hashed = np.uint64(step.right)
    for k in range(step.n_left):
        hashed = mix_in(hashed, np.uint64(left[k].word))
    mask = len(ws.slots) - 1
    slot = np.int64(mix_in(hashed, np.uint64(step.n_left)) >> np.uint64(16)) & mask
    while ws.slots[np.uint64(slot)] >= first and not _is_equal(
        ws, ws.slots[np.uint64(slot)], number
    ):
        slot = (slot + 1) & mask  # a slot with an item of an earlier cell is empty
    is_new = ws.slots[np.uint64(slot)] < first
    if is_new:
        ws.slots[np.uint64(slot)] = ws.counters[ITEMS]
        ws.counters[ITEMS] += 1
    row = ws.slots[np.uint64(slot)]
    item, arc = ws.items[np.uint64(row)], ws.arcs[np.uint64(ws.counters[ARCS])]
    if is_new:
        item.start, item.end = spot[0], spot[1]
        item.right, item.n_left, item.is_whole = step.right, step.n_left, step.is_whole
        for k in range(step.n_left):
            _add_left(ws.left[np.uint64(row)], k, left[k].word, left[k].state, left[k].logprob)
        item.score = -np.inf
    if step.total > item.score:
        item.score, item.rank = step.total, step.rank
    arc.to, arc.entry, arc.score = row, space.memo.entries[np.uint64(step.rule)].entry, step.total
    arc.one, arc.two, arc.is_first = EMPTY, EMPTY, is_new
    if step.one != EMPTY:
        arc.one = ws.members[step.one]
        arc.score -= ws.items[arc.one].score
    if step.two != EMPTY:
        arc.two = ws.members[step.two]
        arc.score -= ws.items[arc.two].score
    ws.counters[ARCS] += 1


@uncounted
def _is_equal(ws, row, number):
    """Whether an item has the left words and the right state of a step."""
    item, step = ws.items[np.uint64(row)], ws.steps[np.uint64(number)]
    if item.right != step.right or item.n_left != step.n_left or item.is_whole != step.is_whole:
        return False
    k = 0
    while k < item.n_left and ws.left[row, k].word == ws.step_left[number, k].word:
        k += 1
    return k == item.n_left


@uncounted
def _keep_best(space, ws, limits, first, cell, top):
    """Sorts the items of a cell, best first, by buckets, and keeps the best."""
    begin, n, bucket = ws.counters[MEMBERS], 0, 0
    ws.bucket[:] = EMPTY
    for number in range(ws.counters[ITEMS] - 1, first - 1, -1):
        item = ws.items[np.uint64(number)]
        place = bucket_of(space, top - item.rank)
        item.below = ws.bucket[place]
        ws.bucket[place] = number
    while bucket < N_BUCKETS and n < limits.items:
        number, sorted_before = ws.bucket[np.uint64(bucket)], n
        while number != EMPTY:
            ws.members[begin + n] = number
            n += 1
            number = ws.items[np.uint64(number)].below
        _sort(ws, begin + sorted_before, begin + n)
        bucket += 1
    kept = min(n, limits.items)
    lowest = ws.items[ws.members[begin]].rank - limits.beam
    while kept > 1 and ws.items[ws.members[begin + kept - 1]].rank < lowest:
        kept -= 1
    ws.cells[np.uint64(cell)].end = begin + kept
    ws.counters[MEMBERS] = begin + kept
    ws.counters[PRUNED] += ws.counters[ITEMS] - first - kept
    ws.counters[LARGEST] = max(ws.counters[LARGEST], kept)


@uncounted
def _sort(ws, begin, end):
    """Sorts members by rank; of equals, the first item comes first (Shell 1959)."""
    gap = end - begin
    while gap > 1:
        gap = max(1, gap * 5 // 11)
        for k in range(begin + gap, end):
            item, at = ws.members[k], k
            rank = ws.items[np.uint64(item)].rank
            while at >= begin + gap:
                other = ws.members[at - gap]
                better = ws.items[np.uint64(other)].rank
                if better > rank or (better == rank and other < item):
                    break
                ws.members[at] = other
                at -= gap
            ws.members[at] = item
