"""Random orders inside compiled code, where Numba's own generator belongs to the thread.

The generator is SplitMix64 (Steele, Lea and Flood 2014). Every model has its own, whose seed comes
from the user's seed and the number of the model, so that a model does not depend on which others
are trained, nor on how many threads train them.
"""

import numpy as np

from models.hashing import GOLDEN, mix
from models.kernels import kernel


def generator(seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The state of a new generator, (1,)."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


@kernel
def next_number(state):
    """A random 64-bit number; the state moves on."""
    state[0] += GOLDEN
    return mix(state[0])


@kernel
def shuffle(values, n, state):
    """Puts the first n values into a random order (Fisher and Yates)."""
    for last in range(n - 1, 0, -1):
        other = np.int64(next_number(state) % np.uint64(last + 1))
        values[last], values[other] = values[other], values[last]


@kernel
def own_seed(seed, number):
    """The seed of the model with this number among many that are trained with one seed."""
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed)
    state[0] = next_number(state) ^ np.uint64(number)
    return np.int64(next_number(state) >> np.uint64(1))
