"""Runs tasks in separate processes.

Every worker is a new process that does one task after another. If the process that started them
ends for any reason, workers end at once, because another run may continue in the same folder. They
leave no partial results, because finished stages are renamed into place.
"""

import ctypes
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from hyperbaton.foundation.errors import DataError, HyperbatonError
from hyperbaton.foundation.work.garbage import collect_rarely
from hyperbaton.foundation.work.workers import Result, Task, Workers
from hyperbaton.foundation.work.workplace import Workplace, plain

PULSE = 0.5  # seconds between checks of the parent, where the kernel does not watch it
_PR_SET_PDEATHSIG = 1
_PROGRESS, _ERROR, _DONE = range(3)  # kinds of messages from a worker


class Processes(Workers):
    """Processes of this machine, started on demand."""

    def __init__(self, n: int) -> None:
        self._n, self._context = n, get_context("spawn")
        self._threads = ThreadPoolExecutor(n)  # each waits for a process
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        self._connections: list[Connection] = []
        self._processes: list[Any] = []

    @property
    def n(self) -> int:
        return self._n

    def start(self, task: Task[Result]) -> Future[Result]:
        if len(self._processes) < self._n:
            self._start_process()
        return self._threads.submit(self._run, task)

    def _start_process(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
        with ctrl_c_later():
            process.start()
            self._processes.append(process)
        theirs.close()
        self._connections.append(ours)
        self._idle.put(ours)

    def _run(self, task: Task[Result]) -> Result:
        connection = self._idle.get()
        try:
            connection.send((task.work, task.arguments))
            while True:
                kind, value = _receive(connection)
                if kind == _ERROR:
                    raise value
                if kind == _DONE:
                    result: Result = value
                    return result
                task.progress(*value)
        finally:
            self._idle.put(connection)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for connection in self._connections:
            with suppress(OSError):  # it may have died
                connection.send(None)
            connection.close()
        for process in self._processes:
            process.join()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for process in self._processes:
                process.kill()  # harmless if it has ended
        self.shutdown(cancel_futures=True)


@contextmanager
def ctrl_c_later() -> Iterator[None]:
    """Delays Ctrl-C until the end of the context. Processes started inside never receive it,
    although a terminal sends it to all processes: the parent handles it. Workers could not ignore
    it before they have started up, and would end with tracebacks.
    """
    resource_tracker.ensure_running()  # starting it later would unblock signals
    received: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # only it handles signals
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
    except (EOFError, OSError):
        raise DataError(
            "a worker process died",
            expected="there may have been too little memory",
            advice="run the same command again: it resumes where it stopped",
        ) from None
    return message


def _serve(connection: Connection, parent: int) -> None:
    """The main loop of a worker, which ends with the task `None`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # end with the parent
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    collect_rarely()
    here = Workplace(lambda *news: connection.send((_PROGRESS, news)))
    try:
        while (task := connection.recv()) is not None:
            work, arguments = task
            try:
                connection.send((_DONE, work(here, *arguments)))
            except HyperbatonError as error:
                connection.send((_ERROR, plain(error)))
            except Exception:
                connection.send((_ERROR, RuntimeError(traceback.format_exc())))
    except (EOFError, BrokenPipeError):
        pass  # the parent is gone


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PULSE)
    os._exit(1)
