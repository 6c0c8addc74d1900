"""Left-to-right beam search with cube pruning (Koehn 2004; Huang and Chiang 2007), compiled.

One stack for each number of covered source words. The hypotheses of a stack that have the same
coverage and whose last phrases end at the same place form a group. An edge joins a group with a
span that may be translated next; it is a grid of the group's hypotheses and the span's options,
both best first. The best cells of all grids that lead into a stack are taken one after the other,
until the pop limit; with no limit this is the exhaustive search.

                        options of span 3:5                Taking a cell puts its right and
                       best   .      .     worst           lower neighbours into the queue. The
    hypotheses of  ┌───────┬──────┬──────┬──────┐          order is approximate, because what the
    a group        │ taken │ next │      │      │          language model and tables say of a cell
    best first     ├───────┼──────┼──────┼──────┤          is known only when it is evaluated.
                   │ next  │      │      │      │
                   └───────┴──────┴──────┴──────┘

Hypotheses with equal coverage, language model state and distortion state are recombined; every step
is kept as an arc, so that n-best lists can be read off. Ties go to what came first, so results
depend on nothing but the input.
"""

import numpy as np
from numba import njit

from models.language_model.automaton import advance, uncounted

EMPTY = -1
FULL = -1  # the workspace is too small: make it larger and search again
NOTHING = -2  # no translation within the limits
HYPOTHESES, ARCS, GROUPS, MEMBERS = 0, 1, 2, 3  # counters
MIXER = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
NO_LIMIT = 1 << 40
BUCKETS_PER_NAT = 64
HEADROOM = 8.0  # nats that a step may be better than the best hypothesis before it


@njit(cache=True, nogil=True)
def search(problem, lm, ws, no_extra, pop_limit, stack_size, beam, distortion_limit):
    """The best complete hypothesis, or FULL or NOTHING; all models are tables."""
    begin(problem, ws)
    for n_covered in range(1, problem.n_words + 1):
        n_edges = collect_edges(problem, ws, n_covered, distortion_limit)
        if n_edges < 0:
            return FULL
        if not fill_stack(problem, lm, ws, no_extra, n_covered, n_edges, pop_limit):
            return FULL
        prune_and_group(ws, n_covered, stack_size, beam)
    return best_hypothesis(ws, problem.n_words)


@njit(cache=True, nogil=True)
def begin(problem, ws):
    """Stack 0: nothing is translated."""
    ws.score[0] = 0.0
    ws.total[0] = problem.future[0, problem.n_words]
    ws.lm_state[0] = problem.begin_state
    ws.option[0] = ws.previous[0] = -1
    ws.group[0] = ws.extra[0] = ws.member_class[0] = 0
    ws.stack_begin[0], ws.stack_begin[1] = 0, 1
    ws.group_coverage[0, :] = 0
    ws.group_end[0] = ws.group_gap[0] = ws.group_begin[0] = 0
    ws.group_future[0] = ws.stack_best[0] = ws.total[0]
    ws.group_size[0] = 1
    ws.stack_group[0], ws.stack_group[1] = 0, 1
    ws.members[0] = 0
    ws.counters[HYPOTHESES], ws.counters[ARCS] = 1, 0
    ws.counters[GROUPS], ws.counters[MEMBERS] = 1, 1


@njit(cache=True, nogil=True)
def best_hypothesis(ws, stack):
    """The best hypothesis of a stack, or NOTHING."""
    best = NOTHING
    for hypothesis in range(ws.stack_begin[stack], ws.stack_begin[stack + 1]):
        if best == NOTHING or ws.total[hypothesis] > ws.total[best]:
            best = hypothesis
    return best


@njit(cache=True, nogil=True)
def collect_edges(problem, ws, n_covered, distortion_limit):
    """All edges into the stack; their number, or FULL."""
    n_edges, n_rows = 0, 0
    slots = ws.group_slots
    slots[:] = EMPTY
    first_group = ws.counters[GROUPS]
    longest = len(problem.length_span) - 2
    for length in range(1, min(longest, n_covered) + 1):
        stack = n_covered - length
        for group in range(ws.stack_group[stack], ws.stack_group[stack + 1]):
            if ws.group_size[group] == 0:
                continue
            for span in range(problem.length_span[length], problem.length_span[length + 1]):
                start = problem.span_start[span]
                if not _allowed(ws, group, start, length, distortion_limit):
                    continue
                if n_edges == len(ws.edge_group) or n_rows + ws.group_size[group] > len(ws.seen):
                    return FULL
                target = _target_group(problem, ws, group, start, length, first_group)
                if target < 0:
                    return FULL
                ws.edge_group[n_edges] = group
                ws.edge_span[n_edges] = span
                ws.edge_target[n_edges] = target
                ws.edge_score[n_edges] = problem.edge_scores[ws.group_end[group], span]
                ws.edge_row[n_edges] = n_rows
                n_edges += 1
                n_rows += ws.group_size[group]
    ws.seen[:n_rows] = 0
    return n_edges


@uncounted
def _allowed(ws, group, start, length, distortion_limit):
    """Whether the span is free and near enough.

    Moses' rule: the jump from the last phrase is limited, and whoever leaves the first gap open
    must be able to come back to it.
    """
    end, gap = start + length, ws.group_gap[group]
    if start < gap or abs(start - ws.group_end[group]) > distortion_limit:
        return False
    if start != gap and end - gap > distortion_limit:
        return False
    return _uncovered(ws, group, start, length)


@uncounted
def _uncovered(ws, group, start, length):
    word, bit = start >> 6, np.uint64(start & 63)
    mask = (ONE << np.uint64(length)) - ONE
    if (ws.group_coverage[group, word] >> bit) & mask:
        return False
    over = (start & 63) + length - 64  # words of the span in the next 64
    return over <= 0 or not ws.group_coverage[group, word + 1] & ((ONE << np.uint64(over)) - ONE)


@uncounted
def _is_covered(ws, group, place):
    return (ws.group_coverage[group, place >> 6] >> np.uint64(place & 63)) & ONE != 0


@uncounted
def _target_group(problem, ws, group, start, length, first_group):
    """The group that the span leads to, made if it is new; FULL if there is no room."""
    n_words, end = problem.n_words, start + length
    new = ws.counters[GROUPS]
    if new == len(ws.group_end) or 2 * (new - first_group + 1) > len(ws.group_slots):
        return FULL
    hashed = np.uint64(end)
    for word in range(ws.group_coverage.shape[1]):
        ws.group_coverage[new, word] = ws.group_coverage[group, word]
    for place in range(start, end):
        ws.group_coverage[new, place >> 6] |= ONE << np.uint64(place & 63)
    for word in range(ws.group_coverage.shape[1]):
        hashed = (hashed ^ ws.group_coverage[new, word]) * MIXER
        hashed ^= hashed >> np.uint64(29)
    mask = np.uint64(len(ws.group_slots) - 1)
    slot = hashed & mask
    while ws.group_slots[slot] != EMPTY:
        known = ws.group_slots[slot]
        same = ws.group_end[known] == end
        for word in range(ws.group_coverage.shape[1]):
            same = same and ws.group_coverage[known, word] == ws.group_coverage[new, word]
        if same:
            return known
        slot = (slot + ONE) & mask
    left, right = start, end  # the gap that the span lies in
    while left > 0 and not _is_covered(ws, group, left - 1):
        left -= 1
    while right < n_words and not _is_covered(ws, group, right):
        right += 1
    gap = ws.group_gap[group]
    if start == gap:
        gap = end
        while gap < n_words and _is_covered(ws, new, gap):
            gap += 1
    future = problem.future
    ws.group_future[new] = (
        ws.group_future[group] - future[left, right] + future[left, start] + future[end, right]
    )
    ws.group_end[new] = end
    ws.group_gap[new] = gap
    ws.group_slots[slot] = new
    ws.counters[GROUPS] += 1
    return new


@njit(cache=True, nogil=True)
def fill_stack(problem, lm, ws, extra, n_covered, n_edges, pop_limit):
    """Takes the best cells of the edges; False if there is no room."""
    ws.slots[:] = EMPTY
    most = len(ws.slots) // 2  # hypotheses that the hash table takes well
    first = ws.counters[HYPOTHESES]
    # Cells wait in buckets of nearly equal scores, which is faster than a heap and as good
    ws.bucket[:] = EMPTY
    best_bucket = len(ws.bucket) - 1
    top = ws.stack_best[n_covered - 1] + HEADROOM
    is_last = n_covered == problem.n_words
    n_cells, n_evaluated, n_pops = 0, 0, 0
    if n_edges > len(ws.cell_edge):
        return False
    for edge in range(n_edges):
        n_cells = _new_cell(ws, n_cells, edge, 0, 0)
    while True:
        while n_evaluated < n_cells:
            _evaluate(problem, lm, ws, extra, is_last, np.uint64(n_evaluated))
            bucket = int((top - ws.cell_total[n_evaluated]) * BUCKETS_PER_NAT)
            bucket = min(max(bucket, 0), len(ws.bucket) - 1)
            ws.cell_below[n_evaluated] = ws.bucket[bucket]
            ws.bucket[bucket] = n_evaluated
            best_bucket = min(best_bucket, bucket)
            n_evaluated += 1
        if n_pops in (n_cells, pop_limit):
            ws.stack_begin[n_covered + 1] = ws.counters[HYPOTHESES]
            return True
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += 1
        cell = np.uint64(ws.bucket[best_bucket])
        ws.bucket[best_bucket] = ws.cell_below[cell]
        n_pops += 1
        if (
            ws.counters[ARCS] == len(ws.arc_to)
            or ws.counters[HYPOTHESES] - first == most
            or n_cells + 2 > len(ws.cell_edge)
        ):
            return False
        _take(problem, ws, cell)
        edge, member, option = ws.cell_edge[cell], ws.cell_member[cell], ws.cell_option[cell]
        span = ws.edge_span[edge]
        row = ws.edge_row[edge] + member
        n_options = problem.span_option[span + 1] - problem.span_option[span]
        if member + 1 < ws.group_size[ws.edge_group[edge]] and not _seen(ws, row + 1, option):
            n_cells = _new_cell(ws, n_cells, edge, member + 1, option)
        if option + 1 < n_options and not _seen(ws, row, option + 1):
            n_cells = _new_cell(ws, n_cells, edge, member, option + 1)


@uncounted
def _seen(ws, row, option):
    return (ws.seen[row] >> np.uint64(option)) & ONE != 0


@uncounted
def _new_cell(ws, cell, edge, member, option):
    ws.cell_edge[cell] = edge
    ws.cell_member[cell] = member
    ws.cell_option[cell] = option
    ws.seen[ws.edge_row[edge] + member] |= ONE << np.uint64(option)
    return cell + 1


@uncounted
def _evaluate(problem, lm, ws, extra, is_last, cell):
    """Scores the step of a cell. Indices are unsigned: Numba then leaves out the code for negative
    ones, which is a tenth of the time."""
    edge = np.uint64(ws.cell_edge[cell])
    span = np.uint64(ws.edge_span[edge])
    group = np.uint64(ws.edge_group[edge])
    place = np.uint64(ws.group_begin[group] + ws.cell_member[cell])
    hypothesis = np.uint64(ws.members[place])
    option = np.uint64(problem.span_option[span] + ws.cell_option[cell])
    step = problem.base[option] + ws.edge_score[edge]
    ws.cell_extra[cell] = 0
    if len(extra.edge_begin):
        n_options = problem.span_option[span + ONE] - problem.span_option[span]
        at = extra.edge_begin[edge] + ws.member_class[place] * n_options + ws.cell_option[cell]
        step += extra.score[at]
        ws.cell_extra[cell] = extra.next[at]
    last = np.uint64(ws.option[hypothesis] + 1)
    for table in range(len(problem.cell_begin)):
        row = problem.cell_rows[table, last]
        column = problem.cell_columns[table, option]
        at = problem.cell_begin[table] + row * problem.cell_width[table] + column
        step += problem.cell_scores[at]
    state = ws.lm_state[hypothesis]
    language = 0.0
    word, end = np.uint64(problem.word_begin[option]), np.uint64(problem.word_begin[option + ONE])
    stop = end + ONE if is_last else end  # the last phrase is followed by the sentence's end
    while word < stop:
        logprob, state = advance(
            lm, state, problem.end_word if word == end else problem.words[word]
        )
        language += logprob
        if word < end and state == problem.prefix_state[word]:
            step += problem.tail_score[word]  # what came before the option no longer matters
            state = problem.prefix_state[end - ONE]
            word = end - ONE
        word += ONE
    if is_last:
        step += problem.finish[option + ONE]
    step += problem.lm_weight * language
    target = np.uint64(ws.edge_target[edge])
    ws.cell_score[cell] = step
    ws.cell_total[cell] = ws.score[hypothesis] + step + ws.group_future[target]
    ws.cell_state[cell] = state


@uncounted
def _take(problem, ws, cell):
    """Makes the cell a hypothesis, or an arc to one that it recombines with."""
    edge = np.uint64(ws.cell_edge[cell])
    group, state = ws.edge_target[edge], ws.cell_state[cell]
    place = ws.group_begin[np.uint64(ws.edge_group[edge])] + ws.cell_member[cell]
    before = np.uint64(ws.members[np.uint64(place)])
    span = np.uint64(ws.edge_span[edge])
    option = np.uint64(problem.span_option[span] + ws.cell_option[cell])
    distortion = problem.state_of_option[option + ONE]
    mask = np.uint64(len(ws.slots) - 1)
    slot = np.uint64(group) * MIXER ^ np.uint64(state)
    slot = (slot ^ (np.uint64(distortion) << np.uint64(32))) * MIXER
    slot = (slot >> np.uint64(32)) & mask
    is_new = True
    while ws.slots[slot] != EMPTY:
        known = np.uint64(ws.slots[slot])
        if (
            ws.group[known] == group
            and ws.lm_state[known] == state
            and problem.state_of_option[np.uint64(ws.option[known] + 1)] == distortion
            and ws.extra[known] == ws.cell_extra[cell]
        ):
            is_new = False
            break
        slot = (slot + ONE) & mask
    if is_new:
        ws.slots[slot] = ws.counters[HYPOTHESES]
        ws.counters[HYPOTHESES] += 1
    new = np.uint64(ws.slots[slot])
    if is_new:
        ws.group[new] = group
        ws.lm_state[new] = state
        ws.extra[new] = ws.cell_extra[cell]
    if is_new or ws.cell_total[cell] > ws.total[new]:
        ws.score[new] = ws.score[before] + ws.cell_score[cell]
        ws.total[new] = ws.cell_total[cell]
        ws.option[new] = option
        ws.previous[new] = before
    arc = np.uint64(ws.counters[ARCS])
    ws.counters[ARCS] += 1
    ws.arc_to[arc] = new
    ws.arc_from[arc] = before
    ws.arc_option[arc] = option
    ws.arc_score[arc] = ws.cell_score[cell]


@njit(cache=True, nogil=True)
def prune_and_group(ws, stack, stack_size, beam):
    """Keeps the best hypotheses of the stack and sorts them into their groups."""
    begin, end = ws.stack_begin[stack], ws.stack_begin[stack + 1]
    ws.stack_group[stack + 1] = ws.counters[GROUPS]
    groups = range(ws.stack_group[stack], ws.stack_group[stack + 1])
    for group in groups:
        ws.group_size[group] = 0
    if begin == end:
        ws.stack_best[stack] = ws.stack_best[stack - 1]
        return
    ws.stack_best[stack] = ws.total[begin:end].max()
    lowest = ws.stack_best[stack] - beam
    n_equal = end - begin  # of the lowest score, so many may stay
    if end - begin > stack_size:
        cut = np.partition(ws.total[begin:end], end - begin - stack_size)[end - begin - stack_size]
        if cut >= lowest:
            lowest = cut
            n_equal = stack_size - np.sum(ws.total[begin:end] > cut)
    for hypothesis in range(begin, end):
        if ws.total[hypothesis] == lowest and n_equal == 0:
            ws.group[hypothesis] = EMPTY
        elif ws.total[hypothesis] >= lowest:
            n_equal -= ws.total[hypothesis] == lowest
            ws.group_size[ws.group[hypothesis]] += 1
        else:
            ws.group[hypothesis] = EMPTY
    at = ws.counters[MEMBERS]
    for group in groups:
        ws.group_begin[group] = at
        at += ws.group_size[group]
        ws.group_size[group] = 0
    ws.counters[MEMBERS] = at
    for hypothesis in range(begin, end):  # insertion sort: groups are small and nearly sorted
        group = ws.group[hypothesis]
        if group == EMPTY:
            continue
        first = ws.group_begin[group]
        place = first + ws.group_size[group]
        while place > first and ws.total[ws.members[place - 1]] < ws.total[hypothesis]:
            ws.members[place] = ws.members[place - 1]
            place -= 1
        ws.members[place] = hypothesis
        ws.group_size[group] += 1
