"""The regularised likelihood that all entropy and logistic learners minimise (Alrajeh and Niranjan
2014, eqs. 5–7):

    P(w) = 1/(2σ²) Σ_k ‖w_k‖² − Σ_i log p(o_i | φ_i)
"""

import numpy as np

from models.arrays import FloatArray
from models.kernels import kernel
from models.learning.problem import Problem, score


def penalised_likelihood(problem: Problem, weights: FloatArray, sigma: float) -> float:
    """P(w), with weights (F, K)."""
    loss = likelihood_and_gradient(problem, weights, np.empty_like(weights))
    return float(loss + (weights**2).sum() / (2 * sigma**2))


@kernel
def likelihood_and_gradient(problem, weights, gradient):
    """−Σ_i log p(o_i | φ_i); Σ_i (p(k | φ_i) − [k = o_i]) φ_i, model minus observed counts of the
    features, goes into `gradient`, (F, K)."""
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


@kernel
def to_probabilities(scores):
    """Turns scores into probabilities in place (eq. 5); the log of the normaliser."""
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
