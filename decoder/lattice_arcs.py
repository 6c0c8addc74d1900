"""The best part of a search lattice, with one end: arcs alone, and the best paths through them."""

from typing import NamedTuple

import numpy as np

from hyperbaton.decoder.lattice import NONE, Lattice
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import kernel


class Arcs(NamedTuple):
    """Arcs sorted by the node they lead to. Node 0 is the beginning, the last one the end; nodes
    come before those that they lead to."""

    before: Int32Array
    to: Int32Array
    option: Int32Array  # NONE for arcs from complete translations to the end
    score: FloatArray


def pruned_arcs(lattice: Lattice, n: int) -> Arcs:
    """The `n` arcs with the best derivations, all if there are fewer, and what they need to be on a
    path from the beginning to the end."""
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
    """The arcs of a lattice, and one from every complete translation to a common end."""
    complete = np.flatnonzero(lattice.following == NONE).astype(np.int32)
    same = np.ones_like(complete)
    return Arcs(
        np.concatenate([lattice.arc_from, complete]),
        np.concatenate([lattice.arc_to, same * len(lattice)]),
        np.concatenate([lattice.arc_option, same * NONE]),
        np.concatenate([lattice.arc_score, np.zeros(len(complete))]),
    )


class BestPaths(NamedTuple):
    to: Int64Array  # (nodes,) the last arc of the best path to each, NONE for the beginning
    after: Int64Array  # (nodes,) the first arc of the best path to the end, NONE for the end
    total: FloatArray  # (arcs,) scores of the best derivations through them


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
    """These arcs, and those on the best paths through them: rounding may have parted equals."""
    for arc in range(len(arcs.to) - 1, -1, -1):
        if is_kept[arc] and arcs.before[arc]:
            is_kept[best.to[arcs.before[arc]]] = True
    for arc in range(len(arcs.to)):
        if is_kept[arc] and best.after[arcs.to[arc]] != NONE:
            is_kept[best.after[arcs.to[arc]]] = True
    return np.flatnonzero(is_kept)
