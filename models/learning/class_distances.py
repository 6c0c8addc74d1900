"""Δ(o, o'): how far apart two orientation classes are (Ni et al. 2011, §2.2.3).

0 for the same class, 0.5 for classes that are close, 1 for others. Which are close the paper leaves
to its Figure 5: the matrix is "equivalent to constructing a heuristic tree structure". Distances
between the leaves of a tree never make two classes close to a third one but not to each other, so
close classes come in groups, and the groups that there are move in the same direction:

    tree         d ≤ −5 and −5 < d < 0 are close, so are 0 < d < 5 and d ≥ 5; three classes have
                 nothing that is close
    neighbours   classes that lie side by side in the order of d are close, d = 0 to both of its
                 sides; no tree does that, and it draws predictions to the middle
    flat         nothing is close (Collins 2002)
"""

from collections.abc import Callable

import numpy as np

from models.arrays import FloatArray


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
