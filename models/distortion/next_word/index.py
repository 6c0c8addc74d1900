"""Numbers of features by their keys: an open-addressing hash table that is written once."""

from typing import NamedTuple

import numpy as np

from models.arrays import Int32Array, Int64Array
from models.hashing import first_slot, table_size
from models.kernels import kernel

FREE = -1  # in the keys of a slot that holds nothing


class FeatureIndex(NamedTuple):
    """Features are numbered from 0."""

    keys: Int64Array  # (slots,) FREE or a key
    numbers: Int32Array  # (slots,)
    n_features: int


def make_index(keys: Int64Array) -> FeatureIndex:
    """The index of distinct keys, numbered as they come."""
    size = table_size(len(keys))
    slots, numbers = np.full(size, FREE, np.int64), np.zeros(size, np.int32)
    _insert(slots, numbers, keys)
    return FeatureIndex(slots, numbers, len(keys))


@kernel
def _insert(slots, numbers, keys):
    mask = len(slots) - 1
    for number in range(len(keys)):
        slot = first_slot(keys[number], mask)
        while slots[slot] != FREE:
            slot = (slot + 1) & mask
        slots[slot] = keys[number]
        numbers[slot] = number


@kernel
def find(index, key):
    """The number of a feature; n_features if there is no such feature."""
    if key < 0:
        return index.n_features
    mask = len(index.keys) - 1
    slot = first_slot(key, mask)
    while index.keys[slot] != FREE:
        if index.keys[slot] == key:
            return np.int64(index.numbers[slot])
        slot = (slot + 1) & mask
    return index.n_features


def keys_in_order(index: FeatureIndex) -> Int64Array:
    """The keys by number."""
    used = index.keys != FREE
    keys = np.empty(index.n_features, np.int64)
    keys[index.numbers[used]] = index.keys[used]
    return keys
