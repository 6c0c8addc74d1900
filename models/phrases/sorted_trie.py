"""A sorted trie of phrases, which needs neither keys nor empty slots.

Nodes are numbered level by level, and inside a level in the order of their phrases, word by word.
The children of a node are then adjacent and sorted by word, for binary search. The root is node 0.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound

ROOT = 0
KEY_BITS = 64


class SortedTrie(NamedTuple):
    word: Int32Array  # (n_nodes,) the last word of each node's phrase
    children: Int32Array  # (n_nodes + 1,) children of node v are children[v]:children[v + 1]


class Nodes(NamedTuple):
    """The nodes of a trie without the root, in order."""

    word: Int32Array
    n_children: Int32Array
    phrase: Int32Array  # number of the phrase that ends here, or EMPTY
    level_begin: Int64Array  # nodes of phrases with k + 1 words: level_begin[k]:level_begin[k + 1]

    @property
    def of_phrases(self) -> Int32Array:
        """The end node of each phrase."""
        node = np.flatnonzero(self.phrase != EMPTY)
        of_phrase = np.empty(len(node), np.int32)
        of_phrase[self.phrase[node]] = node
        return of_phrase


@inner
def child(trie, node, word):
    """The node that a word leads to, or EMPTY."""
    end = trie.children[node + 1]
    at = lower_bound(trie.word, np.int64(trie.children[node]), np.int64(end), word)
    return np.int32(at) if at < end and trie.word[at] == word else np.int32(EMPTY)


def rooted(nodes: Nodes) -> SortedTrie:
    children = np.cumsum(np.concatenate([[1, nodes.level_begin[1]], nodes.n_children]))
    return SortedTrie(np.append(np.int32(0), nodes.word), children.astype(np.int32))


def parents(trie: SortedTrie) -> Int64Array:
    """The parent of every node; the root is its own parent."""
    return np.append(ROOT, np.repeat(np.arange(len(trie.word)), np.diff(trie.children)))


def sorted_order(words: Int32Array, at: Int32Array, length: Int32Array) -> Int64Array:
    """The order of phrases word by word; a phrase comes before its continuations.

    Phrase i is `words[at[i] : at[i] + length[i]]`.
    """
    bits = int(words.max(initial=0) + 1).bit_length()
    per_key = KEY_BITS // bits
    n_keys = -(-int(length.max(initial=1)) // per_key)
    keys = np.zeros((n_keys, len(at)), np.uint64)
    _pack(words, at, length, bits, per_key, keys)
    return np.lexsort(keys[::-1])


@kernel
def _pack(words, at, length, bits, per_key, keys):
    """Packs several words into each key, the first in the highest bits; 0 means no word."""
    for phrase in range(len(at)):
        for k in range(length[phrase]):
            shift = bits * (per_key - 1 - k % per_key)
            word = np.uint64(words[at[phrase] + k] + 1)
            keys[k // per_key, phrase] |= word << np.uint64(shift)


def build_nodes(
    words: Int32Array, at: Int32Array, length: Int32Array, order: Int64Array, n_levels: int
) -> Nodes:
    """The nodes of distinct phrases, given with their sorted order."""
    level_begin = np.zeros(n_levels + 1, np.int64)
    nothing = np.empty(0, np.int32)
    _walk(words, at, length, order, level_begin, nothing, nothing, nothing)  # counts the nodes
    level_begin = np.cumsum(level_begin)
    n = level_begin[-1]
    word, n_children = np.empty(n, np.int32), np.zeros(n, np.int32)
    phrase = np.full(n, EMPTY, np.int32)
    _walk(words, at, length, order, level_begin.copy(), word, n_children, phrase)
    return Nodes(word, n_children, phrase, level_begin)


@kernel
def _walk(words, at, length, order, cursor, node_word, n_children, node_phrase):
    """Visits the sorted phrases; words after the prefix shared with the previous phrase make new
    nodes. With empty arrays, only counts nodes, in cursor[1:]; otherwise cursor[:-1] is the next
    node of each level."""
    fill = len(node_word) > 0
    first = 0 if fill else 1
    before, before_length = 0, 0
    path = np.zeros(len(cursor), np.int64)  # the node at each level
    for i in range(len(order)):
        phrase = order[i]
        start, n = at[phrase], length[phrase]
        same = 0
        while same < min(n, before_length) and words[before + same] == words[start + same]:
            same += 1
        for level in range(same, n):
            node = cursor[level + first]
            cursor[level + first] += 1
            if fill:
                path[level] = node
                node_word[node] = words[start + level]
                if level > 0:
                    n_children[path[level - 1]] += 1
        if fill:
            node_phrase[path[n - 1]] = phrase
        before, before_length = start, n


def living(nodes: Nodes, n_entries: Int32Array) -> tuple[Nodes, Int64Array]:
    """The nodes that have entries or descendants with entries, and their old numbers."""
    alive = np.zeros(len(nodes.word), np.bool_)
    n_children = np.zeros_like(nodes.n_children)
    _find_living(nodes.n_children, n_entries, alive, n_children)
    chosen = np.flatnonzero(alive)
    level_begin = np.searchsorted(chosen, nodes.level_begin)
    left = Nodes(nodes.word[chosen], n_children[chosen], nodes.phrase[chosen], level_begin)
    return left, chosen


@kernel
def _find_living(n_children, n_entries, alive, living_children):
    """Finds the nodes to keep, from the last to the first, so that children precede parents."""
    end = len(alive)  # one past the children of the node
    for node in range(len(alive) - 1, -1, -1):
        begin = end - n_children[node]
        for k in range(begin, end):
            living_children[node] += alive[k]
        alive[node] = n_entries[node] > 0 or living_children[node] > 0
        end = begin
