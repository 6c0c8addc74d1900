"""The part of a phrase table that one sentence needs, as a table of its own.

A search under a constraint needs options that are otherwise too improbable to be looked at, and no
others. With a table of its own, everything else stays as it is.
"""

from collections.abc import Callable

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import END
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.pruned import with_entries
from hyperbaton.models.phrases.sections import nodes_of
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import ROOT, child
from hyperbaton.models.phrases.table import PhraseTable


def sentence_table(
    table: PhraseTable,
    words: Int32Array,
    is_wanted: Callable[[Ragged], BoolArray],
    best: Int64Array,
) -> PhraseTable:
    """The entries for spans of a sentence, given by word ids, whose target phrases, distinct ones
    of word ids, are wanted; and the entries `best` in any case."""
    start, length, node = _matches(table.trie, table.entry_begin, words)
    node, first = np.unique(node, return_index=True)
    start, length = start[first].astype(np.int64), length[first]
    n_entries = np.diff(table.entry_begin)[node].astype(np.int64)
    row = np.repeat(np.arange(len(node)), n_entries)
    begin = table.entry_begin[node] - (np.cumsum(n_entries) - n_entries)
    entries = np.arange(len(row)) + begin[row]
    targets, which = np.unique(table.target[entries], return_inverse=True)
    keep = is_wanted(table.target_phrases.take(targets.astype(np.int64)))[which]
    keep |= np.isin(entries, best)
    entries, row = entries[keep], row[keep]

    used, row = np.unique(row, return_inverse=True)
    phrases = Ragged.gather(words, start[used], length[used])
    if not len(entries):  # a table is never empty; this entry is of no sentence
        entries = row = np.zeros(1, np.int64)
        phrases = Ragged(np.array([END], np.int32), np.array([0, 1]))
    nodes, node_of = nodes_of(phrases)
    place = node_of[row]
    per_node = np.bincount(place, minlength=len(nodes.word))
    by_node = np.argsort(place, kind="stable")
    made = with_entries(table, nodes, per_node, entries[by_node])
    return PhraseTable.of(made.gathered())


@kernel
def _matches(trie, entry_begin, words):
    """Start, length and node of all spans that have entries."""
    found = np.empty((3, GRID * len(words)), np.int32)
    n = 0
    for start in range(len(words)):
        node = np.int32(ROOT)
        for length in range(1, min(len(words) - start, GRID) + 1):
            node = child(trie, node, words[start + length - 1])
            if node == EMPTY:
                break
            if entry_begin[node] < entry_begin[node + 1]:
                found[0, n], found[1, n], found[2, n] = start, length, node
                n += 1
    return found[0, :n], found[1, :n], found[2, :n]
