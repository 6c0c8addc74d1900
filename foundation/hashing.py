"""Hash functions for 64-bit keys, and hash tables with open addressing, a power of two in size.

The hash functions give the same results on every machine and do not resist attackers. `KeyIndex`
numbers keys that are known in advance. `DistinctRows` numbers distinct rows of integers, for states
that do not fit into one number. Compiled code cannot enlarge the arrays of a tuple, so `add_row`
reports a full table, and the caller continues with the result of `enlarged`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel, uncounted

EMPTY = -1  # value of an empty slot
VACANT = -1  # key of an empty slot
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Knuth, section 6.4): spreads keys
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)


@uncounted
def mixed(values: Any) -> Any:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014), for one number or an array: every
    bit affects every other."""
    values = (values ^ (values >> np.uint64(30))) * FIRST_FACTOR
    values = (values ^ (values >> np.uint64(27))) * SECOND_FACTOR
    return values ^ (values >> np.uint64(31))


@uncounted
def mix_in(hashed, value):
    """The hash of a sequence with one more value."""
    hashed = (hashed ^ value) * GOLDEN
    return hashed ^ (hashed >> np.uint64(29))


@uncounted
def first_slot(key, mask):
    """The first slot to probe for a key in a table of `mask` + 1 slots."""
    return np.int64((np.uint64(key) * GOLDEN) >> np.uint64(32)) & mask


def table_size(n_keys: int) -> int:
    """The number of slots for a number of keys: at most half are used, so probes stay short."""
    return 1 << max(4, (2 * n_keys - 1).bit_length())


@inner
def find_slot(keys, values, key):
    """The slot of the key, or the empty slot for it."""
    mask = len(keys) - 1
    slot = first_slot(key, mask)
    while values[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


class KeyIndex(NamedTuple):
    """The numbers of distinct keys from 0, in a table that is written once. Empty slots are marked
    in `keys`, so the search for an absent key does not read `numbers`."""

    keys: Int64Array  # (slots,) VACANT or a key
    numbers: Int32Array  # (slots,)


def index_keys(keys: Int64Array) -> KeyIndex:
    """The index of distinct keys, numbered in order."""
    size = table_size(len(keys))
    index = KeyIndex(np.full(size, VACANT, np.int64), np.zeros(size, np.int32))
    _insert(index, keys)
    return index


@kernel
def _insert(index, keys):
    mask = len(index.keys) - 1
    for number in range(len(keys)):
        slot = first_slot(keys[number], mask)
        while index.keys[slot] != VACANT:
            slot = (slot + 1) & mask
        index.keys[slot], index.numbers[slot] = keys[number], number


@inner
def find_number(index, key):
    """The number of a key, or EMPTY."""
    if key < 0:
        return np.int64(EMPTY)
    mask = len(index.keys) - 1
    slot = first_slot(key, mask)
    while index.keys[slot] != VACANT:
        if index.keys[slot] == key:
            return np.int64(index.numbers[slot])
        slot = (slot + 1) & mask
    return np.int64(EMPTY)


def keys_in_order(index: KeyIndex) -> Int64Array:
    """The keys by number."""
    used = np.flatnonzero(index.keys != VACANT)
    keys = np.empty(len(used), np.int64)
    keys[index.numbers[used]] = index.keys[used]
    return keys


class DistinctRows(NamedTuple):
    values: NDArray[Any]  # all rows, concatenated
    begin: Int64Array  # the start of each row, and the end of the last one
    slots: Int32Array  # hash table of row numbers
    total: Int64Array  # (1,) number of rows


def no_rows(dtype: type[np.signedinteger[Any]], size: int = 1 << 10) -> DistinctRows:
    """An empty table for `size` rows, a power of two."""
    return DistinctRows(
        np.empty(8 * size, dtype),
        np.zeros(size + 1, np.int64),
        np.full(2 * size, EMPTY, np.int32),
        np.zeros(1, np.int64),
    )


def enlarged(rows: DistinctRows) -> DistinctRows:
    """The rows in a table of twice the size."""
    larger = no_rows(rows.values.dtype.type, 2 * (len(rows.begin) - 1))
    _copy(rows, larger)
    return larger


@kernel
def _copy(rows, larger):
    for number in range(rows.total[0]):
        row = rows.values[rows.begin[number] : rows.begin[number + 1]]
        add_row(larger, row, len(row))


@uncounted
def _slot_of_row(rows, row, length):
    """The slot of a row, or the empty slot for it."""
    values, begin, slots, _ = rows
    hashed = np.uint64(length)
    for at in range(length):
        hashed = mix_in(hashed, np.uint64(row[at]))
    mask = len(slots) - 1
    slot = np.int64(hashed >> np.uint64(16)) & mask
    while slots[slot] != EMPTY:
        known = slots[slot]
        if begin[known + 1] - begin[known] == length:
            at = 0
            while at < length and values[begin[known] + at] == row[at]:
                at += 1
            if at == length:
                break
        slot = (slot + 1) & mask
    return slot


@uncounted
def find_row(rows, row, length):
    """The number of a row, or EMPTY."""
    return rows.slots[_slot_of_row(rows, row, length)]


@uncounted
def add_row(rows, row, length):
    """The number of a row, which is added if it is new; EMPTY if the table is full."""
    values, begin, slots, total = rows
    slot = _slot_of_row(rows, row, length)
    if slots[slot] != EMPTY:
        return slots[slot]
    new = total[0]
    if new + 1 == len(begin) or begin[new] + length > len(values):
        return EMPTY
    for at in range(length):
        values[begin[new] + at] = row[at]
    begin[new + 1] = begin[new] + length
    slots[slot] = new
    total[0] = new + 1
    return new


add_one_row = kernel(add_row)  # for calls from Python
