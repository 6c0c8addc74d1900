"""Folders of arrays: a header and one `.npy` file per array, mapped into memory when loaded.

Loading takes no time at any size, and processes that load the same folder share its pages. There
are no pickles. The header has a format number, so that folders of another version are rejected, and
the type and size of every file, so that files of different folders cannot be mixed. The first time
a folder is loaded, its files are read in full: a sealed folder must be unchanged, and the arrays
must satisfy the assumptions of compiled code (`array_laws.py`). Each file appears only when it is
complete, the header last; processes that have loaded an older version keep it.
"""

import json
import math
import mmap
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.errors import DataError, reading
from hyperbaton.foundation.files.array_laws import ADVICE, ArrayCheck, CheckedArrays, plain_numbers
from hyperbaton.foundation.files.sealed_folders import (
    damaged_files,
    is_remembered,
    is_sealed,
    remember,
)
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.files.writing import make_folder, replacing

HEADER = "header.json"
# The start of `.npy` files of version 1.0: a magic number, the length of the header, the header
_TYPE = r"[<>|][biufcSUV]\d{1,4}"
_FIELD = rf"\('(\w+)', '({_TYPE})'\)"
_SIZE = r"\d{1,18}"
NPY_START = re.compile(
    rf"\x93NUMPY\x01\x00..{{'descr': (?P<type>'{_TYPE}'|\[{_FIELD}(?:, {_FIELD})*\]), "
    rf"'fortran_order': False, 'shape': \((?P<shape>{_SIZE},(?: {_SIZE}(?:, {_SIZE})*)?)\), }} *\n",
    re.DOTALL | re.ASCII,
)
LAWS = 1  # increase with every new check, so that folders are checked again


Named = TypeVar("Named")


class Stream(NamedTuple):
    """An array as a stream of chunks, to be consumed once."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    chunks: Iterable[NDArray[Any]]

    def gathered(self) -> NDArray[Any]:
        """The whole array."""
        whole = np.empty(self.shape, self.dtype)
        end = 0
        for chunk in self.chunks:
            whole[end : end + len(chunk)] = chunk
            end += len(chunk)
        return whole


class ArrayFolder(NamedTuple):
    header: dict[str, Any]  # values of the caller
    arrays: dict[str, Any]  # read-only and mapped into memory; before saving also streams
    vocabularies: dict[str, Vocabulary]

    def gathered(self) -> "ArrayFolder":
        """Replaces streams by arrays."""
        arrays = {
            name: values.gathered() if isinstance(values, Stream) else values
            for name, values in self.arrays.items()
        }
        return self._replace(arrays=arrays)


def save_arrays(
    directory: Path,
    format_number: int,
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any] | Stream],
    vocabularies: Mapping[str, Vocabulary],
) -> None:
    texts = {name: "\n".join(words.words) for name, words in vocabularies.items()}
    for name, words in vocabularies.items():
        if texts[name].count("\n") != len(words) - 1:
            raise DataError("a word with a line break cannot be saved", where=str(directory))
    make_folder(directory)
    for name, values in arrays.items():
        with replacing(directory / f"{name}.npy", waits=False) as path, path.open("wb") as stream:
            _write(stream, values)
    for name, text in texts.items():
        with replacing(directory / f"{name}.txt", waits=False) as path:
            path.write_bytes(text.encode())
    content = {
        "format": format_number,
        "arrays": {name: _kind(values) for name, values in arrays.items()},
        "vocabularies": {name: len(words) for name, words in vocabularies.items()},
        "header": dict(header),
    }
    with replacing(directory / HEADER) as path:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load_arrays(
    directory: Path,
    format_number: int,
    laws: ArrayCheck = plain_numbers,
    settings: Mapping[str, Any] = MappingProxyType({}),
    mode: Literal["r", "c"] = "r",
) -> ArrayFolder:
    """Loads a folder and checks it with `laws`, which must cover all assumptions of compiled code;
    `settings` are other values that the laws depend on.

    With mode `c`, arrays are writable without changing the files, so that compiled code treats them
    like arrays in memory."""
    path = directory / HEADER
    try:
        content = json.loads(_read(path))
        found_format = content["format"]
        names = "arrays", "vocabularies", "header"
        kinds, sizes, header = (dict(content[name]) for name in names)
        if not all(map(_is_file_name, (*kinds, *sizes))):
            raise ValueError("a file outside the folder")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError("is not a header of arrays", where=str(path), advice=ADVICE) from None
    if found_format != format_number:
        raise DataError(
            f"has format {found_format}",
            where=str(path),
            expected=f"this version of hyperbaton reads format {format_number}",
            advice=ADVICE,
        )
    folder = ArrayFolder(
        header,
        {name: _map(directory / f"{name}.npy", kind, mode) for name, kind in kinds.items()},
        {name: _words(directory / f"{name}.txt", size) for name, size in sizes.items()},
    )
    _verify(directory, f"{format_number} {LAWS} {sorted(settings.items())}", laws, folder)
    return folder


def saved(values: Any, prefix: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of a named tuple by name, without its other fields."""
    fields = values._asdict().items()
    return {f"{prefix}{name}": value for name, value in fields if isinstance(value, np.ndarray)}


def restored(
    kind: Callable[..., Named], arrays: Mapping[str, Any], prefix: str = "", /, **others: Any
) -> Named:
    """The named tuple of saved arrays; `others` are its other fields."""
    names = [name for name in kind._fields if name not in others]  # type: ignore[attr-defined]
    return kind(**{name: arrays[f"{prefix}{name}"] for name in names}, **others)


def _is_file_name(name: str) -> bool:
    """Whether a name is valid for a file in the folder."""
    return Path(name).name == name and name.isprintable()


def _verify(directory: Path, version: str, laws: ArrayCheck, folder: ArrayFolder) -> None:
    if is_remembered(directory, version):
        return
    sealed = is_sealed(directory)
    for name in damaged_files(directory) if sealed else ():
        raise DataError(
            "has changed since it was made: it is damaged or was edited",
            where=str(directory / name),
            advice="restore it with hyperbaton check --repair, if you have the training data",
        )
    arrays = CheckedArrays(directory, *folder)
    laws(arrays)
    arrays.all_checked()
    if sealed:
        remember(directory, version)


def _map(path: Path, kind: str, mode: Literal["r", "c"]) -> NDArray[Any]:
    mapped = map_array(path, mode)
    _check(path, _kind(mapped), kind)
    return mapped


def map_array(path: Path, mode: Literal["r", "c"], small: int = 0) -> NDArray[Any]:
    """Maps the array of a file into memory; reads it if it has up to `small` bytes, which is
    faster.

    NumPy would parse the header as Python code, with warnings, and in only one thread at a time.
    """
    access = {"r": mmap.ACCESS_READ, "c": mmap.ACCESS_COPY}[mode]
    content: Any
    try:
        with reading(path), path.open("rb") as stream:
            is_small = path.stat().st_size <= small
            content = (
                bytearray(stream.read())
                if is_small
                else mmap.mmap(stream.fileno(), 0, access=access)
            )
        start, dtype, shape = npy_header(content)
        if len(content) != start + math.prod(shape) * dtype.itemsize:
            raise ValueError("another size")
        mapped = np.frombuffer(content, dtype, math.prod(shape), start).reshape(shape)
    except (ValueError, TypeError):  # also an empty file
        raise DataError("is not an array", where=str(path), advice=ADVICE) from None
    mapped.flags.writeable = mode == "c"
    return mapped


def npy_header(content: Any) -> tuple[int, np.dtype[Any], tuple[int, ...]]:
    """The start of the values, their type and the shape, from the header of an `.npy` file."""
    start = 10 + int.from_bytes(content[8:10], "little")
    match = NPY_START.fullmatch(content[:start].decode("latin-1"))
    if not match:
        raise ValueError("another beginning")
    fields = re.findall(_FIELD, match["type"])
    shape = tuple(int(number) for number in match["shape"].split(",") if number)
    return start, np.dtype(fields or match["type"].strip("'")), shape


def _words(path: Path, size: int) -> Vocabulary:
    try:
        vocabulary = Vocabulary.from_list(_read(path).decode().split("\n"))
    except ValueError as error:  # also broken UTF-8
        raise DataError(f"is not a vocabulary: {error}", where=str(path), advice=ADVICE) from None
    _check(path, f"{len(vocabulary)} words", f"{size} words")
    return vocabulary


def _write(file: BinaryIO, values: NDArray[Any] | Stream) -> None:
    """Writes an `.npy` file. NumPy's functions do not report why a file cannot be written."""
    form = {
        "descr": np.lib.format.dtype_to_descr(values.dtype),
        "fortran_order": False,
        "shape": values.shape,
    }
    np.lib.format.write_array_header_1_0(file, form)
    for chunk in values.chunks if isinstance(values, Stream) else [values]:
        file.write(np.ascontiguousarray(chunk, values.dtype).data)


def _kind(values: NDArray[Any] | Stream) -> str:
    return f"{values.shape} of {values.dtype}"


def _check(path: Path, found: str, expected: str) -> None:
    if found != expected:
        raise DataError(
            f"contains {found}",
            where=str(path),
            expected=f"expected {expected}, by the header; the files are from different folders",
            advice=ADVICE,
        )


def _read(path: Path) -> bytes:
    with reading(path):
        return path.read_bytes()
