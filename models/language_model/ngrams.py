"""The n-grams of a backoff language model, as one forest in arrays.

Node 0 is the empty n-gram; every other node is an n-gram, known by the node of its prefix (all
words but the last) and its last word. Nodes stand in the order of their length, and inside a
length in the order of (prefix, word), so that the keys `prefix << 32 | word` of all nodes
together are sorted and a node is found by binary search.

    node    0    1      2    3    4     5       6     7
    n-gram  ()  <unk>  <s>  </s>  a   <s> a   a </s>  <s> a </s>
    prefix       0      0    0    0     2       4       5

Probabilities and backoffs are natural logarithms. The probability of a word after a context is
that of their n-gram if it is there, otherwise the backoff of the context plus the probability of
the word after the context without its first word (Katz 1987); a context that is not there has
backoff 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from models.data.vocabulary import Vocabulary

MAX_ORDER = 6


@dataclass(frozen=True, eq=False)
class NGrams:
    """Every prefix of an n-gram is there; a suffix may be missing."""

    vocabulary: Vocabulary
    starts: Int64Array  # (order + 2,): n-grams of length n are nodes starts[n] to starts[n + 1]
    prefix: Int32Array  # (nodes,)
    word: Int32Array  # (nodes,)
    logprob: FloatArray  # (nodes,), of <s> it is 0 by convention
    backoff: FloatArray  # (nodes,), 0 at the highest order

    @property
    def order(self) -> int:
        return len(self.starts) - 2

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of n-grams of each length."""
        return tuple(np.diff(self.starts)[1:].tolist())

    def words(self, length: int) -> Int32Array:
        """The words of all n-grams of one length, (n-grams, length)."""
        node = np.arange(self.starts[length], self.starts[length + 1])
        words = np.empty((len(node), length), dtype=np.int32)
        for column in range(length - 1, -1, -1):
            words[:, column] = self.word[node]
            node = self.prefix[node]
        return words


def node_keys(prefix: NDArray[np.integer], word: NDArray[np.integer]) -> Int64Array:
    keys: Int64Array = (prefix.astype(np.int64) << 32) | word
    return keys


def find_nodes(sorted_keys: Int64Array, keys: Int64Array) -> tuple[Int64Array, BoolArray]:
    """Where each key stands among the sorted ones, and whether it is there at all."""
    place = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return place, sorted_keys[place] == keys


def link_suffixes(ngrams: NGrams) -> Int32Array:
    """For every node the longest of its suffixes that is a node, (nodes,).

    The suffix of (context, word) is (suffix of the context, word), or, where that is missing, the
    same with the next shorter context; single words are always there. Probabilities that are NaN
    are filled in on the way, with what the shorter context and the backoffs give.
    """
    n_nodes = len(ngrams.word)
    keys = node_keys(ngrams.prefix, ngrams.word)
    keys[0] = -1  # the empty n-gram has no key; it must not be taken for (0, 0)
    suffix = np.zeros(n_nodes, dtype=np.int32)
    for length in range(2, ngrams.order + 1):
        nodes = np.arange(ngrams.starts[length], ngrams.starts[length + 1])
        context = ngrams.prefix[nodes]
        penalty = ngrams.backoff[context]
        context = suffix[context]
        while len(nodes):
            place, found = find_nodes(keys, node_keys(context, ngrams.word[nodes]))
            suffix[nodes[found]] = place[found]
            empty = np.isnan(ngrams.logprob[nodes[found]])
            filled = (penalty + ngrams.logprob[place])[found]
            ngrams.logprob[nodes[found][empty]] = filled[empty]
            nodes, context, penalty = nodes[~found], context[~found], penalty[~found]
            penalty = penalty + ngrams.backoff[context]
            context = suffix[context]
    return suffix
