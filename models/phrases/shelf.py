"""Where work that is larger than memory is put aside: named groups of arrays.

In memory, or as folders of `.npy` files. A folder appears when it is complete, so whatever is on
the shelf after a run was killed can be used by the next one.
"""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.writing import make_folder, writing

Arrays = Mapping[str, NDArray[Any]]


class Shelf:
    def __init__(self, folder: Path | None = None) -> None:
        self._folder, self._kept = folder, dict[str, Arrays]()
        self._lock = Lock()  # Python 3.11 cannot parse headers in two threads at once
        if folder is not None:
            make_folder(folder)

    def has(self, name: str) -> bool:
        return name in self._kept if self._folder is None else (self._folder / name).is_dir()

    def put(self, name: str, arrays: Arrays) -> None:
        if self._folder is None:
            self._kept[name] = arrays
            return
        part = self._folder / f"{name}.part"
        with writing(part):
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            for key, values in arrays.items():
                np.save(part / f"{key}.npy", values, allow_pickle=False)
            part.rename(self._folder / name)

    def get(self, name: str) -> Arrays:
        """What was put there; read-only and mapped if it is on disk."""
        if self._folder is None:
            return self._kept[name]
        return _Mapped(self._folder / name, self._lock)

    def drop(self, name: str) -> None:
        if self._folder is None:
            self._kept.pop(name, None)
        else:
            shutil.rmtree(self._folder / name, ignore_errors=True)


class _Mapped(Arrays):
    """The arrays of a folder, each mapped when it is first wanted: whoever goes through all parts
    wants few of them, and opening takes longer than reading what is small."""

    def __init__(self, folder: Path, lock: Lock) -> None:
        self._folder, self._lock, self._mapped = folder, lock, dict[str, NDArray[Any]]()

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            path = self._folder / f"{name}.npy"
            with self._lock:
                self._mapped[name] = np.load(path, mmap_mode="r", allow_pickle=False)
        return self._mapped[name]

    def __iter__(self) -> Iterator[str]:
        return (path.stem for path in sorted(self._folder.glob("*.npy")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def owned(values: NDArray[Any]) -> NDArray[Any]:
    """The values in memory: kernels would be compiled again for mapped ones."""
    return values if values.flags.writeable else np.array(values)


def owned_parts(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Several arrays one after the other, in memory."""
    return owned(parts[0]) if len(parts) == 1 else np.concatenate(parts)
