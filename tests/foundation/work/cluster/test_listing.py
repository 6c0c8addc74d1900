"""What a folder holds, and whether two places are one."""

import hashlib
import os
import shutil

import pytest

from hyperbaton.foundation.files.sealed_folders import MANIFEST, seal
from hyperbaton.foundation.work.cluster.listing import Lister, Listing, is_same
from tests.refusals import refused


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "made"
    (made / "parts" / "one").mkdir(parents=True)
    (made / "model.toml").write_bytes(b"weights")
    (made / "parts" / "one" / "words").write_bytes(b"a b c")
    return made


def digest(content):
    return hashlib.sha256(content).hexdigest()


def test_a_folder_is_listed_with_all_that_is_in_it(folder):
    listing = Lister().listing(folder)
    assert listing.name == "made"
    assert not listing.is_file
    assert [(one.name, one.size, one.digest) for one in listing.entries] == [
        ("model.toml", 7, digest(b"weights")),
        ("parts/one/words", 5, digest(b"a b c")),
    ]
    assert listing.size == 12
    assert Listing.of_plain(listing.plain()) == listing


def test_a_file_is_a_listing_of_one(folder):
    listing = Lister().listing(folder / "model.toml")
    assert listing.is_file
    assert [(one.name, one.size) for one in listing.entries] == [("", 7)]
    refused("did you mean … model.toml", lambda: Lister().listing(folder / "modle.toml"))


def test_the_digest_is_that_of_names_and_contents(folder, tmp_path):
    first = Lister().listing(folder)
    copy = tmp_path / "other" / "made"
    shutil.copytree(folder, copy)
    os.utime(copy / "model.toml", (1, 1))
    assert Lister().listing(copy).digest == first.digest
    (copy / "model.toml").write_bytes(b"wEights")
    changed = Lister().listing(copy).digest
    assert changed != first.digest
    (folder / "model.toml").rename(folder / "model")
    assert Lister().listing(folder).digest not in (first.digest, changed)


def test_hashes_of_a_sealed_folder_are_not_computed_again(folder):
    part = folder / "parts" / "one"
    seal(part)
    manifest = (part / MANIFEST).read_text()
    (part / MANIFEST).write_text(manifest.replace(digest(b"a b c"), "f" * 64))
    entries = {one.name: one.digest for one in Lister().listing(part).entries}
    assert entries["words"] == "f" * 64


def test_a_changed_file_is_hashed_again(folder):
    lister, file = Lister(), folder / "model.toml"
    before = lister.listing(file).digest
    file.write_bytes(b"other weights")
    assert lister.listing(file).entries[0].digest == digest(b"other weights")
    assert lister.listing(file).digest != before


def test_the_same_files_are_known_by_size_and_time(folder, tmp_path):
    listing = Lister().listing(folder)
    assert is_same(folder, listing)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)  # with its times, as a backup would
    assert is_same(copy, listing)
    os.utime(copy / "model.toml", ns=(0, 0))
    assert not is_same(copy, listing)
    assert not is_same(tmp_path / "none", listing)
    assert not is_same(folder / "model.toml", listing)
    (folder / "more").touch()
    assert not is_same(folder, listing)


def test_parts_of_a_folder(folder):
    before = Lister().listing(folder, ["model.toml", "parts/one"])
    assert [one.name for one in before.entries] == ["model.toml", "parts/one/words"]
    (folder / "tuning").mkdir()
    (folder / "tuning" / "trace").write_bytes(b"changes all the time")
    assert Lister().listing(folder, ["parts/one", "model.toml"]) == before
    assert is_same(folder, before, ["model.toml", "parts/one"])
    assert not is_same(folder, before)
    refused("no such", lambda: Lister().listing(folder, ["parts/two"]))
