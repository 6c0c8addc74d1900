"""Dask as an executor of tasks."""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from itertools import count
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker
from distributed.utils import get_ip

from models.errors import DataError
from models.progress import Progress
from models.work.cluster.far_workplace import Order, run_task
from models.work.cluster.file_service import FileService
from models.work.cluster.versions import own_versions
from models.work.workers import Made, Workers

RESUME = "run the same command again: it resumes where it stopped"


class DaskWorkers(Workers):
    """Tasks go to a scheduler, files directly between workers and this machine."""

    is_far = True

    def __init__(self, client: Client, cache: int, *, shared: bool) -> None:
        self._client, self._cache, self._shared = client, cache, shared
        self._executor = client.get_executor(pure=False)
        self._files = FileService()
        scheduler = client.scheduler.address
        scheme, host = urlsplit(scheduler).scheme, urlsplit(scheduler).hostname
        own = f"{scheme}://{get_ip(host)}:0"
        client.sync(self._files.start, own, client.security)
        self._numbers, self._listeners = count(), dict[int, Progress]()
        self._topic = f"hyperbaton-{self._files.token[:8]}"
        client.subscribe_topic(self._topic, self._hear)

    @property
    def n(self) -> int:
        numbers: dict[str, int] = self._client.nthreads()
        return max(1, sum(numbers.values()))

    def serve(self, reads: Iterable[Path], writes: Iterable[Path]) -> None:
        self._files.allow(set(reads), set(writes))

    def submit(  # type: ignore[override]
        self,
        work: Callable[..., Made],
        /,
        *arguments: Any,
        progress: Progress | None = None,
    ) -> Future[Made]:
        number = next(self._numbers)
        if progress is not None:
            self._listeners[number] = progress
        files = self._files
        order = Order(
            number, self._topic, files.address, files.token, own_versions(), self._cache,
            self._shared,
        )  # fmt: skip
        made: Future[Made] = Future()
        made.set_running_or_notify_cancel()
        done = self._executor.submit(run_task, order, work, arguments)
        done.add_done_callback(lambda done: self._pass_on(number, done, made))
        return made

    def _pass_on(self, number: int, done: Future[Made], made: Future[Made]) -> None:
        self._listeners.pop(number, None)
        try:
            made.set_result(done.result())
        except (CancelledError, FutureCancelledError):
            made.set_exception(
                DataError(
                    "the cluster has forgotten a task",
                    expected="perhaps its scheduler was restarted",
                    advice=RESUME,
                )
            )
        except KilledWorker as error:
            last = getattr(error.last_worker, "address", "")
            made.set_exception(
                DataError(
                    "several workers died of the same task",
                    where=f"the last was {last}" if last else "",
                    expected="perhaps they have not enough memory",
                    advice=RESUME,
                )
            )
        except BaseException as error:
            made.set_exception(error)

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        news = event[1]
        if (listener := self._listeners.get(news["number"])) is not None:
            listener(news["what"], news["count"])

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait and not cancel_futures)
        self._client.sync(self._files.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(cancel_futures=kind is not None)


def quiet() -> None:
    """Dask's own messages are for those who run the cluster."""
    for name in ("distributed", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
