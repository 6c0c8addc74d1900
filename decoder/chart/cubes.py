"""Cube pruning: fills a cell of the chart with items (Chiang 2007; Huang and Chiang 2007).

A match is a grid of the best rules of its source side and the items of the cells in its gaps, all
best first; each place of the grid is a step. The best steps of all matches of a cell are taken one
by one, up to the pop limit; without a limit the search is exhaustive. Queue, patience and optimism
are those of the stack search (`decoder/cube_pruning.py`):

    open a match  →  its first step is scored  →  taken: the step becomes an item
                                               →  due: its neighbours are scored

Each place of a grid is reached in one way: a step has a neighbour with the next rule only if both
items are the best, and one with the next first item only if the second is the best.

Items of a cell with equal left words and equal right states are recombined.
"""

import numpy as np

from hyperbaton.decoder.chart.rules import FIRST
from hyperbaton.decoder.chart.workspace import (
    ARCS,
    ITEMS,
    LARGEST,
    LM_WORDS,
    MEMBERS,
    N_BUCKETS,
    NO_ITEMS,
    NO_SLOTS,
    NO_STEPS,
    OPENED,
    PRUNED,
    STEPS,
)
from hyperbaton.foundation.hashing import EMPTY, mix_in
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.stepping import remembered_advance

# Differences of scores, in units (`ChartSpace.unit`)
BUCKETS_PER_UNIT = 16
HEADROOM = 8.0  # by which a step may be better than the best match
PATIENCE = 0.5  # distance below the score without context at which neighbours are scored
OPTIMISM = 0.5  # by which the words of a match's first step may score better in context
TAKE, DUE, OPEN = 0, 1, 2  # kinds of queue items


@uncounted
def fill_cell(space, lm, ws, limits, head, cell, spot):
    """Fills a cell with the best steps of its matches, from the first match on; `spot` is the
    cell's start, end, and whether it belongs to the chain. Returns 0, or the code of a full
    array."""
    first = ws.counters[ITEMS]
    ws.cells[cell].begin = ws.cells[cell].end = ws.counters[MEMBERS]
    if head == EMPTY:
        return 0
    ws.bucket[:] = EMPTY
    top, n_waiting = _wait_to_open(space, ws, head)
    best_bucket, n_steps, n_evaluated, n_pops = 0, 0, 0, 0
    while True:
        while n_evaluated < n_steps:
            hope = _evaluate(space, lm, ws, spot, n_evaluated)
            step = ws.steps[n_evaluated]
            bucket = _bucket(space, top - step.total)
            step.below = ws.bucket[bucket]
            ws.bucket[bucket] = n_evaluated << 2 | TAKE
            n_waiting += 1
            due = _bucket(space, top - hope + PATIENCE * space.unit)
            if due < bucket:
                step.below_due = ws.bucket[due]
                ws.bucket[due] = n_evaluated << 2 | DUE
                n_waiting += 1
            best_bucket = min(best_bucket, min(bucket, due))
            n_evaluated += 1
        if n_pops == limits.pops or n_waiting == 0:
            break
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += 1
        if n_steps + 3 > len(ws.steps):
            return NO_STEPS
        number, kind = ws.bucket[best_bucket] >> 2, ws.bucket[best_bucket] & 3
        n_waiting -= 1
        if kind == OPEN:
            match = ws.matches[number]
            ws.bucket[best_bucket] = match.below
            n_steps = _open(space, ws, n_steps, number)
            ws.counters[OPENED] += 1
            continue
        step = ws.steps[number]
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
    _keep_best(ws, limits, first, cell)
    return 0


@uncounted
def _wait_to_open(space, ws, head):
    """Puts all matches into the queue; returns the best score, with room for better ones, and the
    number of matches."""
    memo, best, number, n = space.memo, -np.inf, head, 0
    while number != EMPTY:
        match = ws.matches[number]
        rule = memo.rules[memo.begin[match.memo]]
        match.total = rule.base + rule.estimate
        for cell in (match.one, match.two):
            if cell != EMPTY:
                match.total += ws.items[ws.members[ws.cells[cell].begin]].score
        best = max(best, match.total)
        number = match.following
        n += 1
    top, number = best + HEADROOM * space.unit, head
    while number != EMPTY:
        match = ws.matches[number]
        bucket = _bucket(space, top - match.total - OPTIMISM * space.unit)
        match.below = ws.bucket[bucket]
        ws.bucket[bucket] = number << 2 | OPEN
        number = match.following
    return top, n


@uncounted
def _bucket(space, behind):
    """The bucket for a score this far behind the best one."""
    return np.int32(min(max(behind * (BUCKETS_PER_UNIT / space.unit), 0.0), N_BUCKETS - 1.0))


@uncounted
def _open(space, ws, n_steps, number):
    """Adds the first step of a match; returns the number of steps."""
    match, step = ws.matches[number], ws.steps[n_steps]
    step.match, step.rule, step.has_neighbours = number, space.memo.begin[match.memo], 0
    step.one = ws.cells[match.one].begin if match.one != EMPTY else EMPTY
    step.two = ws.cells[match.two].begin if match.two != EMPTY else EMPTY
    return n_steps + 1


@uncounted
def _add_neighbours(space, ws, n_steps, number):
    """Adds the neighbours of a step; returns the number of steps."""
    step = ws.steps[number]
    match = ws.matches[step.match]
    is_first = True  # whether the items after the dimension are the best
    if match.two != EMPTY:
        if step.two + 1 < ws.cells[match.two].end:
            n_steps = _new_step(ws, n_steps, step.match, step.rule, step.one, step.two + 1)
        is_first = step.two == ws.cells[match.two].begin
    if match.one != EMPTY and is_first:
        if step.one + 1 < ws.cells[match.one].end:
            n_steps = _new_step(ws, n_steps, step.match, step.rule, step.one + 1, step.two)
        is_first = step.one == ws.cells[match.one].begin
    if is_first and step.rule + 1 < space.memo.begin[match.memo + 1]:
        n_steps = _new_step(ws, n_steps, step.match, step.rule + 1, step.one, step.two)
    return n_steps


@uncounted
def _new_step(ws, n_steps, match, rule, one, two):
    step = ws.steps[n_steps]
    step.match, step.rule, step.one, step.two = match, rule, one, two
    step.has_neighbours = 0
    return n_steps + 1


@uncounted
def _evaluate(space, lm, ws, spot, number):
    """Scores a step and finds its left words and right state; returns the total that it would have
    without context."""
    step, is_chain = ws.steps[number], spot[2]
    rule = space.memo.rules[step.rule]
    most = 0 if is_chain else ws.left.word.shape[1]  # left words
    state = np.int32(space.begin_state if is_chain else EMPTY_STATE)
    total, language, n_words, n_left, is_whole = rule.base, 0.0, 0, 0, not is_chain
    for at in range(rule.begin, rule.end):
        symbol = space.memo.symbols[at]
        if symbol >= 0:
            logprob, state = remembered_advance(lm, ws.memory, state, symbol)
            language += logprob
            n_words += 1
            if n_left < most:
                n_left = _add_left(ws.step_left, number, n_left, symbol, state, logprob)
            continue
        inside = ws.members[step.one if symbol == FIRST else step.two]
        item = ws.items[inside]
        total += item.score
        known, is_same, k = ws.left, False, 0
        while k < item.n_left and not is_same:
            word = known.word[inside, k]
            logprob, state = remembered_advance(lm, ws.memory, state, word)
            language += logprob - known.logprob[inside, k]
            if n_left < most:
                n_left = _add_left(ws.step_left, number, n_left, word, state, logprob)
            is_same = state == known.state[inside, k]
            k += 1
            ws.counters[LM_WORDS] += 1
        while k < item.n_left and n_left < most:
            n_left = _add_left(
                ws.step_left, number, n_left, known.word[inside, k], known.state[inside, k],
                known.logprob[inside, k],
            )  # fmt: skip
            k += 1
        if is_same or not item.is_whole:
            state = item.right
        n_words += item.n_left
        is_whole = is_whole and item.is_whole != 0
    hope = total + rule.estimate
    if is_chain and spot[1] == len(space.words):
        logprob, state = remembered_advance(lm, ws.memory, state, np.int32(space.end_word))
        language += logprob
        state = np.int32(EMPTY_STATE)  # nothing follows
    step.total = total + space.lm_weight * language
    step.right, step.n_left = state, n_left
    step.is_whole = is_whole and n_words == n_left
    ws.counters[LM_WORDS] += rule.end - rule.begin
    return hope


@uncounted
def _add_left(left, row, n, word, state, logprob):
    left.word[row, n], left.state[row, n], left.logprob[row, n] = word, state, logprob
    return n + 1


@uncounted
def _take(space, ws, first, spot, number):
    """Makes an item of the step, or recombines it with an existing one of the cell."""
    step, left = ws.steps[number], ws.step_left
    hashed = np.uint64(step.right)
    for k in range(step.n_left):
        hashed = mix_in(hashed, np.uint64(left.word[number, k]))
    mask = len(ws.slots) - 1
    slot = np.int64(mix_in(hashed, np.uint64(step.n_left)) >> np.uint64(16)) & mask
    while ws.slots[slot] >= first and not _is_equal(ws, ws.slots[slot], number):
        slot = (slot + 1) & mask  # a slot with an item of an earlier cell is empty
    is_new = ws.slots[slot] < first
    if is_new:
        ws.slots[slot] = ws.counters[ITEMS]
        ws.counters[ITEMS] += 1
    row = ws.slots[slot]
    item, arc = ws.items[row], ws.arcs[ws.counters[ARCS]]
    if is_new:
        item.start, item.end = spot[0], spot[1]
        item.right, item.n_left, item.is_whole = step.right, step.n_left, step.is_whole
        for k in range(step.n_left):
            _add_left(
                ws.left, row, k, left.word[number, k], left.state[number, k],
                left.logprob[number, k],
            )  # fmt: skip
        item.arc = EMPTY
    if is_new or step.total > item.score:
        item.score, item.best = step.total, ws.counters[ARCS]
    arc.before, item.arc = item.arc, ws.counters[ARCS]
    arc.to, arc.entry, arc.score = row, space.memo.rules[step.rule].entry, step.total
    arc.one = arc.two = EMPTY
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
    item, step = ws.items[row], ws.steps[number]
    if item.right != step.right or item.n_left != step.n_left or item.is_whole != step.is_whole:
        return False
    k = 0
    while k < item.n_left and ws.left.word[row, k] == ws.step_left.word[number, k]:
        k += 1
    return k == item.n_left


@uncounted
def _keep_best(ws, limits, first, cell):
    """Sorts the items of a cell, best first, and keeps the best (Shell 1959)."""
    begin, n = ws.counters[MEMBERS], ws.counters[ITEMS] - first
    for k in range(n):
        ws.members[begin + k] = first + k
    gap = n
    while gap > 1:
        gap = max(1, gap * 5 // 11)
        for k in range(gap, n):
            item, at = ws.members[begin + k], k
            score = ws.items[item].score
            while at >= gap:
                other = ws.members[begin + at - gap]
                better = ws.items[other].score
                if better > score or (better == score and other < item):
                    break
                ws.members[begin + at] = other
                at -= gap
            ws.members[begin + at] = item
    kept = min(n, limits.items)
    lowest = ws.items[ws.members[begin]].score - limits.beam
    while kept > 1 and ws.items[ws.members[begin + kept - 1]].score < lowest:
        kept -= 1
    ws.cells[cell].end = begin + kept
    ws.counters[MEMBERS] = begin + kept
    ws.counters[PRUNED] += n - kept
    ws.counters[LARGEST] = max(ws.counters[LARGEST], kept)
