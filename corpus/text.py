"""Lines of text files: plain, compressed by name (`.gz`, `.bz2`, `.xz`, `.zst`), or standard input
(`-`), always UTF-8.

Only a line feed ends a line (a carriage return before it is dropped), and only spaces and tabs
separate words, as in Moses. U+3000, U+0085 and the like are part of words, because a corpus that
was tokenised and aligned elsewhere must keep its word numbers.
"""

import sys
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, TypeVar

from hyperbaton.foundation.errors import BadLine, DataError, reading, reason
from hyperbaton.foundation.files.compression import FORMATS, is_broken, open_to_read, reading_errors

T = TypeVar("T")

BOM = "\ufeff"


def open_binary(path: Path) -> BinaryIO:
    """Opens a file, decompressing it; errors give the file."""
    if str(path) == "-":
        return sys.stdin.buffer
    with reading(path):
        return open_to_read(path)


def read_lines(path: Path) -> Generator[tuple[int, str | BadLine], None, None]:
    """Yields line numbers from 1 and lines; a line that is not UTF-8 is a `BadLine`."""
    with open_binary(path) as stream:
        number = 0
        try:
            for number, raw in enumerate(stream, 1):
                yield number, _decode(raw, first=number == 1)
        except reading_errors(path) as error:
            raise read_error(error, path, number + 1) from None


def read_error(error: Exception, path: Path, line: int) -> DataError:
    """The message for one of `reading_errors`."""
    where = f"{path}:{line}"
    if is_broken(error, path):
        program = FORMATS[path.suffix].program
        advice = f"test it with {program} -t, then create it again"
        return DataError(f"broken {program} file: {error}", where=where, advice=advice)
    why = reason(error) if isinstance(error, OSError) else str(error)
    return DataError(f"cannot be read: {why}", where=where)


def parse_lines(path: Path, parse: Callable[[str], T]) -> Generator[tuple[int, T], None, None]:
    """Yields line numbers and parsed lines; the error for a bad line gives file and line."""
    with closing(read_lines(path)) as lines:
        for number, line in lines:
            try:
                if isinstance(line, BadLine):
                    raise line
                yield number, parse(line)
            except BadLine as bad:
                bad.where = f"{path}:{number}"
                raise


def _decode(raw: bytes, *, first: bool) -> str | BadLine:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return BadLine(
            "not UTF-8",
            f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8",
            "convert the file, for instance with iconv -t UTF-8",
        )
    if first:
        line = line.removeprefix(BOM)
    return line.removesuffix("\n").removesuffix("\r")


def split_words(line: str) -> list[str]:
    return [word for word in line.replace("\t", " ").split(" ") if word]


def split_factors(line: str) -> tuple[list[str], list[str]]:
    """Splits a line of Moses' `word|tag` factors; the last of several factors is the tag."""
    words, tags = [], []
    for number, token in enumerate(split_words(line)):
        word, _, rest = token.partition("|")
        tag = rest.rpartition("|")[2]
        if not word or not tag:
            raise BadLine(
                "factors",
                f"word {number} ({token!r}) is not word|tag",
                "every word needs a tag; write | inside a word as &#124;",
            )
        words.append(word)
        tags.append(tag)
    return words, tags
