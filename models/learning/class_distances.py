"""Δ(o, o'): how far apart two orientation classes are (Ni et al. 2011, §2.2.3).

0 for the same class, 0.5 for classes that are close, 1 for others. Classes are in the order of the
distance d, so `neighbours` calls those close that lie side by side: of the three classes d < 0,
d = 0, d > 0 the middle one is close to both others. The paper also draws a tree (its Figure 5);
`tree` calls those close that move in the same direction, which needs five classes to differ from
`flat`, where every other class is at distance 1 (Collins 2002).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def neighbours(n_classes: int) -> FloatArray:
    place = np.arange(n_classes)
    apart = np.abs(place[:, None] - place)
    distance: FloatArray = np.minimum(apart, 2) / 2
    return distance


def tree(n_classes: int) -> FloatArray:
    direction = np.sign(np.arange(n_classes) - (n_classes - 1) / 2)
    close = (direction[:, None] == direction) & ~np.eye(n_classes, dtype=bool)
    return np.where(close, 0.5, flat(n_classes))


def flat(n_classes: int) -> FloatArray:
    return 1.0 - np.eye(n_classes)


DISTANCES: dict[str, Callable[[int], FloatArray]] = {
    "neighbours": neighbours,
    "tree": tree,
    "flat": flat,
}
