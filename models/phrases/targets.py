"""The target phrases of phrase pairs: their order, their counts, and the rows of the pairs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Ragged
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.models.phrases.numbering import number_phrases
from hyperbaton.models.phrases.pruning import Postings, find_sentences
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.smoothing import pairs_by_count
from hyperbaton.models.phrases.sorted_trie import build_nodes, sorted_order


def number_targets(
    text: Int32Array, at: Int32Array, length: Int32Array, count: Int32Array
) -> dict[str, NDArray[Any]]:
    """The phrases `text[at : at + length]` of pairs with their counts c(f, e).

    `row` is the place of each among the distinct ones, which come in the order of their words:
    `words`, `length`, `count` (c(e)) and `seen` (how many of their pairs were seen how often).
    """
    number, first = number_phrases(text, at, length)
    order = sorted_order(text, at[first], length[first])
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    row = rank[number]
    chosen = first[order]
    return {
        "row": row,
        "words": Ragged.gather(text, at[chosen].astype(np.int64), length[chosen]).values,
        "length": length[chosen].astype(np.uint8),
        "count": np.bincount(row, count, len(order)).astype(np.int32),
        "seen": pairs_by_count(row.astype(np.int64), count, len(order)),
    }


def target_postings(words: Int32Array, length: NDArray[Any], corpus: Ragged) -> Postings:
    """The sentences that hold each of the target phrases, which come in order."""
    size = length.astype(np.int32)
    at = (np.cumsum(size) - size).astype(np.int32)
    nodes = build_nodes(words, at, size, np.arange(len(size)), GRID)
    found = find_sentences(nodes, corpus)
    is_phrase = nodes.phrase != EMPTY
    lengths = np.diff(found.begin)
    by_phrase = np.empty(len(size), np.int64)
    by_phrase[nodes.phrase[is_phrase]] = np.flatnonzero(is_phrase)
    ordered = Ragged.gather(found.sentences, found.begin[by_phrase], lengths[by_phrase])
    return Postings(ordered.offsets, ordered.values)
