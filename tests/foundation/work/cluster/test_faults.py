"""Machines that fail: the command goes on, or says what happened and can be run again."""

import signal
import threading
import time
from dataclasses import replace

import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.foundation.work.cluster.opening import ClusterSettings, cluster_workers
from hyperbaton.tuning.comparison import run
from hyperbaton.tuning.comparison.run import compare
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS
from tests.child_processes import PATIENCE, wait_until
from tests.foundation.work.cluster.machines import Killer, machines
from tests.tuning.comparison.tiny import LEX, LINEAR, in_this_process, tiny_configuration

pytest.importorskip("distributed")
TUNED = replace(COMPARE_SETTINGS, iterations=2, n_best=20, replicas=2)


def settings_for(made):
    return ClusterSettings("scheduler", shared=False, options={"address": made.address})


def results(folder):
    """Everything but what the work has cost."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "parts").rglob("*"))
        if path.is_file() and path.name not in ("cost.json", "files.sha256")
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("comparison")


@pytest.fixture(scope="module")
def comparison(data):
    return tiny_configuration(data, (LINEAR, LEX), tune=TUNED)


@pytest.fixture(scope="module")
def undisturbed(comparison, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "run_jobs", in_this_process)
        compare(comparison, folder, 1)
    return results(folder)


def test_workers_that_are_killed_change_nothing(data, comparison, undisturbed, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with machines(tmp_path, 2, hidden=[data, out]) as made:
        killer = Killer(made, 2)
        with cluster_workers(settings_for(made), print) as workers:
            killer.start()
            compare(comparison, out, 1, workers=workers)
        killer.ended.set()
        killer.join()
        assert killer.n_killed
    assert results(out) == undisturbed
    assert not list(out.rglob("*.part"))


def wait(here, path):
    while here.get(path).read_text() == "wait":
        here.say("waiting", 0)
        time.sleep(0.05)
    return "done"


def begun(workers, path):
    """A task that waits, if that is what it found in the file."""
    heard = threading.Event()
    workers.serve([path], [])
    future = workers.submit(wait, path, progress=lambda *_: heard.set())
    assert heard.wait(PATIENCE)
    return future


def test_a_worker_that_hangs_is_given_up(tmp_path, write):
    path = write("what to do", "wait")
    with (
        machines(tmp_path, 1, patience="8s") as made,
        cluster_workers(settings_for(made), print) as workers,
    ):
        future = begun(workers, path)
        made.workers[0].send_signal(signal.SIGSTOP)
        assert workers.state() == "1 worker, 0 of 1 task"
        made.start_worker()
        wait_until(lambda: workers.state() == "2 workers, 0 of 1 task")
        path.write_text("go on")
        assert future.result(PATIENCE) == "done"


def copy(here, path):
    here.get(path)


def test_a_full_disk_of_a_worker_is_told_and_a_scheduler_that_dies(tmp_path, write):
    path, other = write("large", bytes(2_000_000)), write("what to do", "wait")
    limited = 'ulimit -f 500; exec "$@"'  # blocks of 1024 bytes
    with machines(tmp_path, 0) as made:
        made.start_worker(["bash", "-c", limited, "-"])
        with cluster_workers(settings_for(made), print) as workers:
            workers.serve([path], [])
            with pytest.raises(DataError, match="cannot be written: File too large"):
                workers.submit(copy, path).result(PATIENCE)
            future = begun(workers, other)
            made.kill_scheduler()
            with pytest.raises(
                DataError, match=r"has lost a task(.|\n)*run the same command again"
            ):
                future.result(PATIENCE)


def test_the_command_line_goes_on_after_a_scheduler_died(
    tmp_path, undisturbed, comparison, monkeypatch
):
    """What was done is kept, and the same command does the rest elsewhere."""
    out = tmp_path / "out"
    with machines(tmp_path, 1) as made, cluster_workers(settings_for(made), print) as workers:

        def stop(line):
            if "1 of" in line and "done" in line:
                made.kill_scheduler()

        with pytest.raises(DataError, match="run the same command again"):
            compare(comparison, out, 1, Reporter(stop), workers=workers)
    said = []
    monkeypatch.setattr(run, "run_jobs", in_this_process)
    compare(comparison, out, 1, Reporter(said.append))
    assert any("runs are already done" in line for line in said)
    assert results(out) == undisturbed
