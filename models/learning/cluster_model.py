"""Weights of many small models in flat arrays, and the scores that they give.

A decoder kernel finds the weights of (cluster, feature) by two binary searches; a cluster that is
not there is scored by the pooled model, whose weights are found by the feature's number.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.kernels import kernel
from models.learning.cluster_rows import find

POOLED = -1  # the number of no cluster: rows with it go to the pooled model


class ClusterModel(NamedTuple):
    ids: Int64Array  # (C,) numbers of the clusters with a model of their own, ascending
    offsets: Int64Array  # (C + 1,) features of cluster c: features[offsets[c] : offsets[c + 1]]
    features: Int32Array  # (total,) ascending in each cluster; those with all weights 0 left out
    weights: NDArray[np.float32]  # (total, K)
    pooled: NDArray[np.float32]  # (F, K)


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
            at = find(model.features, begin, end, indices[entry])
            if at < end and model.features[at] == indices[entry]:
                for o in range(n_classes):
                    out[row, o] += data[entry] * model.weights[at, o]


@kernel
def find_cluster(model, number):
    """The place of a cluster in the model's arrays, or POOLED if it has no model of its own."""
    at = find(model.ids, 0, len(model.ids), number)
    if at < len(model.ids) and model.ids[at] == number:
        return at
    return POOLED
