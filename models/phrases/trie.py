"""A trie of source phrases as one hash table from (node, word) to node. The root is node 0."""

from typing import NamedTuple

import numpy as np

from models.arrays import Int32Array, Int64Array, Ragged
from models.hashing import EMPTY, find_slot, table_size
from models.kernels import kernel

ROOT = 0


class Trie(NamedTuple):
    keys: Int64Array  # (slots,) node · 2^32 + word
    nodes: Int32Array  # (slots,) where the key leads; EMPTY for an empty slot


def build_trie(phrases: Ragged) -> tuple[Trie, Int32Array, int]:
    """The trie of the phrases, the node in which each of them ends, and the number of nodes."""
    roomy = _empty(len(phrases.values))  # prefixes are shared, so this is far too much ...
    n_nodes = _insert(roomy, phrases.values, phrases.offsets, np.empty(len(phrases), np.int32))
    trie = _empty(n_nodes)  # ... and this is right
    ends = np.empty(len(phrases), np.int32)
    _insert(trie, phrases.values, phrases.offsets, ends)
    return trie, ends, n_nodes


def _empty(n_keys: int) -> Trie:
    slots = table_size(n_keys)
    return Trie(np.zeros(slots, np.int64), np.full(slots, EMPTY, np.int32))


@kernel
def child(trie, node, word):
    """The node that a word leads to, or EMPTY."""
    key = (np.int64(node) << 32) | np.int64(word)
    return trie.nodes[find_slot(trie.keys, trie.nodes, key)]


@kernel
def _insert(trie, words, offsets, ends):
    n_nodes = 1
    for phrase in range(len(offsets) - 1):
        node = np.int32(ROOT)
        for at in range(offsets[phrase], offsets[phrase + 1]):
            key = (np.int64(node) << 32) | np.int64(words[at])
            slot = find_slot(trie.keys, trie.nodes, key)
            if trie.nodes[slot] == EMPTY:
                trie.keys[slot] = key
                trie.nodes[slot] = n_nodes
                n_nodes += 1
            node = trie.nodes[slot]
        ends[phrase] = node
    return n_nodes
