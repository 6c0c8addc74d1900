"""Connects to a cluster: an address, this machine, or a table in a file.

tcp://head:8786   a running scheduler
local:4           four worker processes on this machine
cluster.toml      a table [cluster], for job queues and others:

    [cluster]
    kind = "slurm"          # one of CLUSTER_KINDS
    workers = 16
    cache = "20GB"          # cached files on a worker's machine; 0: no limit
    shared = true           # files on a shared disk are not copied
    options = { cores = 4, memory = "16GB", queue = "long" }  # arguments of Dask's class
"""

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from logging import CRITICAL
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hyperbaton.foundation.errors import DataError, SettingError, counted, nearest
from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.foundation.progress import Talk
from hyperbaton.foundation.settings_text import parse_size
from hyperbaton.foundation.work.processes import ctrl_c_later

if TYPE_CHECKING:
    from hyperbaton.foundation.work.cluster.dask_workers import DaskWorkers

CACHE_SIZE = "20GB"
CLUSTER_KINDS = {
    "scheduler": "",  # options = { address = "tcp://head:8786" }
    "local": "distributed:LocalCluster",
    "ssh": "distributed:SSHCluster",
    "slurm": "dask_jobqueue:SLURMCluster",
    "pbs": "dask_jobqueue:PBSCluster",
    "sge": "dask_jobqueue:SGECluster",
    "lsf": "dask_jobqueue:LSFCluster",
    "htcondor": "dask_jobqueue:HTCondorCluster",
    "kubernetes": "dask_kubernetes.operator:KubeCluster",
}
PACKAGES = {"dask_jobqueue": "dask-jobqueue", "dask_kubernetes": "dask-kubernetes"}
MOST_DEATHS = 10  # workers that may die with the same task
SECONDS = 30  # to wait for a scheduler's answer


@dataclass(frozen=True)
class ClusterSettings:
    """Workers on other machines: the table `[cluster]` of the file that `--cluster` names."""

    # how workers are started: `scheduler`, `local`, `ssh`, `slurm`, `pbs`, `sge`, `lsf`, `htcondor`
    # or `kubernetes`
    kind: str = "local"
    workers: int = 0  # workers to start; 0: as many as the cluster starts by itself
    cache: str = CACHE_SIZE  # disk space for copied files on a worker's machine; 0: no limit
    shared: bool = True  # do not copy files that a worker sees under the same path
    # arguments of the Dask class that starts the workers
    options: dict[str, Any] = field(default_factory=dict)


def settings_of(text: str, read_table: Callable[[Path], dict[str, Any]]) -> ClusterSettings:
    """Parses the option `--cluster`."""
    if text.endswith(".toml"):
        content = read_table(Path(text))
        if not isinstance(content.get("cluster"), dict):
            raise SettingError("has no table [cluster]", where=text)
        return typed(content["cluster"], ClusterSettings, f"{text}, [cluster]")
    if "://" in text:
        return ClusterSettings("scheduler", options={"address": text})
    kind, _, number = text.partition(":")
    if kind == "local" and number.isdecimal() and 0 < int(number) < 10_000:
        return ClusterSettings("local", int(number))
    raise SettingError(
        f"{text!r} is not a cluster",
        expected="expected tcp://host:8786, local:4, or a file cluster.toml",
    )


@contextmanager
def cluster_workers(settings: ClusterSettings, talk: Talk) -> Iterator["DaskWorkers"]:
    """Provides the workers of a cluster; stops the cluster afterwards if it was started here."""
    if settings.kind not in CLUSTER_KINDS:
        expected = nearest(settings.kind, list(CLUSTER_KINDS))
        raise SettingError(f"unknown cluster kind {settings.kind!r}", expected=expected)
    cache = parse_size(settings.cache)
    distributed = _imported("distributed")
    from hyperbaton.foundation.work.cluster import dask_workers

    dask_workers.quiet()
    with ExitStack() as stack:
        cluster = _cluster(settings, stack)
        place = getattr(cluster, "scheduler_address", cluster)
        if not isinstance(cluster, str):
            stack.callback(cluster.close)
        try:
            client = stack.enter_context(distributed.Client(cluster, timeout=SECONDS))
        except (OSError, ValueError) as error:
            raise DataError(
                f"no scheduler answers: {error}",
                where=place,
                advice="start one with: dask scheduler",
            ) from None
        if not client.nthreads():
            talk(f"{place}: waiting for workers")
            client.wait_for_workers(1)
        n = client.nthreads()
        talk(f"{place}: {counted(len(n), 'worker')}, {counted(sum(n.values()), 'task')} at once")
        talk(f"dashboard of the cluster: {client.dashboard_link}")
        workers = dask_workers.DaskWorkers(client, cache, shared=settings.shared)
        yield stack.enter_context(workers)


def _cluster(settings: ClusterSettings, stack: ExitStack) -> Any:
    """The address of a scheduler, or a newly started cluster."""
    options = dict(settings.options)
    if settings.kind == "scheduler":
        address = options.pop("address", "")
        if options or not address:
            raise SettingError("the kind scheduler has exactly one option: address")
        return address
    if settings.kind == "local":
        _imported("dask").config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS})
        # one thread per process, because of the GIL; no memory limit, which is the user's choice
        usual: dict[str, Any] = {"n_workers": settings.workers or None, "threads_per_worker": 1}
        usual |= {"memory_limit": 0, "dashboard_address": ":0", "silence_logs": CRITICAL}
        scratch = stack.enter_context(TemporaryDirectory(prefix="hyperbaton-cluster-"))
        options = usual | {"local_directory": scratch} | options
    module, _, name = CLUSTER_KINDS[settings.kind].partition(":")
    make = getattr(_imported(module), name)
    try:
        with ctrl_c_later():  # a terminal also sends it to local worker processes
            cluster = make(**options)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise SettingError(f"the cluster does not start: {error}", where="[cluster]") from None
    if settings.kind not in ("local", "ssh") and settings.workers:
        cluster.scale(settings.workers)
    return cluster


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = PACKAGES.get(module.partition(".")[0], "hyperbaton[cluster]")
        raise SettingError(
            f"a cluster needs a package that is not installed: {error}",
            advice=f"pip install '{package}'",
        ) from None
