"""Sealed folders: a finished folder has a manifest of hashes, in the format of sha256sum.

The manifest reveals every change. Reading gigabytes to verify it takes seconds, so folders that
were found intact are remembered by the metadata of their files (inode, size, times of change), in a
small file in the user's cache.
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
    """The SHA-256 of a file's bytes on disk, in hexadecimal."""
    if str(path) == "-" or (path.exists() and not path.is_file() and not path.is_dir()):
        raise SettingError(
            "a stream cannot be used here",
            where=str(path),
            expected="expected a file, which can be read again when work resumes",
        )
    with reading(path), path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_unchanged(files: Mapping[Path, str]) -> None:
    """Checks that files still have their hashes. Results are named after the hashes; the next run
    would otherwise use results of another text."""
    for path, digest in files.items():
        if sha256(path) != digest:
            raise DataError(
                "was changed while it was being read",
                where=str(path),
                advice="run the command again when the file is complete",
            )


def seal(folder: Path) -> None:
    """Writes the manifest of a finished folder. A manifest, even a partial one, that a killed
    process has left is not listed."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    files = [path for path in files if MANIFEST not in path.name]
    lines = [f"{sha256(path)}  {path.name}\n" for path in files]
    with open_to_write(folder / MANIFEST) as stream:
        stream.write("".join(lines).encode())


def is_sealed(folder: Path) -> bool:
    return (folder / MANIFEST).exists()


def damaged_files(folder: Path) -> list[str]:
    """The files whose hash changed; the manifest if it is malformed."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="utf-8").splitlines()
        listed = [tuple(line.split("  ", 1)) for line in lines]
        if not listed or any(len(row) != 2 or Path(row[1]).name != row[1] for row in listed):
            return [MANIFEST]
    except (OSError, ValueError):
        return [MANIFEST]
    with ThreadPoolExecutor(2) as pool:
        fine = list(pool.map(partial(_has_hash, folder), listed))
    return [name for (_, name), is_fine in zip(listed, fine, strict=True) if not is_fine]


def is_whole(folder: Path) -> bool:
    """Whether all files of a sealed folder are unchanged."""
    return not damaged_files(folder)


def _has_hash(folder: Path, line: tuple[str, str]) -> bool:
    digest, name = line
    try:
        return sha256(folder / name) == digest
    except (DataError, SettingError, OSError):
        return False


@contextmanager
def forgetting() -> Iterator[None]:
    """Disables the memory of verified folders inside the context."""
    global _forgets
    before, _forgets = _forgets, True
    try:
        yield
    finally:
        _forgets = before


def is_remembered(folder: Path, version: str) -> bool:
    """Whether `remember` was called with the same version, and no file has changed since."""
    if _forgets:
        return False
    try:
        return _token(folder, version) in _memory().read_text(encoding="ascii").split("\n")
    except (OSError, ValueError):
        return False


def remember(folder: Path, version: str) -> None:
    """Remembers a verified folder, if the cache is writable."""
    with suppress(OSError, DataError):
        path = _memory()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="ascii") as stream:
            stream.write(_token(folder, version) + "\n")
        lines = path.read_text(encoding="ascii").split("\n")
        if len(lines) > 2 * MOST_REMEMBERED:
            with replacing(path) as temporary:
                temporary.write_text("\n".join(lines[-MOST_REMEMBERED:]), encoding="ascii")


def _memory() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "hyperbaton" / "whole-folders"


def _token(folder: Path, version: str) -> str:
    """A hash that changes with every file: the time of an inode's change cannot be set back."""
    lines = [version]
    for path in sorted(folder.iterdir()):
        status = path.stat()
        numbers = (
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )  # fmt: skip
        lines.append(f"{path.name} {numbers}")
    return hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()
