"""Prunes a phrase table that exists: by count, rank and significance.

What is left keeps its scores. Significance is Fisher's exact test as in training, but the table
knows no sentences, so it counts occurrences: of all occurrences of phrase pairs, c(f) have f, c(e)
have e and c(f, e) both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import BoolArray, Int64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder
from hyperbaton.models.phrases.pruning import significance_of_counts, significance_threshold
from hyperbaton.models.phrases.sections import Targets, join, used_rows
from hyperbaton.models.phrases.settings import NONE, PhraseSettings
from hyperbaton.models.phrases.sorted_trie import Nodes, SortedTrie, living
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
    alignment, alignments = used_rows(table.alignment[entries], table.alignments)
    frequency, frequency_rows = used_rows(table.frequency[entries], table.frequency_rows)
    reordering, reordering_rows = used_rows(table.reordering[entries], table.reordering_rows)
    targets, target = np.unique(table.target[entries], return_inverse=True)
    section = {
        **nodes._asdict(),
        "n_entries": n_entries,
        "target": target.astype(np.int32),
        "lexical": table.lexical[entries],
        "frequency": frequency,
        "frequency_rows": frequency_rows,
        "alignment": alignment,
        "alignments": alignments,
        "reordering": reordering,
        "reordering_rows": reordering_rows,
    }
    phrases = table.target_phrases.take(targets.astype(np.int64))
    of_targets = Targets(phrases.values, phrases.lengths)
    return join(
        [section],
        lambda: iter([of_targets]),
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
