"""Tables of a sentence that are computed before the search: units of options, and their contexts.

An option is scored as the units of its inner alignment, in order, each with the coverage after the
previous units. So the score of a translation does not depend on its segmentation into phrases, and
multi-word phrases need no separate features. A *place* is a source span with units. All values that
do not depend on the coverage are computed here, once for each place:

    scores   prior and static groups summed, (places, candidates, jumps)
    groups   the active groups for every neighbour and state of its coverage
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.coverage import cover, coverage_size
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.distortion.interface import COPIED
from hyperbaton.models.distortion.parse.feature_groups import add_group, find_group
from hyperbaton.models.distortion.parse.inventory import (
    NOTHING,
    OTHER,
    UNKNOWN_SOURCE,
    find_candidate,
    find_source,
    log_share,
)
from hyperbaton.models.distortion.parse.likelihood import gather
from hyperbaton.models.distortion.parse.neighbourhood import MOST_NEIGHBOURS, find_neighbours
from hyperbaton.models.distortion.parse.path import Path, append_phrase_path, empty_path
from hyperbaton.models.distortion.parse.priors import fill_prior
from hyperbaton.models.distortion.parse.templates import (
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
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.trie import ROOT, child

FROM_STATE = -2  # a history group that depends on the words before the option
# a cached unit: start in 4 bits, end in 4, choice in 5, and whether it is the last one
IS_LAST = 1 << 13
N_SPECIAL = 3  # neighbours besides the siblings: left word, right word, parent
UNIT = np.dtype([("place", np.int32), ("choice", np.int32)])  # choice: number of the candidate
PLACE = np.dtype(
    [
        ("start", np.int32),
        ("end", np.int32),
        ("source", np.int32),  # source phrase
        ("tag", np.int32),
        ("n", np.int32),  # candidates
        ("n_neighbours", np.int32),
    ]
)


class Units(NamedTuple):
    """The options as units, in the order of their visits."""

    begin: Int32Array  # (N + 1,) units of each option
    units: NDArray[Any]  # UNIT
    shape: Int32Array  # (N,) options with units on the same places have the same shape
    example: Int32Array  # an option of each shape


class PlaceTables(NamedTuple):
    record: NDArray[Any]  # (P,) PLACE
    tags: Int32Array  # (P, candidates) of the candidates' first words
    member: FloatArray  # (P, candidates) log of a translation's share of its candidate
    share: FloatArray  # (P, candidates) log p0(t | s) of eq. 4; 0 if the model has no prior
    scores: FloatArray  # (P, candidates, jumps) with the static groups
    masks: UInt64Array  # (P, N_SPECIAL + MOST_NEIGHBOURS, W) words of the left and right
    # neighbour, of the parent and the siblings; 0: none
    groups: Int32Array  # (P, N_SPECIAL + MOST_NEIGHBOURS, 3 states, 2) active groups, or EMPTY


class Translations(NamedTuple):
    """The target words of options, as ids of the model.

    The units of an entry are the same in every sentence and are cached at its first use. Threads
    may share them: a unit is one number, 0 until it is computed, and all threads write the same.
    """

    entry: Int64Array  # (N,) of the phrase table; −1: a copied or dropped word
    row: NDArray[np.integer[Any]]  # (entries,) number of the target phrase
    offsets: Int64Array
    words: Int32Array  # of the phrase table
    own_id: Int32Array  # the model's ids of its words
    known: NDArray[np.uint16]  # (entries, GRID) cached units, with bits as above


class _OptionUnits(NamedTuple):
    """Scratch arrays for the units of one option."""

    path: Path  # their source and target words
    choices: Int32Array
    targets: Int32Array  # the option's target words
    links: Int64Array


@kernel
def make_units(
    inventory, features, families, unaligned, words, starts, ends, inner, translations,
    drop_unknown, n_words,
):  # fmt: skip
    """The units of all options; their history groups (U, 2), of the last word and the one before,
    each a number, EMPTY or FROM_STATE; places by start and length; the numbers of places and
    shapes.

    `words` are those of the sentence with one more at both ends.
    """
    n_options, size, longest, widest = len(starts), 0, 1, GRID
    for option in range(n_options):
        size += ends[option] - starts[option]
        widest = max(widest, ends[option] - starts[option])  # given terms may be longer
        longest = max(longest, _n_targets(translations, option))
    units = Units(
        np.zeros(n_options + 1, np.int32), np.empty(size, UNIT),
        np.empty(n_options, np.int32), np.empty(n_options, np.int32),
    )  # fmt: skip
    groups = np.full((size if families & HISTORY else 0, 2), EMPTY, np.int32)
    found = _OptionUnits(
        empty_path(GRID + 1, max(GRID * GRID, longest)), np.empty(GRID + 1, np.int32),
        np.empty(longest, np.int32), np.empty((GRID * GRID, 2), np.int64),
    )  # fmt: skip
    place_of = np.full((n_words, widest), EMPTY, np.int32)
    # shapes of the same span form a chain
    newest = np.full((n_words, widest), EMPTY, np.int32)
    older = np.empty(n_options, np.int32)
    n_places, n_shapes = 0, 0
    for option in range(n_options):
        start, length, begin = starts[option], ends[option] - starts[option], units.begin[option]
        entry, n_units = translations.entry[option], 0
        if entry >= 0 and not families & HISTORY:
            n_units = _recall(translations.known, entry, found.path, found.choices)
        if n_units == 0:
            n_targets = _spell(translations, drop_unknown, option, found.targets)
            n_units = append_phrase_path(
                inner[option], length, n_targets, unaligned, found.links, found.path, 0
            )
            _choose(inventory, features, families, words, start, n_units, found, groups[begin:])
            if entry >= 0:
                _remember(translations.known, entry, found.path, found.choices, n_units)
        units.begin[option + 1] = begin + n_units
        n_places = _place(units.units[begin : begin + n_units], start, found, place_of, n_places)
        shape = newest[start, length - 1]
        while shape != EMPTY and not _same_places(units, units.example[shape], option):
            shape = older[shape]
        if shape == EMPTY:
            shape = n_shapes
            units.example[shape], older[shape] = option, newest[start, length - 1]
            newest[start, length - 1] = shape
            n_shapes += 1
        units.shape[option] = shape
    return units, groups, place_of, n_places, n_shapes


@uncounted
def _choose(inventory, features, families, words, start, n_units, found, groups):
    """Finds the candidates of an option's units, and the groups of the words before them."""
    for k in range(n_units):
        first, last = start + found.path.start[k], start + found.path.end[k]
        source = find_source(inventory, words, first + 1, last + 1)
        target = _find_target(inventory, found.targets, found.path, k)
        found.choices[k] = find_candidate(inventory, source, target)
        if families & HISTORY and source != UNKNOWN_SOURCE:
            _history_groups(features, source, found.targets, found.path.at[k], groups[k])


@uncounted
def _place(units, start, found, place_of, n_places):
    """Fills in an option's units; returns the new number of places."""
    for k in range(len(units)):
        first, length = start + found.path.start[k], found.path.end[k] - found.path.start[k]
        if place_of[first, length - 1] == EMPTY:
            place_of[first, length - 1] = n_places
            n_places += 1
        units[k].place, units[k].choice = place_of[first, length - 1], found.choices[k]
    return n_places


@inner
def _history_groups(features, source, targets, at, groups):
    """The groups of the two words before a unit, if they are inside the option."""
    groups[0] = groups[1] = FROM_STATE
    if at > 0:
        groups[0] = find_group(features, pack(LAST, source, max(targets[at - 1], 0)))
    if at > 1:
        groups[1] = find_group(features, pack(BEFORE_LAST, source, max(targets[at - 2], 0)))


@inner
def _remember(known, entry, path, choices, n_units):
    for k in range(n_units):
        packed = path.start[k] | path.end[k] << 4 | choices[k] << 8
        known[entry, k] = packed | (IS_LAST if k + 1 == n_units else 0)


@inner
def _recall(known, entry, path, choices):
    """Writes the cached units of an entry and their choices; returns their number, 0 if there are
    none."""
    for k in range(known.shape[1]):
        packed = np.int64(known[entry, k])
        if packed == 0:
            return 0
        path.start[k], path.end[k] = packed & 15, packed >> 4 & 15
        choices[k] = packed >> 8 & 31
        if packed & IS_LAST:
            return k + 1
    return 0


@inner
def _n_targets(translations, option):
    entry = translations.entry[option]
    if entry < 0:
        return np.int64(1)
    row = np.int64(translations.row[entry])
    return translations.offsets[row + 1] - translations.offsets[row]


@inner
def _spell(translations, drop_unknown, option, targets):
    """Writes the model's ids of an option's target words, COPIED for a copied one; returns their
    number."""
    entry = translations.entry[option]
    if entry < 0:
        targets[0] = COPIED
        return 0 if drop_unknown else 1
    begin = translations.offsets[np.int64(translations.row[entry])]
    n = _n_targets(translations, option)
    for k in range(n):
        targets[k] = translations.own_id[translations.words[begin + k]]
    return n


@inner
def _same_places(units, option, other):
    first, second = units.begin[option], units.begin[other]
    n = units.begin[option + 1] - first
    if units.begin[other + 1] - second != n:
        return False
    is_same = True
    for k in range(n):
        is_same = is_same and units.units[first + k].place == units.units[second + k].place
    return is_same


@inner
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


@kernel
def make_places(
    inventory, prior, features, weights, families, levels, n_columns, words, tags, tree, place_of,
    n_places,
):  # fmt: skip
    """The tables of all places."""
    n_words = len(words) - 2
    places = PlaceTables(
        np.empty(n_places, PLACE),
        np.empty((n_places, MOST_CANDIDATES), np.int32),
        np.zeros((n_places, MOST_CANDIDATES)),
        np.zeros((n_places, MOST_CANDIDATES)),
        np.empty((n_places, MOST_CANDIDATES, N_JUMPS)),
        np.zeros((n_places, N_SPECIAL + MOST_NEIGHBOURS, coverage_size(n_words)), np.uint64),
        np.full((n_places, N_SPECIAL + MOST_NEIGHBOURS, 3, 2), EMPTY, np.int32),
    )  # fmt: skip
    own_prior = np.empty((MOST_CANDIDATES, N_JUMPS))
    columns, keys = np.empty(n_columns), np.empty(MOST_STATIC, np.int64)
    nodes, sides = np.empty(MOST_NEIGHBOURS, np.int64), np.empty(MOST_NEIGHBOURS, np.int64)
    for start in range(n_words):
        for length in range(1, min(place_of.shape[1], n_words - start) + 1):
            place = place_of[start, length - 1]
            if place == EMPTY:
                continue
            end = start + length
            source = find_source(inventory, words, start + 1, end + 1)
            tag = phrase_tag(tags, start + 1, end + 1)
            begin = inventory.begin[source]
            n = inventory.begin[source + 1] - begin
            record = places.record[place]
            record.start, record.end, record.source, record.tag = start, end, source, tag
            record.n, record.n_neighbours = n, 0
            fill_prior(prior, inventory, source, tag, own_prior)
            columns[:] = 0.0
            for k in range(static_keys(families, source, words, tags, start, end, keys)):
                group = find_group(features, keys[k])
                if group != EMPTY:
                    add_group(features, weights, group, columns)
            for t in range(n):
                places.tags[place, t] = inventory.tag[begin + t]
                places.member[place, t] = log_share(inventory, source, t)
                if prior.kind != 0:
                    places.share[place, t] = prior.share[begin + t] + places.member[place, t]
            gather(columns, own_prior, places.tags[place], n, places.scores[place])
            _neighbours(features, families, levels, tree, places, place, n_words, nodes, sides)
    return places


@inner
def _neighbours(features, families, levels, tree, places, place, n_words, nodes, sides):
    """Fills in the masks and groups of all neighbours whose coverage matters to the place."""
    record = places.record[place]
    start, end, source, tag = record.start, record.end, record.source, record.tag
    masks, groups = places.masks[place], places.groups[place]
    if families & WORDS:  # active only if the left is uncovered or the right covered
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
        record.n_neighbours = n
        for k in range(n):
            node = nodes[k]
            cover(masks[N_SPECIAL + k], tree[node, 1], tree[node, 2])
            for state in range(3):
                both = sibling_keys(source, tag, tree[node, 0], state, sides[k])
                _set_groups(features, source, both, groups[N_SPECIAL + k, state])


@inner
def _set_groups(features, source, both, groups):
    if source:
        groups[0] = find_group(features, both[0])
    groups[1] = find_group(features, both[1])
