"""Killed, stopped, without room: what commands leave, and that the next run makes it good.

`tools/kill.py` kills commands as often as one likes.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import command_line
from tests.child_processes import started, wait_until
from tests.tuning.comparison.tiny import in_this_process
from tools.kill import COMMANDS, ROOT, TRAIN, differences, try_kills, write_data

COMMAND = sys.executable, "-m", "hyperbaton"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src")}


@pytest.mark.parametrize("name", ["train", "tune"])
def test_killing_a_command_changes_nothing(name, tmp_path):
    outcome = try_kills(name, tmp_path, kills=2, seed=1, n_pairs=80)
    assert outcome.kills == 2
    assert outcome.differences == []


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Data, and a system that was made of them undisturbed."""
    folder = tmp_path_factory.mktemp("trained")
    write_data(folder)
    command_line.run(*TRAIN.split(), cwd=folder)
    return folder


@pytest.fixture
def data(tmp_path):
    write_data(tmp_path)
    return tmp_path


def with_room(size):
    """For files of so many bytes; a full disk is noticed in the same places."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 1000, 20_000])
def test_training_without_room_on_the_disk(trained, data, size):
    made = data / "model/parts"
    done = command_line.run(
        *TRAIN.split(), cwd=data, env=ENVIRONMENT, preexec_fn=with_room(size), code=1
    )
    assert done.stderr.splitlines()[-1].startswith("hyperbaton: model")
    assert not (data / "model/model.toml").exists()
    assert not [path for path in made.iterdir() if "unfinished" in path.name]
    command_line.run(*TRAIN.split(), cwd=data)
    assert differences(trained, data) == []


def test_tuning_without_room_on_the_disk_leaves_the_weights(trained, tmp_path):
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    tune = COMMANDS["tune"].split()
    done = command_line.run(
        *tune, cwd=tmp_path, env=ENVIRONMENT, preexec_fn=with_room(2000), code=1
    )
    assert "cannot be written: " in done.stderr.splitlines()[-1]
    name = Path("model/model.toml")
    assert (tmp_path / name).read_bytes() == (trained / name).read_bytes()


@pytest.mark.parametrize("size", [0, 1000, 20_000])
def test_preparing_without_room_on_the_disk_leaves_the_old_files(data, size):
    old = old_files(data / "prepared")
    prepare = COMMANDS["prepare"].split()
    done = command_line.run(*prepare, cwd=data, env=ENVIRONMENT, preexec_fn=with_room(size), code=1)
    assert done.stderr == "hyperbaton: prepared: cannot be written: File too large\n"
    assert {path.name: path.read_text() for path in (data / "prepared").iterdir()} == old


@pytest.mark.parametrize("full", ["train.fr", "dev.en", "report.json"])
def test_a_disk_that_is_full_in_the_end_leaves_the_old_files(data, full):
    """None of them gets its name before all are written."""
    old = old_files(data / "prepared")
    (data / "prepared" / full).unlink()
    (data / "prepared" / full).symlink_to("/dev/full")
    done = command_line.run(*COMMANDS["prepare"].split(), cwd=data, code=1)
    assert done.stderr == (
        f"hyperbaton: prepared/{full}: cannot be written: No space left on device\n"
    )
    (data / "prepared" / full).unlink()
    left = {path.name: path.read_text() for path in (data / "prepared").iterdir()}
    assert left == {name: text for name, text in old.items() if name != full}


def old_files(folder):
    """Results of an earlier run."""
    folder.mkdir()
    names = [f"{part}.{side}" for part in ("train", "dev", "test") for side in ("fr", "en")]
    old = {name: f"old {name}\n" for name in [*names, "report.json", "report.md"]}
    for name, text in old.items():
        (folder / name).write_text(text)
    return old


@pytest.mark.parametrize(
    ("size", "missing"), [(10_000, "system/parts/"), (60_000, "state/")], ids=["train", "tune"]
)
def test_comparing_without_room_on_the_disk(tmp_path, monkeypatch, size, missing):
    """Training ends at the first size, tuning in the worker at the second."""
    write_data(tmp_path, 60)
    compare = [*COMMANDS["compare"].split(), "--threads", "1"]
    done = command_line.run(
        *compare, cwd=tmp_path, env=ENVIRONMENT, preexec_fn=with_room(size), code=1
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"hyperbaton: comparison/{missing}")
    assert last.endswith(": cannot be written: File too large")
    made = [path.name for path in (tmp_path / "comparison").iterdir()]
    assert not [name for name in made if name.startswith(("results", "report"))]
    if missing == "state/":  # the rest of the work goes on where it ended
        monkeypatch.setattr("hyperbaton.tuning.comparison.run.run_jobs", in_this_process)
        done = command_line.run(*compare, cwd=tmp_path)
        assert "phrases: nothing has changed" in done.stderr
        assert (tmp_path / "comparison/results.json").exists()


def test_a_run_that_is_suspended_keeps_others_out_and_goes_on(trained, data):
    """A clock that runs on while the process stands still does not matter either."""
    with started([*COMMAND, *TRAIN.split()], cwd=data, stderr=subprocess.DEVNULL) as process:
        wait_until((data / "model/parts").is_dir, process)
        process.send_signal(signal.SIGSTOP)
        other = command_line.run(*TRAIN.split(), cwd=data, code=1)
        process.send_signal(signal.SIGCONT)
        assert process.wait() == 0
    assert other.stderr.startswith("hyperbaton: model: another run is working in this folder\n")
    assert differences(trained, data) == []


@pytest.mark.parametrize(
    ("blocked", "command", "message"),
    [
        ("model", TRAIN, "model: is not a folder"),
        ("model/parts", TRAIN, "cannot be written: Not a directory"),
        ("imported/parts", COMMANDS["import"], "cannot be written: Not a directory"),
        ("prepared", COMMANDS["prepare"], "prepared: is not a folder"),
        ("comparison", COMMANDS["compare"], "comparison: is not a folder"),
    ],
)
def test_a_file_in_place_of_a_folder(trained, data, blocked, command, message):
    if command == COMMANDS["import"]:
        command_line.run("export", trained / "model", "--out", "moses", cwd=data)
    path = data / blocked
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    done = command_line.run(*command.split(), cwd=data, code=1)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert path.read_text() == "mine"


def test_translating_goes_on_while_the_system_is_trained_anew(trained, tmp_path):
    """Arrays that are mapped stay what they were, though their files are replaced."""
    shutil.copytree(trained, tmp_path, dirs_exist_ok=True)
    lines = (tmp_path / "dev.ja").read_text()
    before = command_line.run("translate", "model", cwd=tmp_path, input=lines).stdout
    again = [*TRAIN.split(), "--set=phrases.max_length=2", "--set=lm.order=2"]
    with started(
        [*COMMAND, "translate", "model"], cwd=tmp_path, text=True, bufsize=1,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        first, *rest = lines.splitlines(keepends=True)
        process.stdin.write(first * 100)
        process.stdin.flush()
        head = process.stdout.readline()
        command_line.run(*again, cwd=tmp_path)
        process.stdin.write("".join(rest))
        process.stdin.close()
        out = process.stdout.read()  # `communicate` would lose what `readline` has read ahead
    best, *others = before.splitlines(keepends=True)
    assert head + out == best * 100 + "".join(others)
    assert command_line.run("translate", "model", cwd=tmp_path, input=lines).stdout != before
