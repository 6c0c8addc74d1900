"""Left-to-right beam search (Koehn 2004), compiled.

There is one stack for each number of covered source words. Hypotheses of a stack with the same
coverage and the same end of the last phrase form a group. For each stack, the search collects the
edges that lead into it (`edges.py`), takes the best steps along them (`cube_pruning.py`), prunes
the hypotheses, and sorts the remaining ones into their groups.

Coverage models score the steps between collecting and taking, once per stack, in Python
(`coverage_models.py`). So the loop over the stacks returns there and resumes with their answers;
without such models it runs in one call.

For n-best lists, every step is kept as an arc. Of equal candidates the first taken wins, so results
depend only on the input.
"""

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from hyperbaton.decoder.constraints.price import FORBIDDEN
from hyperbaton.decoder.coverage_models import CoverageModels, batch_of_steps, classify
from hyperbaton.decoder.cube_pruning import fill_stack
from hyperbaton.decoder.edges import collect_edges
from hyperbaton.decoder.search_space import SearchSpace
from hyperbaton.decoder.workspace import (
    GROUPS,
    HYPOTHESES,
    MEMBERS,
    NARROWED,
    NO_ANSWERS,
    NO_TRANSLATION,
    Workspace,
)
from hyperbaton.foundation.coverage import ONE
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel, uncounted, uncounted_kernel

UNLIMITED = 1 << 40
# Instead of a hypothesis
ASK = -3  # the coverage models must score the steps, or the search pauses
STOPPED = -4
PAUSE = 50_000  # steps between checks whether the search was cancelled
# Limits of the remaining stacks after the deadline
NARROW_POPS, NARROW_STACK = 20, 10


class SearchLimits(NamedTuple):
    pops: int  # steps taken into each stack
    stack_size: int
    beam: float
    distortion: int
    reach: float  # take no steps this much below the best hypothesis of the stack
    keep_arcs: bool  # keep all tried steps, for n-best lists

    def narrowed(self) -> "SearchLimits":
        """Limits after the deadline: few steps, but every hypothesis can reach the end."""
        pops, stack_size = min(self.pops, NARROW_POPS), min(self.stack_size, NARROW_STACK)
        return self._replace(pops=pops, stack_size=stack_size)


def search(
    space: SearchSpace,
    lm: Any,  # a language model for compiled code
    ws: Workspace,
    limits: SearchLimits,
    models: CoverageModels | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    deadline: float = inf,
) -> int:
    """The best complete hypothesis, NO_TRANSLATION, the code of a full array, or STOPPED.

    After the `deadline`, on the clock `perf_counter`, the beam narrows.
    """
    answers, n_covered, n_edges = NO_ANSWERS, 0, 0
    n_stacks = 1 if models or deadline < inf else max(1, PAUSE // limits.pops)
    while True:
        here = space, lm, ws, limits, answers, n_covered, n_edges
        if models is None:
            result, n_edges = _search_on(*here, n_stacks)
        else:
            result, n_edges, batch = _search_to_question(
                *here, n_stacks, models.joint_states, models.n_models
            )
        if result != ASK:
            return int(result)
        if is_stopped():
            return STOPPED
        n_covered += n_stacks
        if perf_counter() > deadline:
            limits = limits.narrowed()
            ws.counters[NARROWED] += 1
        if models is not None:
            is_last = n_covered == space.n_words
            answers = models.ask(batch, is_last=is_last)


@kernel
def _search_to_question(
    space, lm, ws, limits, answers, n_covered, n_edges, n_stacks, joint_states, n_models
):  # fmt: skip
    """Runs `_search_on` and makes the batch of steps for the models, in one call, because passing
    the arguments of each call from Python takes time."""
    result, n_edges = _search_on(space, lm, ws, limits, answers, n_covered, n_edges, n_stacks)
    if result == ASK:
        classify(ws, n_covered)
    edges = ws.edges[: n_edges if result == ASK else 0]
    return result, n_edges, batch_of_steps(space, ws, edges, joint_states, n_models)


@uncounted_kernel
def _search_on(space, lm, ws, limits, answers, n_covered, n_edges, n_stacks):
    """Continues the search from a stack to the end, or until the edges into the stack `n_stacks`
    later are collected. `n_edges` lead into this stack; `answers` are the models' answers for their
    steps.

    Returns the best hypothesis, NO_TRANSLATION, ASK or the code of a full array, and the number of
    edges collected last.
    """
    pause = n_covered + n_stacks
    while True:
        if n_covered == 0:
            best, distortion = space.future[0, space.n_words], space.distortion.state_of_option[0]
            _begin(ws, best, space.begin_state, distortion, space.lazy.begin_state)
        else:
            full = fill_stack(space, lm, ws, limits, answers, n_covered, n_edges)
            if full:
                return full, n_edges
            prune_and_group(ws, limits, n_covered)
        if n_covered == space.n_words:
            return best_hypothesis(ws.stacks, ws.hypotheses, n_covered), n_edges
        n_covered += 1
        n_edges = collect_edges(space, ws, n_covered, limits.distortion)
        if n_edges < 0:
            return n_edges, n_edges
        if n_covered == pause:
            return ASK, n_edges


@uncounted
def _begin(ws, future, lm_state, distortion, lazy_state):
    """Initialises stack 0 with the empty hypothesis; `future` is the estimate for the sentence."""
    first, group, member = ws.hypotheses[0], ws.groups[0], ws.members[0]
    first.score, first.total = 0.0, future
    first.lm_state = member.lm_state = lm_state
    first.distortion, first.lazy_state = distortion, lazy_state
    first.option = first.previous = EMPTY
    first.group = first.joint_state = 0
    ws.coverage[0, :] = 0
    group.future = group.words = future
    group.jumps = 0.0
    group.end, group.gap, group.begin, group.size = 0, 0, 0, 1
    member.score = 0.0
    member.hypothesis = member.last = member.kind = 0
    ws.stacks[0].hypothesis, ws.stacks[1].hypothesis = 0, 1
    ws.stacks[0].group, ws.stacks[1].group = 0, 1
    ws.stacks[0].best, ws.stacks[0].n_kept = future, 1
    ws.counters[:] = 0
    ws.counters[HYPOTHESES] = ws.counters[GROUPS] = ws.counters[MEMBERS] = 1


@uncounted
def best_hypothesis(stacks, hypotheses, stack):
    """The best hypothesis of a stack, or NO_TRANSLATION."""
    best = NO_TRANSLATION
    for hypothesis in range(stacks[stack].hypothesis, stacks[stack + 1].hypothesis):
        if best == NO_TRANSLATION or hypotheses[hypothesis].total > hypotheses[best].total:
            best = hypothesis
    return best


@uncounted
def prune_and_group(ws, limits, stack):
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
    lowest = max(best - limits.beam, -FORBIDDEN / 2)
    n_equal = last - first  # number of hypotheses with the lowest score to keep
    if last - first > limits.stack_size:
        # there are at least as many steps as hypotheses, and their totals are no longer needed
        cut, n_equal_to_cut = _cut(hypotheses, ws.steps["total"], limits.stack_size)
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


@uncounted
def _cut(hypotheses, room, size):
    """The lowest score to keep, and the number of hypotheses with this score to keep."""
    totals = room[: len(hypotheses)]
    for number in range(len(hypotheses)):
        totals[number] = hypotheses[number].total
    cut = _smallest(totals, len(totals) - size)
    n_better = 0
    for number in range(len(hypotheses)):
        n_better += hypotheses[number].total > cut
    return cut, size - n_better


@uncounted
def _smallest(values, rank):
    """The value of a rank, 0 for the smallest (Hoare 1961, algorithm 65); reorders the values.

    Like `np.partition`, which would take a third of the compile time of the search.
    """
    low, high = 0, len(values) - 1
    while low < high:
        pivot = values[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while values[right] > pivot:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left, right = left + 1, right - 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return values[rank]
