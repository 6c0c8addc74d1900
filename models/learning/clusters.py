"""One model for each cluster of examples, and a pooled one for small clusters and new ones.

Ni et al. (2011, §3.2) train a sub-model for every source phrase from the examples of that phrase.
Most phrases are rare: clusters with fewer than `min_examples` share one pooled model, trained on
their examples together. If no cluster is that small, the pooled model is trained on all examples,
because new clusters still need it. With `min_examples` 0 there is no pooled model, as in the paper:
every cluster is on its own, and all classes of a new one score 0.

Threads take ranges of clusters that do not depend on the number of threads.
"""

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array
from hyperbaton.foundation.estimator import Estimator
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.learning.cluster_arrays import (
    ClusterModel,
    ClusterRows,
    cluster_decision,
    index_clusters,
    part_of,
    ranges,
)
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.problem import (
    Problem,
    check_integers,
    check_matrix,
    make_problem,
    own_seed,
)


@dataclass(frozen=True, eq=False)
class ClusteredExamples:
    """Examples with their classes and clusters."""

    X: csr_matrix  # (n, F)
    y: Int64Array  # (n,)
    n_classes: int
    cluster: Int64Array  # (n,) POOLED (−1) for an example of none

    def take(self, rows: NDArray[Any]) -> "ClusteredExamples":
        return ClusteredExamples(self.X[rows], self.y[rows], self.n_classes, self.cluster[rows])


class ClusteredLearner(Estimator):
    """`learner` trains every model."""

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
        """Learns as a learner does. The result does not depend on `threads`."""
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
            # the pooled model takes longest: it begins first
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
        """Examples whose best class is not their own."""
        found = self.decision(examples.X, examples.cluster).argmax(axis=1)
        return int(np.count_nonzero(found != examples.y))


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

    Each is solved alone, with a seed made of the given one and its number, or, if the learner can,
    all of a range as one problem, which saves solvers written in Python from starting each time.
    """
    weights = np.zeros((len(clusters.features), problem.n_classes), np.float32)

    def solve(first: int, last: int, seed: int) -> None:
        begin, end = clusters.feature_offsets[first], clusters.feature_offsets[last]
        if begin < end:  # else no example has a feature
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
    """The clusters that are large enough, and which rows belong to none of them."""
    found, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    large = (counts >= min_examples) & (found >= 0)
    rare = ~large[inverse]
    rows = np.flatnonzero(~rare)
    rows = rows[np.argsort(inverse[rows], kind="stable")]
    row_offsets = np.concatenate([[0], np.cumsum(counts[large])])
    return index_clusters(problem, found[large], row_offsets, rows, pool), rare


def _without_zeros(
    clusters: ClusterRows, weights: NDArray[np.float32], pooled: NDArray[np.float32]
) -> ClusterModel:
    """Drops features whose weights are all 0: training never touches many of them."""
    useful = weights.any(axis=1)
    before = np.concatenate([[0], np.cumsum(useful)])
    return ClusterModel(
        clusters.ids,
        before[clusters.feature_offsets],
        clusters.features[useful],
        weights[useful],
        pooled,
    )
