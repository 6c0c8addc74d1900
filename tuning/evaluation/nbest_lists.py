"""Reads n-best lists in Moses' format: `id ||| words ||| features ||| score`, maybe more fields."""

from collections.abc import Generator, Iterator, Sequence
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from hyperbaton.corpus.text import parse_lines
from hyperbaton.foundation.errors import BadLine, DataError


class NBestEntry(NamedTuple):
    sentence: int
    text: str
    score: float
    features: str = ""  # as they are written: lm= -12.3 msd= 0 -1.2
    more: tuple[str, ...] = ()  # further fields


def parse_entry(line: str) -> NBestEntry:
    fields = [field.strip(" ") for field in line.split("|||")]
    try:
        number, text, features, score, *more = fields
        entry = NBestEntry(int(number), text, float(score), features, tuple(more))
    except ValueError:
        entry = NBestEntry(-1, "", 0.0)
    if entry.sentence < 0 or not isfinite(entry.score):
        raise BadLine("n-best", "not an entry of an n-best list", "id ||| words ||| … ||| score")
    return entry


def entry_line(entry: NBestEntry) -> str:
    """As in a file."""
    first = str(entry.sentence), entry.text, entry.features, f"{entry.score:.6g}"
    return " ||| ".join([*first, *entry.more])


def read_lists(path: Path) -> Generator[list[NBestEntry], None, None]:
    """The entries of one sentence after the other; ids must not go back, and may be left out."""
    before = -1
    entries = (entry for _, entry in parse_lines(path, parse_entry))
    for sentence, group in groupby(entries, lambda entry: entry.sentence):
        if sentence < before:
            raise DataError(
                f"the list of sentence {sentence} comes after that of {before}", where=str(path)
            )
        before = sentence
        yield list(group)


def side_by_side(readers: Sequence[Iterator[list[NBestEntry]]]) -> Iterator[list[list[NBestEntry]]]:
    """For every sentence from 0 to the last one the lists that there are."""
    waiting = [next(reader, None) for reader in readers]
    sentence = 0
    while any(waiting):
        here = [n for n, entries in enumerate(waiting) if entries and _id(entries) == sentence]
        yield [entries for n, entries in enumerate(waiting) if n in here and entries]
        for n in here:
            waiting[n] = next(readers[n], None)
        sentence += 1


def _id(entries: list[NBestEntry]) -> int:
    return entries[0].sentence
