"""Tasks on a real cluster whose workers see none of the command's files but by asking."""

import os
import pickle
import re
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from hyperbaton.foundation.errors import BadLine, DataError, SettingError
from hyperbaton.foundation.work.cluster.far_workplace import Packed
from hyperbaton.foundation.work.cluster.opening import ClusterSettings, cluster_workers
from hyperbaton.foundation.work.workers import run_jobs
from hyperbaton.foundation.work.workplace import PIECE, Piece
from tests.child_processes import PATIENCE
from tests.refusals import refused

distributed = pytest.importorskip("distributed")

NONE_OF_OURS = "is not a file of this run"


@pytest.fixture(scope="module")
def workers():
    said = []
    settings = ClusterSettings("local", 2, shared=False)
    with cluster_workers(settings, said.append) as made:
        assert any("2 workers, 2 tasks at once" in line for line in said)
        assert any("http://" in line and "/status" in line for line in said)
        yield made


def square(here, number):
    here.say("squaring", number)
    return number**2, os.getpid()


def test_results_come_from_other_processes(workers):
    futures = [workers.submit(square, number) for number in range(6)]
    results = [future.result() for future in futures]
    assert [value for value, _ in results] == [0, 1, 4, 9, 16, 25]
    assert os.getpid() not in {process for _, process in results}
    assert workers.is_far
    assert workers.n == 2
    assert re.fullmatch(r"2 workers, (\d+) of \1 tasks", workers.state())


def join(here, parts, made):
    """Reads all files of the parts, and makes a folder of what is in them."""
    with here.working_in(made.parent, "old") as folder:
        out = folder / "new"
        (out / "inner").mkdir(parents=True)
        texts = [file.read_text() for part in parts for file in files(here.get(part))]
        texts += [file.read_text() for file in files(folder / "old")]
        (out / "inner" / "text").write_text(" ".join(texts))
        (out / "empty").touch()
        (out / "large").write_bytes(bytes(20_000_000))  # in several pieces
        here.put(out, made)
        return str(here.get(parts[0])) if parts else ""


def files(path):
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file())


@pytest.fixture
def home(tmp_path):
    (tmp_path / "data" / "inner").mkdir(parents=True)
    (tmp_path / "data" / "a").write_text("one")
    (tmp_path / "data" / "inner" / "b").write_text("two")
    (tmp_path / "single").write_text("three")
    (tmp_path / "out" / "old").mkdir(parents=True)
    (tmp_path / "out" / "old" / "c").write_text("four")
    return tmp_path


def test_files_go_there_and_come_back(workers, home):
    parts, made = [home / "data", home / "single"], home / "out" / "new"
    workers.serve(parts, [made, home / "out" / "old"])
    place = workers.submit(join, parts, made).result()
    assert not place.startswith(str(home))  # a copy
    assert (made / "inner" / "text").read_text() == "one two three four"
    assert (made / "empty").read_bytes() == b""
    assert (made / "large").read_bytes() == bytes(20_000_000)
    assert sorted(path.name for path in (home / "out").iterdir()) == ["new", "old"]
    workers.submit(join, parts, made).result()  # again: it is replaced
    assert (made / "inner" / "text").read_text() == "one two three four"


def test_a_changed_file_is_fetched_again(workers, home):
    parts, made = [home / "single"], home / "out" / "new"
    workers.serve(parts, [made, home / "out" / "old"])
    workers.submit(join, parts, made).result()
    (home / "single").write_text("changed")
    workers.submit(join, parts, made).result()
    assert (made / "inner" / "text").read_text() == "changed four"


def test_on_a_common_disk_nothing_is_copied(home):
    parts, made = [home / "data"], home / "out" / "new"
    with cluster_workers(ClusterSettings("local", 1), print) as near:
        near.serve(parts, [made, home / "out" / "old"])
        assert near.submit(join, parts, made).result() == str(home / "data")


def look(here, path):
    return here.get(path).read_text()


def bring(here, path):
    with here.working_in(path.parent) as folder:
        (folder / "x").write_text("x")
        here.put(folder / "x", path)


def test_only_files_of_the_run_are_served(workers, home):
    secret = home / "secret"
    secret.write_text("secret")
    workers.serve([home / "data"], [home / "out"])
    for work, path in (
        (look, secret),
        (look, home / "data" / ".." / "secret"),
        (bring, home / "data" / "a"),
        (bring, home / "more"),
        (bring, home / "out" / ".." / "more"),
    ):
        refused(NONE_OF_OURS, workers.submit(work, path).result)
    assert not (home / "more").exists()
    facts = "no such file or folder on the command's machine"
    refused(facts, workers.submit(look, home / "data" / "none").result)
    workers.submit(bring, home / "out" / "x").result()
    assert (home / "out" / "x").read_text() == "x"


def read_pieces(here, pieces):
    return list(here.read(pieces))


def test_pieces_of_files_are_read(workers, home):
    large = home / "out" / "large"
    content = os.urandom(PIECE + 1000)
    large.write_bytes(content)
    workers.serve([home / "data"], [home / "out"])
    pieces = [Piece(large, 5, PIECE), Piece(home / "data" / "a", 1, 9), Piece(large, PIECE, 2000)]
    pieces += [Piece(large, at, 1) for at in range(2500)]  # more than one question asks for
    read = workers.submit(read_pieces, pieces).result()
    assert read[:3] == [content[5 : PIECE + 5], b"ne", content[PIECE:]]
    assert b"".join(read[3:]) == content[:2500]
    for path in (home / "single", home / "data" / ".." / "single"):
        refused(NONE_OF_OURS, workers.submit(read_pieces, [Piece(path, 0, 1)]).result)


def test_tasks_near_each_other_are_done_by_one_worker(workers):
    places = {key: workers.submit(square, 1, near=key).result()[1] for key in "ab"}
    for key, place in places.items():
        for _ in range(5):
            assert workers.submit(square, 1, near=key).result()[1] == place


def test_a_result_that_comes_twice_takes_the_place_of_the_first(workers, home):
    workers.serve([], [home / "out"])
    for _ in range(2):
        workers.submit(join, [], home / "out" / "made").result()
    assert sorted(path.name for path in (home / "out").iterdir()) == ["made", "old"]


def test_a_stranger_gets_nothing(workers, home):
    from distributed.comm.core import connect

    workers.serve([home / "data"], [])
    client, files_ = workers._client, workers._files

    async def ask(token):
        comm = await connect(files_.address)
        with closing(comm):
            await comm.write({"token": token, "ask": "list", "path": str(home / "data")})
            return await comm.read()

    assert client.sync(ask, "guess") == {"error": "invalid token"}
    assert client.sync(ask, files_.token)["value"]["name"] == "data"


def fail(here, kind):  # noqa: ARG001
    if kind == "line":
        raise BadLine("tree", "is no tree", "a bracket")
    if kind == "setting":
        raise SettingError("cannot be", where="key", advice="another")
    return 1 // 0


def test_errors_come_over_with_their_place(workers):
    refused("worker tcp:// … : is no tree … a bracket", workers.submit(fail, "line").result)
    refused("key: cannot be … another", workers.submit(fail, "setting").result, SettingError)
    with pytest.raises(ZeroDivisionError):
        workers.submit(fail, "").result()


def test_other_versions_are_refused(workers, monkeypatch):
    from hyperbaton.foundation.work.cluster import dask_workers, versions

    other = versions.own_versions() | {"numpy": "0.1"}
    monkeypatch.setattr(dask_workers, "own_versions", lambda: other)
    facts = "versions differ … : numpy … instead of 0.1"
    refused(facts, workers.submit(square, 1).result, SettingError)


def test_jobs_report_their_progress(workers):
    seen, done = [], []
    run_jobs(workers, [3, 4], square, lambda *news: seen.append(news), done.append)
    assert sorted(seen) == [(0, "squaring", 3), (1, "squaring", 4)]
    assert sorted(done) == [0, 1]


def count_makes(here, key):
    def make():
        made.append(key)
        return len(made)

    return here.remembered(key, make)


made: list[str] = []  # of the worker's process


def test_a_process_remembers(workers):
    [first] = {workers.submit(count_makes, "a").result() for _ in range(1)}
    assert first == 1
    counts = [workers.submit(count_makes, "a").result() for _ in range(6)]
    assert set(counts) == {1}  # made once in each process


def linger(here, path):
    while here.get(path).exists():
        here.say("waiting", 0)
        time.sleep(0.05)


def interrupted(settings, path):
    """A command that is stopped while its task runs."""
    begun = Event()
    with cluster_workers(settings, print) as workers:
        workers.serve([path], [])
        workers.submit(linger, path, progress=lambda *_: begun.set())
        assert begun.wait(PATIENCE)
        raise KeyboardInterrupt


def test_a_task_ends_when_nobody_waits_for_it(home):
    usual = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": 0}
    place = str(home / "scratch")
    with distributed.LocalCluster(**usual, local_directory=place) as cluster:
        settings = ClusterSettings("scheduler", options={"address": cluster.scheduler_address})
        with pytest.raises(KeyboardInterrupt):
            interrupted(settings, home / "single")
        with cluster_workers(settings, print) as workers:  # the only worker is free again
            assert workers.submit(square, 3).result(PATIENCE)[0] == 9


def arrays(here, size):  # noqa: ARG001
    return {"values": np.arange(size), "text": "small", "none": np.empty(0)}


@pytest.mark.parametrize("size", [10, 2_000_000])  # in several pieces
def test_large_arrays_of_results_do_not_go_through_the_scheduler(workers, monkeypatch, size):
    seen = []
    unpacked = Packed.unpacked
    monkeypatch.setattr(
        Packed, "unpacked", lambda own, take: (seen.append(own), unpacked(own, take))[1]
    )
    found = workers.submit(arrays, size).result()
    np.testing.assert_array_equal(found["values"], np.arange(size))
    assert found["values"].flags.writeable
    assert found["values"].flags.aligned
    assert (found["text"], len(found["none"])) == ("small", 0)
    [packed] = seen
    assert len(packed.pickled) < 1000
    assert sum(packed.sizes) == (8 * size if size > 10 else 0)
    assert not workers._files._delivered


def test_a_result_that_is_not_whole_is_no_result():
    packed = Packed(pickle.dumps(1), "ticket", (3, 5))
    with pytest.raises(DataError, match="a worker's result is damaged"):
        packed.unpacked(lambda ticket: bytearray(7 if ticket == "ticket" else 8))


def where_it_is(here, path):
    return here.get(path).read_text()


def test_paths_begin_where_the_command_runs(workers, home, monkeypatch):
    monkeypatch.chdir(home)
    workers.serve([Path("single")], [])
    assert workers.submit(where_it_is, Path("single")).result() == "three"


def names(here, folder, parts):
    found = here.get(folder, *parts)
    return sorted(path.relative_to(found).as_posix() for path in files(found))


def test_parts_of_a_folder_are_fetched_alone(workers, home):
    workers.serve([home / "data"], [])
    assert workers.submit(names, home / "data", ["inner"]).result() == ["inner/b"]
    assert workers.submit(names, home / "data", []).result() == ["a", "inner/b"]
    refused(NONE_OF_OURS, workers.submit(names, home / "data", ["../single"]).result)


def test_what_dask_says_is_said_converted():
    from hyperbaton.foundation.work.cluster.dask_workers import _converted

    killed = distributed.scheduler.KilledWorker("task", None, 3)
    assert "several workers died while running" in str(_converted(killed))
    missing = _converted(ModuleNotFoundError("No module named 'models'"))
    assert isinstance(missing, SettingError)
    assert "a worker cannot load hyperbaton: No module named 'models'" in str(missing)
    own = ZeroDivisionError()
    assert _converted(own) is own


def put_damaged(here, made):
    """What the wire makes of a file is not what was sent."""
    ask = here._ask

    def change(question, **values):
        return ask(question, **values | ({"data": b"other"} if question == "write" else {}))

    with here.working_in(made.parent) as folder:
        (folder / "new").write_text("as it was")
        here._ask = change
        here.put(folder / "new", made)


def test_a_file_that_arrives_damaged_is_refused(workers, home):
    workers.serve([], [home / "out"])
    before = list(files(home / "out"))
    refused("damaged", workers.submit(put_damaged, home / "out" / "file").result)
    assert list(files(home / "out")) == before


def look_from_afar(here, path):
    """As if the command had ended."""
    here._order = replace(here._order, home="tcp://127.0.0.1:1")
    here.get(path)


def test_a_worker_that_cannot_reach_the_command_says_so_at_once(workers, home):
    workers.serve([home / "data"], [])
    refused = r"machine cannot be reached: .*Connect call failed(.|\n)*must be able"
    with pytest.raises(DataError, match=refused):  # and not that the time is up
        workers.submit(look_from_afar, home / "data").result(PATIENCE)
