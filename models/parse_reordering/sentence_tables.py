"""What the model knows of a sentence before the search: options as units, and their situations.

An option is scored as the units of its inner alignment, one after the other, each with the coverage
that the units before it leave: the score of a translation does not depend on how it was cut into
phrases, and multi-word phrases need no features of their own. A *place* is a source span on which
units lie. All that does not depend on the coverage is worked out here, once for each place:

    scores   prior and static groups summed, (places, candidates, jumps)
    groups   for every neighbour and state of coverage the groups that it switches on
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from models.arrays import Int32Array
from models.hashing import EMPTY
from models.parse_reordering.features import add_group, find_group
from models.parse_reordering.inventory import (
    NOTHING,
    OTHER,
    UNKNOWN_SOURCE,
    find_candidate,
    find_source,
)
from models.parse_reordering.likelihood import gather
from models.parse_reordering.neighbourhood import MOST, cover, find_neighbours
from models.parse_reordering.path import Path, append_phrase_path
from models.parse_reordering.priors import fill_prior
from models.parse_reordering.templates import (
    BEFORE_LAST,
    COV,
    HISTORY,
    LAST,
    MOST_CANDIDATES,
    MOST_STATIC,
    N_JUMPS,
    SIB,
    WORDS,
    inside_key,
    near_keys,
    pack,
    phrase_tag,
    sibling_keys,
    static_keys,
)
from models.phrases.extraction import GRID
from models.phrases.trie import ROOT, child

FloatArray = NDArray[np.float64]
FROM_STATE = -2  # a history group that depends on the words before the option
N_SPECIAL = 3  # questions beside the siblings: left word, right word, parent


class Units(NamedTuple):
    """The options as units, in the order of their visits."""

    begin: Int32Array  # (N + 1,) units of each option
    place: Int32Array  # (U,)
    choice: Int32Array  # (U,) number of the candidate
    at: Int32Array  # (U,) position among the option's target words
    last_group: Int32Array  # (U,) history groups; EMPTY, or FROM_STATE
    before_group: Int32Array
    shape: Int32Array  # (N,) options whose units lie on the same places have the same shape
    example: Int32Array  # an option of each shape


class Places(NamedTuple):
    start: Int32Array  # (P,)
    end: Int32Array
    source: Int32Array  # source phrase
    tag: Int32Array
    n: Int32Array  # candidates
    prior: FloatArray  # (P, candidates, jumps) log p0
    scores: FloatArray  # (P, candidates, jumps) with the static groups
    n_neighbours: Int32Array
    masks: NDArray[np.uint64]  # (P, N_SPECIAL + MOST, W) words of the left and right neighbour, of
    # the parent and the siblings; 0: there is none
    groups: Int32Array  # (P, N_SPECIAL + MOST, 3 states, 2) what they switch on, or EMPTY


@njit(cache=True, nogil=True)
def make_units(
    inventory, features, families, words, starts, ends, inner, target_words, target_offsets, n_words
):
    """Units of all options; places by start and length; how many places and shapes there are.

    `words` are the sentence's with one more at both ends; `target_words` those of the options.
    """
    size = 0
    for option in range(len(starts)):
        size += ends[option] - starts[option]
    units = Units(
        np.zeros(len(starts) + 1, np.int32), np.empty(size, np.int32), np.empty(size, np.int32),
        np.empty(size, np.int32), np.full(size, EMPTY, np.int32), np.full(size, EMPTY, np.int32),
        np.empty(len(starts), np.int32), np.empty(len(starts), np.int32),
    )  # fmt: skip
    # shapes of the same span form a chain
    newest = np.full((n_words, GRID), EMPTY, np.int32)
    older = np.empty(len(starts), np.int32)
    n_shapes = 0
    place_of = np.full((n_words, GRID), EMPTY, np.int32)
    links = np.empty((GRID * GRID, 2), np.int64)
    path = Path(
        np.empty(GRID + 1, np.int32), np.empty(GRID + 1, np.int32), np.empty(GRID + 1, np.int32),
        np.zeros(GRID + 2, np.int64), np.empty(max(GRID * GRID, len(target_words) + 1), np.int32),
    )  # fmt: skip
    n_places, unit = 0, 0
    for option in range(len(starts)):
        start, length = starts[option], ends[option] - starts[option]
        targets = target_words[target_offsets[option] : target_offsets[option + 1]]
        n_units = append_phrase_path(inner[option], length, len(targets), links, path, 0)
        for k in range(n_units):
            first, last = start + path.start[k], start + path.end[k]
            if place_of[first, last - first - 1] == EMPTY:
                place_of[first, last - first - 1] = n_places
                n_places += 1
            source = find_source(inventory, words, first + 1, last + 1)
            units.place[unit] = place_of[first, last - first - 1]
            target = _find_target(inventory, targets, path, k)
            units.choice[unit] = find_candidate(inventory, source, target)
            units.at[unit] = path.at[k]
            if families & HISTORY and source != UNKNOWN_SOURCE:
                at = path.at[k]
                units.last_group[unit] = units.before_group[unit] = FROM_STATE
                if at > 0:
                    key = pack(LAST, source, max(targets[at - 1], 0))
                    units.last_group[unit] = find_group(features, key)
                if at > 1:
                    key = pack(BEFORE_LAST, source, max(targets[at - 2], 0))
                    units.before_group[unit] = find_group(features, key)
            unit += 1
        units.begin[option + 1] = unit
        shape = newest[start, length - 1]
        while shape != EMPTY and not _same_places(units, units.example[shape], option):
            shape = older[shape]
        if shape == EMPTY:
            shape = n_shapes
            units.example[shape], older[shape] = option, newest[start, length - 1]
            newest[start, length - 1] = shape
            n_shapes += 1
        units.shape[option] = shape
    return units, place_of, n_places, n_shapes


@njit(cache=True, nogil=True)
def _same_places(units, option, other):
    first, second = units.begin[option], units.begin[other]
    n = units.begin[option + 1] - first
    if units.begin[other + 1] - second != n:
        return False
    is_same = True
    for k in range(n):
        is_same = is_same and units.place[first + k] == units.place[second + k]
    return is_same


@njit(cache=True, nogil=True)
def _find_target(inventory, targets, path, unit):
    """The target phrase of a unit."""
    begin, end = path.target_begin[unit], path.target_begin[unit + 1]
    if begin == end:
        return NOTHING
    node = np.int32(ROOT)
    for k in range(begin, end):
        node = child(inventory.target_trie, node, targets[path.targets[k]])
        if node == EMPTY:
            return OTHER
    return inventory.target_of_node[node]


@njit(cache=True, nogil=True)
def make_places(
    inventory, prior, features, weights, families, levels, n_cells, words, tags, tree, place_of,
    n_places,
):  # fmt: skip
    """Everything about the places that the coverage does not change."""
    n_words = len(words) - 2
    n_coverage = (n_words + 63) // 64
    places = Places(
        np.empty(n_places, np.int32), np.empty(n_places, np.int32), np.empty(n_places, np.int32),
        np.empty(n_places, np.int32), np.empty(n_places, np.int32),
        np.zeros((n_places, MOST_CANDIDATES, N_JUMPS)),
        np.zeros((n_places, MOST_CANDIDATES, N_JUMPS)),
        np.zeros(n_places, np.int32),
        np.zeros((n_places, N_SPECIAL + MOST, n_coverage), np.uint64),
        np.full((n_places, N_SPECIAL + MOST, 3, 2), EMPTY, np.int32),
    )  # fmt: skip
    cells, keys = np.empty(n_cells), np.empty(MOST_STATIC, np.int64)
    nodes, sides = np.empty(MOST, np.int64), np.empty(MOST, np.int64)
    for start in range(n_words):
        for length in range(1, GRID + 1):
            place = place_of[start, length - 1]
            if place == EMPTY:
                continue
            end = start + length
            source = find_source(inventory, words, start + 1, end + 1)
            tag = phrase_tag(tags, start + 1, end + 1)
            begin = inventory.begin[source]
            n = inventory.begin[source + 1] - begin
            places.start[place], places.end[place], places.n[place] = start, end, n
            places.source[place], places.tag[place] = source, tag
            fill_prior(prior, inventory, source, tag, places.prior[place])
            cells[:] = 0.0
            for k in range(static_keys(families, source, words, tags, start, end, keys)):
                group = find_group(features, keys[k])
                if group != EMPTY:
                    add_group(features, weights, group, cells)
            candidate_tags = inventory.tag[begin : begin + n]
            gather(cells, places.prior[place], candidate_tags, n, places.scores[place])
            _neighbours(features, families, levels, tree, places, place, n_words, nodes, sides)
    return places


@njit(cache=True, nogil=True)
def _neighbours(features, families, levels, tree, places, place, n_words, nodes, sides):
    """Masks and groups of everything whose coverage the place asks about."""
    start, end = places.start[place], places.end[place]
    source, tag = places.source[place], places.tag[place]
    masks, groups = places.masks[place], places.groups[place]
    if families & WORDS:  # they fire only if the left is open or the right covered
        if start > 0:
            cover(masks[0], start - 1, start)
            _set_groups(features, source, near_keys(source, tag, 0), groups[0, 0])
        if end < n_words:
            cover(masks[1], end, end + 1)
            _set_groups(features, source, near_keys(source, tag, 1), groups[1, 1])
    if not families & (COV | SIB):
        return
    parent, n = find_neighbours(tree, start, end, levels, nodes, sides)
    if families & COV and parent >= 0 and source:
        cover(masks[2], tree[parent, 1], tree[parent, 2])
        for state in range(3):
            key = inside_key(source, tree[parent, 0], state != 0)
            groups[2, state, 0] = find_group(features, key)
    if families & SIB:
        places.n_neighbours[place] = n
        for k in range(n):
            node = nodes[k]
            cover(masks[N_SPECIAL + k], tree[node, 1], tree[node, 2])
            for state in range(3):
                both = sibling_keys(source, tag, tree[node, 0], state, sides[k])
                _set_groups(features, source, both, groups[N_SPECIAL + k, state])


@njit(cache=True, nogil=True)
def _set_groups(features, source, both, groups):
    if source:
        groups[0] = find_group(features, both[0])
    groups[1] = find_group(features, both[1])
