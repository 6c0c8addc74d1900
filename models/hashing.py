"""Hash functions of 64-bit keys, and hash tables with open addressing, a power of two in size.

They scatter keys and keep the same results on every machine; none resists an attacker.
"""

from typing import Any

import numpy as np

from models.kernels import kernel, uncounted

EMPTY = -1  # in the values of a slot that holds nothing
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Knuth, section 6.4): spreads keys
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)


def mixed(values: Any) -> Any:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014), of one number or an array: every
    bit changes every other."""
    values = (values ^ (values >> np.uint64(30))) * FIRST_FACTOR
    values = (values ^ (values >> np.uint64(27))) * SECOND_FACTOR
    return values ^ (values >> np.uint64(31))


mix = uncounted(mixed)


@uncounted
def mix_in(hashed, value):
    """The hash of a sequence with one more value."""
    hashed = (hashed ^ value) * GOLDEN
    return hashed ^ (hashed >> np.uint64(29))


@uncounted
def first_slot(key, mask):
    """Where the search for a key begins in a table of `mask` + 1 slots."""
    return np.int64((np.uint64(key) * GOLDEN) >> np.uint64(32)) & mask


def table_size(n_keys: int) -> int:
    """Slots for a number of keys: at most half of them are used, so probes stay short."""
    return 1 << max(4, (2 * n_keys - 1).bit_length())


@kernel
def find_slot(keys, values, key):
    """The slot that holds the key, or the empty one where it belongs."""
    mask = len(keys) - 1
    slot = first_slot(key, mask)
    while values[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot
