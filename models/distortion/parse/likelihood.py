"""The conditional log likelihood of training events under eq. 3, and its maximum by L-BFGS or IIS.

    p(t, j | s) = p0(t, j | s) exp Σ λφ / Z,  Z summed over all candidates t of s and jumps j

An event's groups add their weights to a table of parts of outcomes; the score of an outcome is the
sum of its parts. The gradient is computed in the reverse direction. The cost is proportional to the
number of features, not to features times outcomes. Both are exact.

Improved iterative scaling (Della Pietra et al. 1997) is the paper's algorithm, for small runs. Each
round solves for every feature i separately, with f#(x, y) the number of active features,

    Σ p(y | x) φ_i exp(δ_i f#(x, y)) + (λ_i + δ_i) / σ² = count of φ_i

(the prior's term after Chen and Rosenfeld 2000) and adds δ. It reaches the same optimum as L-BFGS
in many more rounds and is kept for comparison.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.progress import silent
from hyperbaton.models.distortion.parse.feature_groups import FeatureGroups, add_group
from hyperbaton.models.distortion.parse.inventory import Inventory
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    W_COLUMN,
)
from hyperbaton.models.learning.l_bfgs import fit_with_prior, summed

BLOCKS = 8  # parts of the data, summed in order: any number of threads gives the same result
NEWTON_STEPS = 100
LARGEST_STEP = 0.5  # keeps exp(δ f#) bounded in Newton's method


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
    counts: Int64Array,  # (F,) count of each feature in the observed outcomes
    variance: FloatArray,  # (F,) σ² of each weight
    iterations: int,
    threads: int,
    report: Callable[[int], None] = silent,
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
    """Σ log p(t, j | s) over the events, and the expected counts of features."""
    edges = np.linspace(0, len(data.source), BLOCKS + 1).astype(np.int64)

    def work(block: int) -> tuple[float, FloatArray]:
        expected = np.zeros(len(weights))
        total = _block(data, weights, int(edges[block]), int(edges[block + 1]), expected)
        return total, expected

    return summed(pool.map(work, range(BLOCKS)))


@kernel
def _block(data, weights, first, last, expected):
    columns, back = np.empty(data.n_columns), np.empty(data.n_columns)
    p = np.empty((MOST_CANDIDATES, N_JUMPS))
    total = 0.0
    for event in range(first, last):
        tags, groups = _situation(data, event)
        n = len(tags)
        _distribution(data, event, tags, groups, weights, columns, p)
        total += np.log(p[data.choice[event], data.jump[event]])
        back[:] = 0.0
        scatter(p, tags, n, back)
        for group in groups:
            for feature in range(data.features.begin[group], data.features.begin[group + 1]):
                expected[feature] += back[data.features.column[feature]]
    return total


@inner
def _situation(data, event):
    """The tags of an event's candidates, and its groups."""
    source = data.source[event]
    tags = data.inventory.tag[data.inventory.begin[source] : data.inventory.begin[source + 1]]
    return tags, data.groups[data.group_begin[event] : data.group_begin[event + 1]]


@inner
def _distribution(data, event, tags, groups, weights, columns, p):
    """p(t, j | s) of an event's outcomes, (candidates, jumps)."""
    n, first = len(tags), data.prior_begin[event]
    columns[:] = 0.0
    for group in groups:
        add_group(data.features, weights, group, columns)
    gather(columns, data.prior[first : first + n], tags, n, p)
    normalise(p, n)


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
    """Adds the values of outcomes to their parts."""
    for t in range(n):
        w, g = W_COLUMN + t * N_JUMPS, G_COLUMN + tags[t] * N_JUMPS
        for j in range(N_JUMPS):
            columns[j] += p[t, j]
            columns[T_COLUMN + t] += p[t, j]
            columns[w + j] += p[t, j]
            columns[g + j] += p[t, j]


@inner
def normalise(p, n):
    """Converts scores to probabilities. `to_probabilities` would take a tenth longer, because here
    the number of jumps is a compile-time constant."""
    highest, total = -np.inf, 0.0
    for t in range(n):
        for j in range(N_JUMPS):
            highest = max(highest, p[t, j])
    for t in range(n):
        for j in range(N_JUMPS):
            p[t, j] = np.exp(p[t, j] - highest)
            total += p[t, j]
    for t in range(n):
        for j in range(N_JUMPS):
            p[t, j] /= total


def scale_iteratively(
    data: TrainingEvents,
    counts: Int64Array,
    variance: FloatArray,  # (F,) σ² of each weight
    iterations: int,
    report: Callable[[int], None] = silent,
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
    """δ of every feature, by Newton's method; the left side is convex and increasing."""
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
    """The largest number of simultaneously active features."""
    most = 0
    ones = np.ones(len(data.features.column))
    columns, active = np.empty(data.n_columns), np.empty((MOST_CANDIDATES, N_JUMPS))
    for event in range(len(data.source)):
        n = _active(data, event, ones, columns, active)
        most = max(most, int(active[:n].max()))
    return most


@inner
def _active(data, event, ones, columns, active):
    """Fills in the number of active features of each outcome of an event; returns the number of
    candidates."""
    tags, groups = _situation(data, event)
    n = len(tags)
    columns[:] = 0.0
    for group in groups:
        add_group(data.features, ones, group, columns)
    gather(columns, np.zeros((n, N_JUMPS)), tags, n, active)
    return n


@kernel
def _expected(data, weights, expected):
    """Fills in expected counts by number of active features, (F, most + 1); returns the log
    likelihood."""
    columns, active = np.empty(data.n_columns), np.empty((MOST_CANDIDATES, N_JUMPS))
    p = np.empty((MOST_CANDIDATES, N_JUMPS))
    back = np.empty((expected.shape[1], data.n_columns))
    ones = np.ones(len(data.features.column))
    total = 0.0
    for event in range(len(data.source)):
        n = _active(data, event, ones, columns, active)
        tags, groups = _situation(data, event)
        _distribution(data, event, tags, groups, weights, columns, p)
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
