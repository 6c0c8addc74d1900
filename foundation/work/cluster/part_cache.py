"""A cache of files on a worker's disk, addressed by content, for all processes of a machine.

    files/DIGEST     every content once
    folders/DIGEST/  copies of files and folders, as hard links to contents

Processes that map the same content share its memory. Fetching holds a lock, so that nothing is
fetched twice. When space is needed, the least recently used copies are removed, unless in use.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.writing import make_folder, writing
from hyperbaton.foundation.work.cluster.listing import ListedFile, Listing

Fetch = Callable[[ListedFile, BinaryIO], None]  # writes the content of an entry
LOCK = ".lock"


class PartCache:
    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._files, self._folders = folder / "files", folder / "folders"
        make_folder(self._files)
        make_folder(self._folders)

    @contextmanager
    def holding(self, listing: Listing, fetch: Fetch) -> Iterator[Path]:
        """Provides a copy, which is not removed inside the context."""
        place = self._folders / listing.digest
        with writing(self._folder), _locked(place.with_suffix(LOCK), fcntl.LOCK_SH):
            if not place.exists():
                with _locked(self._folder / LOCK, fcntl.LOCK_EX):
                    if not place.exists():  # another process may have fetched it meanwhile
                        self._fill(place, listing, fetch)
            os.utime(place)  # mark as recently used
            yield place / listing.name

    def _fill(self, place: Path, listing: Listing, fetch: Fetch) -> None:
        missing = [entry for entry in listing.entries if not self._content(entry).exists()]
        self._make_room(sum(entry.size for entry in missing))
        for entry in missing:
            self._fetch(entry, fetch)
        new = place.with_suffix(".part")
        shutil.rmtree(new, ignore_errors=True)
        top = new / listing.name
        (new if listing.is_file else top).mkdir(parents=True)
        for entry in listing.entries:
            file = top / entry.name if entry.name else top
            file.parent.mkdir(parents=True, exist_ok=True)
            file.hardlink_to(self._content(entry))
        new.rename(place)

    def _fetch(self, entry: ListedFile, fetch: Fetch) -> None:
        content = self._content(entry)
        part = content.with_suffix(".part")
        with part.open("wb") as stream:
            fetch(entry, stream)
        with part.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != entry.digest:
            part.unlink()
            raise DataError(
                "changed while it was sent to a worker",
                where=entry.name,
                advice="run the same command again",
            )
        part.chmod(0o444)  # read-only, because all copies share it
        part.rename(content)

    def _content(self, entry: ListedFile) -> Path:
        return self._files / entry.digest

    def _make_room(self, wanted: int) -> None:
        if self._limit <= 0:
            return
        used = sum(file.stat().st_size for file in self._files.iterdir())
        oldest_first = sorted(
            (path for path in self._folders.iterdir() if path.is_dir()),
            key=lambda path: path.stat().st_mtime_ns,
        )
        for place in oldest_first:
            if used + wanted <= self._limit:
                return
            if _remove(place):
                used -= self._sweep()
        if used + wanted > self._limit:
            raise DataError(
                f"the cache needs {used + wanted:,} bytes at once",
                where=str(self._folder),
                expected=f"expected at most {self._limit:,} bytes",
                advice='allow more: cache = "50GB" in the table [cluster]',
            )

    def _sweep(self) -> int:
        """Removes contents without links; returns their size."""
        unused = [file for file in self._files.iterdir() if file.stat().st_nlink == 1]
        size = sum(file.stat().st_size for file in unused)
        for file in unused:
            file.unlink()
        return size


def _remove(place: Path) -> bool:
    """Removes a copy, unless it is in use."""
    try:
        with _locked(place.with_suffix(LOCK), fcntl.LOCK_EX | fcntl.LOCK_NB):
            shutil.rmtree(place)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(handle, how)
        yield
    finally:
        os.close(handle)
