"""Turns a word-aligned corpus into sequences of operations, one for each sentence pair."""

from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import SENTENCES_AT_ONCE, AlignedCorpus
from hyperbaton.foundation.arrays import BoolArray, Int32Array, Ragged
from hyperbaton.foundation.coverage import coverage_size
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.hashing import EMPTY, DistinctRows, add_row, enlarged
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.osm.operations import (
    EVENT,
    WORDS,
    Kind,
    finished,
    first_operations,
    is_copy,
    room_for,
    with_operation,
    write_events,
)
from hyperbaton.models.distortion.osm.walking import MOST_MOVES, N_COUNTS, perform


class OperationCorpus(NamedTuple):
    sequences: Ragged  # numbers of operations
    operations: DistinctRows
    jumps: Int32Array  # number of BACK k at k


def operation_corpus(
    corpus: AlignedCorpus,
    source: Ragged,  # words or classes
    target: Ragged,
    source_of_target: Int32Array,
    progress: Progress = silent,
    scratch: Scratch = Scratch(),
) -> OperationCorpus:
    """The operations of all sentence pairs; `source_of_target` has the source word of the same
    spelling for each target word, or −1."""
    longest = [int(side.lengths.max(initial=0)) for side in (source, target)]
    n_events = sum(longest)
    rooms = (
        room_for(*longest),
        np.empty(n_events, EVENT),
        np.zeros(coverage_size(longest[0]), np.uint64),
        np.zeros(N_COUNTS, np.int64),
    )
    is_single = single_words(corpus)
    operations, column = first_operations(), scratch.column(np.int32)
    lengths = np.zeros(len(corpus), np.int64)
    for first in range(0, len(corpus), SENTENCES_AT_ONCE):
        progress("listing operations", first)
        last = min(first + SENTENCES_AT_ONCE, len(corpus))
        n_words = sum(int(side.offsets[last] - side.offsets[first]) for side in (source, target))
        codes = np.empty((1 + MOST_MOVES) * n_words, np.int32)
        at = 0
        while first < last:
            first, at = _list_operations(
                first, last, at, source.values, source.offsets, target.values, target.offsets,
                corpus.links.values, corpus.links.offsets, is_single, source_of_target,
                operations, *rooms, codes, lengths,
            )  # fmt: skip
            if first < last:
                operations = enlarged(operations)
        column.append(codes[:at])
    values = column.finish()
    for k in range(1, 1 - int(values.min(initial=0))):
        operations = with_operation(operations, [Kind.BACK, k])
    operations, jumps = finished(operations)
    is_jump = values < 0
    values[is_jump] = jumps[-values[is_jump]]
    return OperationCorpus(
        Ragged(values, np.concatenate([[0], np.cumsum(lengths)])), operations, jumps
    )


def single_words(corpus: AlignedCorpus) -> BoolArray:
    """Source words with exactly one link in the whole corpus, (vocabulary,)."""
    links, words = corpus.links, corpus.source.words
    place = words.offsets[links.row_of_value] + links.values[:, 0]
    counts = np.bincount(words.values[place], minlength=len(corpus.source.vocabulary))
    single: BoolArray = counts == 1
    return single


@kernel
def _list_operations(
    first, last, at, source, source_begin, target, target_begin, links, links_begin, is_single,
    source_of_target, operations, room, events, coverage, counts, codes, lengths,
):  # fmt: skip
    """Lists the operations of sentences from `first` on; returns the next sentence and the number
    of codes. Stops early if the table of operations is full."""
    for sentence in range(first, last):
        words = source[source_begin[sentence] : source_begin[sentence + 1]]
        n_events = write_events(
            words,
            target[target_begin[sentence] : target_begin[sentence + 1]],
            links[links_begin[sentence] : links_begin[sentence + 1]],
            room,
        )
        for event in range(n_events):
            row = room.values[room.offsets[event] : room.offsets[event + 1]]
            if is_copy(row, source_of_target) and is_single[row[WORDS]]:
                number = np.int32(Kind.SELF)
            else:
                number = np.int32(add_row(operations, row, len(row)))
            if number == EMPTY:
                return sentence, at
            events[event].place, events[event].operation = room.place[event], number
        coverage[:] = 0
        n = perform(events[:n_events], 0, 0, coverage, codes[at:], counts)
        lengths[sentence] = n
        at += n
    return last, at
