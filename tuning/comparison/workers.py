"""Jobs in processes of their own, a few at a time, with their progress and their peak memory.

Every worker is a fresh process that does one job after another. If the run that started them goes
away for whatever reason, workers end at once, because another run may go on in the same folder.
They leave no half-finished work behind, since stages are renamed into place.
"""

import ctypes
import os
import re
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from models.errors import DataError, HyperbatonError, SettingError
from models.progress import Progress

Job = TypeVar("Job")
Work = Callable[[Job, Progress], None]
PULSE = 0.5  # seconds between checks on the parent, where the kernel does not watch it
_PR_SET_PDEATHSIG = 1
_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_BEGIN_ANEW = "5"  # see proc(5)
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

    def next_job(connection: Connection) -> None:
        doing.pop(connection, None)
        number, job = next(left, (None, None))
        connection.send(job)
        if number is not None:
            doing[connection] = number

    with _workers(min(n_workers, len(jobs)), work) as connections:
        for connection in connections:
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


@contextmanager
def _workers(n: int, work: Work[Any]) -> Iterator[list[Connection]]:
    """Processes, by the connections that they get their jobs from; an error kills them all."""
    context = get_context("spawn")
    workers: list[Any] = []
    connections = []
    try:
        for _ in range(n):
            ours, theirs = context.Pipe()
            worker = context.Process(target=_serve, args=(theirs, work, os.getpid()), daemon=True)
            with _ctrl_c_later():
                worker.start()
                workers.append(worker)
            theirs.close()
            connections.append(ours)
        yield connections
        for worker in workers:
            worker.join()
    finally:
        for worker in workers:
            worker.kill()  # nothing happens to those that have ended
            worker.join()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C takes effect at the end. Processes that are started inside never see it, although a
    terminal sends it to all: this one decides what it means. Until workers have loaded what they
    need they could not see to that themselves, and half-started ones would end with tracebacks.
    """
    resource_tracker.ensure_running()  # if it started later, it would let signals through again
    received: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # others never see signals
    handler = None
    if is_main:
        handler = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    inherited = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, inherited)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if received:
            signal.raise_signal(signal.SIGINT)


def _receive(connection: Connection) -> tuple[int, Any]:
    try:
        message: tuple[int, Any] = connection.recv()
    except EOFError:
        raise DataError(
            "a worker process died",
            expected="perhaps there was not enough memory",
            advice="run the same command again: it resumes where it stopped",
        ) from None
    return message


def _serve(connection: Connection, work: Work[Any], parent: int) -> None:
    """The life of a worker, which ends with the job `None`."""
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
    """The same as an error of a kind that can be sent between processes."""
    kind = SettingError if error.exit_code == SettingError.exit_code else DataError
    return kind(error.what, where=error.where, expected=error.expected, advice=error.advice)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PULSE)
    os._exit(1)


def begin_peak() -> None:
    """Peak memory counts from now on, if the system can reset it, as Linux can.

    Elsewhere a job may be charged for the memory of an earlier one of the same worker.
    """
    with suppress(OSError):
        _CLEAR.write_text(_BEGIN_ANEW)


def peak_megabytes() -> float:
    try:
        found = re.search(r"^VmHWM:\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found:
        return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
