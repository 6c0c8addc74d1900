"""The phrase table: arrays that are written once and then only mapped into memory.

Source phrases form a trie over word ids; each node owns a run of entries, best φ(e|f) first. The
options of a sentence are found by walking the trie from every position.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array, Int64Array, Ragged, UInt64Array
from models.data.array_files import load_arrays, save_arrays
from models.data.vocabulary import Vocabulary
from models.phrases.trie import Trie, build_trie

FORMAT = 1
SCORES = ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")  # as in Moses
DIRECT_PHRASE = SCORES.index("direct_phrase")
FLOOR = -100.0  # log of a probability of 0, as in Moses


@dataclass(frozen=True, eq=False)
class PhraseTable:
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    trie: Trie
    entry_begin: Int64Array  # (n_nodes + 1,) entries of node v are entry_begin[v]:entry_begin[v+1]
    target: Int32Array  # (n_entries,) row of target_phrases
    target_phrases: Ragged  # word ids
    scores: FloatArray  # (n_entries, 4) natural logs, columns as in SCORES
    inner: UInt64Array  # (n_entries,) inner alignment, bit 8 · target + source
    counts: FloatArray  # (n_entries, 3): c(e), c(f), c(f, e); Moses' may be fractions
    reordering: FloatArray  # (n_entries, columns of the type) natural logs
    reordering_type: str = ""  # such as wbe-msd-bidirectional-fe; empty: no reordering scores

    def __len__(self) -> int:
        return len(self.target)

    def save(self, directory: Path) -> None:
        arrays: dict[str, NDArray[Any]] = {
            "trie_keys": self.trie.keys,
            "trie_nodes": self.trie.nodes,
            "entry_begin": self.entry_begin,
            "target": self.target,
            "target_words": self.target_phrases.values,
            "target_offsets": self.target_phrases.offsets,
            "scores": self.scores,
            "inner": self.inner,
            "counts": self.counts,
            "reordering": self.reordering,
        }
        vocabularies = {
            "source_vocabulary": self.source_vocabulary,
            "target_vocabulary": self.target_vocabulary,
        }
        header = {"reordering_type": self.reordering_type}
        save_arrays(directory, FORMAT, header, arrays, vocabularies)

    @classmethod
    def load(cls, directory: Path) -> "PhraseTable":
        """Maps a saved table into memory; pages are read when they are first used."""
        header, arrays, vocabularies = load_arrays(directory, FORMAT)
        return cls(
            vocabularies["source_vocabulary"],
            vocabularies["target_vocabulary"],
            Trie(arrays["trie_keys"], arrays["trie_nodes"]),
            arrays["entry_begin"],
            arrays["target"],
            Ragged(arrays["target_words"], arrays["target_offsets"]),
            arrays["scores"],
            arrays["inner"],
            arrays["counts"],
            arrays["reordering"],
            header["reordering_type"],
        )


class EntrySide(NamedTuple):
    """One language's side of phrase pairs."""

    vocabulary: Vocabulary
    phrases: Ragged  # word ids of distinct phrases
    row: Int32Array  # (n_entries,) row of `phrases`


def assemble(
    source: EntrySide,
    target: EntrySide,
    probabilities: FloatArray,  # (n_entries, 4)
    inner: UInt64Array,
    counts: NDArray[Any],
    reordering: FloatArray,  # probabilities, (n_entries, columns)
    reordering_type: str = "",
) -> PhraseTable:
    """A table from entries in any order."""
    trie, ends, n_nodes = build_trie(source.phrases)
    node = ends[source.row]
    order = np.lexsort((target.row, -probabilities[:, DIRECT_PHRASE], node))
    return PhraseTable(
        source.vocabulary,
        target.vocabulary,
        trie,
        np.searchsorted(node[order], np.arange(n_nodes + 1)),
        target.row[order],
        target.phrases,
        logarithms(probabilities[order]),
        inner[order],
        counts[order].astype(np.float64),
        logarithms(reordering[order]),
        reordering_type,
    )


def logarithms(probabilities: FloatArray) -> FloatArray:
    return np.maximum(np.log(np.maximum(probabilities, 1e-300)), FLOOR)
