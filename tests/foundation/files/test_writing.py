import errno
import gzip
import io
import os
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.writing import (
    copy_file,
    make_folder,
    open_to_write,
    put_in_place,
    sync,
    writing,
)
from tests.refusals import refusals, refused


def write_to(path, content=b"new"):
    with open_to_write(path) as stream:
        stream.write(content)


def test_plain_and_packed_files(tmp_path):
    write_to(tmp_path / "a")
    write_to(tmp_path / "a.gz")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"new"
    first = (tmp_path / "a.gz").read_bytes()
    write_to(tmp_path / "a.gz")
    assert (tmp_path / "a.gz").read_bytes() == first  # no time stamp inside


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_to(path, "text, where bytes are wanted")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    host = socket.gethostname()
    names = [f".a.{host}.{ended.pid}.part"]  # of a process that has ended
    kept = [
        f".a.{host}.1.part",  # of one that lives
        f".a.{host}.x.part",  # of none
        f".a.elsewhere.{ended.pid}.part",  # of another machine
        f".b.{host}.{ended.pid}.part",  # of another file
    ]
    for name in (*names, *kept):
        (tmp_path / name).touch()
    write_to(tmp_path / "a")
    assert {path.name for path in tmp_path.iterdir()} == {"a", *kept}


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("file")
    write_to(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_devices_and_standard_output_are_written_to(tmp_path, monkeypatch):
    null = tmp_path / "null"
    null.symlink_to("/dev/null")
    write_to(null)
    assert null.is_char_device()
    out = SimpleNamespace(buffer=io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    write_to(type(tmp_path)("-"))
    assert out.buffer.getvalue() == b"new"


@refusals(
    ("none/a", "none/a: cannot be written: No such file or directory"),
    ("", "cannot be written: Is a directory"),
    ("full", "full: cannot be written: No space left on device"),
)
def test_what_cannot_be_written_is_named(tmp_path, name):
    (tmp_path / "full").symlink_to("/dev/full")
    write_to(tmp_path / name)


def test_an_error_without_a_reason_was_written_as_none(tmp_path):
    # as numpy raises it when the device is full
    message = "a: cannot be written: 8 requested and 0 written"
    with pytest.raises(DataError, match=message), writing(tmp_path / "a"):
        raise OSError("8 requested and 0 written")


def test_a_copy_is_whole_or_not_there(tmp_path):
    (tmp_path / "a").write_bytes(b"new")
    copy_file(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"new"
    (tmp_path / "folder").mkdir()
    facts = "folder: cannot be written: Is a directory"
    refused(facts, lambda: copy_file(tmp_path / "a", tmp_path / "folder"))
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "folder"}


def test_folders_are_made_where_they_can_be(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "nowhere").symlink_to("none")
    for name, facts in (
        ("file", "file: is not a folder"),
        ("nowhere", "nowhere: is not a folder"),
        ("file/x", "cannot be written: Not a directory"),
    ):
        refused(facts, partial(make_folder, tmp_path / name))


def test_a_full_disk_left_half_a_copy(tmp_path, monkeypatch):
    def copyfile(_, path):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("whole")
    monkeypatch.setattr("hyperbaton.foundation.files.writing.shutil.copyfile", copyfile)
    refused("b: … No space left", lambda: copy_file(tmp_path / "a", tmp_path / "b"))
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.fixture
def events(monkeypatch):
    """What was synchronised and named, in order, by inode."""
    seen = []
    rename = os.rename

    def recorded(old, new, *options, **more):
        seen.append(("named", Path(old).stat().st_ino))
        return rename(old, new, *options, **more)

    monkeypatch.setattr(
        os, "fsync", lambda handle: seen.append(("synced", os.fstat(handle).st_ino))
    )
    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, recorded)
    return seen


def test_files_that_got_their_names_too_early_were_empty_after_a_power_cut(tmp_path, events):
    for name in ("a", "b.gz"):
        write_to(tmp_path / name)
    found = [(tmp_path / name).stat().st_ino for name in ("a", "b.gz")]
    assert events == [(what, inode) for inode in found for what in ("synced", "named")]


def test_a_folder_gets_its_name_after_its_files_are_on_the_disk(tmp_path, events):
    made = tmp_path / "made"
    made.mkdir()
    inodes = set()
    for name in "ab":
        (made / name).write_text(name)
        inodes.add((made / name).stat().st_ino)
    folder, parent = made.stat().st_ino, tmp_path.stat().st_ino
    put_in_place(made, tmp_path / "finished")
    assert {*events[:3]} == {("synced", inode) for inode in (*inodes, folder)}
    assert events[3:] == [("named", folder), ("synced", parent)]
    assert {path.name for path in (tmp_path / "finished").iterdir()} == {"a", "b"}


def failing(number):
    def fsync(_):
        raise OSError(number, os.strerror(number))

    return fsync


def test_a_disk_that_is_found_full_when_it_is_written(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", failing(errno.ENOSPC))
    refused("a: cannot be written: No space left", lambda: write_to(path))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_system_that_cannot_synchronise_folders_is_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", failing(errno.EINVAL))
    sync(tmp_path)
