"""Compressed files, known by the ending of their names."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, cast


class Format(NamedTuple):
    program: str  # that makes such files, and tests them with -t
    open: Callable[..., Any]


def _open_zstd(path: Path, mode: Literal["rb"]) -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.open(path, mode)


FORMATS = {
    ".gz": Format("gzip", gzip.open),
    ".bz2": Format("bzip2", bz2.open),
    ".xz": Format("xz", lzma.open),
    ".zst": Format("zstd", _open_zstd),
}
# What reading raises if a file is cut off or not what its name says; the errors of zstd have no
# common base, and its module is not imported before it is needed
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)


def open_to_read(path: Path) -> BinaryIO:
    """A stream of the file's bytes, decompressed."""
    known = FORMATS.get(path.suffix)
    return cast(BinaryIO, known.open(path, "rb")) if known else path.open("rb")


def plain_name(path: Path) -> str:
    """The name without the ending of a compressed file."""
    return path.stem if path.suffix in FORMATS else path.name


def is_broken(error: Exception) -> bool:
    """Whether a compressed file is damaged."""
    # bzip2 has no class of its own: its errors have no number
    is_bzip2 = isinstance(error, OSError) and error.errno is None
    return isinstance(error, BROKEN) or is_bzip2 or type(error).__name__ == "ZstdError"
