"""Reads text files as word ids, and counts all n-grams of a text up to a length, by sorting.

An n-gram is numbered by the pair (number of its prefix, last word), so that every length takes one
sort of 64-bit keys. A long text is sorted in parts, each with the n-grams of a range of prefixes;
the concatenation is the same as sorting everything at once. Sentences are counted with <s> before
and </s> after them. Arrays that grow with the text may be in files (foundation/files/scratch.py).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.arrays import (
    MOST_NUMBERED,
    GrowingRagged,
    Int8Array,
    Int32Array,
    Int64Array,
    Ragged,
)
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.scratch import Scratch, pieces
from hyperbaton.foundation.files.vocabulary import BEGIN, END, SPECIAL, Vocabulary, check_words
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.ngrams import MAX_ORDER, node_keys

PROGRESS_EVERY = 1000  # lines
SORTING = 6  # 1/6 of memory is for sorting
BYTES_PER_TOKEN = 48  # memory for sorting
SAMPLED_TOKENS = 100_000  # sample that determines the bounds of parts

Columns: TypeAlias = Mapping[str, Int32Array]  # of n-grams, by the names of `NGramCounts`


@dataclass(frozen=True, eq=False)
class NGramCounts:
    """The n-grams of a text up to a length; nodes are numbered as in `NGrams`."""

    starts: Int64Array  # (order + 2,)
    begins: Int64Array  # (order + 1, 2) first and last + 1 of the nodes whose first word is <s>
    prefix: Int32Array  # (nodes,) node of all words but the last
    suffix: Int32Array  # (nodes,) node of all words but the first
    word: Int32Array  # (nodes,)
    occurrences: Int32Array  # (nodes,)


class Counting:
    """Collects n-grams, which are added length by length, and in order within each length."""

    def __init__(self, words: Int32Array, n_words: int, scratch: Scratch) -> None:
        """Starts with the empty n-gram and the unigrams of a text."""
        names = ("prefix", "suffix", "word", "occurrences")
        self._columns = {name: scratch.column(np.int32) for name in names}
        occurrences = np.zeros(n_words, np.int32)
        for piece in pieces(0, len(words)):
            occurrences += np.bincount(words[piece], minlength=n_words).astype(np.int32)
        seen = occurrences > 0
        seen[: len(SPECIAL)] = True
        occurrences[BEGIN] = 0
        unigrams = np.flatnonzero(seen)
        self.node_of_word = np.cumsum(seen, dtype=np.int32)  # (n_words,)
        self.starts = [0, 1]
        self.begins = [(0, 0)]
        self.add(dict.fromkeys(names, np.zeros(1, np.int32)))
        none = np.zeros(len(unigrams), np.int32)
        counts = occurrences[unigrams]
        self.add({"prefix": none, "suffix": none, "word": unigrams, "occurrences": counts})
        self.starts.append(self.n_nodes)
        self.begins.append((1 + BEGIN, 2 + BEGIN))

    @property
    def n_nodes(self) -> int:
        return self._columns["word"].n

    def add(self, part: Mapping[str, NDArray[np.integer]]) -> None:
        for name, column in self._columns.items():
            column.append(part[name])
        check_number(self.n_nodes)

    def add_length(self, parts: Iterable[Columns]) -> None:
        """Adds the n-grams of the next length, in parts. Those that begin with <s> are adjacent,
        because their prefixes are."""
        first = last = self.n_nodes
        for part in parts:
            low, high = np.searchsorted(part["prefix"], self.begins[-1]).tolist()
            first, last = first + low, last + high
            self.add(part)
        self.starts.append(self.n_nodes)
        self.begins.append((first, last))

    def finish(self) -> NGramCounts:
        columns = {name: column.finish() for name, column in self._columns.items()}
        return NGramCounts(np.array(self.starts), np.array(self.begins), **columns)


def count_ngrams(
    sentences: Ragged, n_words: int, order: int, scratch: Scratch = Scratch()
) -> NGramCounts:
    """Counts the n-grams of length 1 to `order` of sentences whose word ids are below `n_words`.

    The special symbols are unigrams; <unk> and <s> have 0 occurrences, because no model predicts
    them.
    """
    check_text(sentences, n_words)
    words, depth = with_boundaries(sentences, scratch)
    counting = Counting(words, n_words, scratch)
    node, longer = (scratch.array(len(words), np.int32) for _ in range(2))
    np.take(counting.node_of_word, words, out=node, mode="clip")  # node of the n-gram ending here
    n_parts = max(1, -(-len(words) * BYTES_PER_TOKEN // max(scratch.memory // SORTING, 1)))
    for length in range(2, order + 1):
        bounds = _part_bounds(node, n_parts, *counting.starts[-2:])
        counting.add_length(  # lazily: each part is numbered after the previous ones are added
            _counted(words, node, _ends(depth, node, length - 1, low, high), longer, counting)
            for low, high in pairwise(bounds)
        )
        node, longer = longer, node  # stale values of shorter n-grams are never read
    return counting.finish()


def _part_bounds(node: Int32Array, n_parts: int, low: int, high: int) -> list[int]:
    """The bounds, as prefixes, of parts with about equally many tokens."""
    some = np.sort(node[:: max(len(node) // SAMPLED_TOKENS, 1)])
    between = np.unique(some[np.arange(1, n_parts) * len(some) // n_parts])
    return [low, *between[(between > low) & (between < high)].tolist(), high]


@kernel
def _ends(depth, node, least, low, high):  # -> (ends,)
    """The tokens after prefixes from node `low` to `high`, at least `least` tokens after <s>."""
    n = 0
    for at in range(1, len(node)):
        n += depth[at] >= least and low <= node[at - 1] < high
    ends = np.empty(n, np.int64)
    n = 0
    for at in range(1, len(node)):
        if depth[at] >= least and low <= node[at - 1] < high:
            ends[n] = at
            n += 1
    return ends


def _counted(
    words: Int32Array, node: Int32Array, ends: Int64Array, longer: Int32Array, counting: Counting
) -> Columns:
    """Counts the n-grams that end at some tokens, which are added next; writes their nodes to
    `longer`."""
    keys = node_keys(node[ends - 1], words[ends])
    order = np.argsort(keys, kind="stable")
    keys, ends = keys[order], ends[order]
    del order
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    longer[ends] = np.cumsum(is_new, dtype=np.int32) + np.int32(counting.n_nodes - 1)
    begin = np.flatnonzero(is_new)
    keys = keys[begin]
    return {
        "prefix": (keys >> 32).astype(np.int32),
        "suffix": node[ends[begin]],
        "word": (keys & 0xFFFFFFFF).astype(np.int32),
        "occurrences": np.diff(begin, append=len(ends)).astype(np.int32),
    }


def check_text(sentences: Ragged, n_words: int) -> None:
    if not len(sentences.values):
        raise DataError(
            "the text has no words", expected="a language model needs at least one sentence"
        )
    smallest, largest = int(sentences.values.min()), int(sentences.values.max())
    if smallest < len(SPECIAL) or largest >= n_words:
        raise DataError(
            f"the text has word ids from {smallest} to {largest}",
            expected=f"expected ids of the vocabulary without the special symbols: "
            f"{len(SPECIAL)} to {n_words - 1}",
        )


def check_number(n_nodes: int) -> None:
    if n_nodes > MOST_NUMBERED:
        raise DataError(
            "the text has too many n-grams",
            expected=f"expected at most {MOST_NUMBERED:,}",
            advice="use shorter n-grams: --lm-order 4",
        )


def with_boundaries(sentences: Ragged, scratch: Scratch) -> tuple[Int32Array, Int8Array]:
    """The sentences with <s> and </s> in one array, and the distance of each token from its <s>, at
    most MAX_ORDER."""
    n = len(sentences.values) + 2 * len(sentences)
    words, depth = scratch.array(n, np.int32), scratch.array(n, np.int8)
    _put_boundaries(sentences.values, sentences.offsets, words, depth)
    return words, depth


@kernel
def _put_boundaries(values, offsets, words, depth):
    at = 0
    for row in range(len(offsets) - 1):
        begin = at
        words[at] = BEGIN
        for word in values[offsets[row] : offsets[row + 1]]:
            at += 1
            words[at] = word
        at += 1
        words[at] = END
        at += 1
        for token in range(begin, at):
            depth[token] = min(token - begin, MAX_ORDER)


def read_text(
    paths: Iterable[Path],
    progress: Progress = silent,
    tokenise: Callable[[str], list[str]] = split_words,
) -> tuple[Vocabulary, Ragged]:
    """Reads all lines of all files; an empty line is an empty sentence.

    A line that is not UTF-8, or has a word that the files of a model cannot represent, is an error.
    """
    vocabulary, rows = Vocabulary(), GrowingRagged()
    for path in paths:
        for _, words in parse_lines(path, lambda line: _words(line, tokenise)):
            rows.add(vocabulary.extend(words))
            if len(rows) % PROGRESS_EVERY == 0:
                progress("reading lines", len(rows))
    return vocabulary, rows.finish()


def _words(line: str, tokenise: Callable[[str], list[str]]) -> list[str]:
    words = tokenise(line)
    check_words(words)
    return words
