"""Folders of arrays: one `.npy` file each, mapped into memory when loaded, and a header.

Loading is immediate whatever the size, and processes that load the same folder share its pages.
There are no pickles. The header carries a format number, so that folders of another version are
refused, and the type and size of every file, so that files of different folders cannot be mixed.
What is loaded for the first time is read once: a sealed folder must be as it was when it was
sealed, and the arrays must obey the laws on which compiled code relies (`array_laws.py`).
Each file is complete when it appears, and the header comes last; processes that use an older folder
keep it.
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
# How `.npy` files of version 1.0 begin: a magic number, the length of the header, the header
_TYPE = r"[<>|][biufcSUV]\d{1,4}"
_FIELD = rf"\('(\w+)', '({_TYPE})'\)"
_SIZE = r"\d{1,18}"
NPY_START = re.compile(
    rf"\x93NUMPY\x01\x00..{{'descr': (?P<type>'{_TYPE}'|\[{_FIELD}(?:, {_FIELD})*\]), "
    rf"'fortran_order': False, 'shape': \((?P<shape>{_SIZE},(?: {_SIZE}(?:, {_SIZE})*)?)\), }} *\n",
    re.DOTALL | re.ASCII,
)
LAWS = 1  # to be raised with every new law, so that what obeyed the old ones is read again


Named = TypeVar("Named")


class Stream(NamedTuple):
    """An array that comes piece by piece, once."""

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
    header: dict[str, Any]  # what the caller keeps beside the arrays
    arrays: dict[str, Any]  # read-only, on disk until they are touched; before saving also streams
    vocabularies: dict[str, Vocabulary]

    def gathered(self) -> "ArrayFolder":
        """The same with arrays in place of streams."""
        arrays = {
            name: each.gathered() if isinstance(each, Stream) else each
            for name, each in self.arrays.items()
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
            raise DataError("a word with a line end in it cannot be saved", where=str(directory))
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
    """Arrays that compiled code relies on need `laws` of their own; `settings` is what these depend
    on besides the files.

    With mode `c`, arrays can be written to and the files stay as they are: compiled code then
    takes them for arrays in memory."""
    path = directory / HEADER
    try:
        content = json.loads(_read(path))
        found = content["format"]
        names = "arrays", "vocabularies", "header"
        kinds, sizes, header = (dict(content[name]) for name in names)
        if not all(map(_is_file_name, (*kinds, *sizes))):
            raise ValueError("a file outside the folder")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError("is not a header of arrays", where=str(path), advice=ADVICE) from None
    if found != format_number:
        raise DataError(
            f"has format {found}",
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
    """The arrays of a named tuple by name; what else it holds is for the header."""
    fields = values._asdict().items()
    return {f"{prefix}{name}": each for name, each in fields if isinstance(each, np.ndarray)}


def restored(
    kind: Callable[..., Named], arrays: Mapping[str, Any], prefix: str = "", /, **others: Any
) -> Named:
    """The named tuple whose arrays were saved; `others` are its other fields."""
    names = [name for name in kind._fields if name not in others]  # type: ignore[attr-defined]
    return kind(**{name: arrays[f"{prefix}{name}"] for name in names}, **others)


def _is_file_name(name: str) -> bool:
    """Whether a file of the folder can have that name."""
    return Path(name).name == name and name.isprintable()


def _verify(directory: Path, version: str, laws: ArrayCheck, folder: ArrayFolder) -> None:
    if is_remembered(directory, version):
        return
    sealed = is_sealed(directory)
    for name in damaged_files(directory) if sealed else ():
        raise DataError(
            "has changed since it was made: it is damaged, or somebody has edited it",
            where=str(directory / name),
            advice="hyperbaton check --repair makes it again where the training data are at hand",
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
    """The array of a file. One of up to `small` bytes is read: it takes longer to map it.

    NumPy would parse the header as Python, with warnings, and in one thread at a time.
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
    """What the beginning of an `.npy` file says: where its values begin, their type, the shape."""
    start = 10 + int.from_bytes(content[8:10], "little")
    found = NPY_START.fullmatch(content[:start].decode("latin-1"))
    if not found:
        raise ValueError("another beginning")
    fields = re.findall(_FIELD, found["type"])
    shape = tuple(int(number) for number in found["shape"].split(",") if number)
    return start, np.dtype(fields or found["type"].strip("'")), shape


def _words(path: Path, size: int) -> Vocabulary:
    try:
        vocabulary = Vocabulary.from_list(_read(path).decode().split("\n"))
    except ValueError as error:  # also broken UTF-8
        raise DataError(f"is not a vocabulary: {error}", where=str(path), advice=ADVICE) from None
    _check(path, f"{len(vocabulary)} words", f"{size} words")
    return vocabulary


def _write(file: BinaryIO, values: NDArray[Any] | Stream) -> None:
    """NumPy's own functions do not say why a file cannot be written."""
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
            f"holds {found}",
            where=str(path),
            expected=f"the header says {expected}; the files come from different folders",
            advice=ADVICE,
        )


def _read(path: Path) -> bytes:
    with reading(path):
        return path.read_bytes()
