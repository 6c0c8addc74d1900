"""Listings of a file or folder: names, sizes and hashes of the files.

Hashes of sealed folders are known. Other files are hashed once, and again only after a change.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from hyperbaton.foundation.errors import missing_file, reading
from hyperbaton.foundation.files.sealed_folders import MANIFEST, sha256


@dataclass(frozen=True)
class ListedFile:
    name: str  # relative to the folder; empty in the listing of a single file
    size: int
    changed: int  # nanoseconds
    digest: str


@dataclass(frozen=True)
class Listing:
    name: str
    entries: tuple[ListedFile, ...]

    @property
    def is_file(self) -> bool:
        return len(self.entries) == 1 and not self.entries[0].name

    @property
    def size(self) -> int:
        return sum(entry.size for entry in self.entries)

    @cached_property
    def digest(self) -> str:
        """A hash of names and contents."""
        content = [self.name, *((entry.name, entry.digest) for entry in self.entries)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def plain(self) -> dict[str, object]:
        """The listing as plain values, for sending."""
        return {"name": self.name, "entries": [asdict(entry) for entry in self.entries]}

    @classmethod
    def of_plain(cls, plain: dict[str, object]) -> "Listing":
        entries = [ListedFile(**entry) for entry in plain["entries"]]  # type: ignore[attr-defined]
        return cls(str(plain["name"]), tuple(entries))


def is_same(path: Path, listing: Listing, parts: Sequence[str] = ()) -> bool:
    """Whether a path has the same files, as on a disk that machines share."""
    try:
        if listing.is_file != path.is_file():
            return False
        metadata = {name: _seen(file) for name, file in _files(path, parts)}
    except OSError:
        return False
    return metadata == {entry.name: (entry.size, entry.changed) for entry in listing.entries}


class Lister:
    """Makes listings; caches hashes."""

    def __init__(self) -> None:
        self._hashes: dict[Path, tuple[tuple[int, int], str]] = {}

    def listing(self, path: Path, parts: Sequence[str] = ()) -> Listing:
        if not path.exists():
            raise missing_file(path)
        with reading(path):
            entries = [self._entry(name, file) for name, file in _files(path, parts)]
        return Listing(path.name, tuple(entries))

    def _entry(self, name: str, file: Path) -> ListedFile:
        seen = _seen(file)
        known = self._hashes.get(file)
        if known is None or known[0] != seen:
            known = self._hashes[file] = seen, _sealed(file) or sha256(file)
        return ListedFile(name, *seen, known[1])


def _files(path: Path, parts: Sequence[str] = ()) -> list[tuple[str, Path]]:
    """All files of a folder, or those in `parts`, by relative name; follows links."""
    if path.is_file():
        return [("", path)]
    below = sorted(map(path.joinpath, parts) if parts else path.iterdir())
    return [
        ("/".join(filter(None, (part.relative_to(path).as_posix(), name))), file)
        for part in below
        for name, file in _files(part)
    ]


def _seen(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def _sealed(file: Path) -> str:
    """The file's hash in the manifest of its folder, or empty."""
    try:
        lines = (file.parent / MANIFEST).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return ""
    return next((line[:64] for line in lines if line[66:] == file.name), "")
