"""Compressed files, recognised by their suffix."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast


class Format(NamedTuple):
    program: str  # the command-line tool, which tests files with -t
    open: Callable[..., Any]


def _zstd() -> Any:
    """The zstd module, imported on demand."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


FORMATS = {
    ".gz": Format("gzip", gzip.open),
    ".bz2": Format("bzip2", bz2.open),
    ".xz": Format("xz", lzma.open),
    ".zst": Format("zstd", lambda path, mode: _zstd().open(path, mode)),
}


def open_to_read(path: Path) -> BinaryIO:
    """Opens a file, decompressing it."""
    known = FORMATS.get(path.suffix)
    return cast(BinaryIO, known.open(path, "rb")) if known else path.open("rb")


def plain_name(path: Path) -> str:
    """The file name without the suffix of a compression format."""
    return path.stem if path.suffix in FORMATS else path.name


def reading_errors(path: Path) -> tuple[type[Exception], ...]:
    """The exceptions that reading a file may raise."""
    known = (OSError, EOFError, zlib.error, lzma.LZMAError)
    return (*known, _zstd().ZstdError) if path.suffix == ".zst" else known


def is_broken(error: Exception, path: Path) -> bool:
    """Whether an error means that a compressed file is truncated or in another format. Such errors
    of gzip and bzip2 are OSErrors without `errno`."""
    is_of_system = isinstance(error, OSError) and error.errno is not None
    return path.suffix in FORMATS and not is_of_system
