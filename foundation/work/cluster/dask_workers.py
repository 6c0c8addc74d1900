"""Dask as an executor of tasks."""

import asyncio
import logging
from collections.abc import Hashable, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker
from distributed.utils import get_ip

from hyperbaton.foundation.errors import DataError, SettingError, counted
from hyperbaton.foundation.progress import Progress
from hyperbaton.foundation.work.cluster.far_workplace import Order, Packed, run_task
from hyperbaton.foundation.work.cluster.file_service import FileService
from hyperbaton.foundation.work.cluster.versions import own_versions
from hyperbaton.foundation.work.workers import Result, Task, Workers

RESUME = "run the same command again: it resumes where it stopped"
OFTEN = 2.0  # seconds


class DaskWorkers(Workers):
    """Sends tasks to a scheduler; files go directly between workers and this machine."""

    is_far = True

    def __init__(self, client: Client, cache: int, *, shared: bool) -> None:
        self._client, self._cache, self._shared = client, cache, shared
        self._executor: Any = client.get_executor(pure=False)
        self._last = dict[Hashable, str]()  # the worker of the last task by `near`
        self._numbers, self._listeners = count(), dict[int, Progress]()
        self._n_given = self._n_done = 0
        self._files = FileService(self._hear)
        scheduler = client.scheduler.address
        scheme, host = urlsplit(scheduler).scheme, urlsplit(scheduler).hostname
        address = f"{scheme}://{get_ip(host)}:0"
        self._threads: dict[str, int] = client.nthreads()  # of each worker
        client.sync(self._open, address)

    async def _open(self, address: str) -> None:
        await self._files.start(address, self._client.security)
        self._watch = asyncio.create_task(self._count_workers())

    async def _close(self) -> None:
        self._watch.cancel()
        await self._files.stop()

    async def _count_workers(self) -> None:
        """Updates the workers, which may come and go."""
        while True:
            with suppress(OSError):  # a lost scheduler is reported by the tasks
                self._threads = await self._client.scheduler.ncores()
            await asyncio.sleep(OFTEN)

    @property
    def n(self) -> int:
        return max(1, sum(self._threads.values()))

    def state(self) -> str:
        """A message about workers and tasks."""
        n_workers = counted(len(self._threads), "worker")
        return f"{n_workers}, {self._n_done:,} of {counted(self._n_given, 'task')}"

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of files sent to workers and received from them so far."""
        return self._files.sent, self._files.received

    def serve(self, reads: Iterable[Path], writes: Iterable[Path]) -> None:
        self._files.allow(set(reads), set(writes))

    def start(self, task: Task[Result]) -> Future[Result]:
        number = next(self._numbers)
        self._n_given = number + 1
        self._listeners[number] = task.progress
        files = self._files
        order = Order(
            number, files.address, Path.cwd(), files.token, own_versions(), self._cache,
            self._shared,
        )  # fmt: skip
        result: Future[Any] = Future()
        result.set_running_or_notify_cancel()
        place = self._last.get(task.near)
        where = {"workers": [place], "allow_other_workers": True} if place else {}
        done = self._executor.submit(run_task, order, task.work, task.arguments, **where)
        done.add_done_callback(lambda done: self._pass_on(number, done, result, task.near))
        return result

    def _pass_on(self, number: int, done: Future[Any], result: Future[Any], near: Hashable) -> None:
        self._listeners.pop(number, None)
        self._n_done += 1
        try:
            packed: Packed
            place, packed = done.result()
            if near is not None:
                self._last[near] = place
            result.set_result(packed.unpacked(partial(self._files.delivered, number)))
        except BaseException as error:
            result.set_exception(_converted(error))

    def _hear(self, number: int, what: str, done: int) -> None:
        if (listener := self._listeners.get(number)) is not None:
            listener(what, done)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait and not cancel_futures)
        self._client.sync(self._close)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)


def _converted(error: BaseException) -> BaseException:
    """Converts Dask's errors about a task; other errors are the task's and stay unchanged."""
    if isinstance(error, (CancelledError, FutureCancelledError)):
        return DataError(
            "the cluster has lost a task",
            expected="its scheduler may have been stopped",
            advice=RESUME,
        )
    if isinstance(error, KilledWorker):
        return DataError(
            "several workers died while running the same task",
            expected="they may have too little memory",
            advice=RESUME,
        )
    if isinstance(error, ModuleNotFoundError):
        return SettingError(
            f"a worker cannot load hyperbaton: {error}",
            advice="install it on all machines, in the same version",
        )
    return error


def quiet() -> None:
    """Turns off Dask's log messages and its profiler, which are for administrators of a cluster;
    the profiler takes a tenth of the time of local workers."""
    dask.config.set({"distributed.worker.profile.enabled": False})
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
