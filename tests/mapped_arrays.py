"""Where the values of an array lie."""

import mmap

import numpy as np


def is_mapped(values):
    """Whether they are pages of a file, and not a copy."""
    while isinstance(values, np.ndarray):
        values = values.base
    return isinstance(values, memoryview) and isinstance(values.obj, mmap.mmap)
