"""Which steps into a stack the search takes: cube pruning (Huang and Chiang 2007).

An edge joins a group of hypotheses with a span that may be translated next. It is a grid of the
group's hypotheses and the span's options, both best first, and each place of the grid is a step.
The best steps of all grids that lead into a stack are taken one after the other, until the pop
limit; with no limit this is the exhaustive search.

                        options of span 3:5                Taking a step puts its right and
                       best   .      .     worst           lower neighbours into the queue. The
    hypotheses of  ┌───────┬──────┬──────┬──────┐          order is approximate, because the
    a group        │ taken │ next │      │      │          language model and the tables score
    best first     ├───────┼──────┼──────┼──────┤          a step only when it is evaluated.
                   │ next  │      │      │      │
                   └───────┴──────┴──────┴──────┘

A step that scores lower in its context than the option by itself would hide good steps behind it.
So its neighbours fall due, and are evaluated, when the queue reaches a little below the score that
the step would have with its option by itself; the step itself keeps waiting.

Hypotheses with equal coverage, language model state and distortion state are recombined.
"""

import numpy as np

from decoder.workspace import ARCS, EMPTY, HYPOTHESES, LM_WORDS, ONE, POPS, STEPS
from models.hashing import GOLDEN
from models.kernels import uncounted
from models.language_model.automaton import remembered_advance

BUCKETS_PER_NAT = 16
HEADROOM = 8.0  # nats that a step may be better than the best hypothesis before it
# Nats that the neighbours of a disappointing step wait; less costs time, more finds less
PATIENCE = 1.0


@uncounted
def fill_stack(space, lm, ws, limits, extra, n_covered, n_edges):
    """Takes the best steps of the edges; False if there is no room."""
    ws.slots[:] = EMPTY
    most = len(ws.slots) // 2  # hypotheses that the hash table takes well
    first = ws.counters[HYPOTHESES]
    # Steps wait in buckets of nearly equal scores, which is faster than a heap and as good
    ws.bucket[:] = EMPTY
    best_bucket = np.uint64(len(ws.bucket) - 1)
    top = ws.stacks[n_covered - 1].best + HEADROOM
    is_last = n_covered == space.n_words
    n_steps, n_evaluated, n_pops = 0, 0, 0
    if n_edges > len(ws.steps):
        return False
    for number in range(n_edges):
        edge = ws.edges[number]
        n_steps = _new_step(ws, n_steps, np.uint32(number), edge.member, edge.option)
    while True:
        while n_evaluated < n_steps:
            hope = _evaluate(space, lm, ws, extra, is_last, np.uint64(n_evaluated))
            step = ws.steps[np.uint64(n_evaluated)]
            bucket = _bucket(ws, top - step.total)
            step.below = ws.bucket[bucket]
            ws.bucket[bucket] = 2 * n_evaluated
            due = _bucket(ws, top - hope + PATIENCE)
            if due < bucket:
                step.below_due = ws.bucket[due]
                ws.bucket[due] = 2 * n_evaluated + 1
            best_bucket = min(best_bucket, bucket, due)
            n_evaluated += 1
        if n_pops in (n_steps, limits.pops):
            ws.stacks[n_covered + 1].hypothesis = ws.counters[HYPOTHESES]
            ws.counters[POPS] += n_pops
            ws.counters[STEPS] += n_steps
            return True
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += ONE
        waiting = np.uint64(ws.bucket[best_bucket])
        number = waiting >> ONE
        step = ws.steps[number]
        if ws.counters[HYPOTHESES] - first == most or n_steps + 2 > len(ws.steps):
            return False
        if ws.counters[HYPOTHESES] == len(ws.hypotheses) or ws.counters[ARCS] == len(ws.arcs):
            return False
        if waiting & ONE:
            ws.bucket[best_bucket] = step.below_due
        else:
            ws.bucket[best_bucket] = step.below
            n_pops += 1
            _take(space, ws, number, limits.keep_arcs)
        edge = ws.edges[step.edge]
        below, right = step.member + ONE, step.option + ONE
        if below < edge.member_end and not _seen(ws, step.edge, below, step.option):
            n_steps = _new_step(ws, n_steps, step.edge, below, step.option)
        if right < edge.option_end and not _seen(ws, step.edge, step.member, right):
            n_steps = _new_step(ws, n_steps, step.edge, step.member, right)


@uncounted
def _bucket(ws, behind):
    """The bucket for a score this far behind the best one."""
    return np.uint64(min(max(behind * BUCKETS_PER_NAT, 0.0), len(ws.bucket) - 1.0))


@uncounted
def _seen(ws, number, member, option):
    edge = ws.edges[number]
    row = ws.seen[edge.row + (member - edge.member)]
    return (row >> (option - edge.option)) & ONE != 0


@uncounted
def _new_step(ws, n_steps, number, member, option):
    edge, step = ws.edges[number], ws.steps[np.uint64(n_steps)]
    step.edge, step.member, step.option = number, member, option
    ws.seen[edge.row + (member - edge.member)] |= ONE << np.uint64(option - edge.option)
    return n_steps + 1


@uncounted
def _evaluate(space, lm, ws, extra, is_last, number):
    """Scores a step; returns its total if the option's words were scored by themselves."""
    step = ws.steps[number]
    edge, member = ws.edges[step.edge], ws.members[step.member]
    option = space.options[step.option]
    score, rest = option.base + edge.score, edge.future
    step.extra = 0
    if len(extra):
        n_options = np.int64(edge.option_end - edge.option)
        at = edge.extra + member.kind * n_options + np.int64(step.option - edge.option)
        score += extra[at].score
        rest += extra[at].estimate
        step.extra = extra[at].next
    for table in range(space.columns.shape[1]):
        row, column = space.rows[member.last, table], space.columns[step.option, table]
        score += space.table_scores[np.uint64(row + column)]
    hope = member.score + score + option.estimate + rest
    state, language, n_asked = member.lm_state, 0.0, 0
    for at in range(np.uint64(option.word_begin), np.uint64(option.word_end)):
        word = space.words[at]
        logprob, state = remembered_advance(lm, ws.memory, state, word.word)
        language += logprob
        n_asked += 1
        if state == word.state:  # what came before the option no longer matters
            score += word.tail
            state = option.lm_state
            break
    if is_last:  # the last phrase is followed by the sentence's end
        logprob, state = remembered_advance(lm, ws.memory, state, np.int32(space.end_word))
        language += logprob
        n_asked += 1
        score += space.finish[step.option + ONE]
    score += space.lm_weight * language
    ws.counters[LM_WORDS] += n_asked
    step.score = score
    step.total = member.score + score + rest
    step.lm_state = state
    return hope


@uncounted
def _take(space, ws, number, keep_arcs):
    """Makes a hypothesis of the step, or recombines it with an existing one."""
    step = ws.steps[number]
    group = ws.edges[step.edge].target
    before = ws.members[step.member]
    distortion = space.state_of_option[step.option + ONE]
    mask = np.uint64(len(ws.slots) - 1)
    slot = np.uint64(group) * GOLDEN ^ np.uint64(step.lm_state)
    slot = (slot ^ (np.uint64(distortion) << np.uint64(32))) * GOLDEN
    slot = (slot >> np.uint64(32)) & mask
    while True:
        known = ws.slots[slot]
        if known == EMPTY:
            break
        other = ws.hypotheses[np.uint64(known)]
        if (
            other.group == group
            and other.lm_state == step.lm_state
            and other.distortion == distortion
            and other.extra == step.extra
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
        hypothesis.group, hypothesis.lm_state = group, step.lm_state
        hypothesis.distortion, hypothesis.extra = distortion, step.extra
    if is_new or step.total > hypothesis.total:
        hypothesis.score = before.score + step.score
        hypothesis.total = step.total
        hypothesis.option = step.option
        hypothesis.previous = before.hypothesis
    if keep_arcs:
        arc = ws.arcs[ws.counters[ARCS]]
        arc.to, arc.before = known, before.hypothesis
        arc.option, arc.score = step.option, step.score
        ws.counters[ARCS] += 1
