"""Output files that are either complete or absent: written under another name, then renamed.

Files named `.gz` are compressed, without a time stamp, so that equal content gives equal files; `-`
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

WAITING_THREADS = 16  # threads
COMPRESSION = 6  # gzip's own default: 9 takes three times as long for two percent


@contextmanager
def replacing(path: Path, *, waits: bool = True) -> Iterator[Path]:
    """A temporary file in the same folder; it becomes `path` if all goes well.

    It `waits` until the file is on the disk: even if the power fails, there is the old file or the
    new one. That takes milliseconds; who writes many files waits for all together (`put_in_place`).

    Processes that have mapped an older file of that name into memory keep it unchanged.
    """
    ours = f".{path.name}.{socket.gethostname()}."
    temporary = path.with_name(f"{ours}{os.getpid()}.part")
    with writing(path):
        for old in path.parent.glob(f"{glob.escape(ours)}*.part"):
            if not _is_alive(old.name.removeprefix(ours).removesuffix(".part")):
                old.unlink(missing_ok=True)  # left by a process that was killed
        try:
            yield temporary
            if waits:
                sync(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def put_in_place(made: Path, path: Path) -> None:
    """Gives a folder of files its name, once all of them are on the disk."""
    with ThreadPoolExecutor(WAITING_THREADS) as pool:  # a disk has many in one go
        list(pool.map(sync, [*made.iterdir(), made]))
    os.rename(made, path)  # noqa: PTH104 - fails where Path.replace would not
    sync(path.parent)


def sync(path: Path) -> None:
    """Waits until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot do that for folders
            raise
    finally:
        os.close(handle)


def _is_alive(number: str) -> bool:
    """Whether this machine has a process of that number, or it is none."""
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError, OverflowError):  # somebody else's process, no process
        pass
    return True


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns the system's errors about writing into ones that name the file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"cannot be written: {reason(error)}", where=str(path)) from None


@contextmanager
def open_to_write(path: Path) -> Iterator[BinaryIO]:
    """A stream for the file's bytes before compression."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():  # a device or a pipe is never replaced
        with writing(path), path.open("wb") as stream:
            yield stream
    else:
        # a symbolic link stays, and its target is replaced
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
