"""Rows of numbers, each kept once and known by its number: for states that are more than a number.

Compiled code cannot replace the arrays of a tuple, so `add` reports when there is no room, and the
caller continues with the larger tables that `enlarged` makes.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.hashing import EMPTY, mix_in
from models.kernels import kernel, uncounted


class DistinctRows(NamedTuple):
    values: NDArray[Any]  # all rows, one after the other
    begin: Int64Array  # where each row begins, and where the last one ends
    slots: Int32Array  # hash table of the rows' numbers
    total: Int64Array  # (1,) how many there are


def no_rows(dtype: type[np.signedinteger[Any]], size: int = 1 << 10) -> DistinctRows:
    """Room for `size` rows, a power of two."""
    return DistinctRows(
        np.empty(8 * size, dtype),
        np.zeros(size + 1, np.int64),
        np.full(2 * size, EMPTY, np.int32),
        np.zeros(1, np.int64),
    )


def enlarged(rows: DistinctRows) -> DistinctRows:
    """The same rows with twice the room."""
    larger = no_rows(rows.values.dtype.type, 2 * (len(rows.begin) - 1))
    _copy(rows, larger)
    return larger


@kernel
def _copy(rows, larger):
    for number in range(rows.total[0]):
        row = rows.values[rows.begin[number] : rows.begin[number + 1]]
        add(larger, row, len(row))


@uncounted
def add(rows, row, length):
    """The number of a row, a new one if it is new; EMPTY if there is no room for it."""
    values, begin, slots, total = rows
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
                return known
        slot = (slot + 1) & mask
    new = total[0]
    if new + 1 == len(begin) or begin[new] + length > len(values):
        return EMPTY
    for at in range(length):
        values[begin[new] + at] = row[at]
    begin[new + 1] = begin[new] + length
    slots[slot] = new
    total[0] = new + 1
    return new
