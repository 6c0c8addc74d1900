"""A trie of phrases, and numbers for all spans of a corpus.

A trie is one hash table from (node, word) to node; the root is node 0. Spans are numbered in the
same way, length by length: the key of a span of k words is the pair (number of its first k − 1
words, k-th word), so equal word sequences get the same number, in the order of first appearance.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import EMPTY, find_slot, table_size
from hyperbaton.foundation.kernels import inner, kernel

ROOT = 0


class Trie(NamedTuple):
    keys: Int64Array  # (slots,) node · 2^32 + word
    nodes: Int32Array  # (slots,) the key's node; EMPTY for an empty slot


def build_trie(phrases: Ragged) -> tuple[Trie, Int32Array, int]:
    """The trie of the phrases, the end node of each phrase, and the number of nodes."""
    roomy = _empty(len(phrases.values))  # too large, because phrases share prefixes
    n_nodes = _insert(roomy, phrases.values, phrases.offsets, np.empty(len(phrases), np.int32))
    trie = _empty(n_nodes)  # the right size
    ends = np.empty(len(phrases), np.int32)
    _insert(trie, phrases.values, phrases.offsets, ends)
    return trie, ends, n_nodes


def _empty(n_keys: int) -> Trie:
    slots = table_size(n_keys)
    return Trie(np.zeros(slots, np.int64), np.full(slots, EMPTY, np.int32))


@inner
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


def node_keys(trie: Trie, n_nodes: int) -> Int64Array:
    """Parent · 2^32 + word of every node; EMPTY for nodes without a parent, such as the root."""
    used = trie.nodes != EMPTY
    keys = np.full(n_nodes, EMPTY, np.int64)
    keys[trie.nodes[used]] = trie.keys[used]
    return keys


def spelled(above: Int64Array, word: Int64Array, nodes: Int64Array) -> Ragged:
    """The phrase of each of the given nodes, from the parent (`above`) and the last word of every
    node; the root is its own parent."""
    columns = []
    while (nodes != ROOT).any():
        columns.append(np.where(nodes != ROOT, word[nodes], EMPTY).astype(np.int32))
        nodes = above[nodes]
    words = np.array(columns[::-1], np.int32).reshape(len(columns), len(nodes)).T
    return Ragged(words[words != EMPTY], np.append(0, np.cumsum((words != EMPTY).sum(axis=1))))


def trie_laws(arrays: CheckedArrays, keys: str, nodes: str, n_nodes: int) -> Int64Array:
    """Checks a trie on disk; returns the phrase length of every node, 0 for unreachable nodes."""
    arrays.hash_table(keys, nodes, n_nodes, free=EMPTY)
    slots = arrays.array(keys, np.int64, (None,))
    node_of = arrays.array(nodes, np.int32, (None,))
    parent = node_keys(Trie(slots, node_of), n_nodes) >> 32
    once = np.count_nonzero(node_of != EMPTY) == np.count_nonzero(parent != EMPTY)
    arrays.that(nodes, once and parent[ROOT] == EMPTY, "is not a trie: a node has two parents")
    arrays.within(keys, parent, EMPTY, n_nodes)
    length = np.zeros(n_nodes, np.int64)
    reached = np.array([ROOT])
    children = np.argsort(parent, kind="stable")
    of_parent = parent[children]
    while len(reached):  # level by level; cycles are never reached
        begin = np.searchsorted(of_parent, reached)
        counts = np.searchsorted(of_parent, reached, "right") - begin
        below = Ragged.gather(children, begin, counts).values
        length[below] = length[np.repeat(reached, counts)] + 1
        reached = below
    return length


class SpanIds(NamedTuple):
    ids: Int32Array  # (max_length, n_words): id of the span with k + 1 words, −1 past the end
    first_at: Int64Array  # (n_phrases,) first occurrence of each phrase
    length: Int32Array  # (n_phrases,)


def number_spans(words: Ragged, max_length: int) -> SpanIds:
    n_words = len(words.values)
    ids = np.full((max_length, n_words), -1, np.int32)
    slots = table_size(n_words)
    first_at = []
    sizes = [0] * max_length
    sentence_end = np.repeat(words.offsets[1:], words.lengths)
    for k in range(max_length):
        before = ids[k - 1] if k else np.zeros(n_words, np.int32)
        firsts = _number(words.values, sentence_end, before, k, sum(sizes), slots, ids[k])
        first_at.append(firsts)
        sizes[k] = len(firsts)
    length = np.repeat(np.arange(1, max_length + 1, dtype=np.int32), sizes)
    return SpanIds(ids, np.concatenate(first_at), length)


@kernel
def _number(words, sentence_end, before, k, total, slots, ids):
    """Numbers spans of k + 1 words from `total`, in `ids`; returns their first occurrences."""
    keys = np.empty(slots, np.int64)
    values = np.full(slots, EMPTY, np.int32)
    first_at = np.empty(len(words), np.int64)
    n_new = 0
    for at in range(len(words)):
        if at + k >= sentence_end[at]:
            continue
        key = (np.int64(before[at]) << 32) | np.int64(words[at + k])
        slot = find_slot(keys, values, key)
        if values[slot] == EMPTY:
            keys[slot] = key
            values[slot] = n_new
            first_at[n_new] = at
            n_new += 1
        ids[at] = total + values[slot]
    return first_at[:n_new].copy()
