"""Numbers the distinct phrases of a text, or the distinct rows of an array, by their content.

A phrase is a position in the text and a length. Equal phrases get equal numbers, in the order of
first appearance. Hashes only narrow the search; the words themselves are compared.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.hashing import EMPTY, mix_in, mixed
from hyperbaton.foundation.kernels import inner, kernel, uncounted

FIRST_SLOTS = 1 << 10  # initial size
ID_BITS = 32


def number_phrases(
    words: Int32Array, at: Int32Array, length: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """The number of each phrase, and for each number the first phrase that has it."""
    numbers, first = _number(words, at, length)
    return numbers, first


def number_rows(rows: NDArray[Any]) -> tuple[Int32Array, NDArray[Any]]:
    """The number of each row of 32-bit values, and the distinct rows, sorted."""
    width = rows.shape[1]
    words = np.ascontiguousarray(rows).view(np.int32).reshape(-1)
    at = np.arange(len(rows), dtype=np.int32) * np.int32(width)
    numbers, first = number_phrases(words, at, np.full(len(rows), width, np.int32))
    order = np.lexsort(rows[first].T[::-1]) if width else np.arange(len(first))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    return rank[numbers], rows[first[order]]


@uncounted
def _hashed(words, begin, length):
    hashed = np.uint64(length)
    for place in range(begin, begin + length):
        hashed = mix_in(hashed, np.uint64(words[place]))
    return mixed(hashed)


@uncounted
def _is_same(words, one, other, length):
    k = 0
    while k < length and words[one + k] == words[other + k]:
        k += 1
    return k == length


@inner
def _rehashed(words, at, length, first, n, size):
    """A larger table of the first n numbers; a slot combines part of the hash and the number."""
    slots = np.full(size, EMPTY, np.int64)
    for number in range(n):
        hashed = _hashed(words, at[first[number]], length[first[number]])
        slot = np.int64(hashed & np.uint64(size - 1))
        while slots[slot] != EMPTY:
            slot = (slot + 1) & (size - 1)
        slots[slot] = _filled(hashed, number)
    return slots


@uncounted
def _filled(hashed, number):
    tag = (hashed >> np.uint64(ID_BITS + 1)) << np.uint64(ID_BITS)  # never negative
    return np.int64(tag) | np.int64(number)


@kernel
def _number(words, at, length):
    numbers = np.empty(len(at), np.int32)
    first = np.empty(FIRST_SLOTS, np.int32)
    slots = np.full(2 * FIRST_SLOTS, EMPTY, np.int64)
    n = 0
    for phrase in range(len(at)):
        begin, size = at[phrase], length[phrase]
        hashed = _hashed(words, begin, size)
        mask = len(slots) - 1
        slot = np.int64(hashed & np.uint64(mask))
        tag = _filled(hashed, 0)
        number = -1
        while slots[slot] != EMPTY:
            if slots[slot] - tag >> ID_BITS == 0:
                known = slots[slot] & 0xFFFFFFFF
                other = first[known]
                if length[other] == size and _is_same(words, begin, at[other], size):
                    number = known
                    break
            slot = (slot + 1) & mask
        if number < 0:
            number = n
            if n == len(first):
                larger = np.empty(2 * n, np.int32)
                for k in range(n):
                    larger[k] = first[k]
                first = larger
                slots = _rehashed(words, at, length, first, n, 4 * n)
                mask = len(slots) - 1
                slot = np.int64(hashed & np.uint64(mask))
                while slots[slot] != EMPTY:
                    slot = (slot + 1) & mask
            first[n] = phrase
            slots[slot] = _filled(hashed, n)
            n += 1
        numbers[phrase] = number
    return numbers, first[:n].copy()
