"""Visit sequences: the order in which a translation visits the words of its source sentence.

A visit sequence lists source positions in the order in which the target sentence translates them.
It follows from the word alignment, and contains every aligned source word once:

    one source word, several target words   visited at the first of them
    several source words, one target word   visited there, from left to right
    unaligned source words                  not visited
    unaligned target words                  ignored

PDscore (Xiang et al. 2011, section 6) uses these sequences as they are. The other metrics compare
permutations of the whole source sentence (Birch and Osborne 2010), so `complete` adds the unvisited
words: each directly after its predecessor in the source sentence, and those before the first
visited word at the very beginning. So a sentence without links counts as translated from left to
right.

    source 0 1 2 3 4, links 1-2 3-0 3-1:   visits 3 1,   complete 0 3 4 1 2

Links are not checked for correctness.
"""

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np

from hyperbaton.corpus.corpora.alignment import parse_links
from hyperbaton.corpus.corpora.corpus import MOST_WORDS
from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.arrays import Int64Array, Ragged
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.foundation.kernels import kernel

# Keys in JSON lines, as `translate` and `compare` write them
TEXT_KEYS, LINK_KEYS = ("translation", "text"), ("alignment", "links")
JSON_LINE = '{"translation": "the book", "alignment": [[1, 0], [0, 1]]}'

Kind = TypeVar("Kind")


@dataclass(frozen=True, eq=False)
class Visits(Sequence[Sequence[int]]):
    """The visit sequences of many sentences, and the lengths of the source sentences, if known."""

    sequences: Ragged  # (n_visits,) int64, no position twice in one row
    n_source: Int64Array | None = None  # (n_sentences,)

    def __post_init__(self) -> None:
        """Checks the assumptions of compiled code."""
        if self.n_source is not None and len(self.n_source) != len(self):
            raise DataError(
                f"{len(self)} visit sequences for {len(self.n_source)} source sentences",
                expected="one per sentence",
            )
        values, row = self.sequences.values, self.sequences.row_of_value
        limit = np.full(len(self), MOST_WORDS) if self.n_source is None else self.n_source
        outside = np.flatnonzero((values < 0) | (values >= limit[row]))
        if len(outside):
            sentence = row[outside[0]]
            raise DataError(
                f"there is no source word {values[outside[0]]}",
                where=f"visits of sentence {sentence + 1}",
                expected=f"positions are 0 to {limit[sentence] - 1}",
            )
        both = np.sort(row * MOST_WORDS + values)
        twice = both[1:][np.diff(both) == 0]
        if len(twice):
            sentence, word = divmod(int(twice[0]), MOST_WORDS)
            raise DataError(
                f"source word {word} is visited twice",
                where=f"visits of sentence {sentence + 1}",
                expected="a visit sequence contains each word at most once",
            )

    def __len__(self) -> int:
        return len(self.sequences)

    @overload
    def __getitem__(self, which: int) -> list[int]: ...
    @overload
    def __getitem__(self, which: slice) -> "Visits": ...
    def __getitem__(self, which: int | slice) -> "list[int] | Visits":
        rows = np.arange(len(self))[which]
        if isinstance(which, slice):
            lengths = None if self.n_source is None else self.n_source[rows]
            return Visits(self.sequences.take(rows), lengths)
        visits: list[int] = self.sequences[int(rows)].tolist()
        return visits


def visits_of_links(links: Ragged, n_source: Int64Array | None = None) -> Visits:
    """The visit sequences of all sentences from their links, (source, target) in 16 bits each."""
    source, target = links.values.reshape(-1, 2).astype(np.int64).T
    # Sorting links as single numbers is several times faster than by columns
    keys = np.sort(links.row_of_value << 32 | source << 16 | target)
    first = np.ones(len(keys), dtype=bool)  # the first link of its source word
    first[1:] = np.diff(keys >> 16) != 0
    row, source, target = keys[first] >> 32, keys[first] >> 16 & 0xFFFF, keys[first] & 0xFFFF
    visits = np.sort(row << 32 | target << 16 | source) & 0xFFFF
    return Visits(Ragged(visits, np.searchsorted(row, np.arange(len(links) + 1))), n_source)


def visits_of_sequences(
    sequences: Sequence[Sequence[int]], n_source: Sequence[int] | Int64Array | None = None
) -> Visits:
    if isinstance(sequences, Visits):
        return sequences
    lengths = np.array([len(sequence) for sequence in sequences], dtype=np.int64)
    values = np.fromiter(chain.from_iterable(sequences), np.int64, int(lengths.sum()))
    return Visits(
        Ragged(values, np.concatenate([[0], np.cumsum(lengths)])),
        None if n_source is None else np.asarray(n_source, dtype=np.int64),
    )


def complete(visits: Visits, n_source: Int64Array) -> Ragged:
    """Permutations of all source words: an unvisited word follows its predecessor.

    `n_source` must be larger than every visited position.
    """
    offsets = np.concatenate([[0], np.cumsum(n_source)])
    values = _complete(visits.sequences.values, visits.sequences.offsets, offsets)
    return Ragged(values, offsets)


@kernel
def _complete(
    visits: Int64Array,  # (n_visits,)
    visit_offsets: Int64Array,  # (n_sentences + 1,)
    offsets: Int64Array,  # (n_sentences + 1,) of the permutations
) -> Int64Array:
    permutations = np.empty(offsets[-1], dtype=np.int64)
    visited = np.zeros(offsets[-1], dtype=np.bool_)
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        for visit in visits[visit_offsets[sentence] : visit_offsets[sentence + 1]]:
            visited[begin + visit] = True
        place = begin
        while place < end and not visited[place]:  # the words before the first visited one
            permutations[place] = place - begin
            place += 1
        for visit in visits[visit_offsets[sentence] : visit_offsets[sentence + 1]]:
            word = begin + visit
            permutations[place] = visit
            place += 1
            while word + 1 < end and not visited[word + 1]:
                word += 1
                permutations[place] = word - begin
                place += 1
    return permutations


def read_visits(path: Path, n_source: Sequence[int] | Int64Array | None = None) -> Visits:
    return visits_of_links(*read_alignment(path, n_source))


def read_alignment(
    path: Path, n_source: Sequence[int] | Int64Array | None = None
) -> tuple[Ragged, Int64Array | None]:
    """Reads the links (source, target) of a file with one sentence per line; returns them and
    `n_source` as an array.

    A line is either in Pharaoh format (`0-1 1-0`) or a JSON object with "alignment" or "links", a
    list of [source, target], and optionally "translation" or "text", against which target positions
    are checked. With `n_source`, the lengths of the source sentences, source positions are checked
    too.
    """
    lengths = None if n_source is None else np.asarray(n_source, dtype=np.int64)
    expected = iter(() if lengths is None else lengths.tolist())

    def parse(line: str) -> list[int]:
        links = _parse(line)
        if (n_words := next(expected, None)) is not None:
            _check_side(links[0::2], "source", n_words)
        return links

    positions, offsets = array("H"), array("q", [0])
    for _, links in parse_lines(path, parse):
        positions.extend(links)
        offsets.append(len(positions) // 2)
    if lengths is not None and len(offsets) - 1 != len(lengths):
        raise DataError(
            f"has alignments of {len(offsets) - 1} sentences",
            where=str(path),
            expected=f"there are {len(lengths)} source sentences; each needs a line",
        )
    values = np.array(positions, dtype=np.uint16).reshape(-1, 2)
    return Ragged(values, np.array(offsets, dtype=np.int64)), lengths


def _check_side(positions: list[int], side: str, n_words: int) -> None:
    """Raises if a link points outside the sentence."""
    farthest = max(positions, default=-1)
    if farthest >= n_words:
        raise BadLine(
            "link outside",
            f"there is no {side} word {farthest}",
            f"the {side} sentence has {n_words} words, counted from 0",
        )


def _parse(line: str) -> list[int]:
    links = _json_links(line) if line.lstrip(" \t").startswith("{") else parse_links(line)
    if max(links, default=0) >= MOST_WORDS:
        raise BadLine(
            "alignment",
            f"there cannot be a word {max(links)}",
            f"sentences have at most {MOST_WORDS} words, counted from 0",
        )
    return links


def parse_json(line: str, expected: str) -> Any:
    """The content of a JSON line; `expected` says what lines should look like."""
    try:
        read = json.loads(line)
        json.dumps(read, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg} at column {error.colno}"
        raise BadLine("JSON", what, expected) from None
    except RecursionError:
        raise BadLine("JSON", "it is nested too deeply", expected) from None
    except UnicodeEncodeError:
        raise BadLine("JSON", "has half of a surrogate pair", "whole characters") from None
    except ValueError as error:  # a number with thousands of digits
        raise BadLine("JSON", f"not JSON: {error}", expected) from None
    return read


def first_of(record: Any, keys: Sequence[str], kind: type[Kind]) -> Kind | None:
    """The value of the first of the keys in a JSON object, if it has this type."""
    if not isinstance(record, dict):
        return None
    value = next((record[key] for key in keys if key in record), None)
    return value if isinstance(value, kind) else None


def _json_links(line: str) -> list[int]:
    expected = f"lines look like {JSON_LINE}"
    record = parse_json(line, expected)
    pairs = first_of(record, LINK_KEYS, list)
    if pairs is None:
        raise BadLine("JSON", 'no list "alignment"', expected)
    links: list[int] = []
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(map(_is_position, pair))):
            what = f"{json.dumps(pair)} is not a link"
            raise BadLine("JSON", what, "links are pairs of positions, [source, target], from 0")
        links += pair
    text = first_of(record, TEXT_KEYS, str)
    if text is not None:
        _check_side(links[1::2], "target", len(split_words(text)))
    return links


def _is_position(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
