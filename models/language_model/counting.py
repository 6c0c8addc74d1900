"""Reads text files as word ids, and counts all n-grams of a text up to a length, by sorting.

An n-gram is numbered by the pair (number of its prefix, last word), so that every length takes one
sort of 64-bit keys. A long text is sorted in parts, each with the n-grams of a range of prefixes;
the concatenation is the same as sorting everything at once. Sentences are counted with <s> before
and </s> after them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np

from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.foundation.arrays import (
    MOST_NUMBERED,
    BoolArray,
    GrowingRagged,
    Int32Array,
    Int64Array,
    Ragged,
)
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import BEGIN, END, SPECIAL, Vocabulary, check_words
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.ngrams import node_keys

PROGRESS_EVERY = 1000  # lines
SORTING_MEMORY = 500_000_000  # bytes for sorting
BYTES_PER_TOKEN = 48  # memory for sorting
SAMPLED_TOKENS = 100_000  # sample that determines the bounds of parts

Columns: TypeAlias = Mapping[str, Int32Array]  # of `NGramCounts`, all but the last


@dataclass(frozen=True, eq=False)
class NGramCounts:
    """The n-grams of one length, sorted by (prefix, word). Nodes are numbered as in `NGrams`."""

    prefix: Int32Array  # (n-grams,) node of all words but the last
    suffix: Int32Array  # (n-grams,) node of all words but the first
    word: Int32Array  # (n-grams,)
    occurrences: Int32Array  # (n-grams,)
    begins: BoolArray  # (n-grams,) whether its first word is <s>


def count_ngrams(
    sentences: Ragged, n_words: int, order: int, memory: int = SORTING_MEMORY
) -> list[NGramCounts]:
    """The n-grams of length 1 to `order` of sentences whose word ids are below `n_words`.

    The special symbols are unigrams; <unk> and <s> have 0 occurrences, because no model predicts
    them. Besides the text and the result, counting takes about `memory` bytes, which do not affect
    the result.
    """
    check_text(sentences, n_words)
    words, depth = with_boundaries(sentences)
    counts = [count_words(words, n_words)]
    seen = np.zeros(n_words, dtype=bool)
    seen[counts[0].word] = True
    node = np.cumsum(seen, dtype=np.int32)[words]  # (tokens,) of the n-gram that ends here
    start = 1  # the first node of the previous length
    n_parts = max(1, -(-len(words) * BYTES_PER_TOKEN // max(memory, 1)))
    for length in range(2, order + 1):
        begins, next_start = counts[-1].begins, start + len(counts[-1].word)
        bounds = _part_bounds(node, n_parts, start, next_start)
        longer, parts = np.zeros_like(node), list[Columns]()
        first = next_start
        for low, high in pairwise(bounds):
            is_end = depth[1:] >= length - 1
            is_end &= node[:-1] >= low
            is_end &= node[:-1] < high
            ends = np.flatnonzero(is_end) + 1
            parts.append(_counted(words, node, ends, longer, first))
            first += len(parts[-1]["word"])
            check_number(first)
        counts.append(together(parts, begins, start))
        start, node = next_start, longer
    return counts


def count_words(words: Int32Array, n_words: int) -> NGramCounts:
    """The n-grams of length 1."""
    occurrences = np.bincount(words, minlength=n_words).astype(np.int32)
    seen = occurrences > 0
    seen[: len(SPECIAL)] = True
    occurrences[BEGIN] = 0
    unigrams = np.flatnonzero(seen)
    empty = np.zeros(len(unigrams), dtype=np.int32)
    return NGramCounts(
        empty, empty, unigrams.astype(np.int32), occurrences[unigrams], unigrams == BEGIN
    )


def _part_bounds(node: Int32Array, n_parts: int, low: int, high: int) -> list[int]:
    """The bounds, as prefixes, of parts with about equally many tokens."""
    some = np.sort(node[:: max(len(node) // SAMPLED_TOKENS, 1)])
    between = np.unique(some[np.arange(1, n_parts) * len(some) // n_parts])
    return [low, *between[(between > low) & (between < high)].tolist(), high]


def _counted(
    words: Int32Array, node: Int32Array, ends: Int64Array, longer: Int32Array, first: int
) -> Columns:
    """Counts the n-grams that end at some tokens; writes their nodes, from `first` on, to
    `longer`."""
    keys = node_keys(node[ends - 1], words[ends])
    order = np.argsort(keys, kind="stable")
    keys, ends = keys[order], ends[order]
    del order
    is_new = np.ones(len(keys), np.bool_)
    is_new[1:] = keys[1:] != keys[:-1]
    longer[ends] = np.cumsum(is_new, dtype=np.int32) + np.int32(first - 1)
    begin = np.flatnonzero(is_new)
    keys = keys[begin]
    return {
        "prefix": (keys >> 32).astype(np.int32),
        "suffix": node[ends[begin]],
        "word": (keys & 0xFFFFFFFF).astype(np.int32),
        "occurrences": np.diff(begin, append=len(ends)).astype(np.int32),
    }


def together(parts: Sequence[Columns], begins: BoolArray, start: int) -> NGramCounts:
    """Joins the n-grams of one length; `begins` is that of their prefixes, the nodes from
    `start`."""
    names = ("prefix", "suffix", "word", "occurrences")
    columns = {name: np.concatenate([part[name] for part in parts]) for name in names}
    return NGramCounts(**columns, begins=begins[columns["prefix"] - start])


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


def with_boundaries(sentences: Ragged) -> tuple[Int32Array, Int32Array]:
    """The sentences with <s> and </s> in one array, and the distance of each token from its <s>."""
    lengths = sentences.lengths + 2
    starts = np.cumsum(lengths) - lengths
    words = np.empty(int(lengths.sum()), dtype=np.int32)
    depth = (np.arange(len(words)) - np.repeat(starts, lengths)).astype(np.int32)
    words[starts] = BEGIN
    words[starts + lengths - 1] = END
    inside = depth > 0
    inside[starts + lengths - 1] = False
    words[inside] = sentences.values
    return words, depth


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
