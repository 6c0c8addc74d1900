"""Training, development and test sets by hash: where a pair goes depends on nothing but its text,
or on its document, so the same pairs are divided in the same way in whatever order they come.

A pair, or a whole document, is a unit. Those with the smallest hashes are the test set, the next
ones the development set, the rest is for training.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int64Array, UInt64Array
from hyperbaton.foundation.errors import DataError, counted

TRAIN, DEV, TEST, TWICE = range(4)  # sets, and pairs that have been there before
SETS = ("train", "dev", "test")


def hash_of(*texts: str) -> int:
    """64 bits of the texts, which have no line ends."""
    return int.from_bytes(blake2b("\n".join(texts).encode(), digest_size=8).digest(), "little")


def divide(pairs: UInt64Array, units: UInt64Array, n_dev: int, n_test: int) -> NDArray[np.uint8]:
    """The set of every pair from its hash and that of its unit, (pairs,)."""
    is_first = np.zeros(len(pairs), bool)
    is_first[np.unique(pairs, return_index=True)[1]] = True
    found, counts = np.unique(units[is_first], return_counts=True)
    n_left = int(counts.sum()) - n_dev - n_test
    if n_left < 1:
        raise DataError(
            f"{counted(int(counts.sum()), 'pair')} left, and {n_dev + n_test:,} are to be "
            "split off",
            expected="some must be left for training",
            advice="split off fewer (--dev, --test), or drop fewer",
        )
    sets = np.where(is_first, TRAIN, TWICE).astype(np.uint8)
    is_free = np.ones(len(found), bool)
    for part, wanted in ((TEST, n_test), (DEV, n_dev)):
        chosen = _fitting(np.where(is_free, counts, wanted + 1), wanted, SETS[part])
        is_free[chosen] = False
        sets[is_first & np.isin(units, found[chosen])] = part
    return sets


def _fitting(counts: Int64Array, wanted: int, name: str) -> list[int]:
    """The first units that make up the number that is wanted, or come close to it; those too large
    for what is still missing are passed over."""
    chosen, missing = [], wanted
    for unit, count in enumerate(counts):
        if missing == 0:
            break
        if count <= missing:
            chosen.append(unit)
            missing -= int(count)
    if wanted and not chosen:
        raise DataError(
            f"all documents that are left have more than {counted(wanted, 'pair')}",
            expected=f"documents are not divided, so there is none for --{name} {wanted}",
            advice=f"raise --{name}, or split by pairs, without documents",
        )
    return chosen
