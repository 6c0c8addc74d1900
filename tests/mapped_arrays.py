"""Small arrays, and where the values of an array lie."""

import mmap

import numpy as np

from hyperbaton.foundation.arrays import Ragged


def is_mapped(values):
    """Whether they are pages of a file, and not a copy."""
    while isinstance(values, np.ndarray):
        values = values.base
    return isinstance(getattr(values, "obj", values), mmap.mmap)


def ragged(rows, dtype=np.int32, shape=(-1,)):
    values = np.array([value for row in rows for value in row], dtype).reshape(shape)
    return Ragged(values, np.cumsum([0, *map(len, rows)]))


def ragged_links(rows):
    """(source, target) links of sentence pairs."""
    return ragged(rows, np.uint16, (-1, 2))
