"""Opens the workers of a cluster for commands with `--cluster`."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from hyperbaton.console import beside_progress, say

if TYPE_CHECKING:
    from hyperbaton.foundation.work.workers import Workers


@contextmanager
def far_workers(cluster: str | None) -> "Iterator[Workers | None]":
    """The workers of a cluster; None without one."""
    if not cluster:
        yield None
        return
    from hyperbaton.foundation.work.cluster.opening import cluster_workers, settings_of
    from hyperbaton.tuning.weights.sections import read_toml

    settings = settings_of(cluster, read_toml)
    with cluster_workers(settings, say) as workers, beside_progress(workers.state):
        yield workers


@contextmanager
def workers_of(cluster: str | None, threads: int) -> "Iterator[Workers]":
    """The workers of a cluster, or threads without one."""
    from hyperbaton.foundation.work.workers import Threads

    with far_workers(cluster) as far, nullcontext(far) if far else Threads(threads) as workers:
        yield workers
