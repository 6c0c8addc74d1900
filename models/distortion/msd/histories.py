"""Histories of hypotheses for hierarchical orientation.

A block is the set of words covered by the last k phrases, for some k, if they are contiguous. If
they are not, they may become a block when the words between are translated next:

    source    0 1 2 3 4 5 6 7        phrases 1:2, 6:7 and 3:4 were taken, in this order
              . ■ . ■ . . ■ .
                    └┘               3:4                is a block
                    └─────┘          3:4 and 6:7        will be one when 4 and 5 are translated
                └─────────┘          all three          when 2, 4 and 5 are

So we keep every suffix of the derivation whose words are *all* the covered words between its first
and its last one. These suffixes are nested, and their outer words identify them. Among suffixes
with the same holes, the longest replaces the others. A suffix with covered words on both sides can
never have a neighbour. A suffix with covered words on one side cannot grow there, so its end does
not matter, and its interval is reduced to its outermost hole. The rest is exactly what later steps
can depend on, often a single interval. A stack of blocks that are joined in pairs when they touch
(Galley and Manning 2008) does not suffice: phrases in the order 2 4 1 3 make a block although no
two of them do; see Cherry, Moore and Quirk (2012).

Forward orientation waits for the blocks of the *next* phrases; a history has `WAITING` numbers for
each phrase that jumped over words that are still uncovered (see `hierarchical.py`).

A history is a row of numbers, stored once per sentence:

    place                   the start of the uncovered words after the last phrase, and two bits:
                            whether the words next to it are uncovered
    waiting phrases, × 3    begin and end of the uncovered stretch next to the phrase when the
    search
                            left it, and its kind and side
    blocks, × 2             begin and end, the shortest first
"""

import numpy as np

from hyperbaton.foundation.coverage import covered_end, is_covered, is_free, open_end, open_start
from hyperbaton.foundation.hashing import DistinctRows, add_one_row, no_rows
from hyperbaton.foundation.kernels import uncounted

BEGINNING = -1  # the place in the empty history
OPEN_RIGHT, OPEN_LEFT = 1, 2  # bits of the first number
HEADER = 2  # numbers before the waiting phrases: the place, and the number of waiting phrases
WAITING = 3  # numbers of a waiting phrase
BLOCK = 2  # numbers of a block


def first_histories(size: int = 1 << 10) -> DistinctRows:
    """A table of histories; number 0 is the beginning."""
    histories = no_rows(np.int32, size)
    add_one_row(histories, np.array([BEGINNING, 0], np.int32), HEADER)
    return histories


@uncounted
def n_open(coverage, begin, end):
    """The number of uncovered words in a stretch."""
    n = 0
    for place in range(begin, end):
        n += not is_covered(coverage, place)
    return n


@uncounted
def last_phrase_start(coverage, place):
    """The start of a phrase whose left neighbour is uncovered, from the place after its stretch."""
    start = place
    while start > 0 and is_covered(coverage, start - 1):
        start -= 1
    return start


@uncounted
def make_row(row, coverage, after, n_words, start, end, kind, wants, with_forward, result):
    """Writes the history after a step to `result`; returns its length.

    `row` is the history before, `coverage` and `after` the covered words before and after. `kind`
    and `wants` are those of the last phrase: whether it must wait on its right and left side.
    """
    place = covered_end(after, end, n_words)
    result[0] = place << 2
    if with_forward and end < n_words and not is_covered(after, end):
        result[0] |= OPEN_RIGHT
    if with_forward and start > 0 and not is_covered(after, start - 1):
        result[0] |= OPEN_LEFT
    n_waiting = _wait(row, coverage, after, n_words, start, end, kind, wants, result)
    result[1] = n_waiting
    at = HEADER + WAITING * n_waiting
    at, holes = _put_block(after, n_words, start, end, result, at, -1)
    for block in range(HEADER + WAITING * row[1], len(row), BLOCK):
        begin, stop = row[block], row[block + 1]
        if start >= stop and is_free(coverage, stop, start):
            stop = end
        elif end <= begin and is_free(coverage, end, begin):
            begin = start
        elif not (begin <= start and end <= stop):
            continue  # words outside the block are between
        at, holes = _put_block(after, n_words, begin, stop, result, at, holes)
    return at


@uncounted
def _put_block(after, n_words, begin, stop, result, at, known_holes):
    """Writes a block that can still have a neighbour; returns the next position and its holes.

    `known_holes` is the number of holes of the previous block, which is shorter.
    """
    is_left_open = begin > 0 and not is_covered(after, begin - 1)
    is_right_open = stop < n_words and not is_covered(after, stop)
    if not is_left_open and not is_right_open:
        return at, known_holes
    while not is_left_open and begin < stop and is_covered(after, begin):
        begin += 1
    while not is_right_open and begin < stop and is_covered(after, stop - 1):
        stop -= 1
    holes = n_open(after, begin, stop)
    if holes == known_holes:
        at -= BLOCK  # the previous block has the same holes, so this one replaces it
    result[at], result[at + 1] = begin, stop
    return at + BLOCK, holes


@uncounted
def _wait(row, coverage, after, n_words, start, end, kind, wants, result):
    """Writes the phrases that wait after the step, for `make_row`; returns their number."""
    at = HEADER
    for waiting in range(HEADER, HEADER + WAITING * row[1], WAITING):
        begin, stop, code = row[waiting], row[waiting + 1], row[waiting + 2]
        if begin <= start and end <= stop and not _is_decided(after, n_words, begin, stop, code):
            result[at], result[at + 1], result[at + 2] = begin, stop, code
            at += WAITING
    side, place = open_side(row[0], coverage, start, end), row[0] >> 2
    begin, stop, code = start, end, kind << 1
    if side == OPEN_RIGHT and wants[0]:
        begin, stop = place, open_end(coverage, stop, n_words)
    elif side == OPEN_LEFT and wants[1]:
        code |= 1
        stop = last_phrase_start(coverage, place)
        begin = open_start(coverage, begin)
    if not _is_decided(after, n_words, begin, stop, code):
        result[at], result[at + 1], result[at + 2] = begin, stop, code
        at += WAITING
    return (at - HEADER) // WAITING


@uncounted
def _is_decided(after, n_words, begin, stop, code):
    """Whether the next phrases have made a block at the beginning of a stretch (at its end on the
    left side), or must do so because no other words are uncovered."""
    n_changes = 0
    for place in range(begin + 1, stop):
        n_changes += is_covered(after, place) != is_covered(after, place - 1)
    is_left = code & 1
    if n_changes == 0 or (n_changes == 1 and is_covered(after, begin) != bool(is_left)):
        return True
    return n_open(after, 0, begin) + n_open(after, stop, n_words) == 0


@uncounted
def open_side(header, coverage, start, end):
    """The side of the last phrase on which the span is in the uncovered words next to it, or 0."""
    if header == BEGINNING:
        return 0
    place = header >> 2
    if start >= place:
        if header & OPEN_RIGHT and is_free(coverage, place, start):
            return OPEN_RIGHT
    elif header & OPEN_LEFT and is_free(coverage, end, last_phrase_start(coverage, place)):
        return OPEN_LEFT
    return 0
