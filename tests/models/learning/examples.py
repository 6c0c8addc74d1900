"""Small random classification problems, and dense formulas of what the learners minimise."""

import numpy as np
from scipy import sparse


def make_examples(seed, n=24, n_features=6, n_classes=3, signed=False):
    """Sparse counts (or signed numbers) whose classes follow hidden weights, with some noise; among
    them the hard cases, which `hard_cases` counts."""
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 4, (n, n_features)) * (rng.random((n, n_features)) < 0.5)
    dense = dense / 2
    if signed:
        dense = dense * rng.choice([-1, 1], dense.shape)
    scores = dense @ rng.normal(size=(n_features, n_classes))
    labels = (scores + rng.gumbel(size=scores.shape) / 2).argmax(axis=1)
    dense[-1] = 0.0  # no feature: all classes tie
    dense[-2], labels[-2] = dense[-3], (labels[-3] + 1) % n_classes  # no weights can fit both
    examples = sparse.csr_array(dense)
    assert min(hard_cases(examples, labels)) > 0
    return examples, labels


def hard_cases(examples, labels):
    """Examples without features, and pairs that differ in nothing but their class."""
    rows = [tuple(row) for row in examples.toarray().tolist()]
    contradictions = sum(
        rows[i] == rows[j] and labels[i] != labels[j] for j in range(len(rows)) for i in range(j)
    )
    return sum(not any(row) for row in rows), contradictions


def log_likelihood(dense, labels, weights):
    """Σ log p(o_i | φ_i), with weights (K, F)."""
    scores = dense @ weights.T
    normaliser = np.log(np.exp(scores).sum(axis=1))
    return (scores[np.arange(len(labels)), labels] - normaliser).sum()


def logistic_objective(dense, labels, weights, sigma):
    """Alrajeh and Niranjan, eq. 6."""
    return (weights**2).sum() / (2 * sigma**2) - log_likelihood(dense, labels, weights)


def structured_losses(dense, labels, weights, distance):
    """ρ of every example, Ni et al. eq. 5."""
    scores = dense @ weights.T
    own = scores[np.arange(len(labels)), labels]
    return (scores + distance[labels]).max(axis=1) - own
