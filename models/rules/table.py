"""The rule table: arrays that are written once and then mapped into memory.

Source sides form a sorted trie over words and gaps; each node has a run of rules, best φ(e|f)
first. Values that many rules share are stored once, as in the phrase table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import (
    Float32Array,
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
)
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.models.phrases.sorted_trie import ROOT, SortedTrie, parents
from hyperbaton.models.phrases.table import (
    ALL_ROWS,
    COUNT,
    DIRECT,
    INVERSE,
    LARGEST_COUNT,
    Entries,
)
from hyperbaton.models.rules.settings import GAP, LONGEST_SPAN, MOST_GAPS, MOST_SYMBOLS

FORMAT = 1


def text_key(words: Sequence[str]) -> int:
    """A number by which a sentence is recognised."""
    return int.from_bytes(blake2b(" ".join(words).encode(), digest_size=8).digest(), "little")


@dataclass(frozen=True, eq=False)
class RuleTable:
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    trie_word: Int32Array  # the last word or gap of each node
    trie_children: Int32Array
    entry_begin: Int32Array  # (n_nodes + 1,) rules of node v are entry_begin[v]:entry_begin[v + 1]
    target: Int32Array  # (n_rules,) row of the target sides
    target_words: Int32Array  # words and gaps
    target_offsets: Int32Array
    lexical: Float32Array  # (n_rules, 2) natural logs, inverse and direct
    frequency: Int32Array  # (n_rules,) row of the frequencies
    frequency_rows: Float32Array  # (rows, 5) c(e), c(f), c(f, e), log φ(f|e), log φ(e|f)
    alignment: Int32Array  # (n_rules,) number of the inner alignment
    alignments: UInt64Array  # distinct ones, bit MOST_SYMBOLS · target + source
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

    def __len__(self) -> int:
        return len(self.target)

    @property
    def trie(self) -> SortedTrie:
        return SortedTrie(self.trie_word, self.trie_children)

    @property
    def target_sides(self) -> Ragged:
        return Ragged(self.target_words, self.target_offsets)  # type: ignore[arg-type]

    def scores_of(self, entries: Entries = ALL_ROWS) -> Float32Array:
        """Natural logs, (n, 4), columns as in SCORES."""
        rows, lexical = self.frequency_rows[self.frequency[entries]], self.lexical[entries]
        columns = rows[..., INVERSE], lexical[..., 0], rows[..., DIRECT], lexical[..., 1]
        return np.stack(columns, axis=-1)

    def inner_of(self, entries: Entries = ALL_ROWS) -> UInt64Array:
        """Inner alignments, bit MOST_SYMBOLS · target symbol + source symbol."""
        return self.alignments[self.alignment[entries]]

    def counts_of(self, entries: Entries = ALL_ROWS) -> FloatArray:
        """c(e), c(f), c(f, e)."""
        rows = self.frequency_rows[self.frequency[entries]]
        return rows[..., : COUNT + 1].astype(np.float64)

    def save(self, directory: Path) -> None:
        values = vars(self)
        arrays = {name: values[name] for name in values if isinstance(values[name], np.ndarray)}
        words = {name: values[name] for name in values if isinstance(values[name], Vocabulary)}
        save_arrays(directory, FORMAT, {}, arrays, words)

    @classmethod
    def load(cls, directory: Path) -> "RuleTable":
        """Maps a saved table into memory; pages are read at first use."""
        folder = load_arrays(directory, FORMAT, _laws)
        given = {**folder.arrays, **folder.vocabularies}
        return cls(**{item.name: given[item.name] for item in fields(cls)})


def _laws(arrays: CheckedArrays) -> None:
    n_words = arrays.words("source_vocabulary")
    word = arrays.indices("trie_word", np.int32, (None,), below=n_words)
    n_nodes = len(word)
    arrays.that("trie_word", n_nodes > 0, "has no root")
    children = arrays.ranges("trie_children", np.int32, n_nodes, first=1, rows=n_nodes)
    deeper = np.all(children[:-1] > np.arange(n_nodes, dtype=np.int32))
    arrays.that("trie_children", deeper, "has nodes that are their own children")
    target = arrays.array("target", np.int32, (None,))
    begin = arrays.ranges("entry_begin", np.int32, len(target), rows=n_nodes)
    below = arrays.words("target_vocabulary")
    words = arrays.indices("target_words", np.int32, (None,), below=below, low=GAP)
    offsets = arrays.ranges("target_offsets", np.int32, len(words))
    arrays.within("target", target, 0, len(offsets) - 1)
    rows = arrays.array("frequency_rows", np.float32, (None, DIRECT + 1))
    counts = rows[:, : COUNT + 1]
    known = not len(counts) or (counts.min() >= 0 and counts.max() <= LARGEST_COUNT)
    arrays.that("frequency_rows", known, "has negative or too large counts")
    arrays.finite("frequency_rows", rows[:, COUNT + 1 :])
    arrays.floats("lexical", np.float32, (len(target), 2))
    arrays.indices("frequency", np.int32, target.shape, below=len(rows))
    arrays.array("sentences", np.uint64, (None,))
    alignments = arrays.array("alignments", np.uint64, (None,))
    alignment = arrays.indices("alignment", np.int32, target.shape, below=len(alignments))
    depth, n_gaps = _depth_and_gaps(SortedTrie(word, children), arrays)
    has_rules = np.diff(begin) > 0
    arrays.that("entry_begin", not has_rules[n_gaps == depth].any(), "has rules without words")
    lengths = np.diff(offsets)
    short = not len(lengths) or (lengths.min() >= 1 and lengths.max() <= LONGEST_SPAN)
    arrays.that("target_offsets", short, "has empty or too long target sides")
    wanted, side = np.repeat(n_gaps, np.diff(begin)), np.repeat(np.arange(len(lengths)), lengths)
    for gap in range(MOST_GAPS):
        n = np.bincount(side[words == GAP + gap], minlength=len(lengths))
        arrays.that("target_words", np.all(n[target] == (wanted > gap)), "has other gaps")
    bits = np.arange(MOST_SYMBOLS * LONGEST_SPAN, dtype=np.uint64)
    has = (alignments[:, None] >> bits & np.uint64(1)).astype(np.int8)
    sources = (has * (bits % MOST_SYMBOLS + 1).astype(np.int8)).max(axis=1, initial=0)
    targets = (has * (bits // MOST_SYMBOLS + 1).astype(np.int8)).max(axis=1, initial=0)
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
