"""Shelves: storage for intermediate results, as named groups of arrays.

A shelf is in memory, or a folder of `.npy` files. Each group appears only when it is complete, so
the next run can use the results of a killed run. Tasks on any machine can use a shelf of files:
they fetch only what they need, and send their results back.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int64Array
from hyperbaton.foundation.files.array_files import map_array, npy_header
from hyperbaton.foundation.files.writing import make_folder, writing
from hyperbaton.foundation.work.workplace import PIECE, Piece, Workplace

Arrays = Mapping[str, NDArray[Any]]
HEAD = 1024  # bytes; the header of every file is shorter
SMALL_FILE = 1 << 15  # bytes; reading such a file is faster than mapping it


class Shelf:
    """A shelf in memory, for threads."""

    def __init__(self) -> None:
        self._kept = dict[str, Arrays]()

    def at(self, here: Workplace) -> "Shelf":  # noqa: ARG002
        """The shelf as seen from a workplace."""
        return self

    def has(self, name: str) -> bool:
        return name in self._kept

    def put(self, name: str, arrays: Arrays) -> None:
        self._kept[name] = arrays

    def get(self, name: str) -> Arrays:
        """The arrays of a group; read-only if they are on disk, and mapped if they are large."""
        return self._kept[name]

    def common(self, name: str) -> Arrays:
        """The arrays of a group that many tasks use, in a form that kernels treat as in memory."""
        return self.get(name)

    def gather(
        self, names: Sequence[str], begin: str, part: int, columns: Sequence[str]
    ) -> tuple[list[NDArray[Any]], Int64Array]:
        """Some columns of all items, restricted to the rows of one part, from `item[begin][part]`
        to `item[begin][part + 1]`; and the number of rows of each item."""
        parts: list[list[NDArray[Any]]] = [[] for _ in columns]
        sizes = []
        for item in map(self.get, names):
            low, high = item[begin][part : part + 2].tolist()
            sizes.append(high - low)
            for column, values in zip(columns, parts, strict=True):
                values.append(item[column][low:high])
        return list(map(_joined, parts)), np.array(sizes, np.int64)

    def drop(self, name: str) -> None:
        self._kept.pop(name, None)


@dataclass(frozen=True)
class FileShelf(Shelf):
    """A shelf in a folder of the command's machine, which remote tasks can use."""

    folder: Path
    here: Workplace = field(default=Workplace(), compare=False)

    def at(self, here: Workplace) -> "FileShelf":
        return FileShelf(self.folder, here)

    def has(self, name: str) -> bool:
        return (self.folder / name).is_dir()

    def put(self, name: str, arrays: Arrays) -> None:
        with self.here.working_in(self.folder) as folder:
            make_folder(folder)
            part = folder / f"{name}.part"
            with writing(part):
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                for key, values in arrays.items():
                    rows = np.ascontiguousarray(values)  # so that ranges of rows can be read
                    np.save(part / f"{key}.npy", rows, allow_pickle=False)
                part.rename(folder / name)
            self.here.put(folder / name, self.folder / name)

    def get(self, name: str) -> Arrays:
        if self.here.is_home:
            return _mapped(self.folder / name, "r")
        return _OnDemand(partial(self._fetch, self.folder / name))

    def _fetch(self, folder: Path, name: str) -> NDArray[Any]:
        [head] = heads(self.here, [folder], name)
        return fetched(self.here, [(head, 0, head.shape[0])])

    def common(self, name: str) -> Arrays:
        return _mapped(self.here.get(self.folder / name), "c")

    def gather(
        self, names: Sequence[str], begin: str, part: int, columns: Sequence[str]
    ) -> tuple[list[NDArray[Any]], Int64Array]:
        folders = [self.folder / name for name in names]
        bounds = [(head, part, part + 2) for head in heads(self.here, folders, begin)]
        ends = fetched(self.here, bounds).reshape(-1, 2)
        gathered = []
        for column in columns:
            of_column = heads(self.here, folders, column)
            rows = [(head, *pair) for head, pair in zip(of_column, ends.tolist(), strict=True)]
            gathered.append(fetched(self.here, rows))
        return gathered, ends[:, 1] - ends[:, 0]

    def drop(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)


class _OnDemand(dict[str, NDArray[Any]]):
    """Arrays that are opened at first use: most tasks need few of them, and opening a small file
    takes longer than reading it."""

    def __init__(self, find: Callable[[str], NDArray[Any]]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, name: str) -> NDArray[Any]:
        self[name] = self._find(name)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        raise TypeError("arrays can be looked up by name, but not listed")


def _mapped(folder: Path, mode: Literal["r", "c"]) -> Arrays:
    return _OnDemand(lambda name: map_array(folder / f"{name}.npy", mode, SMALL_FILE))


class Head(NamedTuple):
    """The header of a `.npy` file."""

    path: Path
    start: int  # of the values
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


RowRange: TypeAlias = tuple[Head, int, int]  # an array, first row, one past the last row


def heads(here: Workplace, folders: Sequence[Path], name: str) -> list[Head]:
    """The headers of the arrays of the same name in several folders."""
    paths = [folder / f"{name}.npy" for folder in folders]
    begins = here.read(Piece(path, 0, HEAD) for path in paths)
    return [Head(path, *npy_header(head)) for path, head in zip(paths, begins, strict=True)]


def fetched(here: Workplace, parts: Sequence[RowRange]) -> NDArray[Any]:
    """Reads and concatenates rows of arrays of the same type."""
    kind = parts[0][0]
    total = sum(high - low for _, low, high in parts)
    values = np.empty((total, *kind.shape[1:]), kind.dtype)
    size = kind.dtype.itemsize * prod(kind.shape[1:])
    pieces = [
        Piece(head.path, start, min(PIECE, head.start + high * size - start))
        for head, low, high in parts
        for start in range(head.start + low * size, head.start + high * size, PIECE)
    ]
    room = values.reshape(-1).view(np.uint8)
    end = 0
    for piece in here.read(pieces):
        room[end : end + len(piece)] = np.frombuffer(piece, np.uint8)
        end += len(piece)
    assert end == len(room)
    return values


def owned(values: NDArray[Any]) -> NDArray[Any]:
    """The values in memory, because kernels would be compiled again for mapped arrays."""
    return values if values.flags.writeable else np.array(values)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return owned(parts[0]) if len(parts) == 1 else np.concatenate(parts)
