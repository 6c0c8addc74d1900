"""Jobs in processes: order, progress, errors, and workers that must not outlive their parent."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest

from hyperbaton.foundation.errors import BadLine, SettingError
from hyperbaton.foundation.work import processes
from hyperbaton.foundation.work.garbage import RARELY
from hyperbaton.foundation.work.processes import Processes
from hyperbaton.foundation.work.workers import Threads, run_jobs
from tests.child_processes import started, wait_until
from tests.refusals import refused


def tell(here, job):
    here.say("at", job)


def silent(*_):
    pass


def run(jobs, work, n_workers, progress=silent, done=silent):
    with Processes(n_workers) as workers:
        run_jobs(workers, jobs, work, progress, done)


def fail(here, job):  # noqa: ARG001
    raise SettingError("this job cannot be done", expected="another one")


def die(here, job):  # noqa: ARG001
    os._exit(3)


@pytest.mark.parametrize("n_workers", [1, 3])
def test_every_job_is_done_whatever_the_number_of_workers(n_workers):
    seen, done = [], []
    run([3, 1, 2], tell, n_workers, lambda *news: seen.append(news), done.append)
    assert sorted(seen) == [(0, "at", 3), (1, "at", 1), (2, "at", 2)]
    assert sorted(done) == [0, 1, 2]
    run([], tell, 2)


def square(here, number):  # noqa: ARG001
    return number**2


@pytest.mark.parametrize("workers", [Threads(2), Processes(2)])
def test_results_come_as_futures(workers):
    with workers:
        futures = [workers.submit(square, number) for number in range(5)]
        assert [future.result() for future in futures] == [0, 1, 4, 9, 16]
        assert workers.n == 2
        assert not workers.is_far


def collections(here):  # noqa: ARG001
    return gc.get_threshold()[0]


def test_workers_collect_garbage_as_rarely_as_commands():
    with Processes(1) as workers:
        assert workers.submit(collections).result() == RARELY


def test_the_first_error_is_raised_here():
    refused("this job cannot be done … another one", lambda: run([1, 2], fail, 2), SettingError)


def test_a_worker_that_dies_is_an_error():
    refused("a worker process died", lambda: run([1], die, 1))


PARENT = """
import os, sys, time
from tests.foundation.work.test_processes import run, sleep

if __name__ == "__main__":
    run([sys.argv[1]], sleep, 1)
"""


def sleep(here, job):  # noqa: ARG001
    with open(job, "w") as stream:  # noqa: PTH123
        stream.write(str(os.getpid()))
    time.sleep(600)  # for as long as it is allowed to live


def test_workers_end_when_their_parent_is_killed(tmp_path):
    script, place = tmp_path / "parent.py", tmp_path / "pid"
    script.write_text(PARENT)
    environment = os.environ | {"PYTHONPATH": os.getcwd()}  # noqa: PTH109
    parent = subprocess.Popen([sys.executable, script, place], env=environment)
    wait_until(lambda: place.exists() and place.read_text(), parent)
    worker = int(place.read_text())
    parent.kill()
    parent.wait()
    wait_until(lambda: not _is_alive(worker))


def _is_alive(process):
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat") as stream:  # noqa: PTH123
            return stream.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


LOADING = """
import os, time
from pathlib import Path
from tests.foundation.work.test_processes import run

if __name__ == "__mp_main__":  # a worker loads this
    Path("worker").write_text(str(os.getpid()))
    while Path("worker").exists():
        time.sleep(0.01)

def work(here, job):
    Path("done").touch()

if __name__ == "__main__":
    run([1], work, 1)
"""


def test_ctrl_c_ended_workers_that_were_still_loading_with_tracebacks(tmp_path, write):
    script, place = write("loading.py", LOADING), tmp_path / "worker"
    environment = os.environ | {"PYTHONPATH": os.getcwd()}  # noqa: PTH109
    with started([sys.executable, script], cwd=tmp_path, env=environment) as parent:
        wait_until(lambda: place.exists() and place.read_text(), parent)
        os.kill(int(place.read_text()), signal.SIGINT)
        place.unlink()
        assert parent.wait() == 0
    assert (tmp_path / "done").exists()


def test_ctrl_c_left_workers_half_started():
    steps = []

    def start_worker():
        with processes.ctrl_c_later():
            signal.raise_signal(signal.SIGINT)
            steps.append("started")
        steps.append("gone on")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            start_worker()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    finally:
        signal.signal(signal.SIGINT, before)
    assert steps == ["started"]


def bad_line(here, job):  # noqa: ARG001
    raise BadLine("tree", "is no tree", "a bracket")


def defect(here, job):  # noqa: ARG001
    return 1 // 0


def test_errors_of_every_kind_come_over():
    refused("is no tree … a bracket", lambda: run([1], bad_line, 1))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run([1], defect, 1)
