"""Reads requests from files with a line for each sentence: words, or source spans in their
order.

4 0-2 3        word 4 first, then words 0 to 2 in any order, then word 3; the others whenever
"""

import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

from decoder.requests import Beginning, Exactly, Following, Request
from models.data.text import parse_lines, split_words
from models.errors import BadLine, DataError

_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_target(line: str) -> Exactly:
    return Exactly(tuple(split_words(line)))


def parse_beginning(line: str) -> Beginning:
    return Beginning(tuple(split_words(line)))


def parse_order(line: str) -> Following:
    spans = []
    for text in split_words(line):
        match = _SPAN.fullmatch(text)
        if not match:
            raise BadLine("order", f"{text!r} is not a span of words", "such as 4 or 0-2")
        spans.append((int(match[1]), int(match[2] or match[1]) + 1))
    return Following(tuple(spans))


PARSERS: dict[str, Callable[[str], Request]] = {
    "force": parse_target,
    "prefix": parse_beginning,
    "order": parse_order,
}


def read_requests(path: Path, kind: str) -> Generator[Request, None, None]:
    """One for each line; to ask for more than there are is an error that names the file."""
    number = 0
    for number, request in parse_lines(path, PARSERS[kind]):  # noqa: B007
        yield request
    raise DataError(
        f"the file ends after {number:,} lines",
        where=str(path),
        expected="expected a line for each sentence",
    )


def check_used_up(requests: Iterator[Request], n_sentences: int) -> None:
    """Refuses a file with more lines than there were sentences."""
    try:
        next(requests)
    except DataError:
        return
    raise DataError("there are more requests than sentences", expected=f"there are {n_sentences:,}")
