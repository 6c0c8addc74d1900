"""The memory of a search, allocated once and reused for all sentences.

All arrays have records: values that are read together are adjacent in memory, and the compiled
search gets a dozen arrays instead of fifty. Row numbers are unsigned, because Numba then omits the
code for negative indices.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.ranking.buckets import N_BUCKETS
from hyperbaton.foundation.arrays import Int32Array, Int64Array, UInt64Array
from hyperbaton.models.language_model.asking import no_answers
from hyperbaton.models.language_model.stepping import MEMORY_BITS

HYPOTHESIS = np.dtype(
    [
        ("score", np.float64),  # of the best path to the hypothesis, without the future
        ("total", np.float64),  # with the future, by which hypotheses are compared
        ("lm_state", np.int32),
        ("distortion", np.int32),  # state of the table models
        ("joint_state", np.int32),  # of the coverage models
        ("group", np.uint32),
        ("option", np.int32),  # last option of the best path; −1 at the beginning
        ("previous", np.int32),  # previous hypothesis on the best path
        ("lazy_state", np.int32),  # of the lazy model
        ("is_kept", np.int32),  # whether it survived pruning
    ]
)
# Every step taken, including those that lost in recombination
ARC = np.dtype(
    [
        ("score", np.float64),  # of the step alone
        ("to", np.uint32),
        ("before", np.uint32),
        ("option", np.int32),
        ("unused", np.int32),
    ]
)
# Hypotheses of a stack with equal coverage and end of the last phrase
GROUP = np.dtype(
    [
        ("future", np.float64),  # estimate for the remaining words and jumps, and the next jump
        ("words", np.float64),  # estimate for the remaining words
        ("jumps", np.float64),  # estimate for the jumps between gaps
        ("end", np.int32),
        ("gap", np.int32),  # first uncovered word
        ("begin", np.uint32),  # first member
        ("size", np.uint32),
    ]
)
# The hypotheses kept in a group, best first, with all values for scoring a step from them
MEMBER = np.dtype(
    [
        ("score", np.float64),
        ("hypothesis", np.uint32),
        ("lm_state", np.int32),
        ("last", np.uint32),  # last option, plus one
        ("kind", np.uint32),  # number of its joint state in the group
    ]
)
# A group and a span that may follow it, in the queue
EDGE = np.dtype(
    [
        ("total", np.float64),  # of its first step, without context for the language model
        ("group", np.uint32),
        ("span", np.uint32),
        ("below", np.int32),  # next item in the bucket of the edge
        ("first_answer", np.int32),  # row in the answers of the coverage models
    ]
)
# An opened edge: the steps from its group's members along its span's options
STEP_GRID = np.dtype(
    [
        ("score", np.float64),  # the distortion score that all its steps share
        ("future", np.float64),  # after the step
        ("target", np.uint32),  # group that it leads to
        ("member", np.uint32),  # first member of the group ...
        ("member_end", np.uint32),
        ("option", np.uint32),  # first option of the span ...
        ("option_end", np.uint32),
        ("first_answer", np.int32),  # as in EDGE
    ]
)
# A member of a grid's group followed by an option of its span
STEP = np.dtype(
    [
        ("score", np.float64),
        ("total", np.float64),
        ("grid", np.uint32),
        ("member", np.uint32),
        ("option", np.uint32),
        ("lm_state", np.int32),  # afterwards
        ("joint_state", np.int32),  # afterwards
        ("below", np.int32),  # next item in the bucket of the step
        ("lazy_state", np.int32),  # afterwards
        ("unused", np.int32),
    ]
)
STACK = np.dtype(
    [
        ("hypothesis", np.int64),  # the first of the stack
        ("group", np.int64),  # the first of the stack
        ("n_kept", np.int64),  # hypotheses after pruning
        ("best", np.float64),  # total
    ]
)
# The answers of the coverage models for all steps into the current stack, sorted by edge, kind of
# member and option
ANSWER = np.dtype(
    [
        ("score", np.float64),
        ("joint_state", np.int32),  # of the hypothesis after the step
        ("unused", np.int32),
    ]
)
NO_ANSWERS = np.empty(0, ANSWER)  # without coverage models
# Counters of a search
COUNTERS = (
    "hypotheses", "pops", "arcs", "groups", "members", "edges", "grids", "steps", "lm_words",
    "narrowed",
)  # fmt: skip
HYPOTHESES, POPS, ARCS, GROUPS, MEMBERS, EDGES, GRIDS, STEPS, LM_WORDS, NARROWED = range(
    len(COUNTERS)
)

# Instead of a hypothesis
NO_TRANSLATION = -2  # no translation within the limits
# FULL − n: field n of the capacity is too small; enlarge it and search again
FULL = -10


class Workspace(NamedTuple):
    stacks: NDArray[Any]  # (stacks + 1,) STACK
    hypotheses: NDArray[Any]  # HYPOTHESIS, stack by stack
    arcs: NDArray[Any]  # ARC
    groups: NDArray[Any]  # GROUP
    coverage: UInt64Array  # (groups, W) of each group
    members: NDArray[Any]  # MEMBER, group by group
    # of the current stack
    edges: NDArray[Any]  # EDGE
    grids: NDArray[Any]  # STEP_GRID
    steps: NDArray[Any]  # STEP
    bucket: Int32Array  # queue items by score: four times their number, plus their kind
    slots: Int32Array  # hash table of hypotheses, for recombination
    group_slots: Int32Array  # hash table of groups
    # of the whole search
    counters: Int64Array  # as in COUNTERS
    memory: NDArray[Any]  # recent answers of the language model


class Capacity(NamedTuple):
    hypotheses: int  # and arcs
    groups: int
    edges: int
    steps: int  # and grids
    slots: int

    def enlarged(self, result: int) -> "Capacity":
        """Twice the capacity of the array that was full."""
        name = self._fields[FULL - result]
        return self._replace(**{name: 2 * getattr(self, name)})


NO_HYPOTHESES, NO_GROUPS, NO_EDGES, NO_STEPS, NO_SLOTS = (
    FULL - field for field in range(len(Capacity._fields))
)


def workspace_bytes(capacity: Capacity) -> int:
    """Memory of a workspace without its small arrays, for coverages of one word."""
    sizes = Capacity(
        hypotheses=HYPOTHESIS.itemsize + ARC.itemsize + MEMBER.itemsize,
        groups=GROUP.itemsize + 8,
        edges=EDGE.itemsize,
        steps=STEP.itemsize + STEP_GRID.itemsize,
        slots=3 * 4,
    )
    return sum(number * size for number, size in zip(capacity, sizes, strict=True))


def make_workspace(n_words: int, coverage_size: int, capacity: Capacity) -> Workspace:
    return Workspace(
        np.zeros(n_words + 2, STACK),
        np.zeros(capacity.hypotheses, HYPOTHESIS),
        np.zeros(capacity.hypotheses, ARC),
        np.zeros(capacity.groups, GROUP),
        np.zeros((capacity.groups, coverage_size), np.uint64),
        np.zeros(capacity.hypotheses, MEMBER),
        np.zeros(capacity.edges, EDGE),
        np.zeros(capacity.steps, STEP_GRID),
        np.zeros(capacity.steps, STEP),
        np.zeros(N_BUCKETS, np.int32),
        np.zeros(capacity.slots, np.int32),
        np.zeros(2 * capacity.slots, np.int32),
        np.zeros(len(COUNTERS), np.int64),
        no_answers(MEMORY_BITS),
    )
