"""Improved iterative scaling (Della Pietra et al. 1997), the paper's own algorithm, for small runs.

Each round solves for every feature i by itself, with f#(x, y) the number of features that fire,

    Σ p(y | x) φ_i exp(δ_i f#(x, y)) + (λ_i + δ_i) / σ² = count of φ_i

(the prior's term after Chen and Rosenfeld 2000) and adds δ. It reaches the same optimum as L-BFGS
in many more rounds and is kept for comparison.
"""

from collections.abc import Callable

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.feature_groups import add_group
from hyperbaton.models.distortion.parse.likelihood import TrainingEvents, gather, normalise
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    W_COLUMN,
)

NEWTON_STEPS = 100
LARGEST_STEP = 0.5  # keeps exp(δ f#) in bounds while Newton's method finds its way


def scale_iteratively(
    data: TrainingEvents,
    counts: Int64Array,
    variance: FloatArray,  # (F,) σ² of each weight
    iterations: int,
    report: Callable[[int], None] = lambda _: None,
    tolerance: float = 1e-7,
) -> tuple[FloatArray, float]:
    """The weights and the mean log likelihood of the events before the last round."""
    weights = np.zeros(len(counts))
    most = _most_active(data)
    total = 0.0
    for number in range(iterations):
        expected = np.zeros((len(weights), most + 1))
        total = _expected(data, weights, expected)
        change = _solve(expected, counts, weights, variance)
        weights += change
        report(number + 1)
        if len(change) == 0 or np.abs(change).max() < tolerance:
            break
    return weights, total / max(1, len(data.source))


def _solve(
    expected: FloatArray, counts: Int64Array, weights: FloatArray, variance: FloatArray
) -> FloatArray:
    """δ of every feature, by Newton's method; the left side is convex and rises."""
    active = np.arange(expected.shape[1])
    change = np.zeros(len(weights))
    for _ in range(NEWTON_STEPS):
        grown = expected * np.exp(change[:, None] * active)
        value = grown.sum(axis=1) + (weights + change) / variance - counts
        slope = grown @ active + 1 / variance
        step = np.clip(value / slope, -LARGEST_STEP, LARGEST_STEP)
        change -= step
        if np.abs(step).max(initial=0.0) < 1e-12:
            break
    return change


@kernel
def _most_active(data):
    """The largest number of features that fire together."""
    most = 0
    ones = np.ones(len(data.features.column))
    columns, active = np.empty(data.n_columns), np.empty((MOST_CANDIDATES, N_JUMPS))
    for event in range(len(data.source)):
        n = _active(data, event, ones, columns, active)
        most = max(most, int(active[:n].max()))
    return most


@inner
def _active(data, event, ones, columns, active):
    """How many features fire with each outcome of an event; the number of candidates."""
    source = data.source[event]
    begin = data.inventory.begin[source]
    n = data.inventory.begin[source + 1] - begin
    columns[:] = 0.0
    for group in data.groups[data.group_begin[event] : data.group_begin[event + 1]]:
        add_group(data.features, ones, group, columns)
    gather(columns, np.zeros((n, N_JUMPS)), data.inventory.tag[begin : begin + n], n, active)
    return n


@kernel
def _expected(data, weights, expected):
    """Fills expected counts by number of active features, (F, most + 1); the log likelihood."""
    columns, active = np.empty(data.n_columns), np.empty((MOST_CANDIDATES, N_JUMPS))
    p = np.empty((MOST_CANDIDATES, N_JUMPS))
    back = np.empty((expected.shape[1], data.n_columns))
    ones = np.ones(len(data.features.column))
    total = 0.0
    for event in range(len(data.source)):
        n = _active(data, event, ones, columns, active)
        begin = data.inventory.begin[data.source[event]]
        tags = data.inventory.tag[begin : begin + n]
        groups = data.groups[data.group_begin[event] : data.group_begin[event + 1]]
        columns[:] = 0.0
        for group in groups:
            add_group(data.features, weights, group, columns)
        gather(
            columns, data.prior[data.prior_begin[event] : data.prior_begin[event] + n], tags, n, p
        )
        normalise(p, n)
        total += np.log(p[data.choice[event], data.jump[event]])
        back[:] = 0.0
        for t in range(n):
            for j in range(N_JUMPS):
                row = back[int(active[t, j])]
                row[j] += p[t, j]
                row[T_COLUMN + t] += p[t, j]
                row[W_COLUMN + t * N_JUMPS + j] += p[t, j]
                row[G_COLUMN + tags[t] * N_JUMPS + j] += p[t, j]
        for group in groups:
            for feature in range(data.features.begin[group], data.features.begin[group + 1]):
                for number in range(expected.shape[1]):
                    expected[feature, number] += back[number, data.features.column[feature]]
    return total
