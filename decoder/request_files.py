"""Reads requests from files with a line for each sentence: words, or source spans in their
order.

4 0-2 3        word 4 first, then words 0 to 2 in any order, then word 3; the others whenever
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.decoder.constrained_search import Beginning, Exactly, Following, Request
from hyperbaton.foundation.errors import BadLine, DataError

SplitLine: TypeAlias = Callable[[str], Sequence[str]]
_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def parse_order(line: str, _: SplitLine) -> Following:
    spans = []
    for text in split_words(line):
        match = _SPAN.fullmatch(text)
        if not match:
            raise BadLine("order", f"{text!r} is not a span of words", "such as 4 or 0-2")
        spans.append((int(match[1]), int(match[2] or match[1]) + 1))
    return Following(tuple(spans))


PARSERS: dict[str, Callable[[str, SplitLine], Request]] = {
    "force": lambda line, split: Exactly(tuple(split(line))),
    "prefix": lambda line, split: Beginning(tuple(split(line))),
    "order": parse_order,
}


def read_requests(
    path: Path, kind: str, split: SplitLine = split_words
) -> Generator[Request, None, None]:
    """One for each line, which `split` makes words of; to ask for more than there are is an error
    that names the file."""
    number = 0
    for number, request in parse_lines(path, lambda line: PARSERS[kind](line, split)):  # noqa: B007
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
