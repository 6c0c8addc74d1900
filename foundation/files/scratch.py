"""Scratch arrays that may be larger than memory: large ones are in unnamed temporary files.

The operating system pages such a file in and out on demand. A process that ends, or is killed,
leaves no files.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hyperbaton.foundation.files.writing import writing

SHARE = 32  # an array larger than memory / SHARE is in a file
AT_ONCE = 1 << 21  # elements per piece


class Scratch:
    """Allocates arrays in memory, or in a file of the folder if one takes a large share of
    `memory`.

    Without a folder, all arrays are in memory.
    """

    def __init__(self, folder: Path | None = None, memory: int = sys.maxsize) -> None:
        self.folder, self.memory = folder, memory

    def array(self, n: int, dtype: DTypeLike) -> NDArray[Any]:
        """An array of zeros."""
        size = n * np.dtype(dtype).itemsize
        if not self.is_large(size):
            return np.zeros(n, dtype)
        with self.errors(), self.file() as file:  # the mapping stays valid after that
            if hasattr(os, "posix_fallocate"):  # fails now if the disk is full, instead of a crash
                os.posix_fallocate(file.fileno(), 0, size)
            return np.asarray(np.memmap(file, dtype, "r+", shape=(n,)))

    def column(self, dtype: DTypeLike) -> "Column":
        return Column(self, dtype)

    def is_large(self, size: int) -> bool:
        return self.folder is not None and size > self.memory // SHARE

    def file(self) -> IO[bytes]:
        return tempfile.TemporaryFile(dir=self.folder)

    def errors(self) -> AbstractContextManager[None]:
        """Names the folder in system errors."""
        return writing(self.folder or Path())


class Column:
    """An array that grows at its end."""

    def __init__(self, scratch: Scratch, dtype: DTypeLike) -> None:
        self._scratch, self._dtype = scratch, np.dtype(dtype)
        self._parts = [np.empty(0, dtype)]
        self._file: IO[bytes] | None = None
        self.n = 0

    def append(self, part: NDArray[Any]) -> None:
        self._parts.append(np.ascontiguousarray(part, self._dtype))
        self.n += len(part)
        if self._scratch.is_large(sum(part.nbytes for part in self._parts)):
            self._write()

    def _write(self) -> None:
        with self._scratch.errors():
            self._file = self._file or self._scratch.file()
            try:
                for part in self._parts:
                    part.tofile(self._file)
            except OSError:
                self._file.close()
                raise
        self._parts.clear()

    def finish(self) -> NDArray[Any]:
        if self._file is None:
            return np.concatenate(self._parts)
        self._write()
        with self._file as file:
            return np.asarray(np.memmap(file, self._dtype, "r+", shape=(self.n,)))


def pieces(start: int, end: int) -> Iterator[slice]:
    """Yields slices that cover a range."""
    for first in range(start, end, AT_ONCE):
        yield slice(first, min(first + AT_ONCE, end))
