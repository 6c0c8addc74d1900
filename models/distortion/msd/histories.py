"""What hierarchical orientation must remember of a hypothesis' past.

A block is what the last k phrases cover, for some k, if it is one stretch of source words. If it is
not, it may become one when the words between are translated next:

    source    0 1 2 3 4 5 6 7        phrases 1:2, 6:7 and 3:4 were taken, in this order
              . ■ . ■ . . ■ .
                    └┘               3:4                is a block
                    └─────┘          3:4 and 6:7        will be one when 4 and 5 are translated
                └─────────┘          all three          when 2, 4 and 5 are

So we keep every suffix of the derivation whose words are *all* the covered words between its first
and its last one. These suffixes are nested, and the outer words identify each. Of those with the
same holes, the longest can replace the others. A suffix with covered words on both sides can never
have a neighbour. One with covered words on one side cannot grow there, so it does not matter where
it ends, and its interval is cut back to its outermost hole. The rest is exactly what the future can
ask for, often a single interval. A stack of blocks that are joined two by two as they touch (Galley
and Manning 2008) is not enough: phrases in the order 2 4 1 3 make a block although no two of them
do; see Cherry, Moore and Quirk (2012).

Forward orientation waits for the blocks that the *next* phrases make; `WAITING` fields are kept for
each phrase that jumped over words which are still open (see `hierarchical.py`).

A history is a row of numbers, kept once for each sentence:

    place                   where the open words behind the last phrase begin, and two bits: whether
                            the words beside it are open
    waiting phrases, × 3    begin and end of the stretch that was open beside the phrase when it was
                            left, and its kind and side
    blocks, × 2             begin and end, the shortest first
"""

import numpy as np

from hyperbaton.foundation.coverage import covered_end, is_covered, is_free, open_end, open_start
from hyperbaton.foundation.hashing import DistinctRows, add_one_row, no_rows
from hyperbaton.foundation.kernels import uncounted

BEGINNING = -1  # the place of the history in which nothing has been taken
OPEN_RIGHT, OPEN_LEFT = 1, 2  # bits of the first number
HEADER = 2  # numbers before the waiting phrases: the place, and how many wait
WAITING = 3  # numbers of a waiting phrase
BLOCK = 2  # numbers of a block


def first_histories(size: int = 1 << 10) -> DistinctRows:
    """Number 0 is the beginning; there is room for more."""
    histories = no_rows(np.int32, size)
    add_one_row(histories, np.array([BEGINNING, 0], np.int32), HEADER)
    return histories


@uncounted
def n_open(coverage, begin, end):
    """How many words of a stretch are not covered."""
    found = 0
    for place in range(begin, end):
        found += not is_covered(coverage, place)
    return found


@uncounted
def last_phrase_start(coverage, place):
    """Of a phrase whose left neighbour is open, from the place behind its stretch."""
    start = place
    while start > 0 and is_covered(coverage, start - 1):
        start -= 1
    return start


@uncounted
def make_row(row, coverage, after, n_words, start, end, kind, wants, with_forward, result):
    """The history after a step, written into `result`; its length.

    `row` is the history before, `coverage` and `after` the covered words before and after. `kind`
    and `wants` are those of the last phrase: whether it has to wait on its right and left side.
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
            continue  # words outside the block lie between
        at, holes = _put_block(after, n_words, begin, stop, result, at, holes)
    return at


@uncounted
def _put_block(after, n_words, begin, stop, result, at, known_holes):
    """Writes a block that can still have a neighbour; where the next goes, and its open words.

    `known_holes` are those of the block before, which is shorter.
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
        at -= BLOCK  # the block before has the same holes and can do no more
    result[at], result[at + 1] = begin, stop
    return at + BLOCK, holes


@uncounted
def _wait(row, coverage, after, n_words, start, end, kind, wants, result):
    """The phrases that wait after the step, for `make_row`; how many they are."""
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
    """Whether the next phrases have made a block at the beginning of a stretch, or at its end on
    the left side, or are bound to do so because no words are open elsewhere."""
    n_changes = 0
    for place in range(begin + 1, stop):
        n_changes += is_covered(after, place) != is_covered(after, place - 1)
    is_left = code & 1
    if n_changes == 0 or (n_changes == 1 and is_covered(after, begin) != bool(is_left)):
        return True
    return n_open(after, 0, begin) + n_open(after, stop, n_words) == 0


@uncounted
def open_side(header, coverage, start, end):
    """On which side of the last phrase the span begins or ends the open words beside it, or 0."""
    if header == BEGINNING:
        return 0
    place = header >> 2
    if start >= place:
        if header & OPEN_RIGHT and is_free(coverage, place, start):
            return OPEN_RIGHT
    elif header & OPEN_LEFT and is_free(coverage, end, last_phrase_start(coverage, place)):
        return OPEN_LEFT
    return 0
