"""Folders that are finished: a list of their files' hashes, as sha256sum writes it, seals them.

A seal finds damage, since no byte can change without notice. Reading gigabytes to verify it takes
seconds, so folders that were found to be whole are remembered by what the file system says of their
files (where they are, their size, when they were last changed), in a small file of the user's own.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from hyperbaton.foundation.errors import DataError, SettingError, reading
from hyperbaton.foundation.files.writing import open_to_write, replacing

MANIFEST = "files.sha256"
MOST_REMEMBERED = 2000
_forgets = False


def sha256(path: Path) -> str:
    """The hash of a file as it is on disk, compressed or not, as sha256sum prints it."""
    if str(path) == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
        raise SettingError(
            "a stream cannot be used here",
            where=str(path),
            expected="a file, which can be read again when the work is resumed",
        )
    with reading(path), path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_unchanged(files: Mapping[Path, str]) -> None:
    """What was read must be what results are named after (the hashes), or the next run would take
    them for those of another text."""
    for path, digest in files.items():
        if sha256(path) != digest:
            raise DataError(
                "was changed while it was being read",
                where=str(path),
                advice="give the same command again when it is complete",
            )


def seal(folder: Path) -> None:
    """Lists the files of a finished folder with their hashes. A list that a killed process has left
    there, whole or in part, is not among them."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    files = [path for path in files if MANIFEST not in path.name]
    lines = [f"{sha256(path)}  {path.name}\n" for path in files]
    with open_to_write(folder / MANIFEST) as stream:
        stream.write("".join(lines).encode())


def is_sealed(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def damaged_files(folder: Path) -> list[str]:
    """The files of a sealed folder that are not what they were; the list itself if it is none."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
        listed = [tuple(line.split("  ", 1)) for line in lines]
        if not listed or any(len(each) != 2 or Path(each[1]).name != each[1] for each in listed):
            return [MANIFEST]
    except (OSError, ValueError):
        return [MANIFEST]
    with ThreadPoolExecutor(2) as pool:
        fine = list(pool.map(partial(_has_hash, folder), listed))
    return [name for (_, name), is_fine in zip(listed, fine, strict=True) if not is_fine]


def is_whole(folder: Path) -> bool:
    """Whether a finished stage's files are unchanged."""
    return not damaged_files(folder)


def _has_hash(folder: Path, line: tuple[str, str]) -> bool:
    digest, name = line
    try:
        return sha256(folder / name) == digest
    except (DataError, SettingError, OSError):
        return False


@contextmanager
def forgetting() -> Iterator[None]:
    """Nothing is remembered inside."""
    global _forgets
    before, _forgets = _forgets, True
    try:
        yield
    finally:
        _forgets = before


def is_remembered(folder: Path, version: str) -> bool:
    """Whether `remember` was called with the same version, and no file was touched since."""
    if _forgets:
        return False
    try:
        return _token(folder, version) in _memory().read_text(encoding="ascii").split("\n")
    except (OSError, ValueError):
        return False


def remember(folder: Path, version: str) -> None:
    """Where nothing can be written, folders are verified each time."""
    with suppress(OSError, DataError):
        path = _memory()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="ascii") as stream:
            stream.write(_token(folder, version) + "\n")
        lines = path.read_text(encoding="ascii").split("\n")
        if len(lines) > 2 * MOST_REMEMBERED:
            with replacing(path) as made:
                made.write_text("\n".join(lines[-MOST_REMEMBERED:]), encoding="ascii")


def _memory() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "hyperbaton" / "whole-folders"


def _token(folder: Path, version: str) -> str:
    """Changes when a file does: nobody can set back the time at which an inode changed."""
    seen = [version]
    for path in sorted(folder.iterdir()):
        found = path.stat()
        numbers = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        seen.append(f"{path.name} {numbers}")
    return hashlib.sha256("\n".join(seen).encode(errors="surrogateescape")).hexdigest()
