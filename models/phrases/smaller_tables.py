"""Smaller tables from an existing phrase table: pruned by count, rank and significance, or reduced
to what one sentence needs. The remaining entries keep their scores.

Significance is Fisher's exact test as in training, but with counts of occurrences, because the
table has no sentences: of all occurrences of phrase pairs, c(f) have f, c(e) have e and c(f, e)
both.
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
from hyperbaton.models.phrases.entries import COUNT
from hyperbaton.models.phrases.pruning import significance_of_counts, significance_threshold
from hyperbaton.models.phrases.sections import SHARED, join, nodes_of, section, used_rows
from hyperbaton.models.phrases.settings import GRID, NONE, PhraseSettings
from hyperbaton.models.phrases.sorted_trie import ROOT, Nodes, SortedTrie, child, living
from hyperbaton.models.phrases.table import PhraseTable


def pruned(table: PhraseTable, settings: PhraseSettings) -> ArrayFolder:
    """The table without the entries that `min_count`, `top` and `significance` drop."""
    n_nodes = len(table.trie_word)
    node = np.repeat(np.arange(n_nodes, dtype=np.int64), np.diff(table.entry_begin))
    keep = np.flatnonzero(_kept(table, node, settings))
    if not len(keep):
        raise DataError(
            f"all {len(table):,} phrase pairs would be dropped", advice="choose lower thresholds"
        )
    n_entries = np.bincount(node[keep], minlength=n_nodes).astype(np.int32)[1:]
    nodes, chosen = living(_nodes(table.trie), n_entries)
    return with_entries(table, nodes, n_entries[chosen], keep)


def with_entries(
    table: PhraseTable, nodes: Nodes, n_entries: NDArray[Any], entries: Int64Array
) -> ArrayFolder:
    """A table of the chosen entries, given in the order of their nodes."""
    targets, target = np.unique(table.target[entries], return_inverse=True)
    shared = {
        name: used_rows(getattr(table, name)[entries], getattr(table, rows))
        for name, rows in SHARED.items()
    }
    only = section(nodes, n_entries, target.astype(np.int32), table.lexical[entries], **shared)
    phrases = table.target_sides.take(targets.astype(np.int64))
    return join(
        [only],
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
                "the phrase table has pairs without counts",
                expected="pruning by significance needs counts",
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
    """The table reduced to entries for spans of a sentence (word ids) whose target phrases are
    wanted, and the entries `best`. `is_wanted` gets distinct target phrases as word ids.

    A constrained search needs options that are otherwise too improbable to be considered. A reduced
    table provides them without changes to the search.
    """
    start, length, node = _matches(table.trie, table.entry_begin, words)
    node, first = np.unique(node, return_index=True)
    start, length = start[first].astype(np.int64), length[first]
    n_entries = np.diff(table.entry_begin)[node].astype(np.int64)
    row = np.repeat(np.arange(len(node)), n_entries)
    begin = table.entry_begin[node] - (np.cumsum(n_entries) - n_entries)
    entries = np.arange(len(row)) + begin[row]
    targets, which = np.unique(table.target[entries], return_inverse=True)
    keep = is_wanted(table.target_sides.take(targets.astype(np.int64)))[which]
    keep |= np.isin(entries, best)
    entries, row = entries[keep], row[keep]

    used, row = np.unique(row, return_inverse=True)
    phrases = Ragged.gather(words, start[used], length[used])
    if not len(entries):  # a table must not be empty: add an entry that matches no sentence
        entries = row = np.zeros(1, np.int64)
        phrases = Ragged(np.array([END], np.int32), np.array([0, 1]))
    nodes = nodes_of(phrases)
    place = nodes.of_phrases[row]
    per_node = np.bincount(place, minlength=len(nodes.word))
    by_node = np.argsort(place, kind="stable")
    return PhraseTable.of(with_entries(table, nodes, per_node, entries[by_node]).gathered())


@kernel
def _matches(trie, entry_begin, words):
    """Start, length and node of all spans with entries."""
    spans = np.empty((3, GRID * len(words)), np.int32)
    n = 0
    for start in range(len(words)):
        node = np.int32(ROOT)
        for length in range(1, min(len(words) - start, GRID) + 1):
            node = child(trie, node, words[start + length - 1])
            if node == EMPTY:
                break
            if entry_begin[node] < entry_begin[node + 1]:
                spans[0, n], spans[1, n], spans[2, n] = start, length, node
                n += 1
    return spans[0, :n], spans[1, :n], spans[2, :n]
