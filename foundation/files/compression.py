"""Compressed files, known by the ending of their names."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast


class Format(NamedTuple):
    program: str  # that makes such files, and tests them with -t
    open: Callable[..., Any]


def _zstd() -> Any:
    """Python's module for zstd, which is not imported before it is needed."""
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
    """A stream of the file's bytes, decompressed."""
    known = FORMATS.get(path.suffix)
    return cast(BinaryIO, known.open(path, "rb")) if known else path.open("rb")


def plain_name(path: Path) -> str:
    """The name without the ending of a compressed file."""
    return path.stem if path.suffix in FORMATS else path.name


def reading_errors(path: Path) -> tuple[type[Exception], ...]:
    """What reading a file may raise."""
    known = (OSError, EOFError, zlib.error, lzma.LZMAError)
    return (*known, _zstd().ZstdError) if path.suffix == ".zst" else known


def is_broken(error: Exception, path: Path) -> bool:
    """Whether one of these errors means that a compressed file is cut off, or not what its name
    says. Those of gzip and bzip2 are like errors of the system, but have no number."""
    is_of_system = isinstance(error, OSError) and error.errno is not None
    return path.suffix in FORMATS and not is_of_system
