"""The operations that generate a source sentence, its translation and their alignment.

Operations generate the target words from left to right, and each cept (words that links connect) at
its first target word. Between cepts they move to the next source word:

    TRANS f → e   generates the source words f and the target words e of a cept, at the place of
                  its first source word; CONTINUE goes to each of its other source words
    INS f, DEL e  generate a source or a target word without links
    GAP           leaves words open, from the current place on
    BACK k        goes back to the start of the k-th open gap from the right
    FORWARD       goes to the place after the last generated source word
    SELF          copies a word that the training data have only once

    source  kare wa hon o katta .    TRANS kare → he, INS wa, GAP, TRANS katta → bought, DEL a,
    target  he bought a book .       BACK 1, TRANS hon → book, INS o, FORWARD, TRANS . → .
    links   0-0 4-1 2-3 5-4

Durrani, Schmid and Fraser (2011, section 3) describe them; INS is their "generate source only", DEL
their "generate target only". These names are those of Moses.

An operation is a row of numbers, its kind and its words. Its number is that of the row.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.files.vocabulary import UNKNOWN
from hyperbaton.foundation.hashing import (
    EMPTY,
    DistinctRows,
    add_one_row,
    enlarged,
    no_rows,
)
from hyperbaton.foundation.kernels import uncounted


class Kind(IntEnum):
    """The kind of an operation; 0 to 2 are the special symbols of language models."""

    GAP = 3
    FORWARD = 4
    CONTINUE = 5
    SELF = 6
    TRANS = 7
    INS = 8
    DEL = 9
    BACK = 10
    OTHER = 11  # an operation of an imported model that no step performs; its word is its name


N_PLAIN = 7  # kinds without words, whose numbers are their kinds
WORDS = 2  # the place of a TRANS row's words, after its kind and the number of source words

NOWHERE = -1  # the place of an operation that generates no source word
EVENT = np.dtype([("place", np.int32), ("operation", np.int32)])


class Room(NamedTuple):
    """The rows of the operations that generate a pair of texts, and their places in the source."""

    place: Int32Array  # (events,) or NOWHERE
    offsets: Int32Array  # (events + 1,) of the rows
    values: Int32Array
    cept_of_source: Int32Array
    cept_of_target: Int32Array


def room_for(n_source: int, n_target: int) -> Room:
    """Space for texts of these lengths."""
    n = n_source + n_target
    sizes = (n, n + 1, 3 * n, n_source, n_target)  # at most 3 numbers for each word
    return Room(*(np.zeros(size, np.int32) for size in sizes))


@uncounted
def write_events(source, target, links, room):
    """Writes the operations that generate words; returns their number. Source words without links
    are generated directly after the word before them."""
    _find_cepts(links, len(source), len(target), room.cept_of_source, room.cept_of_target)
    n = _insert(source, 0, room, 0)
    for first in range(len(target)):
        if room.cept_of_target[first] == EMPTY:
            n = _write(room, n, NOWHERE, Kind.DEL, target[first])
        if room.cept_of_target[first] != first:
            continue
        is_begun = False
        for place in range(len(source)):
            if room.cept_of_source[place] == first:
                if is_begun:
                    room.place[n], room.values[room.offsets[n]] = place, Kind.CONTINUE
                    room.offsets[n + 1] = room.offsets[n] + 1
                else:
                    _write_cept(source, target, first, place, room, n)
                is_begun = True
                n = _insert(source, place + 1, room, n + 1)
    return n


@uncounted
def _find_cepts(links, n_source, n_target, cept_of_source, cept_of_target):
    """Finds the cept of each word: its first target word; EMPTY without links."""
    for place in range(n_source):
        cept_of_source[place] = EMPTY
    for place in range(n_target):
        cept_of_target[place] = EMPTY
    for link in range(len(links)):
        source, target = links[link, 0], links[link, 1]
        if cept_of_target[target] == EMPTY:
            cept_of_target[target] = target
        if cept_of_source[source] == EMPTY:
            cept_of_source[source] = target
        one = _root(cept_of_target, target)
        other = _root(cept_of_target, cept_of_source[source])
        cept_of_target[max(one, other)] = min(one, other)
    for place in range(n_target):
        if cept_of_target[place] != EMPTY:
            cept_of_target[place] = cept_of_target[cept_of_target[place]]
    for place in range(n_source):
        if cept_of_source[place] != EMPTY:
            cept_of_source[place] = cept_of_target[cept_of_source[place]]


@uncounted
def _root(parent, node):
    while parent[node] != node:
        node = parent[node]
    return node


@uncounted
def _insert(source, place, room, n):
    """Writes INS for the words without links from a place on."""
    while place < len(source) and room.cept_of_source[place] == EMPTY:
        n = _write(room, n, place, Kind.INS, source[place])
        place += 1
    return n


@uncounted
def _write(room, n, place, kind, word):
    begin = room.offsets[n]
    room.place[n], room.values[begin], room.values[begin + 1] = place, kind, word
    room.offsets[n + 1] = begin + 2
    return n + 1


@uncounted
def _write_cept(source, target, first, place, room, n):
    begin = room.offsets[n]
    at = begin + WORDS
    for word in range(place, len(source)):
        if room.cept_of_source[word] == first:
            room.values[at] = source[word]
            at += 1
    room.place[n], room.values[begin], room.values[begin + 1] = (
        place,
        Kind.TRANS,
        at - begin - WORDS,
    )
    for word in range(first, len(target)):
        if room.cept_of_target[word] == first:
            room.values[at] = target[word]
            at += 1
    room.offsets[n + 1] = at


@uncounted
def is_copy(row, source_of_target):
    """Whether an operation translates a word by the same word; `source_of_target` has the source
    word of that spelling for each target word."""
    if row[0] != Kind.TRANS or len(row) != WORDS + 2:
        return False
    return row[WORDS + 1] < len(source_of_target) and source_of_target[row[WORDS + 1]] == row[WORDS]


def first_operations() -> DistinctRows:
    """A table with the operations that have no words."""
    operations = no_rows(np.int32)
    for kind in range(N_PLAIN):
        operations = with_operation(operations, [kind])
    return operations


def with_operation(operations: DistinctRows, row: Sequence[int]) -> DistinctRows:
    """Adds a row; the table is replaced by a larger one if it is full."""
    while add_one_row(operations, np.array(row, np.int32), len(row)) == EMPTY:
        operations = enlarged(operations)
    return operations


def finished(operations: DistinctRows) -> tuple[DistinctRows, Int32Array]:
    """The table without unused space, and the number of BACK k at k; UNKNOWN if it is missing. The
    table is read-only like one from files, so that kernels compile once."""
    begin = operations.begin[: operations.total[0] + 1]
    values = operations.values[: begin[-1]]
    operations = operations._replace(values=values, begin=begin)
    for array in operations:
        array.setflags(write=False)
    back = np.flatnonzero(values[begin[:-1]] == Kind.BACK)
    distances = values[begin[back] + 1]
    jumps = np.full(1 + distances.max(initial=0), UNKNOWN, np.int32)
    jumps[distances] = back
    return operations, jumps
