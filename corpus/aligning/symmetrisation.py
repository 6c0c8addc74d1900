"""Symmetrisation: one word alignment from two directed ones.

A directed aligner gives every word at most one partner, so only one direction can link a word to
both words that translate it. Symmetrisation keeps the links found in both directions (the
intersection) and adds others from the union (Och and Ney 2003, section 5; Koehn et al. 2005,
"Edinburgh system description", with the growing algorithm):

    grow    neighbours of chosen links, if they link a word that has no link yet; then neighbours of
            newly chosen links, until there are none; with `diag` also diagonal neighbours
    final   then all other links of the forward direction, followed by those of the backward
            direction, if they link a word that has no link yet (`final-and`: two such words)

The result depends on the order, because a link that is added early covers words and excludes later
links. We use the order of Moses' `symal`: target words from left to right, the source words of each
from left to right, and neighbours as in `_STEPS`. The two inputs may be any sets of links. `symal`
calls the intersection `intersect`; its srctotgt and tgttosrc are the unchanged directions.

Links have no probabilities, and links outside the union are never added.
"""

from typing import Final

import numpy as np

from hyperbaton.foundation.arrays import Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, SettingError, nearest
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound

NO_FINAL, ONE_UNCOVERED, BOTH_UNCOVERED = 0, 1, 2  # which links the final step may add
BLOCK, DIAGONAL = 4, 8  # number of neighbours of a link
GROWING: Final = {
    "grow": (BLOCK, NO_FINAL),
    "grow-final": (BLOCK, ONE_UNCOVERED),
    "grow-diag": (DIAGONAL, NO_FINAL),
    "grow-diag-final": (DIAGONAL, ONE_UNCOVERED),
    "grow-diag-final-and": (DIAGONAL, BOTH_UNCOVERED),
}
METHODS: Final = ("intersection", "union", *GROWING)

# A link is one number that sorts by pair, target and source, with 18 bits for each position. 16
# bits would hold a position; with 18, a step beyond a sentence's edge never equals another link.
_BITS: Final = 18
_MASK: Final = (1 << _BITS) - 1
_TARGET: Final = 1 << _BITS
_STEPS: Final = np.array(
    [-_TARGET, -1, _TARGET, 1, -_TARGET - 1, -_TARGET + 1, _TARGET - 1, _TARGET + 1]
)
_N_POSITIONS: Final = 1 << 16

FORWARD, BACKWARD, BOTH = 1, 2, 3  # the directions that contain a link of the union


def symmetrise(forward: Ragged, backward: Ragged, method: str = "grow-diag-final-and") -> Ragged:
    """The symmetrised links of every pair, sorted by source and target.

    Both directions hold (source, target) rows; `forward` has chosen a source word for each target
    word. Order and repetitions do not matter.

    >>> one_pair = np.array([0, 2])
    >>> forward = Ragged(np.array([[0, 0], [0, 1]], dtype=np.uint16), one_pair)
    >>> backward = Ragged(np.array([[0, 0], [1, 1]], dtype=np.uint16), one_pair)
    >>> symmetrise(forward, backward).values.tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    if method not in METHODS:
        raise SettingError(
            f"unknown symmetrisation {method!r}", expected=nearest(method, list(METHODS))
        )
    if len(forward) != len(backward):
        raise DataError(
            f"the directions have {len(forward)} and {len(backward)} sentence pairs",
            expected="both must align the same text",
        )
    keys, origin = _union(forward, backward)
    if method == "union":
        chosen = np.ones(len(keys), dtype=bool)
    elif method == "intersection":
        chosen = origin == BOTH
    else:
        n_neighbours, final = GROWING[method]
        offsets = np.searchsorted(keys >> 2 * _BITS, np.arange(len(forward) + 1))
        chosen = _grow(keys, offsets, origin, _STEPS[:n_neighbours], final)
    return _links(keys[chosen], len(forward))


def _union(forward: Ragged, backward: Ragged) -> tuple[Int64Array, Int64Array]:
    """The sorted keys of all links, and the directions that contain each."""
    both = np.concatenate([_keys(forward), _keys(backward)])
    keys, place = np.unique(both, return_inverse=True)
    origin = np.zeros(len(keys), dtype=np.int64)
    n_forward = len(forward.values)
    origin[place[:n_forward]] |= FORWARD
    origin[place[n_forward:]] |= BACKWARD
    return keys, origin


def _keys(links: Ragged) -> Int64Array:
    source, target = links.values.reshape(-1, 2).astype(np.int64).T
    keys: Int64Array = (links.row_of_value << 2 * _BITS) | (target << _BITS) | source
    return keys


def _links(keys: Int64Array, n_pairs: int) -> Ragged:
    pair, target, source = keys >> 2 * _BITS, keys >> _BITS & _MASK, keys & _MASK
    order = np.lexsort((target, source, pair))
    values = np.stack([source[order], target[order]], axis=1).astype(np.uint16)
    return Ragged(values, np.searchsorted(pair, np.arange(n_pairs + 1)))


@kernel
def _grow(keys, offsets, origin, steps, final):
    """Chooses links of the union by their sorted keys: (n_links,) bool."""
    chosen = origin == BOTH
    visited = np.zeros(len(keys), dtype=np.bool_)
    source_covered = np.zeros(_N_POSITIONS, dtype=np.bool_)
    target_covered = np.zeros(_N_POSITIONS, dtype=np.bool_)
    for pair in range(len(offsets) - 1):
        begin, end = offsets[pair], offsets[pair + 1]
        for link in range(begin, end):
            source_covered[keys[link] & _MASK] |= chosen[link]
            target_covered[keys[link] >> _BITS & _MASK] |= chosen[link]
        _grow_pair(keys, begin, end, steps, chosen, visited, source_covered, target_covered)
        if final != NO_FINAL:
            for direction in (FORWARD, BACKWARD):
                for link in range(begin, end):
                    source, target = keys[link] & _MASK, keys[link] >> _BITS & _MASK
                    n_covered = int(source_covered[source]) + int(target_covered[target])
                    if origin[link] == direction and n_covered <= 2 - final:
                        chosen[link] = source_covered[source] = target_covered[target] = True
        for link in range(begin, end):  # reset for the next pair
            source_covered[keys[link] & _MASK] = False
            target_covered[keys[link] >> _BITS & _MASK] = False
    return chosen


@inner
def _grow_pair(keys, begin, end, steps, chosen, visited, source_covered, target_covered):
    """Passes over the chosen links until a pass adds nothing. Changes the last four arrays.

    One visit settles all neighbours of a link, because words never become uncovered. So no link
    needs a second visit, and a pass begins at the first link that the previous pass added before
    its current position.
    """
    first = begin
    while first < end:
        next_first = end
        for link in range(first, end):
            if not chosen[link] or visited[link]:
                continue
            visited[link] = True
            for step in steps:
                near = lower_bound(keys, begin, end, keys[link] + step)
                if near == end or keys[near] != keys[link] + step:
                    continue
                source, target = keys[near] & _MASK, keys[near] >> _BITS & _MASK
                if source_covered[source] and target_covered[target]:
                    continue
                chosen[near] = source_covered[source] = target_covered[target] = True
                if near < link:
                    next_first = min(next_first, near)
        first = next_first
