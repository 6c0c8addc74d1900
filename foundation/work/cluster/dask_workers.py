"""Dask as an executor of tasks."""

import asyncio
import logging
from collections.abc import Hashable, Iterable
from concurrent.futures import CancelledError, Executor, Future
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import dask
from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker
from distributed.utils import get_ip

from hyperbaton.foundation.errors import DataError, SettingError, counted
from hyperbaton.foundation.progress import Progress
from hyperbaton.foundation.work.cluster.far_workplace import Order, run_task
from hyperbaton.foundation.work.cluster.file_service import FileService
from hyperbaton.foundation.work.cluster.packed import Packed
from hyperbaton.foundation.work.cluster.versions import own_versions
from hyperbaton.foundation.work.workers import Made, Task, Workers

RESUME = "run the same command again: it resumes where it stopped"
OFTEN = 2.0  # seconds


class DaskWorkers(Workers):
    """Tasks go to a scheduler, files directly between workers and this machine."""

    is_far = True

    def __init__(self, client: Client, cache: int, *, shared: bool) -> None:
        self._client, self._cache, self._shared = client, cache, shared
        # by the worker that is preferred
        self._executors: dict[str, Executor] = {"": client.get_executor(pure=False)}
        self._last = dict[Hashable, str]()  # workers by what they have worked on
        self._numbers, self._listeners = count(), dict[int, Progress]()
        self._n_given = self._n_done = 0
        self._files = FileService(self._hear)
        scheduler = client.scheduler.address
        scheme, host = urlsplit(scheduler).scheme, urlsplit(scheduler).hostname
        own = f"{scheme}://{get_ip(host)}:0"
        self._threads: dict[str, int] = client.nthreads()  # of each worker
        client.sync(self._open, own)

    async def _open(self, address: str) -> None:
        await self._files.start(address, self._client.security)
        self._watch = asyncio.create_task(self._count_workers())

    async def _close(self) -> None:
        self._watch.cancel()
        await self._files.stop()

    async def _count_workers(self) -> None:
        """Workers come and go."""
        while True:
            with suppress(OSError):  # whoever waits for a task hears of a scheduler that is gone
                self._threads = await self._client.scheduler.ncores()
            await asyncio.sleep(OFTEN)

    @property
    def n(self) -> int:
        return max(1, sum(self._threads.values()))

    def state(self) -> str:
        """For people who wait."""
        n_workers = counted(len(self._threads), "worker")
        return f"{n_workers}, {self._n_done:,} of {counted(self._n_given, 'task')}"

    @property
    def traffic(self) -> tuple[int, int]:
        """Bytes of files that were fetched by workers, and brought home, so far."""
        return self._files.sent, self._files.received

    def serve(self, reads: Iterable[Path], writes: Iterable[Path]) -> None:
        self._files.allow(set(reads), set(writes))

    def start(self, task: Task[Made]) -> Future[Made]:
        number = next(self._numbers)
        self._n_given = number + 1
        self._listeners[number] = task.progress
        files = self._files
        order = Order(
            number, files.address, Path.cwd(), files.token, own_versions(), self._cache,
            self._shared,
        )  # fmt: skip
        made: Future[Any] = Future()
        made.set_running_or_notify_cancel()
        executor = self._executor(self._last.get(task.near, ""))
        done = executor.submit(run_task, order, task.work, task.arguments)
        done.add_done_callback(lambda done: self._pass_on(number, done, made, task.near))
        return made

    def _executor(self, place: str) -> Executor:
        """One that prefers a worker."""
        if place not in self._executors:
            how = {"pure": False, "workers": [place], "allow_other_workers": True}
            self._executors[place] = self._client.get_executor(**how)
        return self._executors[place]

    def _pass_on(self, number: int, done: Future[Any], made: Future[Any], near: Hashable) -> None:
        self._listeners.pop(number, None)
        self._n_done += 1
        try:
            packed: Packed
            place, packed = done.result()
            if near is not None:
                self._last[near] = place
            made.set_result(packed.unpacked(partial(self._files.delivered, number)))
        except BaseException as error:
            made.set_exception(_in_our_words(error))

    def _hear(self, number: int, what: str, done: int) -> None:
        if (listener := self._listeners.get(number)) is not None:
            listener(what, done)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for executor in self._executors.values():
            executor.shutdown(wait=wait and not cancel_futures)
        self._client.sync(self._close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)


def _in_our_words(error: BaseException) -> BaseException:
    """What happened to a task, if it is not an error of its own."""
    if isinstance(error, (CancelledError, FutureCancelledError)):
        return DataError(
            "the cluster has lost a task",
            expected="perhaps its scheduler was stopped",
            advice=RESUME,
        )
    if isinstance(error, KilledWorker):
        return DataError(
            "several workers died of the same task, one after the other",
            expected="perhaps they have not enough memory",
            advice=RESUME,
        )
    if isinstance(error, ModuleNotFoundError):
        return SettingError(
            f"a worker cannot load hyperbaton: {error}",
            advice="install it on all machines, in the same version",
        )
    return error


def quiet() -> None:
    """Dask's own messages are for those who run the cluster, and so is its profiler, which takes a
    tenth of the time of workers that are started here."""
    dask.config.set({"distributed.worker.profile.enabled": False})
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
