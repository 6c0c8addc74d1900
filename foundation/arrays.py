"""Array types, and ragged arrays."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Int8Array: TypeAlias = NDArray[np.int8]
Int32Array: TypeAlias = NDArray[np.int32]
Int64Array: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
Float32Array: TypeAlias = NDArray[np.float32]
UInt64Array: TypeAlias = NDArray[np.uint64]  # bits, or keys of hash tables
MOST_NUMBERED = (1 << 31) - 1  # largest number in an Int32Array


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written. Arrays of models become such views for kernels, which are
    compiled for them and for others separately: those in files are read-only anyway."""
    view = values.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True, eq=False)
class Ragged:
    """Many rows of different length in one array: row i is `values[offsets[i]:offsets[i + 1]]`."""

    values: NDArray[Any]  # (total, ...)
    offsets: Int64Array  # (rows + 1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> Int64Array:
        return np.diff(self.offsets)

    @property
    def row_of_value(self) -> Int64Array:
        """The row number of every value."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, rows: Int64Array) -> "Ragged":
        """The chosen rows, in the given order."""
        starts, rows = self.offsets[rows], np.asarray(rows)
        return Ragged.gather(self.values, starts, self.offsets[rows + 1] - starts)

    @classmethod
    def gather(cls, values: NDArray[Any], starts: Int64Array, lengths: NDArray[Any]) -> "Ragged":
        """Rows from anywhere in an array: row i is `values[starts[i] : starts[i] + lengths[i]]`."""
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        return cls(values[np.repeat(starts, lengths) + within], offsets)


class GrowingRagged:
    """A `Ragged` array of integers that grows at its end; `width` columns, (total,) if it is 1."""

    def __init__(self, width: int = 1) -> None:
        self._values, self._offsets, self._width = array("i"), array("q", [0]), width

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def add(self, row: Sequence[int]) -> None:
        self._values.extend(row)
        self._offsets.append(len(self._values) // self._width)

    def finish(self) -> Ragged:
        values = np.array(self._values, dtype=np.int32)
        shaped = values if self._width == 1 else values.reshape(-1, self._width)
        return Ragged(shaped, np.array(self._offsets, dtype=np.int64))
