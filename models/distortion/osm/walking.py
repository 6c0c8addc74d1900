"""The operations of a step, and their score.

`here` is the place after the last generated source word, `end` the place after the rightmost one.
The open gaps are the runs of uncovered words left of `end`, except a run that starts at `here`. So
coverage, `here` and an option determine the operations of a step.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.coverage import (
    cover,
    first_open,
    is_covered,
    n_open_runs,
    open_start,
    reached,
)
from hyperbaton.foundation.files.vocabulary import UNKNOWN
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.distortion.osm.operations import NOWHERE, Kind
from hyperbaton.models.language_model.automaton import Automaton
from hyperbaton.models.language_model.stepping import remembered_advance

MOST_MOVES = 4  # operations before one that generates a word
WIDTH, GAPS, OPEN = 0, 1, 2  # the counts of `perform`
N_COUNTS = 3


@uncounted
def perform(events, start, here, coverage, codes, counts):
    """Writes the operations that generate events to `codes`, BACK k as −k; returns their number.

    Changes `coverage` and sets `counts`: the distances from the first open word to the generated
    ones, the words before which a gap was opened, and the open gaps after each source word.
    """
    counts[:] = 0
    n, end = 0, reached(coverage)
    for event in events:
        if event.place == NOWHERE:
            codes[n] = event.operation
            n += 1
            continue
        place, opens = start + event.place, 0
        if here < place:
            if not is_covered(coverage, here):
                codes[n] = Kind.GAP
                n, opens = n + 1, 1
            if here == end:
                here = place
            else:
                codes[n] = Kind.FORWARD
                n, here = n + 1, end
        if place < here:
            if here < end and not is_covered(coverage, here):
                codes[n] = Kind.GAP
                n, opens = n + 1, 1
            codes[n] = -1 - n_open_runs(coverage, place + 1, end)
            n, here = n + 1, open_start(coverage, place)
        if here < place:
            codes[n] = Kind.GAP
            n, opens = n + 1, 1
        codes[n] = event.operation
        n += 1
        if event.operation != Kind.CONTINUE:
            counts[WIDTH] += place - first_open(coverage)
        cover(coverage, place, place + 1)
        here = place + 1
        end = max(end, here)
        counts[GAPS] += opens
        counts[OPEN] += n_open_runs(coverage, 0, end)
        if here < end and not is_covered(coverage, here):
            counts[OPEN] -= 1
    return n


class OperationAutomaton(NamedTuple):
    """The model for one sentence, as one argument of compiled code. For one thread."""

    begin_state: int  # of the n-gram model
    lm: Automaton  # the n-gram model of operations
    jumps: Int32Array  # number of BACK k at k
    events: NDArray[Any]  # EVENT, of all options
    begin: Int32Array  # (N + 1,) first event of each option
    start: Int32Array  # (N,) first source word of each option
    here: Int32Array  # (N + 1,) place after each option; at 0 that of the beginning
    n_inserted: Int32Array  # (N,) INS operations of each option
    weights: FloatArray  # (F,)
    # for the current step
    coverage: UInt64Array  # (W,)
    codes: Int32Array
    counts: Int64Array
    memory: NDArray[Any]  # recent answers of the model


@uncounted
def follow(model, coverage, last, state, option):
    """The weighted score of an option after `last`, numbered from 1, and the next state."""
    n = operations_of(model, coverage, model.here[last], option)
    logprob, state = score_codes(model, n, state)
    score = model.weights[0] * logprob
    for count in range(N_COUNTS):
        score -= model.weights[1 + count] * model.counts[count]
    return score - model.weights[1 + N_COUNTS] * model.n_inserted[option], state


@uncounted
def operations_of(model, coverage, here, option):
    """Writes the operations of a step to `model.codes`; returns their number."""
    for word in range(len(coverage)):
        model.coverage[word] = coverage[word]
    events = model.events[model.begin[option] : model.begin[option + 1]]
    start, here = np.int64(model.start[option]), np.int64(here)
    return perform(events, start, here, model.coverage, model.codes, model.counts)


@uncounted
def score_codes(model, n, state):
    total = 0.0
    for at in range(n):
        number = number_of(model, model.codes[at])
        logprob, state = remembered_advance(model.lm, model.memory, state, number)
        total += logprob
    return total, state


@uncounted
def number_of(model, code):
    """The number of an operation; jumps further back than in training are unknown."""
    if code >= 0:
        return code
    return model.jumps[-code] if -code < len(model.jumps) else np.int32(UNKNOWN)
