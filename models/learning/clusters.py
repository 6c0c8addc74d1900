"""One model for each cluster of examples, and a pooled model for small and new clusters.

Ni et al. (2011, §3.2) train a sub-model for every source phrase from the examples of that phrase.
Most phrases are rare: clusters with fewer than `min_examples` share one pooled model, trained on
their examples together. If no cluster is that small, the pooled model is trained on all examples,
because new clusters still need it. With `min_examples` 0 there is no pooled model, as in the paper:
every cluster has a model, and all classes of a new cluster score 0.

Threads take ranges of clusters that do not depend on the number of threads.

Each cluster has a feature index: `features[feature_offsets[c] : feature_offsets[c + 1]]` are the
numbers of the features that occur in it, ascending. The model of the cluster has only these
weights, and its kernel works on a small block of memory.

A decoder kernel finds the weights of (cluster, feature) by two binary searches. The pooled model,
whose weights are indexed by feature number, scores clusters without a model.
"""

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.estimator import Estimator
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.problem import (
    Problem,
    check_integers,
    check_matrix,
    make_problem,
    own_seed,
)

ROWS_PER_RANGE = 20_000  # examples per batch of a thread, in whole clusters
POOLED = -1  # cluster number of rows for the pooled model


class ClusterRows(NamedTuple):
    ids: Int64Array  # (C,) numbers of the clusters, ascending
    row_offsets: Int64Array  # (C + 1,)
    rows: Int64Array  # (n,) examples of the clusters, in their order in the problem
    feature_offsets: Int64Array  # (C + 1,)
    features: Int32Array  # (total,)


class ClusterModel(NamedTuple):
    ids: Int64Array  # (C,) numbers of the clusters with a model, ascending
    offsets: Int64Array  # (C + 1,) features of cluster c: features[offsets[c] : offsets[c + 1]]
    features: Int32Array  # (total,) ascending in each cluster, without those with all weights 0
    weights: NDArray[np.float32]  # (total, K)
    pooled: NDArray[np.float32]  # (F, K)


@dataclass(frozen=True, eq=False)
class ClusteredExamples:
    """Examples with their classes and clusters."""

    X: csr_matrix  # (n, F)
    y: Int64Array  # (n,)
    n_classes: int
    cluster: Int64Array  # (n,) POOLED for an example without a cluster

    def take(self, rows: NDArray[Any]) -> "ClusteredExamples":
        return ClusteredExamples(self.X[rows], self.y[rows], self.n_classes, self.cluster[rows])


class ClusteredLearner(Estimator):
    """A learner for clustered examples; `learner` trains every model."""

    name: ClassVar[str] = "clusters"
    model_: ClusterModel
    trace_: Mapping[str, FloatArray]  # of the pooled model

    def __init__(self, learner: Learner, min_examples: int = 10) -> None:
        self.learner, self.min_examples = learner, min_examples

    def fit(
        self,
        examples: ClusteredExamples,
        *,
        seed: int = 0,
        threads: int = 2,
        progress: Progress = silent,
    ) -> Self:
        """Learns all models. The result does not depend on `threads`."""
        self._check_at_least(0, "min_examples")
        self.learner.check_settings()
        problem = make_problem(examples.X, examples.y, examples.n_classes)
        numbers = check_clusters(examples.cluster, len(problem.labels))
        with ThreadPoolExecutor(threads) as pool:
            clusters, rare = group(problem, numbers, self.min_examples, pool)
            shared = problem
            if rare.any() and not rare.all():
                some = examples.take(np.flatnonzero(rare))
                shared = make_problem(some.X, some.y, some.n_classes)
            # start with the pooled model, which takes longest
            task = self.learner.solve if self.min_examples else _know_nothing
            waiting = pool.submit(task, shared, seed)
            weights = solve_clusters(self.learner, problem, clusters, seed, pool, progress)
            pooled = waiting.result()
        self.model_ = _without_zeros(clusters, weights, pooled.weights.astype(np.float32))
        self.trace_ = pooled.trace
        return self

    def decision(self, X: Any, cluster: Any) -> FloatArray:  # noqa: N803
        """w_o·φ of each example under the model of its cluster, (n, K)."""
        rows = check_matrix(X, len(self.model_.pooled))
        numbers = check_clusters(cluster, X.shape[0])
        scores = np.empty((X.shape[0], self.model_.pooled.shape[1]))
        cluster_decision(self.model_, numbers, *rows, scores)
        return scores

    def n_errors(self, examples: ClusteredExamples) -> int:
        """The number of misclassified examples."""
        predicted = self.decision(examples.X, examples.cluster).argmax(axis=1)
        return int(np.count_nonzero(predicted != examples.y))


def _know_nothing(problem: Problem, seed: int) -> Solution:  # noqa: ARG001
    return Solution(np.zeros((problem.n_features, problem.n_classes)), 0, 0.0, converged=True)


def solve_clusters(
    learner: Learner,
    problem: Problem,
    clusters: ClusterRows,
    seed: int,
    pool: Executor,
    progress: Progress,
) -> NDArray[np.float32]:
    """A sub-model for each cluster: weights of its features, (entries of `clusters.features`, K).

    Each is solved alone, with a seed derived from the given one and its number, or, if the learner
    supports it, all clusters of a range as one problem, which saves the overhead of Python solvers.
    """
    weights = np.zeros((len(clusters.features), problem.n_classes), np.float32)

    def solve(first: int, last: int, seed: int) -> None:
        begin, end = clusters.feature_offsets[first], clusters.feature_offsets[last]
        if begin < end:  # otherwise no example has a feature
            part = part_of(problem, clusters, first, last)
            weights[begin:end] = learner.solve(part, seed).weights

    def work(part: tuple[int, int]) -> int:
        if learner.solves_together:
            solve(*part, seed)
        else:
            for cluster in range(*part):
                solve(cluster, cluster + 1, own_seed(seed, clusters.ids[cluster]))
        return part[1]

    for done in chain([0], pool.map(work, ranges(clusters.row_offsets))):
        progress("clusters", done)
    return weights


def check_clusters(cluster: Any, n_rows: int) -> Int64Array:
    numbers = np.asarray(cluster)
    check_integers(numbers, n_rows, "clusters")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def group(
    problem: Problem, numbers: Int64Array, min_examples: int, pool: Executor
) -> tuple[ClusterRows, BoolArray]:
    """The clusters that are large enough, and whether each row belongs to none of them."""
    ids, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    large = (counts >= min_examples) & (ids >= 0)
    rare = ~large[inverse]
    rows = np.flatnonzero(~rare)
    rows = rows[np.argsort(inverse[rows], kind="stable")]
    row_offsets = np.concatenate([[0], np.cumsum(counts[large])])
    return index_clusters(problem, ids[large], row_offsets, rows, pool), rare


def _without_zeros(
    clusters: ClusterRows, weights: NDArray[np.float32], pooled: NDArray[np.float32]
) -> ClusterModel:
    """Drops features whose weights are all 0, which training has never changed."""
    useful = weights.any(axis=1)
    before = np.concatenate([[0], np.cumsum(useful)])
    return ClusterModel(
        clusters.ids,
        before[clusters.feature_offsets],
        clusters.features[useful],
        weights[useful],
        pooled,
    )


def index_clusters(
    problem: Problem, ids: Int64Array, row_offsets: Int64Array, rows: Int64Array, pool: Executor
) -> ClusterRows:
    """Adds the feature index to clusters of rows."""
    counts = np.zeros(len(ids), np.int64)
    nowhere = np.empty(0, np.int32)

    def count(part: tuple[int, int]) -> None:
        _collect(problem, *part, row_offsets, rows, counts, nowhere)

    def fill(part: tuple[int, int]) -> None:
        _collect(problem, *part, row_offsets, rows, offsets, features)

    parts = ranges(row_offsets)
    list(pool.map(count, parts))
    offsets = np.concatenate([[0], np.cumsum(counts)])
    features = np.empty(offsets[-1], np.int32)
    list(pool.map(fill, parts))
    return ClusterRows(ids, row_offsets, rows, offsets, features)


def ranges(row_offsets: Int64Array) -> list[tuple[int, int]]:
    """Half-open ranges of clusters with about ROWS_PER_RANGE examples each, independent of the
    number of threads."""
    n_clusters = len(row_offsets) - 1
    if n_clusters == 0:
        return []
    cuts = np.arange(ROWS_PER_RANGE, row_offsets[-1], ROWS_PER_RANGE)
    edges = np.unique(np.concatenate([[0], np.searchsorted(row_offsets, cuts), [n_clusters]]))
    return [(int(first), int(last)) for first, last in pairwise(edges)]


def part_of(problem: Problem, clusters: ClusterRows, first: int, last: int) -> Problem:
    """The examples of clusters first..last as a separate problem. Its features are the entries of
    the clusters' indices: the same feature in two clusters is two features."""
    rows = clusters.rows[clusters.row_offsets[first] : clusters.row_offsets[last]]
    lengths = problem.indptr[rows + 1] - problem.indptr[rows]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], problem.data.dtype)
    _copy_part(problem, clusters, first, last, indices, data)
    n_features = int(clusters.feature_offsets[last] - clusters.feature_offsets[first])
    return Problem(indptr, indices, data, problem.labels[rows], n_features, problem.n_classes)


@kernel
def _copy_part(problem, clusters, first, last, indices, data):
    """Fills in the features and values of all entries of clusters first..last."""
    base, n_entries = clusters.feature_offsets[first], 0
    for cluster in range(first, last):
        begin = clusters.feature_offsets[cluster]
        end = clusters.feature_offsets[cluster + 1]
        for place in range(clusters.row_offsets[cluster], clusters.row_offsets[cluster + 1]):
            row = clusters.rows[place]
            at = begin
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                # columns of a row ascend: search each after the previous one
                at = lower_bound(clusters.features, at, end, problem.indices[entry])
                indices[n_entries], data[n_entries] = at - base, problem.data[entry]
                n_entries += 1


@kernel
def _collect(
    problem: Problem,
    first: int,
    last: int,
    row_offsets: Int64Array,
    rows: Int64Array,
    offsets: Int64Array,
    features: NDArray[np.int32],
) -> None:
    """Writes the sorted features of clusters first..last; with an empty array, only counts them, in
    `offsets`."""
    seen = np.full(problem.n_features, -1, np.int32)  # the last cluster that had the feature
    fill = len(features) > 0
    for cluster in range(first, last):
        n_found = 0
        for place in range(row_offsets[cluster], row_offsets[cluster + 1]):
            row = rows[place]
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                feature = problem.indices[entry]
                if seen[feature] != cluster:
                    seen[feature] = cluster
                    if fill:
                        features[offsets[cluster] + n_found] = feature
                    n_found += 1
        if fill:
            features[offsets[cluster] : offsets[cluster] + n_found].sort()
        else:
            offsets[cluster] = n_found


@kernel
def cluster_decision(model, cluster_of_row, indptr, indices, data, out):
    """Fills `out`, (n, K) float64, with w_o·φ of each row under the model of its cluster."""
    n_classes = model.pooled.shape[1]
    for row in range(len(cluster_of_row)):
        for o in range(n_classes):
            out[row, o] = 0.0
        cluster = find_cluster(model, cluster_of_row[row])
        if cluster == POOLED:
            for entry in range(indptr[row], indptr[row + 1]):
                for o in range(n_classes):
                    out[row, o] += data[entry] * model.pooled[indices[entry], o]
            continue
        begin, end = model.offsets[cluster], model.offsets[cluster + 1]
        for entry in range(indptr[row], indptr[row + 1]):
            at = lower_bound(model.features, begin, end, indices[entry])
            if at < end and model.features[at] == indices[entry]:
                for o in range(n_classes):
                    out[row, o] += data[entry] * model.weights[at, o]


@inner
def find_cluster(model, number):
    """The index of a cluster in the model's arrays, or POOLED if it has no model."""
    at = lower_bound(model.ids, 0, len(model.ids), number)
    if at < len(model.ids) and model.ids[at] == number:
        return at
    return POOLED
