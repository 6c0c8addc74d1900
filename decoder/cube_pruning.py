"""Cube pruning: chooses the steps into a stack (Huang and Chiang 2007).

An edge joins a group of hypotheses with a span that may be translated next. It is a grid of the
group's hypotheses and the span's options, both best first, and each cell of the grid is a step. The
best steps of all grids that lead into a stack are taken one by one, up to a limit; without a limit
the search is exhaustive. Far more edges lead into a stack than steps are taken, so a grid is
opened only when the queue reaches the possible score of its first step.

                        options of span 3:5                Scoring a step puts the one below it
                       best   .      .     worst           into the queue, in the first row also
    hypotheses of  ┌───────┬──────┬──────┬──────┐          the one to its right, so that each is
    a group        │scored │ next │      │      │          reached in one way. A step is in the
    best first     ├───────┼──────┼──────┼──────┤          queue twice: first where its context
                   │ next  │      │      │      │          would be a little better than expected,
                   └───────┴──────┴──────┴──────┘          to be scored, then with its score.

The first place follows from the score of the neighbour that put it there. So a step whose score is
low only because of its context does not hide good neighbours, and steps that cannot be among the
best are never scored.

Hypotheses with equal coverage, language model state and distortion state are recombined.
"""

import numpy as np

from hyperbaton.decoder.edges import open_edge
from hyperbaton.decoder.lazy_models import NO_STATE, follow_step
from hyperbaton.decoder.ranking.buckets import (
    HEADROOM,
    N_BUCKETS,
    OPTIMISM,
    bucket_of,
)
from hyperbaton.decoder.search_space import table_score
from hyperbaton.decoder.workspace import (
    ARCS,
    GRIDS,
    GROUPS,
    HYPOTHESES,
    LM_WORDS,
    NO_HYPOTHESES,
    NO_SLOTS,
    NO_STEPS,
    POPS,
    STEPS,
)
from hyperbaton.foundation.coverage import ONE
from hyperbaton.foundation.hashing import EMPTY, GOLDEN
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.language_model.stepping import remembered_advance

# Kinds of queue items: steps to take or to score, and edges. An edge is ASKED first if there is a
# lazy model, for the score of its first step, and then put back
TAKE, SCORE, OPEN, ASKED = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
TWO, THREE = np.uint64(2), np.uint64(3)


@uncounted
def fill_stack(space, lm, ws, limits, answers, n_covered, n_edges):
    """Takes the best steps of the edges; returns 0, or the code of the array that is full."""
    ws.slots[:] = EMPTY
    ws.group_slots[:] = EMPTY
    most = len(ws.slots) // 2  # hypotheses at the largest load of the hash table
    first, first_group = ws.counters[HYPOTHESES], ws.counters[GROUPS]
    # The queue has buckets of nearly equal scores: faster than a heap, with equal results
    ws.bucket[:] = EMPTY
    top = ws.stacks[n_covered - 1].best + HEADROOM * space.unit
    is_last = n_covered == space.n_words
    best_bucket = _wait_to_open(space, ws, top, answers, n_edges)
    n_grids, n_steps, n_scored, n_taken = 0, 0, 0, 0
    last_bucket = np.uint64(N_BUCKETS - 1)
    while n_taken < limits.pops:
        if n_taken == n_steps and n_grids == n_edges:
            break
        while ws.bucket[best_bucket] == EMPTY:
            best_bucket += ONE
        if best_bucket > last_bucket:
            break
        waiting = np.uint64(ws.bucket[best_bucket])
        number, kind = waiting >> TWO, waiting & THREE
        if kind == ASKED:
            edge = ws.edges[number]
            ws.bucket[best_bucket] = edge.below
            edge.total += _lazy_score(space, ws, edge)
            bucket = max(best_bucket, bucket_of(space, top - edge.total))
            edge.below = ws.bucket[bucket]
            ws.bucket[bucket] = number << TWO | OPEN
            continue
        if kind == TAKE:
            if ws.counters[HYPOTHESES] - first == most:
                return NO_SLOTS
            if ws.counters[HYPOTHESES] == len(ws.hypotheses) or ws.counters[ARCS] == len(ws.arcs):
                return NO_HYPOTHESES
            step = ws.steps[number]
            ws.bucket[best_bucket] = step.below
            n_taken += 1
            last_bucket = min(last_bucket, bucket_of(space, top - step.total + limits.reach))
            _take(space.distortion.state_of_option, ws, number, limits.keep_arcs)
            continue
        if n_steps + 3 > len(ws.steps):
            return NO_STEPS
        if kind == OPEN:
            ws.bucket[best_bucket] = ws.edges[number].below
            full = open_edge(space, ws, number, np.uint64(n_grids), first_group)
            if full:
                return full
            grid = ws.grids[np.uint64(n_grids)]
            number = np.uint64(n_steps)
            n_steps = _new_step(ws.steps, n_steps, n_grids, grid.member, grid.option)
            n_grids += 1
        else:
            ws.bucket[best_bucket] = ws.steps[number].below
        hope = _score(space, lm, ws, answers, is_last, number) + OPTIMISM * space.unit
        n_scored += 1
        best_bucket = min(best_bucket, _wait(space, ws, top - ws.steps[number].total, number, TAKE))
        step = ws.steps[number]
        grid, member, option = ws.grids[step.grid], np.uint64(step.member), np.uint64(step.option)
        if member + ONE < grid.member_end:
            worse = ws.members[member].score - ws.members[member + ONE].score
            bucket = _wait(space, ws, top - hope + worse, np.uint64(n_steps), SCORE)
            best_bucket = min(best_bucket, bucket)
            n_steps = _new_step(ws.steps, n_steps, step.grid, member + ONE, option)
        if member == grid.member and option + ONE < grid.option_end:
            here, other = space.options[option], space.options[option + ONE]
            worse = here.base + here.estimate - other.base - other.estimate
            bucket = _wait(space, ws, top - hope + worse, np.uint64(n_steps), SCORE)
            best_bucket = min(best_bucket, bucket)
            n_steps = _new_step(ws.steps, n_steps, step.grid, member, option + ONE)
    ws.stacks[n_covered + 1].hypothesis = ws.counters[HYPOTHESES]
    ws.counters[GRIDS] += n_grids
    ws.counters[POPS] += n_taken
    ws.counters[STEPS] += n_scored
    return 0


@uncounted
def _wait_to_open(space, ws, top, answers, n_edges):
    """Puts all edges into the queue; returns the best bucket."""
    kind = OPEN if space.lazy.begin_state == NO_STATE else ASKED
    best_bucket = np.uint64(N_BUCKETS - 1)
    for number in range(n_edges):
        edge = ws.edges[np.uint64(number)]
        edge.total += OPTIMISM * space.unit
        if len(answers):  # the answer of the first member and the first option
            edge.total += answers[edge.first_answer].score
        bucket = bucket_of(space, top - edge.total)
        edge.below = ws.bucket[bucket]
        ws.bucket[bucket] = np.uint64(number) << TWO | kind
        best_bucket = min(best_bucket, bucket)
    return best_bucket


@uncounted
def _lazy_score(space, ws, edge):
    """The lazy model's score of the first step of an edge."""
    member = ws.members[ws.groups[edge.group].begin]
    state = ws.hypotheses[member.hypothesis].lazy_state
    option = space.spans[edge.span].option
    return follow_step(space.lazy, ws.coverage[edge.group], member.last, state, option)[0]


@uncounted
def _wait(space, ws, behind, number, kind):
    """Puts a step into the queue; returns its bucket."""
    bucket = bucket_of(space, behind)
    ws.steps[number].below = ws.bucket[bucket]
    ws.bucket[bucket] = number << TWO | kind
    return bucket


@uncounted
def _new_step(steps, n_steps, grid, member, option):
    """Adds a step of a grid; returns the number of steps."""
    step = steps[np.uint64(n_steps)]
    step.grid, step.member, step.option = grid, member, option
    return n_steps + 1


@uncounted
def _score(space, lm, ws, answers, is_last, number):
    """Scores a step; returns the total that it would have without context."""
    step = ws.steps[number]
    grid, member = ws.grids[step.grid], ws.members[step.member]
    option = space.options[step.option]
    score, rest = option.base + grid.score, grid.future
    step.joint_state = 0
    if len(answers):
        n_options = np.int64(grid.option_end - grid.option)
        at = grid.first_answer + member.kind * n_options + np.int64(step.option - grid.option)
        score += answers[at].score
        step.joint_state = answers[at].joint_state
    score += table_score(space.distortion, member.last, step.option)
    before = ws.hypotheses[member.hypothesis]
    value, step.lazy_state = follow_step(
        space.lazy, ws.coverage[before.group], member.last, before.lazy_state, step.option
    )
    score += value
    hope = member.score + score + option.estimate + rest
    state, language, n_asked = member.lm_state, 0.0, 0
    for at in range(np.uint64(option.word_begin), np.uint64(option.word_end)):
        word = space.words[at]
        logprob, state = remembered_advance(lm, ws.memory, state, word.word)
        language += logprob
        n_asked += 1
        if state == word.state:  # the history before the option no longer matters
            score += word.tail
            state = option.lm_state
            break
    if is_last:  # the last phrase is followed by the sentence's end
        logprob, state = remembered_advance(lm, ws.memory, state, np.int32(space.end_word))
        language += logprob
        n_asked += 1
        score += space.distortion.finish[step.option + ONE]
    score += space.lm_weight * language
    ws.counters[LM_WORDS] += n_asked
    step.score = score
    step.total = member.score + score + rest
    step.lm_state = state
    return hope


@uncounted
def _take(state_of_option, ws, number, keep_arcs):
    """Makes a hypothesis of the step, or recombines it with an existing one."""
    step = ws.steps[number]
    group = ws.grids[step.grid].target
    before = ws.members[step.member]
    distortion = state_of_option[step.option + ONE]
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
            and other.joint_state == step.joint_state
            and other.lazy_state == step.lazy_state
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
        hypothesis.distortion, hypothesis.joint_state = distortion, step.joint_state
        hypothesis.lazy_state = step.lazy_state
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
