"""Scores of steps in the search: a distribution for each place and state of its surroundings.

The distribution p(t, j | s) of a place depends on the coverage only through the states of its
neighbours, a number in base 3. Few of them occur in a sentence; each is worked out when it is first
asked for and kept. Previous target words change a distribution p into p_t,j · w_t / Z with weights
w_t ≠ 1 for a few candidates only, so that Z = 1 + Σ (w_t − 1) Σ_j p_t,j is cheap and exact.

The steps of a batch come span by span, so most of what a step needs was looked up for the one
before: options whose units lie on the same places (a *shape*) share distributions and jumps.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.hashing import EMPTY, find_slot
from models.language_model.automaton import uncounted
from models.parse_reordering.features import add_group, find_group
from models.parse_reordering.likelihood import gather, normalise
from models.parse_reordering.neighbourhood import COVERED, OPEN, PARTLY, cover
from models.parse_reordering.sentence_tables import FROM_STATE, N_SPECIAL
from models.parse_reordering.templates import (
    BEFORE_LAST,
    LAST,
    MOST_CANDIDATES,
    N_JUMPS,
    T_CELL,
    jump_index,
    pack,
)
from models.vocabulary import BEGIN

FloatArray = NDArray[np.float64]
LOGP, PRIOR, JUMP = 0, 1, 2  # the features of a step
N_FEATURES = 3
PLACE_BITS = 20  # of a distribution's key; above them the states of the neighbours in base 3
# a state: end of the last unit, last target word, and the one before
WORD_BITS, END_BITS = 23, 16
LARGEST_WORD = (1 << WORD_BITS) - 1


class Memory(NamedTuple):
    """Distributions that were asked for, one after the other, each (candidates, jumps)."""

    slot_keys: Int64Array
    slots: Int32Array
    begin: Int64Array  # (room + 1,) first row of each distribution
    p: FloatArray  # (rows, jumps)
    log_p: FloatArray  # (rows, jumps)
    totals: FloatArray  # (rows,) sums over the jumps
    jumps: FloatArray  # (room, jumps) sums over the candidates
    log_jumps: FloatArray  # (room, jumps)
    counters: Int64Array  # distributions


class Recent(NamedTuple):
    """What was looked up last, for every shape and every place."""

    coverage: NDArray[np.uint64]  # (shapes, W) for which the shape was asked
    end: Int64Array  # (shapes,) end of the unit before; −1: never asked
    row: Int32Array  # (units,) first row of the distribution of each unit of the example
    number: Int32Array  # (units,) its number
    jump: Int32Array  # (units,) its jump
    log_jump: FloatArray  # (shapes,) sum of its log p(j | s)
    words: Int64Array  # (places,) target words for which history groups were asked; −1: never
    groups: Int32Array  # (places, 3) of the last word, of the one before, of the last as one before


def make_recent(n_shapes: int, n_units: int, n_places: int, n_coverage: int) -> Recent:
    return Recent(
        np.empty((n_shapes, n_coverage), np.uint64),
        np.full(n_shapes, -1, np.int64),
        np.empty(n_units, np.int32),
        np.empty(n_units, np.int32),
        np.empty(n_units, np.int32),
        np.empty(n_shapes),
        np.full(n_places, -1, np.int64),
        np.empty((n_places, 3), np.int32),
    )


def make_memory(room: int) -> Memory:
    """Room for so many distributions, a power of two."""
    rows = 8 * room
    return Memory(
        np.zeros(2 * room, np.int64),
        np.full(2 * room, EMPTY, np.int32),
        np.zeros(room + 1, np.int64),
        np.empty((rows, N_JUMPS)),
        np.empty((rows, N_JUMPS)),
        np.empty(rows),
        np.empty((room, N_JUMPS)),
        np.empty((room, N_JUMPS)),
        np.zeros(1, np.int64),
    )


def first_state(*, history: bool) -> int:
    return BEGIN << END_BITS | BEGIN << END_BITS + WORD_BITS if history else 0


@njit(cache=True, nogil=True)
def score_steps(
    learned, units, places, memory, recent, n_cells, with_history, option, coverage, state, first,
    result,
):  # fmt: skip
    """Fills the features of steps from `first` on; where it stopped for want of room.

    `learned` is (inventory, features, weights).
    """
    cells, extra = np.zeros(n_cells), np.zeros(MOST_CANDIDATES)
    covered = np.empty(coverage.shape[1], np.uint64)
    for step in range(first, len(option)):
        taken = option[step]
        shape = units.shape[taken]
        end = state[step] & ((1 << END_BITS) - 1)
        is_known = recent.end[shape] == end
        for word in range(coverage.shape[1]):
            is_known = is_known and recent.coverage[shape, word] == coverage[step, word]
        while not is_known:
            for word in range(coverage.shape[1]):
                covered[word] = recent.coverage[shape, word] = coverage[step, word]
            missing = _look_up(units, places, memory, recent, shape, covered, end)
            is_known = missing == EMPTY
            if not is_known and not _add(learned, places, memory, cells, missing, covered):
                return step
        log_p, prior, log_jump = 0.0, 0.0, recent.log_jump[shape]
        place_unit = units.begin[units.example[shape]]
        for unit in range(units.begin[taken], units.begin[taken + 1]):
            choice, jump = units.choice[unit], recent.jump[place_unit]
            log_p += memory.log_p[recent.row[place_unit] + choice, jump]
            prior += places.prior[units.place[unit], choice, jump]
            if with_history:
                last, before = _history(learned[1], units, places, recent, unit, state[step])
                if last != EMPTY or before != EMPTY:
                    changed = _with_history(
                        learned, memory, recent.number[place_unit], places.n[units.place[unit]],
                        last, before, choice, jump, extra,
                    )  # fmt: skip
                    log_p += changed[0]
                    log_jump += changed[1]
            place_unit += 1
        result[step, LOGP], result[step, PRIOR], result[step, JUMP] = log_p, prior, log_jump
    return len(option)


@uncounted
def _look_up(units, places, memory, recent, shape, covered, end):
    """Distributions and jumps of a shape's units; a place that has none yet, or EMPTY."""
    example = units.example[shape]
    recent.end[shape] = -1
    before, total = end, 0.0
    for unit in range(units.begin[example], units.begin[example + 1]):
        place = units.place[unit]
        key = _situation(places, place, covered)
        number = memory.slots[find_slot(memory.slot_keys, memory.slots, key)]
        if number == EMPTY:
            return place
        jump = jump_index(places.start[place], before)
        recent.row[unit], recent.number[unit] = memory.begin[number], number
        recent.jump[unit] = jump
        total += memory.log_jumps[number, jump]
        before = places.end[place]
        cover(covered, places.start[place], before)
    recent.log_jump[shape] = total
    recent.end[shape] = end
    return np.int32(EMPTY)


@uncounted
def _situation(places, place, covered):
    """The place and the states of its neighbours as one number."""
    key = np.int64(0)
    for k in range(N_SPECIAL + places.n_neighbours[place]):
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
def _history(features, units, places, recent, unit, state):
    """The history groups of a unit."""
    last, before = units.last_group[unit], units.before_group[unit]
    if before != FROM_STATE:  # then the other is not, either
        return last, before
    place = units.place[unit]
    words = state >> END_BITS
    if recent.words[place] != words:
        source = places.source[place]
        word, earlier = words & LARGEST_WORD, words >> WORD_BITS
        recent.groups[place, 0] = find_group(features, pack(LAST, source, word))
        recent.groups[place, 1] = find_group(features, pack(BEFORE_LAST, source, earlier))
        recent.groups[place, 2] = find_group(features, pack(BEFORE_LAST, source, word))
        recent.words[place] = words
    if last == FROM_STATE:
        return recent.groups[place, 0], recent.groups[place, 1]
    return last, recent.groups[place, 2]


@uncounted
def _with_history(learned, memory, number, n, last, before, choice, jump, extra):
    """What previous target words add to log p(t, j | s) and to log p(j | s)."""
    _, features, weights = learned
    extra[:n] = 0.0
    for group in (last, before):
        if group != EMPTY:
            for feature in range(features.begin[group], features.begin[group + 1]):
                extra[features.cell[feature] - T_CELL] += weights[feature]
    first = memory.begin[number]
    z, column = 1.0, memory.jumps[number, jump]
    before_change = column
    for t in range(n):
        if extra[t] != 0.0:
            factor = np.exp(extra[t]) - 1.0
            z += factor * memory.totals[first + t]
            column += factor * memory.p[first + t, jump]
    return extra[choice] - np.log(z), np.log(column / before_change) - np.log(z)


@njit(cache=True, nogil=True)
def _add(learned, places, memory, cells, place, covered):
    """Works out p(t, j | s) of a place in its situation; False if there is no room."""
    inventory, features, weights = learned
    number = memory.counters[0]
    n = places.n[place]
    if number + 1 == len(memory.begin) or memory.begin[number] + n > len(memory.p):
        return False
    key = _situation(places, place, covered)
    slot = find_slot(memory.slot_keys, memory.slots, key)
    memory.slot_keys[slot], memory.slots[slot] = key, number
    memory.counters[0] += 1
    memory.begin[number + 1] = memory.begin[number] + n
    cells[:] = 0.0
    asked = np.empty(2 * places.groups.shape[1], np.int32)
    n_asked = 0
    for k in range(N_SPECIAL + places.n_neighbours[place]):
        for kind in range(2):
            group = places.groups[place, k, _state(places.masks, place, k, covered), kind]
            if group == EMPTY:
                continue
            is_new = True
            for other in range(n_asked):  # a question is asked once
                is_new = is_new and asked[other] != group
            if is_new:
                asked[n_asked] = group
                n_asked += 1
                add_group(features, weights, group, cells)
    tags = inventory.tag[inventory.begin[places.source[place]] :]
    first = memory.begin[number]
    log_p, p = memory.log_p[first : first + n], memory.p[first : first + n]
    gather(cells, places.scores[place], tags, n, log_p)
    p[:] = log_p
    log_z = normalise(p, n)
    jumps = memory.jumps[number]
    jumps[:] = 0.0
    for t in range(n):
        memory.totals[first + t] = 0.0
        for j in range(N_JUMPS):
            memory.totals[first + t] += p[t, j]
            jumps[j] += p[t, j]
            log_p[t, j] -= log_z
    for j in range(N_JUMPS):
        memory.log_jumps[number, j] = np.log(jumps[j])
    return True


@njit(cache=True, nogil=True)
def next_states(target_words, target_offsets, last_end, with_history, option, state):
    """State after each step."""
    result = np.empty(len(option), np.int64)
    for step in range(len(option)):
        result[step] = last_end[option[step]]
        if with_history:
            words = state[step] >> END_BITS
            begin, end = target_offsets[option[step]], target_offsets[option[step] + 1]
            for at in range(max(begin, end - 2), end):
                words = (words & LARGEST_WORD) << WORD_BITS | max(target_words[at], 0)
            result[step] |= words << END_BITS
    return result
