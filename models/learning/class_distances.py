"""Δ(o, o'): how far apart two orientation classes are (Ni et al. 2011, §2.2.3).

0 for the same class, 0.5 for classes that are close, 1 for others. Which are close the paper leaves
to its Figure 5: the matrix is "equivalent to constructing a heuristic tree structure". In a tree,
two leaves that are close to a third are close to each other, so close classes come in groups, and
the classes of a group move in the same direction:

    tree         d ≤ −5 and −5 < d < 0 are close, so are 0 < d < 5 and d ≥ 5; three classes have
                 nothing that is close
    neighbours   classes that lie side by side in the order of d are close, d = 0 to both of its
                 sides; no tree does that, and it draws predictions to the middle
    flat         nothing is close (Collins 2002)
"""

from collections.abc import Callable

import numpy as np

from models.arrays import FloatArray
from models.kernels import kernel
from models.learning.problem import score


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


@kernel
def structured_loss(problem, distance, weights):
    """Σ_n ρ(n), eq. 5."""
    scores = np.empty(problem.n_classes)
    loss = 0.0
    for row in range(len(problem.labels)):
        label = problem.labels[row]
        score(problem, row, weights, scores)
        highest = scores[label]
        for o in range(problem.n_classes):
            highest = max(highest, scores[o] + distance[label, o])
        loss += highest - scores[label]
    return loss
