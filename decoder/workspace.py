"""The memory of a search, made once and used for sentence after sentence."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array

FloatArray = NDArray[np.float64]
N_BUCKETS = 2048  # of the queue of cells


class Workspace(NamedTuple):
    # hypotheses, stack by stack
    score: FloatArray  # of the best path to the hypothesis, without the future
    total: FloatArray  # with the future, by which hypotheses are compared
    lm_state: Int32Array
    option: Int32Array  # taken last on the best path
    previous: Int32Array  # hypothesis before on the best path
    group: Int32Array
    extra: Int32Array  # joint state of the models that look at the coverage
    stack_begin: Int64Array  # (stacks + 1,) first hypothesis of each stack
    stack_best: FloatArray  # (stacks + 1,) best total so far
    # arcs: every step that was made, also those that lost in recombination
    arc_to: Int32Array
    arc_from: Int32Array
    arc_option: Int32Array
    arc_score: FloatArray  # of the step alone
    # groups: hypotheses of a stack with equal coverage and end of the last phrase
    group_coverage: NDArray[np.uint64]  # (groups, W)
    group_end: Int32Array
    group_future: FloatArray
    group_gap: Int32Array  # first word that is not covered
    group_begin: Int32Array  # first member in `members`
    group_size: Int32Array
    stack_group: Int64Array  # (stacks + 1,) first group of each stack
    members: Int32Array  # hypotheses group by group, best first
    member_class: Int32Array  # number of each member's `extra` among those of its group
    # of the stack that is being filled
    edge_group: Int32Array  # a group and a span that may follow it
    edge_span: Int32Array
    edge_target: Int32Array  # group that they lead to
    edge_score: FloatArray
    edge_row: Int64Array  # first row of the edge in `seen`
    seen: NDArray[np.uint64]  # for each edge and member the options that were tried, as bits
    cell_edge: Int32Array  # a member of an edge's group with an option of its span
    cell_member: Int32Array
    cell_option: Int32Array
    cell_score: FloatArray  # of the step
    cell_total: FloatArray
    cell_state: Int32Array  # language model state afterwards
    cell_extra: Int32Array  # `extra` afterwards
    cell_below: Int32Array  # the next cell in the same bucket
    bucket: Int32Array  # cells to be taken, by score: the first of each bucket
    slots: Int32Array  # hash table of hypotheses, for recombination
    group_slots: Int32Array  # hash table of groups
    counters: Int64Array  # hypotheses, arcs, groups, members


class Extra(NamedTuple):
    """What the models that look at the coverage say of the stack that is being filled.

    For every edge, class of members and option, in this order.
    """

    edge_begin: Int64Array  # (edges,) first value of each edge; no edges: there are no such models
    score: FloatArray
    next: Int32Array  # `extra` after the step


NO_EXTRA = Extra(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int32))


class Capacity(NamedTuple):
    hypotheses: int
    groups: int
    edges: int
    seen: int
    cells: int
    slots: int


def make_workspace(n_words: int, coverage_size: int, capacity: Capacity) -> Workspace:
    def ints(n: int) -> Int32Array:
        return np.empty(n, np.int32)

    def longs(n: int) -> Int64Array:
        return np.empty(n, np.int64)

    def floats(n: int) -> FloatArray:
        return np.empty(n, np.float64)

    n, g, e, c = capacity.hypotheses, capacity.groups, capacity.edges, capacity.cells
    return Workspace(
        floats(n), floats(n), ints(n), ints(n), ints(n), ints(n), ints(n), longs(n_words + 2),
        floats(n_words + 2), ints(n), ints(n), ints(n), floats(n),
        np.empty((g, coverage_size), np.uint64), ints(g), floats(g), ints(g), ints(g), ints(g),
        longs(n_words + 2), ints(n), ints(n),
        ints(e), ints(e), ints(e), floats(e), longs(e), np.empty(capacity.seen, np.uint64),
        ints(c), ints(c), ints(c), floats(c), floats(c), ints(c), ints(c), ints(c),
        ints(N_BUCKETS), ints(capacity.slots), ints(2 * capacity.slots), longs(4),
    )  # fmt: skip
