"""Clusters in flat arrays: their examples, and their models.

Each cluster has a feature index of its own: `features[feature_offsets[c] : feature_offsets[c + 1]]`
are the numbers of the features that occur in it, ascending. A model of the cluster needs no other
weights, and its kernel works on few numbers that lie close together.

A decoder kernel finds the weights of (cluster, feature) by two binary searches. The pooled model,
whose weights are found by the feature's number, scores clusters without a model of their own.
"""

from concurrent.futures import Executor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.learning.problem import Problem

ROWS_PER_RANGE = 20_000  # examples that a thread takes at a time, in whole clusters
POOLED = -1  # the number of no cluster: rows with it go to the pooled model


class ClusterRows(NamedTuple):
    ids: Int64Array  # (C,) numbers of the clusters, ascending
    row_offsets: Int64Array  # (C + 1,)
    rows: Int64Array  # (n,) examples of the clusters, in their order in the problem
    feature_offsets: Int64Array  # (C + 1,)
    features: Int32Array  # (total,)


class ClusterModel(NamedTuple):
    ids: Int64Array  # (C,) numbers of the clusters with a model of their own, ascending
    offsets: Int64Array  # (C + 1,) features of cluster c: features[offsets[c] : offsets[c + 1]]
    features: Int32Array  # (total,) ascending in each cluster; those with all weights 0 left out
    weights: NDArray[np.float32]  # (total, K)
    pooled: NDArray[np.float32]  # (F, K)


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
    """Half-open ranges of clusters with about ROWS_PER_RANGE examples each, the same for any number
    of threads."""
    n_clusters = len(row_offsets) - 1
    if n_clusters == 0:
        return []
    cuts = np.arange(ROWS_PER_RANGE, row_offsets[-1], ROWS_PER_RANGE)
    edges = np.unique(np.concatenate([[0], np.searchsorted(row_offsets, cuts), [n_clusters]]))
    return [(int(first), int(last)) for first, last in pairwise(edges)]


def part_of(problem: Problem, clusters: ClusterRows, first: int, last: int) -> Problem:
    """The examples of clusters first..last as a problem of their own. Its features are the entries
    of the clusters' indices: the same feature in two clusters is two features."""
    n_rows, n_entries, n_features = part_size(problem, clusters, first, last)
    part = Problem(
        np.zeros(n_rows + 1, np.int64),
        np.empty(n_entries, np.int32),
        np.empty(n_entries, problem.data.dtype),
        np.empty(n_rows, np.int32),
        n_features,
        problem.n_classes,
    )
    copy_part(problem, clusters, first, last, part)
    return part


@kernel
def part_size(problem, clusters, first, last):
    """Rows, entries and features of clusters first..last."""
    begin, end = clusters.row_offsets[first], clusters.row_offsets[last]
    n_entries = 0
    for place in range(begin, end):
        row = clusters.rows[place]
        n_entries += problem.indptr[row + 1] - problem.indptr[row]
    n_features = clusters.feature_offsets[last] - clusters.feature_offsets[first]
    return end - begin, n_entries, n_features


@kernel
def copy_part(problem, clusters, first, last, part):
    """Fills the arrays of `part`, which may be longer than needed."""
    base = clusters.feature_offsets[first]
    n_rows = 0
    n_entries = 0
    part.indptr[0] = 0
    for cluster in range(first, last):
        begin = clusters.feature_offsets[cluster]
        end = clusters.feature_offsets[cluster + 1]
        for place in range(clusters.row_offsets[cluster], clusters.row_offsets[cluster + 1]):
            row = clusters.rows[place]
            at = begin
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                # columns of a row ascend: each is found behind the one before it
                at = lower_bound(clusters.features, at, end, problem.indices[entry])
                part.indices[n_entries] = at - base
                part.data[n_entries] = problem.data[entry]
                n_entries += 1
            part.labels[n_rows] = problem.labels[row]
            n_rows += 1
            part.indptr[n_rows] = n_entries


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
    """Writes the sorted features of clusters first..last; with an empty array it only counts
    them, into `offsets`."""
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
    """w_o·φ of each row under the model of its cluster, into `out`, (n, K) float64."""
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
    """The place of a cluster in the model's arrays, or POOLED if it has no model of its own."""
    at = lower_bound(model.ids, 0, len(model.ids), number)
    if at < len(model.ids) and model.ids[at] == number:
        return at
    return POOLED
