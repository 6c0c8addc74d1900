"""Numbers for the n-grams of a text, and the numbers of the same n-grams in any other text."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.trie import ROOT, Trie, build_trie, child, number_spans, trie_laws


class NgramIndex(NamedTuple):
    """The n-grams of up to `order` words that a text has, numbered from 0 for each length."""

    trie: Trie
    number_of_node: Int32Array  # (n_nodes,)
    sizes: Int64Array  # (order,) how many n-grams there are of each length

    @classmethod
    def fit(cls, text: Ragged, order: int) -> "tuple[NgramIndex, Int32Array]":
        """The index of a text, and the numbers of its n-grams as `find` would give them."""
        spans = number_spans(text, order)
        sizes = np.bincount(spans.length, minlength=order + 1)[1:]
        first = np.cumsum(sizes) - sizes  # lengths are numbered one after the other
        phrases = Ragged.gather(text.values, spans.first_at, spans.length)
        trie, ends, n_nodes = build_trie(phrases)
        number_of_node = np.full(n_nodes, EMPTY, np.int32)
        number_of_node[ends] = np.arange(len(ends)) - first[spans.length - 1]
        ids = np.where(spans.ids >= 0, spans.ids - first[:, None], EMPTY)
        return cls(trie, number_of_node, sizes), ids.astype(np.int32)

    def find(self, text: Ragged) -> Int32Array:
        """The number of the n-gram of each length at each place, (order, n_words); EMPTY where the
        index does not have it or the row ends."""
        ids = np.full((len(self.sizes), len(text.values)), EMPTY, np.int32)
        find_ngrams(self.trie, self.number_of_node, text.values, text.offsets, ids)
        return ids

    def words(self, length: int, number: int) -> list[int]:
        """The words of an n-gram; slow, for inspection."""
        used = self.trie.nodes != EMPTY
        parents = np.zeros(len(self.number_of_node), np.int64)
        parents[self.trie.nodes[used]] = self.trie.keys[used]  # parent · 2^32 + word
        words: list[int] = []
        for node in np.flatnonzero(self.number_of_node == number).tolist():
            words.clear()
            while node != ROOT:
                words.insert(0, int(parents[node]) & 0xFFFFFFFF)
                node = int(parents[node]) >> 32
            if len(words) == length:
                break
        return words

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        return {
            f"{prefix}_keys": self.trie.keys,
            f"{prefix}_nodes": self.trie.nodes,
            f"{prefix}_numbers": self.number_of_node,
            f"{prefix}_sizes": self.sizes,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> "NgramIndex":
        trie = Trie(arrays[f"{prefix}_keys"], arrays[f"{prefix}_nodes"])
        return cls(trie, arrays[f"{prefix}_numbers"], arrays[f"{prefix}_sizes"])


def ngram_laws(arrays: CheckedArrays, prefix: str, order: int) -> Int64Array:
    """Of an index on disk, whose n-grams are numbered by their lengths; how many there are."""
    name = f"{prefix}_sizes"
    sizes = arrays.indices(name, np.int64, (order,), below=2**31)
    numbers = arrays.array(f"{prefix}_numbers", np.int32, (None,))
    length = trie_laws(arrays, f"{prefix}_keys", f"{prefix}_nodes", len(numbers))
    most = np.append(0, sizes)[np.where(length <= order, length, 0)]
    fits = np.all((numbers >= EMPTY) & (numbers < np.maximum(most, 0)))
    arrays.that(f"{prefix}_numbers", fits, "has numbers of n-grams that are not there")
    return sizes


@kernel
def find_ngrams(trie, number_of_node, words, offsets, ids):
    """Writes the numbers of n-grams that are there into `ids`, (order, n_words)."""
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            node = np.int32(ROOT)
            for k in range(min(len(ids), offsets[row + 1] - at)):
                node = child(trie, node, words[at + k])
                if node == EMPTY:
                    break
                ids[k, at] = number_of_node[node]
