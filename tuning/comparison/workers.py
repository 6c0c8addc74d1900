"""Jobs in processes of their own, a few at a time, with word of how they get on.

Every worker is a fresh process that does one job after the other. If the run that started them goes
away in whatever way, workers end at once: another run may come and go on in the same folder. What
they had begun is not finished by halves, since stages are renamed into place.
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

Job = TypeVar("Job")
Say = Callable[[str], None]  # how far a job is, in a few words
Watch = Callable[[int, str | None], None]  # number of a job and how far it is; None: done
PULSE = 0.5  # seconds between looks at the parent, where the kernel does not look
_PR_SET_PDEATHSIG = 1


def run_jobs(
    jobs: Sequence[Job], work: Callable[[Job, Say], Any], n_workers: int, watch: Watch
) -> list[Any]:
    """What `work` gives for each job, in order. `work` must be a function of a module.

    The first error ends the run: the other workers are stopped, and it is raised here.
    """
    context = get_context("spawn")
    results: list[Any] = [None] * len(jobs)
    left = iter(range(len(jobs)))
    doing: dict[Connection, int] = {}
    workers = []

    def next_job(connection: Connection) -> None:
        number = next(left, None)
        if number is None:
            connection.send(None)
            doing.pop(connection, None)
        else:
            connection.send((number, jobs[number]))
            doing[connection] = number

    try:
        for _ in range(min(n_workers, len(jobs))):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_work, args=(theirs, work, os.getpid()), daemon=True)
            worker.start()
            theirs.close()
            workers.append(worker)
            next_job(ours)
        while doing:
            for connection in wait(list(doing)):
                assert isinstance(connection, Connection)
                number = doing[connection]
                try:
                    kind, value = connection.recv()
                except EOFError:
                    raise DataError(
                        "a worker process died",
                        expected="perhaps there was not enough memory",
                        advice="run the same command again: it goes on where it stopped",
                    ) from None
                if kind == "progress":
                    watch(number, value)
                elif kind == "error":
                    raise value
                else:
                    results[number] = value
                    watch(number, None)
                    next_job(connection)
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.kill()
                worker.join()
    return results


def _work(connection: Connection, work: Callable[[Any, Say], Any], parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # the kernel ends us with it
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    try:
        while (item := connection.recv()) is not None:
            try:
                result = work(item[1], lambda text: connection.send(("progress", text)))
            except HyperbatonError as error:
                connection.send(("error", _plain(error)))
                return
            except Exception:
                connection.send(("error", RuntimeError(traceback.format_exc())))
                return
            connection.send(("result", result))
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
