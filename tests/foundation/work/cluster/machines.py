"""A scheduler and workers, each a process with a folder of its own, as on machines of their own."""

import os
import random
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.child_processes import wait_until

# As many workers as one likes may die of a task
PATIENT = {
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "100",
    "DASK_DISTRIBUTED__ADMIN__LOG_LENGTH": "0",
}


class Machines:
    def __init__(self, folder: Path, patience: str, hidden: Sequence[Path]) -> None:
        self._folder, self._stack = folder, ExitStack()
        self._under = _hiding(hidden)
        self._settings = PATIENT | {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": patience}
        self.workers: list[subprocess.Popen] = []
        self._n_started = 0
        self.address = self._start_scheduler()

    def _start_scheduler(self) -> str:
        log = self._folder / "scheduler.log"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", log=log)

        def address():
            lines = log.read_text().splitlines()
            return next((x.split()[-1] for x in lines if "Scheduler at:" in x), "")

        return wait_until(address, self.scheduler)

    def start_worker(self, under: Sequence[str] = ()) -> subprocess.Popen:
        """`under`: a command that starts another one."""
        self._n_started += 1
        place = self._folder / f"machine-{self._n_started}"
        place.mkdir()
        options = ["--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--no-dashboard"]
        options += ["--local-directory", place, "--host", "127.0.0.1"]
        under = [*under, *self._under]
        worker = self._start("worker", self.address, *options, log=place / "log", under=under)
        self.workers.append(worker)
        return worker

    def _start(
        self, what: str, *options: object, log: Path, under: Sequence[str] = ()
    ) -> subprocess.Popen:
        command = [*under, sys.executable, "-m", "dask", what, *map(str, options)]
        environment = os.environ | self._settings | {"PYTHONPATH": os.getcwd()}  # noqa: PTH109
        with log.open("w") as stream:
            process = subprocess.Popen(
                command, env=environment, stdout=stream, stderr=subprocess.STDOUT
            )
        self._stack.callback(_end, process)
        return process

    def kill_worker(self, number: int) -> None:
        _end(self.workers.pop(number))

    def kill_scheduler(self) -> None:
        _end(self.scheduler)

    def close(self) -> None:
        self._stack.close()


def _hiding(folders: Sequence[Path]) -> list[str]:
    """A command that runs another one which finds the folders empty, or none."""
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    mounts = "".join(f"mount -t tmpfs none {shlex.quote(str(folder))} && " for folder in folders)
    command = [*apart, "bash", "-c", f'{mounts}exec "$@"', "-"]
    try:
        tried = subprocess.run([*command, "true"], capture_output=True)
    except OSError:
        return []
    return command if folders and tried.returncode == 0 else []


def _end(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()


@contextmanager
def machines(
    folder: Path, n_workers: int, patience: str = "5 minutes", hidden: Sequence[Path] = ()
):
    """`patience`: how long a worker may be silent before it is given up. Workers find `hidden`
    folders empty, where the system lets us do that, as if they were on another machine."""
    made = Machines(folder, patience, hidden)
    try:
        for _ in range(n_workers):
            made.start_worker()
        yield made
    finally:
        made.close()


class Killer(threading.Thread):
    """Kills a worker now and then, and starts another."""

    def __init__(self, made: Machines, n_kills: int) -> None:
        super().__init__(daemon=True)
        self._machines, self._n_kills = made, n_kills
        self._random, self.ended, self.n_killed = random.Random(1), threading.Event(), 0

    def run(self) -> None:
        while self.n_killed < self._n_kills:
            if self.ended.wait(self._random.uniform(0.5, 2)):
                return
            self._machines.kill_worker(0)
            self.n_killed += 1
            self._machines.start_worker()
