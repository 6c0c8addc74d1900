"""The rule table: entries of rules, whose sides are words and gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import Int64Array, UInt64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.models.phrases.entries import EntryTable, entry_laws, linked_symbols
from hyperbaton.models.phrases.sorted_trie import ROOT, SortedTrie, parents
from hyperbaton.models.rules.settings import GAP, LONGEST_SPAN, MOST_GAPS, MOST_SYMBOLS


def text_key(words: Sequence[str]) -> int:
    """A number by which a sentence is recognised."""
    return int.from_bytes(blake2b(" ".join(words).encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class RuleTable(EntryTable):
    """Bit MOST_SYMBOLS · target + source of an inner alignment is a link of words."""

    FORMAT: ClassVar[int] = 2

    # keys of the sentences that it has rules for; empty: all sentences
    sentences: UInt64Array = field(default_factory=lambda: np.empty(0, np.uint64))

    def check_text(self, words: Sequence[str]) -> None:
        """Raises if the rules were extracted for other texts."""
        if len(self.sentences) and words and text_key(words) not in self.sentences:
            raise DataError(
                "the rules were extracted for other sentences",
                expected="expected a sentence of the texts given with --rules-for in training",
                advice="train again with this text as another --rules-for",
            )

    @staticmethod
    def laws(arrays: CheckedArrays) -> None:
        trie, begin, target, words, offsets, alignment, alignments = entry_laws(arrays, GAP)
        arrays.array("sentences", np.uint64, (None,))
        depth, n_gaps = _depth_and_gaps(trie, arrays)
        has_rules = np.diff(begin) > 0
        arrays.that("entry_begin", not has_rules[n_gaps == depth].any(), "has rules without words")
        lengths = np.diff(offsets)
        short = not len(lengths) or (lengths.min() >= 1 and lengths.max() <= LONGEST_SPAN)
        arrays.that("target_offsets", short, "has empty or too long target sides")
        wanted = np.repeat(n_gaps, np.diff(begin))
        side = np.repeat(np.arange(len(lengths)), lengths)
        for gap in range(MOST_GAPS):
            n = np.bincount(side[words == GAP + gap], minlength=len(lengths))
            arrays.that("target_words", np.all(n[target] == (wanted > gap)), "has other gaps")
        sources, targets = linked_symbols(alignments, MOST_SYMBOLS, MOST_SYMBOLS * LONGEST_SPAN)
        inside = sources[alignment] <= np.repeat(depth, np.diff(begin))
        inside &= targets[alignment] <= lengths[target]
        arrays.that("alignment", np.all(inside), "has links to symbols outside their rules")


def _depth_and_gaps(trie: SortedTrie, arrays: CheckedArrays) -> tuple[Int64Array, Int64Array]:
    """The symbols and the gaps on the way to each node; checks the source sides."""
    above, is_gap = parents(trie), trie.word == GAP
    depth, n_gaps = np.zeros(len(above), np.int64), np.zeros(len(above), np.int64)
    low, high = 0, 1  # the nodes of a level; their children form the next level
    while low < high:
        arrays.that("trie_children", depth[low] <= MOST_SYMBOLS, "has too long source sides")
        low, high = int(trie.children[low]), int(trie.children[high])
        depth[low:high] = depth[above[low:high]] + 1
        n_gaps[low:high] = n_gaps[above[low:high]] + is_gap[low:high]
    words = trie.word[1:]
    arrays.that("trie_word", np.all((words >= len(SPECIAL)) | (words == GAP)), "has other symbols")
    arrays.that("trie_word", n_gaps.max() <= MOST_GAPS, "has source sides with too many gaps")
    adjacent = is_gap[1:] & is_gap[above[1:]] & (above[1:] != ROOT)
    arrays.that("trie_word", not adjacent.any(), "has adjacent gaps")
    return depth, n_gaps
