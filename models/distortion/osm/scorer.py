"""The operation sequence model's scores for the steps of one sentence.

A state combines the place after the last generated source word and the state of the n-gram model of
operations.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import (
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
    read_only,
)
from hyperbaton.foundation.coverage import coverage_size, empty_coverage
from hyperbaton.foundation.files.vocabulary import BEGIN, UNKNOWN
from hyperbaton.foundation.hashing import EMPTY, DistinctRows, find_row
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.models.distortion.interface import FIRST_GIVEN, OptionTable, SentenceScorer, Steps
from hyperbaton.models.distortion.osm.operations import (
    EVENT,
    NOWHERE,
    Kind,
    is_copy,
    room_for,
    write_events,
)
from hyperbaton.models.distortion.osm.texts import OperationTexts
from hyperbaton.models.distortion.osm.walking import (
    MOST_MOVES,
    N_COUNTS,
    OperationAutomaton,
    number_of,
    operations_of,
    score_codes,
)
from hyperbaton.models.language_model.asking import no_answers
from hyperbaton.models.language_model.automaton import Automaton
from hyperbaton.models.language_model.stepping import MEMORY_BITS, score_words
from hyperbaton.models.phrases.settings import GRID

FEATURES = ("logp", "gap_width", "gaps", "open_gaps", "insertions")


class OperationModel(NamedTuple):
    """Operations and their n-gram model."""

    operations: DistinctRows
    jumps: Int32Array  # number of BACK k at k
    source_of_target: Int32Array  # source word of the same spelling as a target word, or −1
    automaton: Automaton
    texts: OperationTexts


class OperationScorer(SentenceScorer):
    n_features = len(FEATURES)

    def __init__(
        self,
        model: OperationModel,
        options: OptionTable,
        source: Int32Array,  # (n_words,) words or classes of the sentence
        target: Ragged,  # (N,) words or classes of each option
    ) -> None:
        self._n_places, self._texts = options.n_words + 1, model.texts
        begin = int(model.automaton.unigrams[BEGIN]["next"])  # the state after <s>
        self.initial_state = begin * self._n_places
        n_events = (options.end - options.start) + target.lengths  # at most
        longest = int(n_events.max(initial=0))
        n = len(options)
        self.automaton = OperationAutomaton(
            begin, model.automaton, read_only(model.jumps), np.empty(int(n_events.sum()), EVENT),
            np.zeros(n + 1, np.int32), options.start, np.zeros(n + 1, np.int32),
            np.zeros(n, np.int32), np.zeros(self.n_features),
            np.zeros(coverage_size(options.n_words), np.uint64),
            np.zeros((1 + MOST_MOVES) * longest, np.int32), np.zeros(N_COUNTS, np.int64),
            no_answers(MEMORY_BITS),
        )  # fmt: skip
        _fill_in(
            self.automaton, options.end, options.entry, options.inner, source, target.values,
            target.offsets, model.operations, model.source_of_target,
            room_for(GRID, max(GRID, longest)), np.empty((GRID * GRID, 2), np.int64),
        )  # fmt: skip

    def features(self, steps: Steps) -> FloatArray:
        return self._run(steps, self.automaton)[0]

    def advance(self, steps: Steps) -> Int64Array:
        return self._run(steps, self.automaton)[1]

    def _run(self, steps: Steps, model: OperationAutomaton) -> tuple[FloatArray, Int64Array]:
        values = np.zeros((len(steps.option), self.n_features))
        states = np.empty(len(steps.option), np.int64)
        option = np.ascontiguousarray(steps.option, np.int32)
        coverage = np.ascontiguousarray(steps.coverage, np.uint64)
        before = np.ascontiguousarray(steps.state, np.int64)
        _run_steps(model, option, coverage, before, self._n_places, values, states)
        return values, states

    def option_estimate(self, n_options: int) -> FloatArray:
        """The values of each option as if it began the sentence, without context."""
        every = np.arange(n_options, dtype=np.int32)
        nothing = empty_coverage(n_options, self._n_places - 1)
        alone = self.automaton._replace(start=np.zeros(n_options, np.int32))
        return self._run(Steps(every, every, nothing, np.zeros(n_options, np.int64)), alone)[0]

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        """log p of a gap or of the way back to one, without context."""
        unigrams, jumps = self.automaton.lm.unigrams["logprob"], self.automaton.jumps
        back = unigrams[jumps[1]] if len(jumps) > 1 else 0.0
        jump = np.arange(self._n_places - 1) - np.arange(self._n_places)[:, None]
        logp = np.where(jump > 0, unigrams[Kind.GAP], np.where(jump < 0, back, 0.0))
        scores: FloatArray = weights[0] * logp
        return scores

    def as_automaton(self, weights: FloatArray) -> OperationAutomaton:
        return self.automaton._replace(weights=np.ascontiguousarray(weights, np.float64))

    def events(self, steps: Steps) -> list[list[tuple[str, float]]]:
        """The operations of each step."""
        return [self._operations(*step) for step in zip(*steps[1:], strict=True)]

    def _operations(
        self, option: np.int32, coverage: UInt64Array, state: np.int64
    ) -> list[tuple[str, float]]:
        before, place = divmod(int(state), self._n_places)
        n = list_operations(self.automaton, coverage, place, option)
        codes = self.automaton.codes[:n]
        numbers = np.array([number_of(self.automaton, code) for code in codes], np.int32)
        scores = score_words(self.automaton.lm, numbers, np.array([0, n]), before, False)
        texts = map(self._texts.text, numbers.tolist())
        return list(zip(texts, scores.tolist(), strict=True))


@kernel
def _fill_in(
    model, end, entry, inner, source, target, target_begin, operations, source_of_target, room,
    links,
):  # fmt: skip
    """Fills in the events of all options."""
    n = 0
    for option in range(len(entry)):
        model.begin[option] = n
        start = model.start[option]
        if entry[option] <= FIRST_GIVEN:  # a given translation is copied as a whole
            for place in range(end[option] - start):
                model.events[n].place = place
                model.events[n].operation = Kind.CONTINUE if place else Kind.SELF
                n += 1
            model.here[option + 1] = end[option]
            continue
        words = target[target_begin[option] : target_begin[option + 1]]
        n_links = _list_links(inner[option], links)
        n_events = write_events(source[start : end[option]], words, links[:n_links], room)
        for event in range(n_events):
            begin, stop = room.offsets[event], room.offsets[event + 1]
            row = room.values[begin:stop]
            number = find_row(operations, row, len(row))
            if number == EMPTY:
                is_self = (entry[option] < 0 and n_links) or is_copy(row, source_of_target)
                number = np.int32(Kind.SELF if is_self else UNKNOWN)
            model.events[n].place, model.events[n].operation = room.place[event], number
            if room.place[event] != NOWHERE:
                model.here[option + 1] = start + room.place[event] + 1
            model.n_inserted[option] += row[0] == Kind.INS
            n += 1
    model.begin[len(entry)] = n


@uncounted
def _list_links(inner, links):
    """Lists the links of an inner alignment; returns their number."""
    n, bit = 0, 0
    while inner:
        if inner & np.uint64(1):
            links[n, 0], links[n, 1] = bit % GRID, bit // GRID
            n += 1
        inner >>= np.uint64(1)
        bit += 1
    return n


@kernel
def _run_steps(model, option, coverage, before, n_places, values, states):
    for step in range(len(option)):
        state, place = np.int32(before[step] // n_places), before[step] % n_places
        n = operations_of(model, coverage[step], place, option[step])
        values[step, 0], state = score_codes(model, n, state)
        for count in range(N_COUNTS):
            values[step, 1 + count] = -model.counts[count]
        values[step, 1 + N_COUNTS] = -model.n_inserted[option[step]]
        states[step] = np.int64(state) * n_places + model.here[option[step] + 1]


list_operations = kernel(operations_of)  # for calls from Python
