"""Losses shared by several learners: the likelihood, and the structured margin with its Δ.

All entropy and logistic learners minimise the regularised likelihood (Alrajeh and Niranjan 2014,
eqs. 5–7):

    P(w) = 1/(2σ²) Σ_k ‖w_k‖² − Σ_i log p(o_i | φ_i)

The structured margin uses Δ(o, o'), the distance of two orientation classes (Ni et al. 2011,
§2.2.3): 0 for the same class, 0.5 for close ones, 1 for others. Only Figure 5 of the paper shows
which classes are close: the matrix is "equivalent to constructing a heuristic tree structure". In a
tree, two leaves that are close to a third are close to each other, so close classes form groups,
and the classes of a group move in the same direction:

    tree         d ≤ −5 and −5 < d < 0 are close, so are 0 < d < 5 and d ≥ 5; with three classes,
                 none are close
    neighbours   neighbouring classes in the order of d are close, so d = 0 is close to both
                 neighbours; this is not a tree, and it biases predictions to the middle
    flat         no classes are close (Collins 2002)
"""

from collections.abc import Callable

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.learning.problem import Problem, score


def penalised_likelihood(problem: Problem, weights: FloatArray, sigma: float) -> float:
    """P(w), with weights (F, K)."""
    loss = likelihood_and_gradient(problem, weights, np.empty_like(weights))
    return float(loss + (weights**2).sum() / (2 * sigma**2))


@kernel
def likelihood_and_gradient(problem, weights, gradient):
    """−Σ_i log p(o_i | φ_i); fills `gradient`, (F, K), with Σ_i (p(k | φ_i) − [k = o_i]) φ_i, the
    expected minus the observed counts of features."""
    n_classes = problem.n_classes
    scores = np.empty(n_classes)
    gradient[:] = 0.0
    loss = 0.0
    for row in range(len(problem.labels)):
        label = problem.labels[row]
        score(problem, row, weights, scores)
        loss -= scores[label]
        loss += to_probabilities(scores)
        scores[label] -= 1.0
        for entry in range(problem.indptr[row], problem.indptr[row + 1]):
            value = problem.data[entry]
            feature = problem.indices[entry]
            for o in range(n_classes):
                gradient[feature, o] += value * scores[o]
    return loss


@inner
def to_probabilities(scores):
    """Converts scores to probabilities in place (eq. 5); returns the log of the normaliser."""
    highest = scores[0]
    for o in range(1, len(scores)):
        highest = max(highest, scores[o])
    total = 0.0
    for o in range(len(scores)):
        scores[o] = np.exp(scores[o] - highest)
        total += scores[o]
    for o in range(len(scores)):
        scores[o] /= total
    return highest + np.log(total)


def log_softmax(scores: FloatArray) -> FloatArray:
    """log p of the scores of each row, without overflow."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    result: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result


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
