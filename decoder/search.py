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

A cell that the language model likes less in its context than by itself would hide good cells behind
it. So its neighbours fall due, and are evaluated, when the queue has come down to a little below
what the cell would have scored with its option by itself; the cell goes on waiting.

Hypotheses with equal coverage, language model state and distortion state are recombined; if n-best
lists are wanted, every step is kept as an arc. Ties go to what came first, so results depend on
nothing but the input.
"""

import numpy as np

from decoder.edges import collect_edges
from decoder.workspace import (
    ARCS,
    CELLS,
    EMPTY,
    FULL,
    GROUPS,
    HYPOTHESES,
    LM_WORDS,
    MEMBERS,
    MIXER,
    NOTHING,
    ONE,
    POPS,
)
from models.kernels import kernel, uncounted
from models.language_model.automaton import remembered_advance

NO_LIMIT = 1 << 40
BUCKETS_PER_NAT = 16
HEADROOM = 8.0  # nats that a step may be better than the best hypothesis before it
PATIENCE = (
    1.0  # nats that neighbours of a disappointing cell wait; less costs time, more finds less
)


@kernel
def search(problem, lm, ws, no_extra, pop_limit, stack_size, beam, distortion_limit, keep_arcs):
    """The best complete hypothesis, or FULL or NOTHING; all models are tables."""
    begin(problem, ws)
    for n_covered in range(1, problem.n_words + 1):
        n_edges = collect_edges(problem, ws, n_covered, distortion_limit)
        if n_edges < 0:
            return FULL
        if not fill_stack(problem, lm, ws, no_extra, n_covered, n_edges, pop_limit, keep_arcs):
            return FULL
        prune_and_group(ws, n_covered, stack_size, beam)
    return best_hypothesis(ws, problem.n_words)


@kernel
def begin(problem, ws):
    """Stack 0: nothing is translated."""
    future = problem.future[0, problem.n_words]
    first, group, member = ws.hypotheses[0], ws.groups[0], ws.members[0]
    first.score, first.total = 0.0, future
    first.lm_state = member.lm_state = problem.begin_state
    first.distortion = problem.state_of_option[0]
    first.option = first.previous = EMPTY
    first.group = first.extra = 0
    ws.coverage[0, :] = 0
    group.future, group.end, group.gap, group.begin, group.size = future, 0, 0, 0, 1
    member.score = 0.0
    member.hypothesis = member.last = member.kind = 0
    ws.stacks[0].hypothesis, ws.stacks[1].hypothesis = 0, 1
    ws.stacks[0].group, ws.stacks[1].group = 0, 1
    ws.stacks[0].best, ws.stacks[0].n_kept = future, 1
    ws.counters[:] = 0
    ws.counters[HYPOTHESES] = ws.counters[GROUPS] = ws.counters[MEMBERS] = 1


@kernel
def best_hypothesis(ws, stack):
    """The best hypothesis of a stack, or NOTHING."""
    best = NOTHING
    for hypothesis in range(ws.stacks[stack].hypothesis, ws.stacks[stack + 1].hypothesis):
        if best == NOTHING or ws.hypotheses[hypothesis].total > ws.hypotheses[best].total:
            best = hypothesis
    return best


@kernel
def fill_stack(problem, lm, ws, extra, n_covered, n_edges, pop_limit, keep_arcs):
    """Takes the best cells of the edges; False if there is no room."""
    ws.slots[:] = EMPTY
    most = len(ws.slots) // 2  # hypotheses that the hash table takes well
    first = ws.counters[HYPOTHESES]
    # Cells wait in buckets of nearly equal scores, which is faster than a heap and as good
    ws.bucket[:] = EMPTY
    best_bucket = np.uint64(len(ws.bucket) - 1)
    top = ws.stacks[n_covered - 1].best + HEADROOM
    is_last = n_covered == problem.n_words
    n_cells, n_evaluated, n_pops = 0, 0, 0
    if n_edges > len(ws.cells):
        return False
    for number in range(n_edges):
        edge = ws.edges[number]
        n_cells = _new_cell(ws, n_cells, np.uint32(number), edge.member, edge.option)
    while True:
        while n_evaluated < n_cells:
            hope = _evaluate(problem, lm, ws, extra, is_last, np.uint64(n_evaluated))
            cell = ws.cells[np.uint64(n_evaluated)]
            bucket = _bucket(ws, top - cell.total)
            cell.below = ws.bucket[bucket]
            ws.bucket[bucket] = 2 * n_evaluated
            due = _bucket(ws, top - hope + PATIENCE)
            if due < bucket:
                cell.below_due = ws.bucket[due]
                ws.bucket[due] = 2 * n_evaluated + 1
            best_bucket = min(best_bucket, bucket, due)
            n_evaluated += 1
        if n_pops in (n_cells, pop_limit):
            ws.stacks[n_covered + 1].hypothesis = ws.counters[HYPOTHESES]
            ws.counters[POPS] += n_pops
            ws.counters[CELLS] += n_cells
            return True
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += ONE
        waiting = np.uint64(ws.bucket[best_bucket])
        number = waiting >> ONE
        cell = ws.cells[number]
        if ws.counters[HYPOTHESES] - first == most or n_cells + 2 > len(ws.cells):
            return False
        if ws.counters[HYPOTHESES] == len(ws.hypotheses) or ws.counters[ARCS] == len(ws.arcs):
            return False
        if waiting & ONE:
            ws.bucket[best_bucket] = cell.below_due
        else:
            ws.bucket[best_bucket] = cell.below
            n_pops += 1
            _take(problem, ws, number, keep_arcs)
        edge = ws.edges[cell.edge]
        below, right = cell.member + ONE, cell.option + ONE
        if below < edge.member_end and not _seen(ws, cell.edge, below, cell.option):
            n_cells = _new_cell(ws, n_cells, cell.edge, below, cell.option)
        if right < edge.option_end and not _seen(ws, cell.edge, cell.member, right):
            n_cells = _new_cell(ws, n_cells, cell.edge, cell.member, right)


@uncounted
def _bucket(ws, behind):
    """The bucket for a score so far behind the best one."""
    return np.uint64(min(max(behind * BUCKETS_PER_NAT, 0.0), len(ws.bucket) - 1.0))


@uncounted
def _seen(ws, number, member, option):
    edge = ws.edges[number]
    row = ws.seen[edge.row + (member - edge.member)]
    return (row >> (option - edge.option)) & ONE != 0


@uncounted
def _new_cell(ws, n_cells, number, member, option):
    edge, cell = ws.edges[number], ws.cells[np.uint64(n_cells)]
    cell.edge, cell.member, cell.option = number, member, option
    ws.seen[edge.row + (member - edge.member)] |= ONE << np.uint64(option - edge.option)
    return n_cells + 1


@uncounted
def _evaluate(problem, lm, ws, extra, is_last, number):
    """Scores the step of a cell; what its total would be, were the option's words by themselves."""
    cell = ws.cells[number]
    edge, member = ws.edges[cell.edge], ws.members[cell.member]
    option = problem.options[cell.option]
    step, rest = option.base + edge.score, edge.future
    cell.extra = 0
    if len(extra):
        n_options = np.int64(edge.option_end - edge.option)
        at = edge.extra + member.kind * n_options + np.int64(cell.option - edge.option)
        step += extra[at].score
        rest += extra[at].estimate
        cell.extra = extra[at].next
    for table in range(problem.columns.shape[1]):
        row, column = problem.rows[member.last, table], problem.columns[cell.option, table]
        step += problem.table_scores[np.uint64(row + column)]
    hope = member.score + step + option.estimate + rest
    state, language, n_asked = member.lm_state, 0.0, 0
    for at in range(np.uint64(option.word_begin), np.uint64(option.word_end)):
        word = problem.words[at]
        logprob, state = remembered_advance(lm, ws.memory, state, word.word)
        language += logprob
        n_asked += 1
        if state == word.state:  # what came before the option no longer matters
            step += word.tail
            state = option.lm_state
            break
    if is_last:  # the last phrase is followed by the sentence's end
        logprob, state = remembered_advance(lm, ws.memory, state, problem.end_word)
        language += logprob
        n_asked += 1
        step += problem.finish[cell.option + ONE]
    step += problem.lm_weight * language
    ws.counters[LM_WORDS] += n_asked
    cell.score = step
    cell.total = member.score + step + rest
    cell.lm_state = state
    return hope


@uncounted
def _take(problem, ws, number, keep_arcs):
    """Makes the cell a hypothesis, or recombines it with one that is there."""
    cell = ws.cells[number]
    group = ws.edges[cell.edge].target
    before = ws.members[cell.member]
    distortion = problem.state_of_option[cell.option + ONE]
    mask = np.uint64(len(ws.slots) - 1)
    slot = np.uint64(group) * MIXER ^ np.uint64(cell.lm_state)
    slot = (slot ^ (np.uint64(distortion) << np.uint64(32))) * MIXER
    slot = (slot >> np.uint64(32)) & mask
    while True:
        known = ws.slots[slot]
        if known == EMPTY:
            break
        other = ws.hypotheses[np.uint64(known)]
        if (
            other.group == group
            and other.lm_state == cell.lm_state
            and other.distortion == distortion
            and other.extra == cell.extra
        ):
            break
        slot = (slot + ONE) & mask
    is_new = known == EMPTY
    if is_new:
        known = ws.counters[HYPOTHESES]
        ws.counters[HYPOTHESES] += 1
        ws.slots[slot] = known
    hypothesis = ws.hypotheses[np.uint64(known)]
    if is_new:
        hypothesis.group, hypothesis.lm_state = group, cell.lm_state
        hypothesis.distortion, hypothesis.extra = distortion, cell.extra
    if is_new or cell.total > hypothesis.total:
        hypothesis.score = before.score + cell.score
        hypothesis.total = cell.total
        hypothesis.option = cell.option
        hypothesis.previous = before.hypothesis
    if keep_arcs:
        arc = ws.arcs[ws.counters[ARCS]]
        arc.to, arc.before = known, before.hypothesis
        arc.option, arc.score = cell.option, cell.score
        ws.counters[ARCS] += 1


@kernel
def prune_and_group(ws, stack, stack_size, beam):
    """Keeps the best hypotheses of the stack and sorts them into their groups."""
    first, last = ws.stacks[stack].hypothesis, ws.stacks[stack + 1].hypothesis
    ws.stacks[stack + 1].group = ws.counters[GROUPS]
    groups = range(ws.stacks[stack].group, ws.stacks[stack + 1].group)
    for group in groups:
        ws.groups[group].size = 0
    if first == last:
        ws.stacks[stack].best = ws.stacks[stack - 1].best
        ws.stacks[stack].n_kept = 0
        return
    hypotheses = ws.hypotheses[first:last]
    best = hypotheses[0].total
    for hypothesis in hypotheses:
        best = max(best, hypothesis.total)
    ws.stacks[stack].best = best
    lowest = best - beam
    n_equal = last - first  # of the lowest score, so many may stay
    if last - first > stack_size:
        cut, n_equal_to_cut = _cut(hypotheses, stack_size)
        if cut >= lowest:
            lowest, n_equal = cut, n_equal_to_cut
    for number in range(len(hypotheses)):
        hypothesis = hypotheses[number]
        is_kept = hypothesis.total > lowest
        if hypothesis.total == lowest:
            is_kept = n_equal > 0
            n_equal -= 1
        hypothesis.is_kept = is_kept
        ws.groups[hypothesis.group].size += np.uint32(is_kept)
    at = ws.counters[MEMBERS]
    for group in groups:
        ws.groups[group].begin = at
        at += ws.groups[group].size
        ws.groups[group].size = 0
    ws.stacks[stack].n_kept = at - ws.counters[MEMBERS]
    ws.counters[MEMBERS] = at
    for number in range(len(hypotheses)):  # insertion sort: groups are small and nearly sorted
        hypothesis = hypotheses[number]
        if not hypothesis.is_kept:
            continue
        group = ws.groups[hypothesis.group]
        place = group.begin + group.size
        while place > group.begin:
            better = ws.members[place - ONE]
            if ws.hypotheses[better.hypothesis].total >= hypothesis.total:
                break
            ws.members[place] = better
            place -= ONE
        member = ws.members[place]
        member.score, member.hypothesis = hypothesis.score, first + number
        member.lm_state, member.last = hypothesis.lm_state, hypothesis.option + 1
        member.kind = 0
        group.size += np.uint32(1)


@kernel
def _cut(hypotheses, size):
    """The score of the last one that may stay, and how many with this score may."""
    totals = np.empty(len(hypotheses))
    for number in range(len(hypotheses)):
        totals[number] = hypotheses[number].total
    cut = np.partition(totals, len(totals) - size)[len(totals) - size]
    return cut, size - np.sum(totals > cut)
