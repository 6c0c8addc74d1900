"""Makes a rule table from rules in any order."""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Float32Array, Int32Array, Ragged, UInt64Array
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.phrases.entries import DIRECT
from hyperbaton.models.phrases.numbering import number_rows
from hyperbaton.models.phrases.sorted_trie import build_nodes, rooted, sorted_order
from hyperbaton.models.rules.settings import MOST_SYMBOLS
from hyperbaton.models.rules.table import RuleTable


class Rules(NamedTuple):
    """Distinct rules. Sides are rows of symbols; sides that no rule has are allowed."""

    sources: Ragged
    targets: Ragged
    source: Int32Array  # (n,) row of `sources`
    target: Int32Array
    inner: UInt64Array
    lexical: Float32Array  # (n, 2) natural logs, inverse and direct
    frequency: Float32Array  # (n, 5) as RuleTable.frequency_rows


def assemble(source: Vocabulary, target: Vocabulary, rules: Rules) -> RuleTable:
    """The table; source sides with rules are ordered by their symbols, rules by φ(e|f)."""
    sources, of_source = _used_sides(rules.sources, rules.source)
    targets, of_target = _used_sides(rules.targets, rules.target)
    at, length = _places(sources)
    nodes = build_nodes(sources.values, at, length, np.arange(len(sources)), MOST_SYMBOLS)
    trie = rooted(nodes)
    node = nodes.of_phrases[of_source] + 1
    order = np.lexsort((of_target, -rules.frequency[:, DIRECT], node))
    frequency, frequency_rows = number_rows(rules.frequency[order])
    alignments, alignment = np.unique(rules.inner[order], return_inverse=True)
    sizes = np.bincount(node, minlength=len(trie.word))
    return RuleTable(
        source,
        target,
        *trie,
        np.cumsum([0, *sizes]).astype(np.int32),
        of_target[order],
        targets.values,
        targets.offsets.astype(np.int32),
        rules.lexical[order],
        frequency,
        frequency_rows,
        alignment.astype(np.int32),
        alignments,
    )


def _used_sides(sides: Ragged, row: Int32Array) -> tuple[Ragged, Int32Array]:
    """The sides that rules have, sorted by their symbols, and their new rows."""
    used = np.unique(row)
    kept = sides.take(used.astype(np.int64))
    order = sorted_order(kept.values, *_places(kept))
    new = np.empty(len(sides), np.int32)
    new[used[order]] = np.arange(len(order))
    return kept.take(order), new[row]


def _places(sides: Ragged) -> tuple[Int32Array, Int32Array]:
    return sides.offsets[:-1].astype(np.int32), sides.lengths.astype(np.int32)
