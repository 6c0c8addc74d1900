"""Jobs in processes of their own, a few at a time, with news of their progress.

Every worker is a fresh process that does one job after the other. If the run that started them goes
away, in whatever way, workers end at once: another run may go on in the same folder. They leave no
half-finished work behind, since stages are renamed into place.
"""

import ctypes
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from models.errors import DataError, HyperbatonError, SettingError
from models.progress import Progress

Job = TypeVar("Job")
Work = Callable[[Job, Progress], None]
PULSE = 0.5  # seconds between looks at the parent, where the kernel does not look
_PR_SET_PDEATHSIG = 1
_PROGRESS, _ERROR, _DONE = range(3)  # what a worker sends, with values


def run_jobs(
    jobs: Sequence[Job],
    work: Work[Job],
    n_workers: int,
    progress: Callable[[int, str, int], None],
    done: Callable[[int], None],
) -> None:
    """Does all jobs; both callbacks get the number of a job first.

    `work` must be a function of a module. The first error ends the run: the other workers are
    stopped, and it is raised here.
    """
    left = iter(enumerate(jobs))
    doing: dict[Connection, int] = {}
    workers = []

    def next_job(connection: Connection) -> None:
        doing.pop(connection, None)
        number, job = next(left, (None, None))
        connection.send(job)
        if number is not None:
            doing[connection] = number

    try:
        for _ in range(min(n_workers, len(jobs))):
            worker, connection = _start(work)
            workers.append(worker)
            next_job(connection)
        while doing:
            for connection in [c for c in wait(list(doing)) if isinstance(c, Connection)]:
                kind, value = _receive(connection)
                if kind == _PROGRESS:
                    progress(doing[connection], *value)
                elif kind == _ERROR:
                    raise value
                else:
                    done(doing[connection])
                    next_job(connection)
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.kill()
                worker.join()


def _start(work: Work[Any]) -> tuple[Any, Connection]:
    """A process, and the connection that it gets its jobs from."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    worker = context.Process(target=_serve, args=(theirs, work, os.getpid()), daemon=True)
    worker.start()
    theirs.close()
    return worker, ours


def _receive(connection: Connection) -> tuple[int, Any]:
    try:
        message: tuple[int, Any] = connection.recv()
    except EOFError:
        raise DataError(
            "a worker process died",
            expected="perhaps there was not enough memory",
            advice="run the same command again: it goes on where it stopped",
        ) from None
    return message


def _serve(connection: Connection, work: Work[Any], parent: int) -> None:
    """The life of a worker, which ends with the job `None`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the kernel ends us with it
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        while (job := connection.recv()) is not None:
            try:
                work(job, lambda *news: connection.send((_PROGRESS, news)))
            except HyperbatonError as error:
                connection.send((_ERROR, _plain(error)))
                return
            except Exception:
                connection.send((_ERROR, RuntimeError(traceback.format_exc())))
                return
            connection.send((_DONE, None))
    except (EOFError, BrokenPipeError):
        pass  # the parent is gone


def _plain(error: HyperbatonError) -> HyperbatonError:
    """The same as one of the kinds that can travel between processes."""
    kind = SettingError if error.exit_code == SettingError.exit_code else DataError
    return kind(error.what, where=error.where, expected=error.expected, advice=error.advice)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PULSE)
    os._exit(1)
