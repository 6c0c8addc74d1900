"""Reads text files as word numbers, and counts all n-grams of a text up to a length, by sorting.

An n-gram is numbered by the pair (number of its prefix, last word), so that every length takes one
sort of 64-bit keys. Sentences are counted with <s> before and </s> after them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.arrays import BoolArray, GrowingRagged, Int32Array, Int64Array, Ragged
from models.data.text import parse_lines, split_words
from models.data.vocabulary import BEGIN, END, SPECIAL, Vocabulary, check_words
from models.errors import DataError
from models.language_model.ngrams import node_keys
from models.progress import Progress

PROGRESS_EVERY = 1000  # lines


@dataclass(frozen=True, eq=False)
class NGramCounts:
    """The n-grams of one length, sorted by (prefix, word). Nodes are numbered as in `NGrams`."""

    prefix: Int32Array  # (n-grams,) node of all words but the last
    suffix: Int32Array  # (n-grams,) node of all words but the first
    word: Int32Array  # (n-grams,)
    occurrences: Int64Array  # (n-grams,)
    begins: BoolArray  # (n-grams,) whether its first word is <s>


def count_ngrams(sentences: Ragged, n_words: int, order: int) -> list[NGramCounts]:
    """The n-grams of length 1 to `order` of sentences whose words are below `n_words`.

    The special symbols are unigrams, <unk> and <s> with 0 occurrences: no model predicts them.
    """
    _check(sentences, n_words)
    words, depth = _with_boundaries(sentences)
    seen = np.zeros(n_words, dtype=bool)
    seen[words] = True
    seen[: len(SPECIAL)] = True
    unigrams = np.flatnonzero(seen)
    occurrences = np.bincount(words, minlength=n_words)
    occurrences[BEGIN] = 0
    empty = np.zeros(len(unigrams), dtype=np.int32)
    counts = [
        NGramCounts(
            empty, empty, unigrams.astype(np.int32), occurrences[unigrams], unigrams == BEGIN
        )
    ]
    node = np.cumsum(seen, dtype=np.int32)[words]  # (tokens,) of the n-gram that ends here
    start = 1  # the first node of the length that is known already
    for length in range(2, order + 1):
        ends = np.flatnonzero(depth >= length - 1)
        keys = node_keys(node[ends - 1], words[ends])
        unique, first, inverse, times = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        prefix = (unique >> 32).astype(np.int32)
        counts.append(
            NGramCounts(
                prefix=prefix,
                suffix=node[ends[first]],
                word=(unique & 0xFFFFFFFF).astype(np.int32),
                occurrences=times,
                begins=counts[-1].begins[prefix - start],
            )
        )
        start += len(counts[-2].word)
        longer = np.zeros_like(node)
        longer[ends] = inverse + start
        node = longer
    return counts


def _check(sentences: Ragged, n_words: int) -> None:
    if not len(sentences.values):
        raise DataError(
            "the text has no words", expected="a language model needs at least one sentence"
        )
    smallest, largest = int(sentences.values.min()), int(sentences.values.max())
    if smallest < len(SPECIAL) or largest >= n_words:
        raise DataError(
            f"the text has word numbers from {smallest} to {largest}",
            expected=f"numbers of its vocabulary without the special symbols: "
            f"{len(SPECIAL)} to {n_words - 1}",
        )


def _with_boundaries(sentences: Ragged) -> tuple[Int32Array, Int32Array]:
    """The sentences with <s> and </s> in one array, and how far each token is from its <s>."""
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


def read_text(paths: Iterable[Path], progress: Progress | None = None) -> tuple[Vocabulary, Ragged]:
    """All lines of all files, one after the other; an empty line is an empty sentence.

    A line that is not UTF-8, or has a word that the files of a model cannot hold, is an error.
    """
    vocabulary, rows = Vocabulary(), GrowingRagged()
    for path in paths:
        for _, words in parse_lines(path, _words):
            rows.add(vocabulary.extend(words))
            if progress and len(rows) % PROGRESS_EVERY == 0:
                progress("reading lines", len(rows))
    return vocabulary, rows.finish()


def _words(line: str) -> list[str]:
    words = split_words(line)
    check_words(words)
    return words
