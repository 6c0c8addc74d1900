"""Checks ("laws") of arrays from files that compiled code relies on.

Kernels do not check indices: a damaged file could crash them, and a malicious one could make them
read or write anywhere. So every loader of a folder states the laws of each array, and a file that
violates a law is rejected. Laws examine all values once; valid folders are remembered
(`sealed_folders`).

    def laws(arrays: CheckedArrays) -> None:
        offsets = arrays.ranges("offsets", np.int32, len(arrays["words"]))
        arrays.indices("words", np.int32, (None,), below=len(arrays.vocabularies["words"]))
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import Vocabulary

LARGEST_SCORE = 1e7  # of scores and weights: sums of products stay finite
VALUES_AT_ONCE = 1 << 20  # so that temporary arrays fit into the CPU cache
ADVICE = "train or import the model again"

Shape: TypeAlias = Sequence[int | None]  # None: any length


class CheckedArrays:
    """The arrays of a folder; each method raises an error if its check fails."""

    def __init__(
        self,
        directory: Path,
        header: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        vocabularies: Mapping[str, Vocabulary],
    ) -> None:
        self.header, self._arrays = header, arrays
        self.vocabularies, self._directory = vocabularies, directory
        self._checked: set[str] = set()

    def array(self, name: str, dtype: DTypeLike, shape: Shape) -> NDArray[Any]:
        """The array of that name, type and shape."""
        values = self._arrays.get(name)
        if values is None:
            raise self.broken(name, "is missing")
        self._checked.add(name)
        fits = len(values.shape) == len(shape) and all(
            wanted in (None, found) for wanted, found in zip(shape, values.shape, strict=True)
        )
        if values.dtype != np.dtype(dtype) or not fits:
            sizes = ", ".join("any" if size is None else str(size) for size in shape)
            found = f"{values.shape} of {values.dtype}"
            raise self.broken(name, f"contains {found}, not ({sizes}) of {np.dtype(dtype)}")
        return values

    def words(self, name: str) -> int:
        """The size of a vocabulary, which must exist."""
        if name not in self.vocabularies:
            raise self.broken(name, "is missing")
        return len(self.vocabularies[name])

    def number(self, name: str, kind: type[int] | type[float] = int, low: float = 0.0) -> Any:
        """A number of the header, at least `low`."""
        value: Any = self.header.get(name)
        kinds = (int,) if kind is int else (int, float)
        if type(value) not in kinds or not low <= value < np.inf:
            raise self.broken("header", f"has the invalid value {value!r} for {name}")
        return value

    def indices(
        self, name: str, dtype: DTypeLike, shape: Shape, *, below: int, low: int = 0
    ) -> NDArray[Any]:
        """Numbers from `low` to `below` − 1."""
        values = self.array(name, dtype, shape)
        self.within(name, values, low, below)
        return values

    def floats(self, name: str, dtype: DTypeLike, shape: Shape) -> NDArray[Any]:
        values = self.array(name, dtype, shape)
        self.finite(name, values)
        return values

    def ranges(
        self, name: str, dtype: DTypeLike, end: int, *, first: int = 0, rows: int | None = None
    ) -> NDArray[Any]:
        """Offsets from `first` to `end` that never decrease."""
        values = self.array(name, dtype, (None if rows is None else rows + 1,))
        self.never_falls(name, values, first, end)
        return values

    def hash_table(
        self, keys: str, values: str, below: int, *, free: int, by_key: bool = False
    ) -> None:
        """A table with open addressing whose free slots have the value `free`, or, with `by_key`,
        the key `free`. At least half of the slots are free, so searches end; values are below
        `below`."""
        slots = self.array(keys, np.int64, (None,))
        low = 0 if by_key else free
        found = self.indices(values, np.int32, slots.shape, low=low, below=max(below, 1))
        tested = slots if by_key else found
        n_free = sum(int(np.count_nonzero(tested[part] == free)) for part in chunks_of(len(tested)))
        size = len(slots)
        if not size or size & (size - 1) or 2 * n_free < size:
            raise self.broken(keys, f"is not a hash table: {n_free} of {size} slots are free")

    def within(self, name: str, values: NDArray[Any], low: int, below: int) -> None:
        if len(values) and not low <= values.min() <= values.max() < below:
            raise self.broken(
                name,
                f"has numbers from {values.min()} to {values.max()}",
                f"expected {low} to {below - 1}",
            )

    def finite(self, name: str, values: NDArray[Any]) -> None:
        # with NaN, both comparisons are false
        if values.size and not (values.min() >= -LARGEST_SCORE and values.max() <= LARGEST_SCORE):
            raise self.broken(name, "has NaN, infinite or too large values")

    def never_falls(self, name: str, values: NDArray[Any], first: int, end: int) -> None:
        fine = len(values) > 0 and values[0] == first and values[-1] == end
        if not fine or any(np.any(now < before) for before, now in _pairs(values)):
            raise self.broken(name, f"does not increase from {first} to {end}")

    def rises(self, name: str, values: NDArray[Any]) -> None:
        if any(np.any(now <= before) for before, now in _pairs(values)):
            raise self.broken(name, "is not in increasing order")

    def that(self, name: str, holds: bool | np.bool_, problem: str) -> None:
        """Checks any other law."""
        if not holds:
            raise self.broken(name, problem)

    def all_checked(self) -> None:
        """Rejects arrays without a law."""
        for name in self._arrays.keys() - self._checked:
            raise self.broken(name, "is not part of this folder")

    def broken(self, name: str, problem: str, expected: str = "") -> DataError:
        name, dot, part = name.partition(".")  # states.first: a field of an array
        suffix = "json" if name == "header" else "txt" if name in self.vocabularies else "npy"
        what = f"{part} {problem}" if dot else problem
        where = str(self._directory / f"{name}.{suffix}")
        return DataError(what, where=where, expected=expected, advice=ADVICE)


ArrayCheck: TypeAlias = Callable[[CheckedArrays], None]


def plain_numbers(arrays: CheckedArrays) -> None:
    """The law of arrays that only NumPy uses, which checks every index."""
    for name, values in arrays._arrays.items():
        arrays.array(name, values.dtype, values.shape)
        if values.dtype.kind == "f":
            arrays.finite(name, values)


def chunks_of(n: int) -> Iterator[slice]:
    return (slice(at, at + VALUES_AT_ONCE) for at in range(0, n, VALUES_AT_ONCE))


def _pairs(values: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of neighbours, chunk by chunk."""
    earlier, later = values[:-1], values[1:]
    return ((earlier[part], later[part]) for part in chunks_of(len(earlier)))
