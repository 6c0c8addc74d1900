"""Smaller tables from a phrase table that exists: pruned by count, rank and significance, or the
part that one sentence needs. What is left keeps its scores.

Significance is Fisher's exact test as in training, but the table knows no sentences, so it counts
occurrences: of all occurrences of phrase pairs, c(f) have f, c(e) have e and c(f, e) both.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import BoolArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder
from hyperbaton.foundation.files.vocabulary import END
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.pruning import significance_of_counts, significance_threshold
from hyperbaton.models.phrases.sections import SHARED, join, nodes_of, section, used_rows
from hyperbaton.models.phrases.settings import GRID, NONE, PhraseSettings
from hyperbaton.models.phrases.sorted_trie import ROOT, Nodes, SortedTrie, child, living
from hyperbaton.models.phrases.table import COUNT, PhraseTable


def pruned(table: PhraseTable, settings: PhraseSettings) -> ArrayFolder:
    """The table with the entries that `min_count`, `top` and `significance` leave."""
    n_nodes = len(table.trie_word)
    node = np.repeat(np.arange(n_nodes, dtype=np.int64), np.diff(table.entry_begin))
    keep = np.flatnonzero(_kept(table, node, settings))
    if not len(keep):
        raise DataError(
            f"none of {len(table):,} phrase pairs is left", advice="choose lower thresholds"
        )
    n_entries = np.bincount(node[keep], minlength=n_nodes).astype(np.int32)[1:]
    nodes, chosen = living(_nodes(table.trie), n_entries)
    return with_entries(table, nodes, n_entries[chosen], keep)


def with_entries(
    table: PhraseTable, nodes: Nodes, n_entries: NDArray[Any], entries: Int64Array
) -> ArrayFolder:
    """A table of some of the entries, in the order of the nodes that have them."""
    targets, target = np.unique(table.target[entries], return_inverse=True)
    shared = {
        name: used_rows(getattr(table, name)[entries], getattr(table, rows))
        for name, rows in SHARED.items()
    }
    made = section(nodes, n_entries, target.astype(np.int32), table.lexical[entries], **shared)
    phrases = table.target_phrases.take(targets.astype(np.int64))
    return join(
        [made],
        lambda: [phrases],
        (table.source_vocabulary, table.target_vocabulary),
        table.reordering_type,
        table.n_occurrences,
    )


def _kept(table: PhraseTable, node: Int64Array, settings: PhraseSettings) -> BoolArray:
    keep: BoolArray = table.frequency_rows[table.frequency, COUNT] >= settings.min_count
    if settings.top:
        keep &= np.arange(len(table)) - table.entry_begin[node] < settings.top
    if settings.significance != NONE:
        counts = np.ascontiguousarray(np.rint(table.counts_of()).astype(np.int64).T)
        if not counts.all():
            raise DataError(
                "the phrase table has pairs without counts", expected="significance needs them"
            )
        total = max(round(table.n_occurrences), int(counts.max()))
        threshold = significance_threshold(settings.significance, total)
        keep &= significance_of_counts(*counts, total) >= threshold
    return keep


def _nodes(trie: SortedTrie) -> Nodes:
    """The nodes below the root."""
    level_begin = [1]
    while level_begin[-1] < len(trie.word):
        level_begin.append(int(trie.children[level_begin[-1]]))
    n_children = np.diff(trie.children)[1:].astype(np.int32)
    return Nodes(trie.word[1:], n_children, trie.word[1:], np.array(level_begin) - 1)


def sentence_table(
    table: PhraseTable,
    words: Int32Array,
    is_wanted: Callable[[Ragged], BoolArray],
    best: Int64Array,
) -> PhraseTable:
    """The entries for spans of a sentence, given by word ids, whose target phrases, distinct ones
    of word ids, are wanted; and the entries `best` in any case.

    A search under a constraint needs options that are otherwise too improbable to be looked at, and
    no others. With a table of its own, everything else stays as it is.
    """
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
    nodes = nodes_of(phrases)
    place = nodes.of_phrases[row]
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
