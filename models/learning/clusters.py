"""One model for each cluster of examples, and a pooled one for small clusters and new ones.

Ni et al. (2011, §3.2) train a sub-model for every source phrase from the examples of that phrase.
Most phrases are rare: clusters with fewer than `min_examples` share one pooled model, trained on
their examples together, or on all examples. If no cluster is that small the pooled model, which
clusters never seen still need, is trained on all examples.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from models.arrays import BoolArray, FloatArray, Int64Array
from models.errors import DataError, SettingError, nearest
from models.learning.cluster_model import ClusterModel, cluster_decision
from models.learning.cluster_rows import ClusterRows, index_clusters
from models.learning.interface import Learner, softmax
from models.learning.problem import Problem, check_integers, make_problem, make_rows
from models.progress import Progress

POOLS = ["rare", "all"]


class ClusteredLearner:
    """`make` gives the learner that trains every model; `pool` says which examples the pooled model
    sees."""

    model_: ClusterModel
    n_examples_: Int64Array  # (C,) of each cluster with a model of its own
    trace_: Mapping[str, Mapping[str, FloatArray]]  # of the "clusters" together, of the "pooled"

    def __init__(
        self, make: Callable[[], Learner], min_examples: int = 10, *, pool: str = "rare"
    ) -> None:
        self.make, self.min_examples, self.pool = make, min_examples, pool

    def check_settings(self) -> None:
        if self.min_examples < 1:
            raise SettingError(
                f"{self.min_examples} is not possible",
                where="min_examples",
                expected="a number from 1 up",
            )
        if self.pool not in POOLS:
            raise SettingError(
                f"there is no pool {self.pool!r}", expected=nearest(str(self.pool), POOLS)
            )

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any,
        n_classes: int,
        cluster: Any,
        *,
        seed: int = 0,
        threads: int = 2,
        progress: Progress | None = None,
    ) -> Self:
        """Learns from X, y as a learner does, and the number of every example's cluster, (n,);
        POOLED (−1) for an example of none. The result does not depend on `threads`."""
        self.check_settings()
        learner = self.make()
        learner.check_settings()
        problem = make_problem(X, y, n_classes)
        numbers = check_clusters(cluster, len(problem.labels))
        with ThreadPoolExecutor(threads) as pool:
            clusters, rare = group(problem, numbers, self.min_examples, pool)
            shared = rare if self.pool == "rare" and rare.any() else np.ones_like(rare)
            # the pooled model is one long piece of work: it begins first
            waiting = pool.submit(learner.solve, rows_of(problem, np.flatnonzero(shared)), seed)
            weights, trace = learner.solve_clusters(
                problem, clusters, seed, pool, _counter("clusters", progress)
            )
            pooled = waiting.result()
        self.model_ = _without_zeros(clusters, weights, pooled.weights.astype(np.float32))
        self.n_examples_ = np.diff(clusters.row_offsets)
        self.trace_ = {"clusters": trace, "pooled": pooled.trace}
        return self

    def decision(self, X: Any, cluster: Any) -> FloatArray:  # noqa: N803
        """w_o·φ of each example under the model of its cluster, (n, K)."""
        if not hasattr(self, "model_"):
            raise DataError("the clusters have not learned anything", advice="fit them")
        rows = make_rows(X, len(self.model_.pooled))
        numbers = check_clusters(cluster, X.shape[0])
        scores = np.empty((X.shape[0], self.model_.pooled.shape[1]))
        cluster_decision(self.model_, numbers, *rows, scores)
        return scores

    def probabilities(self, X: Any, cluster: Any) -> FloatArray:  # noqa: N803
        """p(o | φ) under the model of each example's cluster, (n, K)."""
        return softmax(self.decision(X, cluster))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What was learned, to be saved."""
        return {**self.model_._asdict(), "n_examples": self.n_examples_}

    def from_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Takes what `arrays` gave."""
        self.model_ = ClusterModel(**{name: arrays[name] for name in ClusterModel._fields})
        self.n_examples_ = arrays["n_examples"]
        return self


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


def rows_of(problem: Problem, rows: Int64Array) -> Problem:
    """The problem of the chosen examples, with all its features."""
    if len(rows) == len(problem.labels):
        return problem
    lengths = np.diff(problem.indptr)[rows]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    chosen = np.repeat(problem.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
    return problem._replace(
        indptr=indptr,
        indices=problem.indices[chosen],
        data=problem.data[chosen],
        labels=problem.labels[rows],
    )


def _without_zeros(
    clusters: ClusterRows, weights: NDArray[np.float32], pooled: NDArray[np.float32]
) -> ClusterModel:
    """A feature whose weights are all 0 says nothing: many are never touched in training."""
    useful = weights.any(axis=1)
    before = np.concatenate([[0], np.cumsum(useful)])
    return ClusterModel(
        clusters.ids,
        before[clusters.feature_offsets],
        clusters.features[useful],
        weights[useful],
        pooled,
    )


def _counter(work: str, progress: Progress | None) -> Callable[[int], None]:
    """Adds up what threads report."""
    lock = Lock()
    done = 0

    def advance(more: int) -> None:
        nonlocal done
        with lock:
            done += more
            if progress:
                progress(work, done)

    advance(0)
    return advance
