import hashlib
import os

import pytest

from hyperbaton.foundation.files import sealed_folders
from hyperbaton.foundation.files.sealed_folders import (
    MANIFEST,
    damaged_files,
    forgetting,
    is_remembered,
    is_sealed,
    remember,
    seal,
)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "hyperbaton" / "whole-folders"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "a").write_bytes(b"first")
    (folder / "b").write_bytes(b"second")
    return folder


def test_a_seal_is_what_sha256sum_writes(folder):
    assert not is_sealed(folder)
    seal(folder)
    assert is_sealed(folder)
    first, second = (hashlib.sha256(text).hexdigest() for text in (b"first", b"second"))
    assert (folder / MANIFEST).read_text() == f"{first}  a\n{second}  b\n"
    assert damaged_files(folder) == []


def test_a_seal_left_by_a_killed_process_was_sealed_itself(folder):
    seal(folder)
    expected = (folder / MANIFEST).read_text()
    (folder / f".{MANIFEST}.host.1.part").write_text("half a l")
    seal(folder)
    assert (folder / MANIFEST).read_text() == expected
    assert damaged_files(folder) == []


def test_every_change_is_noticed(folder):
    seal(folder)
    (folder / "b").write_bytes(b"secone")
    assert damaged_files(folder) == ["b"]
    (folder / "a").unlink()
    assert damaged_files(folder) == ["a", "b"]


@pytest.mark.parametrize("content", ["", "x", "1234\n", f"{'0' * 64}  ../f/a\n", "\udcff"])
def test_a_seal_that_is_none(folder, content):
    (folder / MANIFEST).write_text(content, errors="surrogateescape")
    assert damaged_files(folder) == [MANIFEST]


def test_folders_are_remembered_until_they_change(folder):
    assert not is_remembered(folder, "1")
    remember(folder, "1")
    assert is_remembered(folder, "1")
    assert not is_remembered(folder, "2")
    with forgetting():
        assert not is_remembered(folder, "1")
    moved = folder.rename(folder.with_name("g"))
    assert is_remembered(moved, "1")
    # the same size, and the time set back as it was
    found = (moved / "a").stat()
    (moved / "a").write_bytes(b"furst")
    os.utime(moved / "a", ns=(found.st_atime_ns, found.st_mtime_ns))
    assert not is_remembered(moved, "1")


def test_a_new_file_is_a_change(folder):
    remember(folder, "1")
    (folder / "c").touch()
    assert not is_remembered(folder, "1")


def test_the_memory_does_not_grow_for_ever(folder, cache, monkeypatch):
    monkeypatch.setattr(sealed_folders, "MOST_REMEMBERED", 3)
    for version in range(20):
        remember(folder, str(version))
        assert is_remembered(folder, str(version))
    assert len(cache.read_text().split()) <= 6
    assert not is_remembered(folder, "2")


def test_where_nothing_can_be_written_nothing_is_remembered(folder, cache):
    cache.parent.mkdir(parents=True)
    cache.mkdir()
    remember(folder, "1")
    assert not is_remembered(folder, "1")
