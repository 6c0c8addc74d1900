"""Jobs in processes: order, progress, errors, and workers that must not outlive their parent."""

import os
import subprocess
import sys
import time

import pytest

from models.errors import BadLine, DataError, SettingError
from tests.child_processes import wait_until
from tuning.comparison.workers import run_jobs


def square(job, say):
    say(f"at {job}")
    return job * job


def fail(job, say):  # noqa: ARG001
    raise SettingError("this job cannot be done", expected="another one")


def die(job, say):  # noqa: ARG001
    os._exit(3)


@pytest.mark.parametrize("n_workers", [1, 3])
def test_results_come_in_order_whatever_the_number_of_workers(n_workers):
    seen = []
    results = run_jobs([3, 1, 2], square, n_workers, lambda *item: seen.append(item))
    assert results == [9, 1, 4]
    assert sorted(seen, key=str) == sorted(
        [(0, "at 3"), (1, "at 1"), (2, "at 2"), (0, None), (1, None), (2, None)], key=str
    )
    assert run_jobs([], square, 2, print) == []


def test_the_first_error_is_raised_here():
    with pytest.raises(SettingError, match="this job cannot be done\n  another one"):
        run_jobs([1, 2], fail, 2, lambda *_: None)


def test_a_worker_that_dies_is_an_error():
    with pytest.raises(DataError, match="a worker process died"):
        run_jobs([1], die, 1, lambda *_: None)


PARENT = """
import os, sys, time
from tuning.comparison.workers import run_jobs
from tests.tuning.comparison.test_workers import sleep

if __name__ == "__main__":
    run_jobs([sys.argv[1]], sleep, 1, print)
"""


def sleep(job, say):  # noqa: ARG001
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


def bad_line(job, say):  # noqa: ARG001
    raise BadLine("tree", "is no tree", "a bracket")


def defect(job, say):  # noqa: ARG001
    return 1 // 0


def test_errors_of_every_kind_come_over():
    with pytest.raises(DataError, match="is no tree\n  a bracket"):
        run_jobs([1], bad_line, 1, lambda *_: None)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_jobs([1], defect, 1, lambda *_: None)
