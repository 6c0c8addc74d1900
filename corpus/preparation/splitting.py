"""Splits pairs into training, development and test sets by hash. The set of a pair depends only on
its text or its document, not on the order of the pairs.

A pair, or a whole document, is a unit. The units with the smallest hashes form the test set, the
next ones the development set, and the rest is for training.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int64Array, UInt64Array
from hyperbaton.foundation.errors import DataError, counted

TRAIN, DEV, TEST, TWICE = range(4)  # TWICE: duplicates
SETS = ("train", "dev", "test")


def hash_of(*texts: str) -> int:
    """A 64-bit hash of texts without line breaks."""
    return int.from_bytes(blake2b("\n".join(texts).encode(), digest_size=8).digest(), "little")


def divide(pairs: UInt64Array, units: UInt64Array, n_dev: int, n_test: int) -> NDArray[np.uint8]:
    """The set of every pair, from its hash and that of its unit: (pairs,)."""
    is_first = np.zeros(len(pairs), bool)
    is_first[np.unique(pairs, return_index=True)[1]] = True
    distinct, counts = np.unique(units[is_first], return_counts=True)
    n_left = int(counts.sum()) - n_dev - n_test
    if n_left < 1:
        raise DataError(
            f"cannot take {n_dev + n_test:,} for development and test from "
            f"{counted(int(counts.sum()), 'pair')}",
            expected="at least one pair must remain for training",
            advice="lower --dev or --test, or drop fewer pairs",
        )
    sets = np.where(is_first, TRAIN, TWICE).astype(np.uint8)
    is_free = np.ones(len(distinct), bool)
    for part, wanted in ((TEST, n_test), (DEV, n_dev)):
        chosen = _fitting(np.where(is_free, counts, wanted + 1), wanted, SETS[part])
        is_free[chosen] = False
        sets[is_first & np.isin(units, distinct[chosen])] = part
    return sets


def _fitting(counts: Int64Array, wanted: int, name: str) -> list[int]:
    """The first units that together have the wanted number of pairs, or a little less; units that
    are too large are skipped."""
    chosen, missing = [], wanted
    for unit, count in enumerate(counts):
        if missing == 0:
            break
        if count <= missing:
            chosen.append(unit)
            missing -= int(count)
    if wanted and not chosen:
        raise DataError(
            f"all remaining documents have more than {counted(wanted, 'pair')}",
            expected=f"documents are not divided, so none fits --{name} {wanted}",
            advice=f"raise --{name}, or split by pairs, without documents",
        )
    return chosen
