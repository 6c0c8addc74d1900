"""Copies on a worker's disk: every content once, whole, and no more than allowed."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.work.cluster.listing import Lister
from hyperbaton.foundation.work.cluster.part_cache import PartCache


class Home:
    """Folders of the command's machine, with a count of what was fetched."""

    def __init__(self, place):
        self._place, self.fetched = place, []

    def make(self, name, **contents):
        folder = self._place / name
        folder.mkdir(parents=True)
        for file, content in contents.items():
            (folder / file).write_bytes(content)
        return Lister().listing(folder)

    def fetch(self, listing):
        def write(entry, stream):
            self.fetched.append(entry.name)
            stream.write((self._place / listing.name / entry.name).read_bytes())

        return write


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home")


def read(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_a_copy_is_fetched_once_and_shares_contents_with_others(home, tmp_path):
    cache = PartCache(tmp_path / "cache", 0)
    one = home.make("one", a=b"first", b=b"second")
    for _ in range(2):
        with cache.holding(one, home.fetch(one)) as copy:
            assert copy.name == "one"
            assert read(copy) == {"a": b"first", "b": b"second"}
    assert home.fetched == ["a", "b"]
    two = home.make("two", c=b"second", d=b"third")
    with cache.holding(two, home.fetch(two)) as other:
        assert read(other) == {"c": b"second", "d": b"third"}
        assert (other / "c").samefile(tmp_path / "cache" / "folders" / one.digest / "one" / "b")
    assert home.fetched == ["a", "b", "d"]


def test_a_single_file(home, tmp_path):
    home.make("one", text=b"words")
    listing = Lister().listing(tmp_path / "home" / "one" / "text")

    def fetch(entry, stream):
        assert entry.name == ""
        stream.write(b"words")

    with PartCache(tmp_path / "cache", 0).holding(listing, fetch) as copy:
        assert copy.name == "text"
        assert copy.read_bytes() == b"words"


def test_what_arrives_damaged_is_refused_and_fetched_again(home, tmp_path):
    cache, one = PartCache(tmp_path / "cache", 0), home.make("one", a=b"first")
    with (
        pytest.raises(DataError, match="a: changed while it was sent"),
        cache.holding(one, lambda _, stream: stream.write(b"furst")),
    ):
        pass
    with cache.holding(one, home.fetch(one)) as copy:
        assert read(copy) == {"a": b"first"}


def test_the_oldest_goes_when_room_is_needed(home, tmp_path):
    cache = PartCache(tmp_path / "cache", 250)
    parts = [home.make(f"part{n}", data=bytes([n]) * 100) for n in range(3)]
    for number, part in enumerate(parts[:2]):
        with cache.holding(part, home.fetch(part)):
            pass
        os.utime(tmp_path / "cache" / "folders" / part.digest, ns=(0, 10**9 * number))
    with cache.holding(parts[0], home.fetch(parts[0])):
        pass  # used again, so the other one is the oldest
    with cache.holding(parts[2], home.fetch(parts[2])):
        kept = {path.name for path in (tmp_path / "cache" / "folders").iterdir() if path.is_dir()}
    assert kept == {parts[0].digest, parts[2].digest}
    assert len(list((tmp_path / "cache" / "files").iterdir())) == 2


def test_what_is_in_use_stays(home, tmp_path):
    cache = PartCache(tmp_path / "cache", 150)
    one, two = (home.make(f"part{n}", data=bytes([n]) * 100) for n in range(2))
    with cache.holding(one, home.fetch(one)) as copy:
        with (
            pytest.raises(DataError, match=r"the cache needs 200 bytes at once"),
            cache.holding(two, home.fetch(two)),
        ):
            pass
        assert read(copy) == {"data": b"\0" * 100}
    with cache.holding(two, home.fetch(two)) as copy:
        assert read(copy) == {"data": b"\1" * 100}


def test_several_wait_for_one_who_fetches(home, tmp_path):
    one, together = home.make("one", a=b"first"), Barrier(4)

    def hold(_):
        together.wait()
        with PartCache(tmp_path / "cache", 0).holding(one, home.fetch(one)) as copy:
            return read(copy)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(hold, range(4))) == [{"a": b"first"}] * 4
    assert home.fetched == ["a"]


def test_what_a_killed_process_left_is_no_hindrance(home, tmp_path):
    cache, one = PartCache(tmp_path / "cache", 0), home.make("one", a=b"first")
    (tmp_path / "cache" / "folders" / f"{one.digest}.part" / "one").mkdir(parents=True)
    (tmp_path / "cache" / "files" / f"{one.entries[0].digest}.part").write_bytes(b"fi")
    with cache.holding(one, home.fetch(one)) as copy:
        assert read(copy) == {"a": b"first"}


def test_nothing_is_removed_while_there_is_room_for_all(home, tmp_path):
    one, two = home.make("one", a=b"12345"), home.make("two", b=b"123")
    cache = PartCache(tmp_path / "cache", 8)
    for listing in (one, two, one):
        with cache.holding(listing, home.fetch(listing)):
            pass
    assert home.fetched == ["a", "b"]
