"""Where a 64-bit key goes in an open-addressing hash table whose size is a power of two."""

import numpy as np

from models.kernels import kernel

EMPTY = -1  # in the values of a slot that holds nothing
FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads consecutive keys


def table_size(n_keys: int) -> int:
    """Slots for so many keys: at most half of them are used, so probes stay short."""
    return 1 << max(4, (2 * n_keys - 1).bit_length())


@kernel
def find_slot(keys, values, key):
    """The slot that holds the key, or the empty one where it belongs."""
    mask = len(keys) - 1
    slot = np.int64((np.uint64(key) * FACTOR) >> np.uint64(32)) & mask
    while values[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot
