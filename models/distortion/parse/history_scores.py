"""How previous target words change the scores of steps, for models with the family `history`.

Their groups turn a distribution p into p_t,j · w_t / Z. Only a few candidates have weights w_t ≠ 1,
so Z = 1 + Σ (w_t − 1) Σ_j p_t,j is cheap and exact. A state holds the last two words.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.files.vocabulary import BEGIN
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.models.distortion.parse.feature_groups import find_group
from hyperbaton.models.distortion.parse.sentence_tables import FROM_STATE
from hyperbaton.models.distortion.parse.step_scores import (
    END_BITS,
    JUMP_FEATURE,
    LARGEST_END,
    LOGP,
    look_up,
)
from hyperbaton.models.distortion.parse.templates import (
    BEFORE_LAST,
    LAST,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    pack,
)

WORD_BITS = 23
LARGEST_WORD = (1 << WORD_BITS) - 1
FIRST_STATE = BEGIN << END_BITS | BEGIN << END_BITS + WORD_BITS


class RecentWords(NamedTuple):
    """What was looked up last for every place."""

    words: Int64Array  # (places,) target words for which groups were asked; −1: never
    groups: Int32Array  # (places, 3) of the last word, of the one before, of the last as one before


@kernel
def next_states(target_words, target_offsets, last_end, option, state):
    """State after each step."""
    result = np.empty(len(option), np.int64)
    for step in range(len(option)):
        words = state[step] >> END_BITS
        begin, end = target_offsets[option[step]], target_offsets[option[step] + 1]
        for at in range(max(begin, end - 2), end):
            words = (words & LARGEST_WORD) << WORD_BITS | max(target_words[at], 0)
        result[step] = words << END_BITS | last_end[option[step]]
    return result


@kernel
def add_history(
    features, weights, units, own_groups, places, memory, recent, recent_words, n_columns, option,
    coverage, state, first, result,
):  # fmt: skip
    """Adds to the features of steps from `first` on what previous words change; where it stopped
    for lack of room. `own_groups` are those of `sentence_tables.make_units`."""
    scratch = np.empty(n_columns), np.empty(2 * places.groups.shape[1], np.int32)
    covered, extra = np.empty(coverage.shape[1], np.uint64), np.zeros(MOST_CANDIDATES)
    for step in range(first, len(option)):
        taken = option[step]
        end = state[step] & LARGEST_END
        if not look_up(
            weights, units, places, memory, recent, scratch, taken, coverage, step, end, covered
        ):
            return step
        same = units.begin[units.example[units.shape[taken]]]
        for unit in range(units.begin[taken], units.begin[taken + 1]):
            place = units.units[unit].place
            last, before = _groups(features, own_groups, places, recent_words, unit, place,
                                   state[step])  # fmt: skip
            if last != EMPTY or before != EMPTY:
                known = recent.units[same]
                changed = _change(
                    weights, memory, known.number, known.jump, places.record[place].n, last,
                    before, units.units[unit].choice, extra,
                )  # fmt: skip
                result[step, LOGP] += changed[0]
                result[step, JUMP_FEATURE] += changed[1]
            same += 1
    return len(option)


@uncounted
def _groups(features, own_groups, places, recent_words, unit, place, state):
    """The history groups of a unit."""
    last, before = own_groups[unit, 0], own_groups[unit, 1]
    if before != FROM_STATE:  # then the other is not, either
        return last, before
    words = state >> END_BITS
    if recent_words.words[place] != words:
        source = places.record[place].source
        word, earlier = words & LARGEST_WORD, words >> WORD_BITS
        recent_words.groups[place, 0] = find_group(features, pack(LAST, source, word))
        recent_words.groups[place, 1] = find_group(features, pack(BEFORE_LAST, source, earlier))
        recent_words.groups[place, 2] = find_group(features, pack(BEFORE_LAST, source, word))
        recent_words.words[place] = words
    if last == FROM_STATE:
        return recent_words.groups[place, 0], recent_words.groups[place, 1]
    return last, recent_words.groups[place, 2]


@uncounted
def _change(weights, memory, number, jump, n, last, before, choice, extra):
    """What previous target words add to log p(t, j | s) and to log p(j | s)."""
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
