"""Scores of steps in the search: a distribution for each place and state of its neighbours.

The distribution p(t, j | s) of a place depends on the coverage only through the states of its
neighbours, a number in base 3. Few of them occur in a sentence; each is computed on first use and
cached.

The steps of a batch are grouped by span, so a step mostly needs the same values as the previous
one: options with units on the same places (a *shape*) share distributions and jumps.

Previous target words (the family `history`) change a distribution p to p_t,j · w_t / Z. Only a few
candidates have weights w_t ≠ 1, so Z = 1 + Σ (w_t − 1) Σ_j p_t,j is cheap and exact. A state then
includes the last two words.

A batch is a call from Python, in which every array costs half a microsecond; so small values are
packed into records.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.coverage import cover
from hyperbaton.foundation.files.vocabulary import BEGIN
from hyperbaton.foundation.hashing import EMPTY, find_slot
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.models.distortion.parse.feature_groups import FeatureGroups, find_group
from hyperbaton.models.distortion.parse.likelihood import gather
from hyperbaton.models.distortion.parse.neighbourhood import COVERED, OPEN, PARTLY
from hyperbaton.models.distortion.parse.sentence_tables import FROM_STATE, N_SPECIAL
from hyperbaton.models.distortion.parse.templates import (
    BEFORE_LAST,
    LAST,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    jump_index,
    pack,
)

LOGP, PRIOR_FEATURE, JUMP_FEATURE = 0, 1, 2  # the features of a step
N_FEATURES = 3
PLACE_BITS = 20  # of a distribution's key; above them the states of the neighbours in base 3
END_BITS = 16  # of a state: end of the last unit; above them the last target words
LARGEST_END = (1 << END_BITS) - 1
WORD_BITS = 23
LARGEST_WORD = (1 << WORD_BITS) - 1
FIRST_STATE = BEGIN << END_BITS | BEGIN << END_BITS + WORD_BITS  # with previous words


class GroupWeights(NamedTuple):
    """The part of `Features` for adding the weights of a group."""

    begin: Int64Array
    column: Int32Array
    weight: FloatArray


class Memory(NamedTuple):
    """The cached distributions, concatenated, each (candidates, jumps)."""

    slot_keys: Int64Array
    slots: Int32Array
    begin: Int64Array  # (room + 1,) first row of each distribution
    log_p: FloatArray  # (rows, jumps)
    log_jumps: FloatArray  # (room, jumps) summed over the candidates
    counters: Int64Array  # distributions


RECENT_SHAPE = np.dtype(
    [
        ("end", np.int64),  # of the previous unit; −1: never used
        ("log_jump", np.float64),  # sum of its log p(j | s)
    ]
)
RECENT_UNIT = np.dtype(
    [
        ("number", np.int32),  # of its distribution
        ("row", np.int32),  # first row of the distribution
        ("jump", np.int32),
        ("unused", np.int32),
    ]
)


class Recent(NamedTuple):
    """The last values of every shape."""

    coverage: UInt64Array  # (shapes, W) of the last use of the shape
    shapes: NDArray[Any]  # RECENT_SHAPE
    units: NDArray[Any]  # RECENT_UNIT, at the units of each shape's example


class History(NamedTuple):
    """Additional arrays of models with the family `history`."""

    features: FeatureGroups
    own_groups: Int32Array  # of the units, as `make_units` finds them
    words: Int64Array  # (places,) target words of the cached groups; −1: none
    groups: Int32Array  # (places, 3) of the last word, of the one before, of the last as one before


def make_recent(n_shapes: int, n_units: int, n_coverage: int) -> Recent:
    shapes = np.zeros(n_shapes, RECENT_SHAPE)
    shapes["end"] = -1
    return Recent(
        np.empty((n_shapes, n_coverage), np.uint64), shapes, np.empty(n_units, RECENT_UNIT)
    )


def make_memory(room: int) -> Memory:
    """An empty memory for this many distributions, a power of two."""
    rows = 8 * room
    return Memory(
        np.zeros(2 * room, np.int64),
        np.full(2 * room, EMPTY, np.int32),
        np.zeros(room + 1, np.int64),
        np.empty((rows, N_JUMPS)),
        np.empty((room, N_JUMPS)),
        np.zeros(1, np.int64),
    )


@kernel
def score_steps(
    weights, units, places, memory, recent, history, n_columns, option, coverage, state, first,
    result,
):  # fmt: skip
    """Fills in the features of steps from `first` on; returns the step where the memory was full.
    `history` is None if previous words do not matter; the code for them is then not compiled."""
    scratch = np.empty(n_columns), np.empty(2 * places.groups.shape[1], np.int32)
    covered, extra = np.empty(coverage.shape[1], np.uint64), np.empty(MOST_CANDIDATES)
    for step in range(first, len(option)):
        taken = option[step]
        end = state[step] & LARGEST_END
        if not look_up(
            weights, units, places, memory, recent, scratch, taken, coverage, step, end, covered
        ):
            return step
        shape = units.shape[taken]
        log_p, prior, log_jump = 0.0, 0.0, recent.shapes[shape].log_jump
        same = units.begin[units.example[shape]]  # the unit of the example on the same place
        for unit in range(units.begin[taken], units.begin[taken + 1]):
            place, choice = units.units[unit].place, units.units[unit].choice
            known = recent.units[same]
            log_p += memory.log_p[known.row + choice, known.jump] + places.member[place, choice]
            prior += places.share[place, choice]
            if history is not None:
                last, before = _groups(history, places, unit, place, state[step])
                if last != EMPTY or before != EMPTY:
                    changed = _change(
                        weights, memory, known.number, known.jump, places.record[place].n, last,
                        before, choice, extra,
                    )  # fmt: skip
                    log_p += changed[0]
                    log_jump += changed[1]
            same += 1
        result[step, LOGP], result[step, PRIOR_FEATURE] = log_p, prior
        result[step, JUMP_FEATURE] = log_jump
    return len(option)


@uncounted
def look_up(
    weights, units, places, memory, recent, scratch, option, coverage, step, end, covered
):  # fmt: skip
    """Updates `recent` for the option's shape in this step; False if the memory is full."""
    shape = units.shape[option]
    is_known = recent.shapes[shape].end == end
    for word in range(coverage.shape[1]):
        is_known = is_known and recent.coverage[shape, word] == coverage[step, word]
    while not is_known:
        for word in range(coverage.shape[1]):
            covered[word] = recent.coverage[shape, word] = coverage[step, word]
        missing = _find_all(units, places, memory, recent, shape, covered, end)
        is_known = missing == EMPTY
        if not is_known and not _add(weights, places, memory, scratch, missing, covered):
            return False
    return True


@uncounted
def _find_all(units, places, memory, recent, shape, covered, end):
    """Looks up distributions and jumps of a shape's units; returns a place without a distribution,
    or EMPTY."""
    example = units.example[shape]
    recent.shapes[shape].end = -1
    before, total = np.int64(end), 0.0
    for unit in range(units.begin[example], units.begin[example + 1]):
        place = units.units[unit].place
        key = _situation(places, place, covered)
        number = memory.slots[find_slot(memory.slot_keys, memory.slots, key)]
        if number == EMPTY:
            return place
        jump = jump_index(places.record[place].start, before)
        known = recent.units[unit]
        known.number, known.row, known.jump = number, memory.begin[number], jump
        total += memory.log_jumps[number, jump]
        before = np.int64(places.record[place].end)
        cover(covered, places.record[place].start, before)
    recent.shapes[shape].log_jump = total
    recent.shapes[shape].end = end
    return np.int32(EMPTY)


@uncounted
def _situation(places, place, covered):
    """The place and the states of its neighbours as one number."""
    key = np.int64(0)
    for k in range(N_SPECIAL + places.record[place].n_neighbours):
        key = key * 3 + _state(places.masks, place, k, covered)
    return key << PLACE_BITS | place


@uncounted
def _state(masks, place, k, covered):
    some, every = False, True
    for word in range(len(covered)):
        mask = masks[place, k, word]
        some = some or mask & covered[word] != 0
        every = every and mask & covered[word] == mask
    if not some:
        return OPEN
    return COVERED if every else PARTLY


@uncounted
def _add(weights, places, memory, scratch, place, covered):
    """Computes p(t, j | s) of a place in its context; False if the memory is full."""
    number, n = memory.counters[0], places.record[place].n
    first = memory.begin[number]
    if number + 1 == len(memory.begin) or first + n > len(memory.log_p):
        return False
    key = _situation(places, place, covered)
    slot = find_slot(memory.slot_keys, memory.slots, key)
    memory.slot_keys[slot], memory.slots[slot] = key, number
    memory.counters[0] += 1
    memory.begin[number + 1] = first + n
    columns = scratch[0]
    _sum_groups(weights, places, scratch, place, covered)
    log_p, sums = memory.log_p[first:], memory.log_jumps[number]
    gather(columns, places.scores[place], places.tags[place], n, log_p)
    highest = -np.inf
    for t in range(n):
        for j in range(N_JUMPS):
            highest = max(highest, log_p[t, j])
    for j in range(N_JUMPS):
        sums[j] = 0.0
    total = 0.0
    for t in range(n):
        for j in range(N_JUMPS):
            p = np.exp(log_p[t, j] - highest)
            sums[j] += p
            total += p
    log_total = np.log(total)
    for t in range(n):
        for j in range(N_JUMPS):
            log_p[t, j] -= highest + log_total
    for j in range(N_JUMPS):
        sums[j] = np.log(sums[j]) - log_total
    return True


@uncounted
def _sum_groups(weights, places, scratch, place, covered):
    """Sums the weights of all groups that are active under the coverage, by columns of outcomes."""
    columns, asked = scratch
    for column in range(len(columns)):
        columns[column] = 0.0
    n_asked = 0
    for k in range(N_SPECIAL + places.record[place].n_neighbours):
        state = _state(places.masks, place, k, covered)
        for kind in range(2):
            group = places.groups[place, k, state, kind]
            is_new = group != EMPTY
            for other in range(n_asked):  # each group counts once
                is_new = is_new and asked[other] != group
            if is_new:
                asked[n_asked] = group
                n_asked += 1
                for feature in range(weights.begin[group], weights.begin[group + 1]):
                    columns[weights.column[feature]] += weights.weight[feature]


@kernel
def next_states(target_words, target_offsets, last_end, option, state):
    result = np.empty(len(option), np.int64)
    for step in range(len(option)):
        words = state[step] >> END_BITS
        begin, end = target_offsets[option[step]], target_offsets[option[step] + 1]
        for at in range(max(begin, end - 2), end):
            words = (words & LARGEST_WORD) << WORD_BITS | max(target_words[at], 0)
        result[step] = words << END_BITS | last_end[option[step]]
    return result


@uncounted
def _groups(history, places, unit, place, state):
    """The history groups of a unit."""
    last, before = history.own_groups[unit, 0], history.own_groups[unit, 1]
    if before != FROM_STATE:  # then neither is `last`
        return last, before
    words, groups = state >> END_BITS, history.groups
    if history.words[place] != words:
        features, source = history.features, places.record[place].source
        word, earlier = words & LARGEST_WORD, words >> WORD_BITS
        groups[place, 0] = find_group(features, pack(LAST, source, word))
        groups[place, 1] = find_group(features, pack(BEFORE_LAST, source, earlier))
        groups[place, 2] = find_group(features, pack(BEFORE_LAST, source, word))
        history.words[place] = words
    if last == FROM_STATE:
        return groups[place, 0], groups[place, 1]
    return last, groups[place, 2]


@uncounted
def _change(weights, memory, number, jump, n, last, before, choice, extra):
    """The contribution of previous target words to log p(t, j | s) and to log p(j | s)."""
    for t in range(n):
        extra[t] = 0.0
    for group in (last, before):
        if group != EMPTY:
            for feature in range(weights.begin[group], weights.begin[group + 1]):
                extra[weights.column[feature] - T_COLUMN] += weights.weight[feature]
    first = memory.begin[number]
    before_change = np.exp(memory.log_jumps[number, jump])
    z, column = 1.0, before_change
    for t in range(n):
        if extra[t] != 0.0:
            factor = np.exp(extra[t]) - 1.0
            for j in range(N_JUMPS):
                z += factor * np.exp(memory.log_p[first + t, j])
            column += factor * np.exp(memory.log_p[first + t, jump])
    return extra[choice] - np.log(z), np.log(column / before_change) - np.log(z)
