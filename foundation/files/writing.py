"""Writes files atomically: under another name, then renamed.

Files named `.gz` are compressed without a time stamp, so that equal content gives equal files; `-`
is standard output.
"""

import errno
import glob
import gzip
import os
import shutil
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from hyperbaton.foundation.errors import DataError, reason

WAITING_THREADS = 16
COMPRESSION = 6  # gzip's default: 9 takes three times as long for two percent


@contextmanager
def replacing(path: Path, *, waits: bool = True) -> Iterator[Path]:
    """Provides a temporary file in the same folder, and renames it to `path` if there is no error.

    With `waits`, the file is first flushed to disk (fsync), so that a power failure leaves the old
    or the new file. That takes milliseconds; flush many files together (`put_in_place`).

    Processes that have mapped the old file into memory keep it.
    """
    ours = f".{path.name}.{socket.gethostname()}."
    temporary = path.with_name(f"{ours}{os.getpid()}.part")
    with writing(path):
        for old in path.parent.glob(f"{glob.escape(ours)}*.part"):
            if not _is_alive(old.name.removeprefix(ours).removesuffix(".part")):
                old.unlink(missing_ok=True)  # left by a killed process
        try:
            yield temporary
            if waits:
                sync(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def put_in_place(folder: Path, path: Path) -> None:
    """Renames a folder of files, after flushing all of them to disk."""
    with ThreadPoolExecutor(WAITING_THREADS) as pool:  # parallel flushes are faster
        list(pool.map(sync, [*folder.iterdir(), folder]))
    os.rename(folder, path)  # noqa: PTH104 - fails where Path.replace would not
    sync(path.parent)


def sync(path: Path) -> None:
    """Flushes a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems do not support it for folders
            raise
    finally:
        os.close(handle)


def _is_alive(number: str) -> bool:
    """Whether a process with this id runs on this machine; True for other text."""
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError, OverflowError):  # another user's process, not a number
        pass
    return True


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Converts system errors while writing to errors that name the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"cannot be written: {reason(error)}", where=str(path)) from None


@contextmanager
def open_to_write(path: Path) -> Iterator[BinaryIO]:
    """Opens a file for writing, compressing it."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():  # a device or a pipe is never replaced
        with writing(path), path.open("wb") as stream:
            yield stream
    else:
        # keep a symbolic link and replace its target
        with replacing(path.resolve()) as temporary, temporary.open("wb") as stream:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", COMPRESSION, stream, 0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield stream


def copy_file(original: Path, path: Path) -> None:
    with replacing(path) as temporary:
        shutil.copyfile(original, temporary)


def path_text(path: Path) -> str:
    """A path as text; bytes that are not UTF-8 become \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def make_folder(path: Path) -> None:
    with writing(path):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:  # a file, a device or a dangling link
            raise DataError("is not a folder", where=str(path)) from None
