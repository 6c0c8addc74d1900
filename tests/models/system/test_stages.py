import hashlib
import os
import pickle
import re

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.sealed_folders import MANIFEST, sha256
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import Reporter
from hyperbaton.models.system.stages import (
    PARTS,
    fingerprint,
    locked,
    remove_other_parts,
    run_stage,
)
from tests.refusals import refusals, refused

KEYS = ["0123456789abcdef", "fedcba9876543210"]


class Work:
    """Writes a file and counts how often it was asked to."""

    def __init__(self, failure=None):
        self.calls, self.failure = 0, failure

    def __call__(self, folder):
        self.calls += 1
        (folder / "half").write_text("done")
        if self.failure:
            raise self.failure
        return "a file"


def test_a_stage_is_run_once_for_the_same_inputs(tmp_path):
    work, talk = Work(), []
    first = run_stage(tmp_path, "lm", "abc", work, Reporter(talk.append))
    again = run_stage(tmp_path, "lm", "abc", work, Reporter(talk.append))
    assert first == again == "parts/lm-abc"
    assert (tmp_path / first / "half").read_text() == "done"
    assert work.calls == 1
    assert re.fullmatch(r"lm: a file in \d+\.\d s, [\d,]+ MB", talk[0])
    assert talk[1] == "lm: nothing has changed"
    run_stage(tmp_path, "lm", "other", work)
    assert work.calls == 2


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ZeroDivisionError()])
def test_a_stage_that_ends_early_leaves_nothing(tmp_path, failure):
    with pytest.raises(type(failure)):
        run_stage(tmp_path, "lm", "abc", Work(failure))
    assert list((tmp_path / PARTS).iterdir()) == []


@pytest.mark.parametrize(
    ("failure", "left"), [(KeyboardInterrupt(), ["half"]), (ZeroDivisionError(), [])]
)
def test_work_that_resumes_finds_what_an_interrupted_run_left(tmp_path, failure, left):
    with pytest.raises(type(failure)):
        run_stage(tmp_path, "lm", "abc", Work(failure), resumes=True)
    found = []

    def work(folder):
        found.extend(path.name for path in folder.iterdir())
        return "a file"

    run_stage(tmp_path, "lm", "abc", work, resumes=True)
    assert found == left
    assert [path.name for path in (tmp_path / PARTS).iterdir()] == ["lm-abc"]


def test_what_a_killed_run_left_is_not_taken_for_finished(tmp_path):
    left = tmp_path / PARTS / "lm-abc.unfinished"
    left.mkdir(parents=True)
    (left / "stale").write_text("x")
    part = run_stage(tmp_path, "lm", "abc", Work())
    assert {path.name for path in (tmp_path / part).iterdir()} == {"half", MANIFEST}
    assert not left.exists()


def damage(path):
    path.write_text("DONE")


@pytest.mark.parametrize("change", [damage, os.unlink])
@pytest.mark.parametrize("name", ["half", MANIFEST])
def test_a_damaged_part_was_taken_for_finished(tmp_path, change, name):
    work, talk = Work(), []
    part = tmp_path / run_stage(tmp_path, "lm", "abc", work)
    assert (part / MANIFEST).read_text() == f"{hashlib.sha256(b'done').hexdigest()}  half\n"
    change(part / name)
    run_stage(tmp_path, "lm", "abc", work, Reporter(talk.append))
    assert work.calls == 2
    assert talk[0] == f"lm: files in {part} were changed or lost; running it again"
    assert (part / "half").read_text() == "done"
    run_stage(tmp_path, "lm", "abc", work, Reporter(talk.append))
    assert talk[-1] == "lm: nothing has changed"


def test_a_damaged_part_stays_until_there_is_a_new_one(tmp_path):
    part = tmp_path / run_stage(tmp_path, "lm", "abc", Work())
    damage(part / "half")
    with pytest.raises(ZeroDivisionError):
        run_stage(tmp_path, "lm", "abc", Work(ZeroDivisionError()))
    assert (part / "half").read_text() == "DONE"


def test_two_runs_in_one_folder_destroyed_each_other(tmp_path):
    with locked(tmp_path / "m"):
        facts = f"{tmp_path / 'm'}: another run … choose another folder"
        refused(facts, lambda: locked(tmp_path / "m").__enter__())
    with locked(tmp_path / "m"):  # the first one has ended
        pass


def test_a_file_system_without_locks_is_no_obstacle(tmp_path, monkeypatch):
    def flock(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("hyperbaton.models.system.stages.fcntl.flock", flock)
    with locked(tmp_path / "m"):
        assert (tmp_path / "m").is_dir()


def write_to_a_full_device(folder):
    (folder / "full").symlink_to("/dev/full")
    with open_to_write(folder / "full") as stream:
        stream.write(b"x")


@pytest.mark.parametrize(
    ("work", "facts"),
    [
        (Work(OSError(5, "Input/output error", "somewhere")), "somewhere: lm failed: Input/outp"),
        (Work(OSError("8 requested and 0 written")), "lm failed: 8 requested and 0 written"),
        (write_to_a_full_device, "full: cannot be written: No space left on device"),
    ],
)
def test_what_the_system_says_against_the_work_is_told(tmp_path, work, facts):
    refused(facts, lambda: run_stage(tmp_path, "lm", "abc", work))
    assert list((tmp_path / PARTS).iterdir()) == []


def test_a_place_that_cannot_be_a_folder(write):
    path = write("file", "x")
    facts = "cannot be written: Not a directory"
    refused(facts, lambda: run_stage(path, "lm", "abc", Work()))
    refused("file: is not a folder", lambda: locked(path).__enter__())


def test_only_the_named_parts_stay(tmp_path):
    keep = run_stage(tmp_path, "lm", KEYS[0], Work())
    run_stage(tmp_path, "lm", KEYS[1], Work())
    (tmp_path / PARTS / f"lm-{KEYS[1]}.unfinished").mkdir()
    remove_other_parts(tmp_path, [keep])
    assert [path.name for path in (tmp_path / PARTS).iterdir()] == [f"lm-{KEYS[0]}"]


def test_folders_of_the_user_were_removed(tmp_path):
    keep = run_stage(tmp_path, "lm", KEYS[0], Work())
    others = {"thesis", "lm-notes", f"thesis-{KEYS[1]}", "lm-abc.unfinished", f"lm-{KEYS[1]}x"}
    for name in others:
        (tmp_path / PARTS / name).mkdir()
    remove_other_parts(tmp_path, [keep])
    assert {path.name for path in (tmp_path / PARTS).iterdir()} == {f"lm-{KEYS[0]}", *others}


def test_the_hash_of_a_file_is_that_of_sha256sum(write):
    # printf text | sha256sum
    known = "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"
    assert sha256(write("a.gz", "text")) == known


@refusals(
    (sha256, "none", "none: no such file"),
    (sha256, "", "is a folder, not a file"),
    (sha256, "/dev/null/x", "cannot be read: Not a directory"),
    (fingerprint, "pipe", "pipe: a stream … can be read again", SettingError),
)
def test_what_cannot_be_hashed_is_named(tmp_path, make, name):
    os.mkfifo(tmp_path / "pipe")
    make(tmp_path / name)


def test_streams_were_used_up_by_the_hash(tmp_path):
    refused("-: a stream", lambda: fingerprint(type(tmp_path)("-")), SettingError)


def test_fingerprints_follow_content_and_settings(write):
    one, same, other = write("a", "text"), write("b", "text"), write("c", "texts")
    assert fingerprint(one, {"x": 1}) == fingerprint(same, {"x": 1})
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one, {"x": 1}) != fingerprint(one, {"x": 2})
    assert fingerprint("ab", "c") != fingerprint("a", "bc")


def test_a_file_that_changed_during_a_stage_was_taken_for_the_old_one(tmp_path, write):
    """A key that is made of another one stands for its files too."""
    path, other = write("a", "text"), write("b", "text")
    key = fingerprint("scored", fingerprint(path, 3), other)
    assert key.files == dict.fromkeys((path, other), sha256(path))

    def work(folder):
        (folder / "made").write_text(path.read_text())
        path.write_text("another")
        return "a file"

    facts = "a: was changed while it was being read"
    refused(facts, lambda: run_stage(tmp_path, "lm", key, work))
    assert list((tmp_path / PARTS).iterdir()) == []
    path.write_text("text")
    assert run_stage(tmp_path, "lm", key, Work()) == f"parts/lm-{key}"


def test_keys_survive_the_way_to_another_process(write):
    key = fingerprint(write("a", "text"))
    assert pickle.loads(pickle.dumps(key)).files == key.files != {}
