"""Folders of arrays: one `.npy` file each, mapped into memory when loaded, and a header.

Loading is immediate whatever the size, and processes that load the same folder share its pages. No
pickles. The header carries a format number, so that a folder of another version is refused.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import DataError, missing_file
from models.vocabulary import Vocabulary

HEADER = "header.json"


def save_arrays(
    directory: Path, format_number: int, header: dict[str, Any], **arrays: NDArray[Any]
) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name, values in arrays.items():
        np.save(directory / f"{name}.npy", np.ascontiguousarray(values), allow_pickle=False)
    content = {"format": format_number, "arrays": sorted(arrays), **header}
    (directory / HEADER).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def load_arrays(
    directory: Path, format_number: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays; the latter are read-only and on disk until they are touched."""
    path = directory / HEADER
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
        names = header["arrays"]
    except FileNotFoundError:
        raise missing_file(path) from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"is not a header of arrays: {error}", where=str(path)) from None
    if header.get("format") != format_number:
        raise DataError(
            f"has format {header.get('format')}",
            where=str(path),
            expected=f"this version of hyperbaton reads format {format_number}",
            advice="train or import the model again",
        )
    return header, {name: _map(directory / f"{name}.npy") for name in names}


def _map(path: Path) -> NDArray[Any]:
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise missing_file(path) from None
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"is not an array file: {error}", where=str(path)) from None
    # Compiled code knows plain arrays; this one still is the mapped file
    return values.view(np.ndarray)


def save_words(path: Path, vocabulary: Vocabulary) -> None:
    """One word a line, in the order of their ids."""
    path.write_bytes("\n".join(vocabulary.words).encode())


def load_words(path: Path) -> Vocabulary:
    try:
        return Vocabulary.from_list(path.read_bytes().decode().split("\n"))
    except FileNotFoundError:
        raise missing_file(path) from None
    except ValueError as error:
        raise DataError(str(error), where=str(path)) from None
