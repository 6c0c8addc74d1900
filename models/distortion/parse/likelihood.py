"""The conditional log likelihood of training events under eq. 3, its gradient, and its maximum.

    p(t, j | s) = p0(t, j | s) exp Σ λφ / Z,  Z summed over all candidates t of s and jumps j

An event's groups add their weights to a table of parts of outcomes; the score of an outcome is the
sum of its parts. The gradient takes the same way back. Work is proportional to the features that
exist, not to features times outcomes. Both are exact.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.feature_groups import FeatureGroups, add_group
from hyperbaton.models.distortion.parse.inventory import Inventory
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    W_COLUMN,
)
from hyperbaton.models.learning.l_bfgs import fit_with_prior

BLOCKS = 8  # parts of the data, summed in order: any number of threads gives the same result


class TrainingEvents(NamedTuple):
    """The training data: events with their groups and prior distributions."""

    source: Int32Array  # (E,)
    choice: Int32Array  # (E,)
    jump: Int32Array  # (E,)
    group_begin: Int64Array  # (E + 1,)
    groups: Int32Array
    prior: FloatArray  # (rows, jumps) log p0
    prior_begin: Int64Array  # (E,) first row of each event, one row for each candidate
    inventory: Inventory
    features: FeatureGroups
    n_columns: int


def maximise(
    data: TrainingEvents,
    counts: Int64Array,  # (F,) how often each feature fires with the observed outcomes
    variance: FloatArray,  # (F,) σ² of each weight
    iterations: int,
    threads: int,
    report: Callable[[int], None] | None = None,
    tolerance: float = 1e-5,
) -> tuple[FloatArray, float]:
    """The weights that maximise Σ log p(t, j | s) − Σ λ² / 2σ², by L-BFGS, and the mean log
    likelihood of the events under them."""
    n_events = max(1, len(data.source))
    with ThreadPoolExecutor(threads) as pool:

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            total, expected = log_likelihood(data, weights, pool)
            return -total, expected - counts

        fit = fit_with_prior(
            loss,
            np.zeros(len(counts)),
            1 / variance,
            n_events=n_events,
            report=report,
            maxiter=iterations,
            maxfun=2 * iterations,
            ftol=tolerance,
            gtol=1e-9,
            maxcor=10,
        )
        return fit.weights, log_likelihood(data, fit.weights, pool)[0] / n_events


def log_likelihood(
    data: TrainingEvents, weights: FloatArray, pool: ThreadPoolExecutor
) -> tuple[float, FloatArray]:
    """Σ log p(t, j | s) over the events, and the features' expected counts."""
    edges = np.linspace(0, len(data.source), BLOCKS + 1).astype(np.int64)

    def work(block: int) -> tuple[float, FloatArray]:
        expected = np.zeros(len(weights))
        total = _block(data, weights, int(edges[block]), int(edges[block + 1]), expected)
        return total, expected

    total, sums = 0.0, np.zeros(len(weights))
    for part, expected in pool.map(work, range(BLOCKS)):
        total += part
        sums += expected
    return total, sums


@kernel
def _block(data, weights, first, last, expected):
    columns, back = np.empty(data.n_columns), np.empty(data.n_columns)
    p = np.empty((MOST_CANDIDATES, N_JUMPS))
    total = 0.0
    for event in range(first, last):
        source = data.source[event]
        begin = data.inventory.begin[source]
        n = data.inventory.begin[source + 1] - begin
        tags = data.inventory.tag[begin : begin + n]
        prior = data.prior[data.prior_begin[event] : data.prior_begin[event] + n]
        groups = data.groups[data.group_begin[event] : data.group_begin[event + 1]]
        columns[:] = 0.0
        for group in groups:
            add_group(data.features, weights, group, columns)
        gather(columns, prior, tags, n, p)
        normalise(p, n)
        total += np.log(p[data.choice[event], data.jump[event]])
        back[:] = 0.0
        scatter(p, tags, n, back)
        for group in groups:
            for feature in range(data.features.begin[group], data.features.begin[group + 1]):
                expected[feature] += back[data.features.column[feature]]
    return total


@inner
def gather(columns, prior, tags, n, p):
    """Scores of all outcomes from the scores of their parts, (n, jumps)."""
    for t in range(n):
        w, g = W_COLUMN + t * N_JUMPS, G_COLUMN + tags[t] * N_JUMPS
        for j in range(N_JUMPS):
            p[t, j] = (
                prior[t, j] + columns[j] + columns[T_COLUMN + t] + columns[w + j] + columns[g + j]
            )


@inner
def scatter(p, tags, n, columns):
    """Sums of the outcomes' values over the parts that they share."""
    for t in range(n):
        w, g = W_COLUMN + t * N_JUMPS, G_COLUMN + tags[t] * N_JUMPS
        for j in range(N_JUMPS):
            columns[j] += p[t, j]
            columns[T_COLUMN + t] += p[t, j]
            columns[w + j] += p[t, j]
            columns[g + j] += p[t, j]


@inner
def normalise(p, n):
    """Turns scores into probabilities; log Z."""
    highest = -np.inf
    for t in range(n):
        for j in range(N_JUMPS):
            highest = max(highest, p[t, j])
    total = 0.0
    for t in range(n):
        for j in range(N_JUMPS):
            p[t, j] = np.exp(p[t, j] - highest)
            total += p[t, j]
    for t in range(n):
        for j in range(N_JUMPS):
            p[t, j] /= total
    return highest + np.log(total)
