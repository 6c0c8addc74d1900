"""Language models on disk: a folder of arrays that are mapped into memory, so loading is immediate.

model.json       format number, order, sizes
vocabulary.txt   a word a line, in the order of the word numbers
states.npy unigrams.npy transitions.npy tags.npy
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.errors import DataError, missing_file
from models.language_model.automaton import STATE, TRANSITION, UNIGRAM, Automaton
from models.vocabulary import Vocabulary
from models.writing import replacing

FORMAT = 1
ADVICE = "make the model again"
DTYPES = {
    "states": STATE,
    "unigrams": UNIGRAM,
    "transitions": TRANSITION,
    "tags": np.dtype(np.uint8),
}


def save_model(directory: Path, automaton: Automaton, vocabulary: Vocabulary, order: int) -> None:
    """Writes the folder; each file is whole when it appears, `model.json` comes last."""
    words = "".join(f"{word}\n" for word in vocabulary.words)
    if words.count("\n") != len(vocabulary):
        raise DataError("a word with a line end in it cannot be saved", where=str(directory))
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(directory)) from None
    for name in DTYPES:
        with replacing(directory / f"{name}.npy") as path, path.open("wb") as stream:
            np.save(stream, getattr(automaton, name), allow_pickle=False)
    with replacing(directory / "vocabulary.txt") as path:
        path.write_bytes(words.encode())
    sizes = {name: len(getattr(automaton, name)) for name in DTYPES}
    header = {"format": FORMAT, "order": order, "sizes": sizes}
    with replacing(directory / "model.json") as path:
        path.write_text(json.dumps(header, indent=1) + "\n", encoding="utf-8")


def load_model(directory: Path) -> tuple[Automaton, Vocabulary, int]:
    header = _read_header(directory / "model.json")
    arrays = {
        name: _read_array(directory / f"{name}.npy", dtype, header["sizes"][name])
        for name, dtype in DTYPES.items()
    }
    path = directory / "vocabulary.txt"
    try:
        vocabulary = Vocabulary.from_list(_read(path).decode().split("\n")[:-1])
    except ValueError as error:  # broken UTF-8 as well
        raise DataError(f"is not a vocabulary: {error}", where=str(path), advice=ADVICE) from None
    if len(vocabulary) != len(arrays["unigrams"]):
        raise DataError(
            f"{len(vocabulary)} words", where=str(path), expected=_belongs(len(arrays["unigrams"]))
        )
    shift = np.uint64(65 - len(arrays["tags"]).bit_length())
    return Automaton(**arrays, shift=shift), vocabulary, int(header["order"])


def _read_header(path: Path) -> dict[str, Any]:
    try:
        header = json.loads(_read(path))
        if header["format"] != FORMAT:
            raise DataError(
                f"format {header['format']} of a language model",
                where=str(path),
                expected=f"this version reads format {FORMAT}",
                advice=ADVICE,
            )
        return {"order": int(header["order"]), "sizes": {n: header["sizes"][n] for n in DTYPES}}
    except (ValueError, KeyError, TypeError):
        raise DataError(
            "is not the header of a language model", where=str(path), advice=ADVICE
        ) from None


def _read_array(path: Path, dtype: np.dtype[Any], size: int) -> NDArray[Any]:
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise missing_file(path) from None
    except (OSError, ValueError, EOFError):
        raise DataError("is not an array", where=str(path), advice=ADVICE) from None
    if mapped.dtype != dtype or mapped.shape != (size,):
        raise DataError(
            f"{mapped.shape} of {mapped.dtype}", where=str(path), expected=_belongs(size)
        )
    return np.asarray(mapped)  # compiled code knows plain arrays only


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _belongs(size: int) -> str:
    return f"the model has {size}; the files are not of one model"
