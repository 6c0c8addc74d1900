"""The search lattice: all derivations found by a search, as a graph.

A node is a hypothesis, and an arc is a step between two; recombined hypotheses are one node with
several arcs. Only nodes and arcs on a path to a complete translation are kept. The lattice of an
exhaustive search has every derivation, that of a pruned search those that survived. A pruned
lattice, with a single end node, is stored as arcs only (`Arcs`).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hyperbaton.decoder.constraints.price import FORBIDDEN
from hyperbaton.decoder.workspace import ARCS, HYPOTHESES, Workspace
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.kernels import kernel

NONE = -1


@dataclass(frozen=True, eq=False)
class Lattice:
    """V nodes and A arcs. Node 0 is the empty hypothesis. Nodes are in topological order; arcs are
    sorted by their end node, the one on the best path first."""

    n_covered: Int64Array  # (V,) source words
    coverage: UInt64Array  # (V, W) as bits
    score: FloatArray  # (V,) of the best path to the node
    future: FloatArray  # (V,) the search's future estimate
    rest: FloatArray  # (V,) score of the best path from the node to the end
    following: Int32Array  # (V,) next node on this path, NONE at the end
    arc_from: Int32Array  # (A,)
    arc_to: Int32Array  # (A,)
    arc_option: Int32Array  # (A,)
    arc_score: FloatArray  # (A,) of the step

    def __len__(self) -> int:
        return len(self.score)


def make_lattice(workspace: Workspace, n_words: int) -> Lattice:
    """The lattice of the last search in this workspace, which must have recorded arcs."""
    stack_begin = workspace.stacks["hypothesis"][: n_words + 2]
    hypotheses = workspace.hypotheses[: workspace.counters[HYPOTHESES]]
    rest, following, arcs = _useful(
        hypotheses, workspace.arcs[: workspace.counters[ARCS]], int(stack_begin[n_words])
    )
    kept = np.flatnonzero(np.isfinite(rest))
    number = np.full(len(hypotheses), NONE, np.int32)
    number[kept] = np.arange(len(kept))
    nodes, steps = hypotheses[kept], workspace.arcs[arcs]
    # nodes are numbered stack by stack, so sorting by their numbers sorts by stacks
    is_other = (hypotheses["previous"][steps["to"]] != steps["before"]) | (
        hypotheses["option"][steps["to"]] != steps["option"]
    )
    steps = steps[np.lexsort((is_other, steps["to"]))]
    return Lattice(
        np.searchsorted(stack_begin, kept, side="right") - 1,
        workspace.coverage[nodes["group"]],
        nodes["score"].copy(),
        nodes["total"] - nodes["score"],
        rest[kept],
        np.where(following[kept] == NONE, NONE, number[following[kept]]).astype(np.int32),
        number[steps["before"]],
        number[steps["to"]],
        steps["option"].copy(),
        steps["score"].copy(),
    )


@kernel
def _useful(hypotheses, arcs, first_complete):
    """The best score from each hypothesis to the end, −inf without a path; the next hypothesis on
    the best path; and the arcs that reach the end. Arcs are in the order of their end stacks."""
    rest = np.full(len(hypotheses), -np.inf)
    for number in range(first_complete, len(hypotheses)):
        if hypotheses[number].score > -FORBIDDEN / 2:
            rest[number] = 0.0
    following = np.full(len(hypotheses), NONE, np.int32)
    is_useful = np.zeros(len(arcs), np.bool_)
    for number in range(len(arcs) - 1, -1, -1):
        arc = arcs[number]
        total = arc.score + rest[arc.to]
        is_useful[number] = rest[arc.to] > -np.inf
        if is_useful[number] and total >= rest[arc.before]:  # the first of equal arcs wins
            rest[arc.before], following[arc.before] = total, arc.to
    return rest, following, np.flatnonzero(is_useful)


class Arcs(NamedTuple):
    """Arcs sorted by their end node. Nodes are in topological order; the first is the beginning,
    the last the end."""

    before: Int32Array
    to: Int32Array
    option: Int32Array  # NONE for arcs from complete translations to the end
    score: FloatArray


def pruned_arcs(lattice: Lattice, n: int) -> Arcs:
    """The `n` arcs with the best derivations, or all if there are fewer, and the arcs that connect
    them to the beginning and the end."""
    arcs = _with_end(lattice)
    best = best_paths(arcs)
    worst = -np.partition(-best.total, n - 1)[n - 1] if n < len(best.total) else -np.inf
    kept = _connected(arcs, best, best.total >= worst)
    nodes = np.concatenate([[0], np.unique(arcs.to[kept])])
    return Arcs(
        np.searchsorted(nodes, arcs.before[kept]).astype(np.int32),
        np.searchsorted(nodes, arcs.to[kept]).astype(np.int32),
        arcs.option[kept],
        arcs.score[kept],
    )


def _with_end(lattice: Lattice) -> Arcs:
    """The arcs of a lattice, and arcs from every complete translation to a common end."""
    complete = np.flatnonzero(lattice.following == NONE).astype(np.int32)
    same = np.ones_like(complete)
    return Arcs(
        np.concatenate([lattice.arc_from, complete]),
        np.concatenate([lattice.arc_to, same * len(lattice)]),
        np.concatenate([lattice.arc_option, same * NONE]),
        np.concatenate([lattice.arc_score, np.zeros(len(complete))]),
    )


class BestPaths(NamedTuple):
    to: Int64Array  # (nodes,) last arc of the best path to each node, NONE for the beginning
    after: Int64Array  # (nodes,) first arc of the best path to the end, NONE for the end
    total: FloatArray  # (arcs,) score of the best derivation through each arc


@kernel
def best_paths(arcs):
    n_nodes = arcs.to[-1] + 1
    to, after = np.full(n_nodes, NONE, np.int64), np.full(n_nodes, NONE, np.int64)
    score, rest = np.full(n_nodes, -np.inf), np.full(n_nodes, -np.inf)
    score[0] = rest[-1] = 0.0
    for arc in range(len(arcs.to)):
        node, path = arcs.to[arc], score[arcs.before[arc]] + arcs.score[arc]
        if to[node] == NONE or path > score[node]:
            to[node], score[node] = arc, path
    for arc in range(len(arcs.to) - 1, -1, -1):
        node, path = arcs.before[arc], rest[arcs.to[arc]] + arcs.score[arc]
        if after[node] == NONE or path > rest[node]:
            after[node], rest[node] = arc, path
    return BestPaths(to, after, score[arcs.before] + arcs.score + rest[arcs.to])


@kernel
def _connected(arcs, best, is_kept):
    """Adds the arcs on the best paths through the kept arcs, which rounding may have excluded."""
    for arc in range(len(arcs.to) - 1, -1, -1):
        if is_kept[arc] and arcs.before[arc]:
            is_kept[best.to[arcs.before[arc]]] = True
    for arc in range(len(arcs.to)):
        if is_kept[arc] and best.after[arcs.to[arc]] != NONE:
            is_kept[best.after[arcs.to[arc]]] = True
    return np.flatnonzero(is_kept)
