"""Ways to train a sub-model for each of many clusters with a learner that solves one problem.

Threads take ranges of clusters that do not depend on how many threads there are.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from models.learning.cluster_rows import ClusterRows, part_of, ranges
from models.learning.problem import Problem
from models.learning.random_order import own_seed

Advance: TypeAlias = Callable[[int], None]  # told how many more clusters are done
Solve: TypeAlias = Callable[[Problem, int], NDArray[np.float64]]  # problem, seed → weights (F, K)


def solve_one_by_one(
    solve: Solve,
    problem: Problem,
    clusters: ClusterRows,
    seed: int,
    pool: Executor,
    advance: Advance,
) -> NDArray[np.float32]:
    """Each cluster alone, with a seed made of the given one and its number."""
    weights = np.zeros((len(clusters.features), problem.n_classes), np.float32)

    def work(part: tuple[int, int]) -> None:
        for cluster in range(*part):
            begin, end = clusters.feature_offsets[cluster : cluster + 2]
            if begin < end:  # else no example of it has a feature
                own = part_of(problem, clusters, cluster, cluster + 1)
                weights[begin:end] = solve(own, own_seed(seed, clusters.ids[cluster]))
        advance(part[1] - part[0])

    list(pool.map(work, ranges(clusters.row_offsets)))
    return weights


def solve_together(
    solve: Solve,
    problem: Problem,
    clusters: ClusterRows,
    seed: int,
    pool: Executor,
    advance: Advance,
) -> NDArray[np.float32]:
    """Many clusters as one problem, for objectives that are sums over examples and weights: as
    clusters share no feature, its optimum is that of each of them. This saves iterative solvers
    that are written in Python from starting once for each cluster."""
    weights = np.zeros((len(clusters.features), problem.n_classes), np.float32)

    def work(part: tuple[int, int]) -> None:
        begin, end = clusters.feature_offsets[part[0]], clusters.feature_offsets[part[1]]
        if begin < end:
            weights[begin:end] = solve(part_of(problem, clusters, *part), seed)
        advance(part[1] - part[0])

    list(pool.map(work, ranges(clusters.row_offsets)))
    return weights
