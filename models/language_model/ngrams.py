"""The n-grams of a backoff language model, as a forest in arrays.

Node 0 is the empty n-gram; every other node is an n-gram, identified by the node of its prefix (all
words but the last) and its last word. Nodes are sorted by length and, within a length, by (prefix,
word), so the keys `prefix << 32 | word` of all nodes are sorted and binary search finds a node.

    node    0    1      2    3    4     5       6     7
    n-gram  ()  <unk>  <s>  </s>  a   <s> a   a </s>  <s> a </s>
    prefix       0      0    0    0     2       4       5

Probabilities and backoffs are natural logarithms. The probability of a word after a context is that
of their n-gram if it exists, otherwise the backoff of the context plus the probability of the word
after the context without its first word (Katz 1987); a missing context has backoff 0.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import Vocabulary

MAX_ORDER = 6
LN10 = math.log(10.0)  # ARPA files and KenLM use base 10, we use natural logarithms


@dataclass(frozen=True, eq=False)
class NGrams:
    """Every prefix of an n-gram is present; a suffix may be missing."""

    vocabulary: Vocabulary
    starts: Int64Array  # (order + 2,): n-grams of length n are nodes starts[n] to starts[n + 1]
    prefix: Int32Array  # (nodes,)
    word: Int32Array  # (nodes,)
    logprob: FloatArray  # (nodes,), 0 for <s> by convention
    backoff: FloatArray  # (nodes,), 0 at the highest order
    suffix: Int32Array | None = None  # (nodes,) as in `link_suffixes`, if known

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


def link_suffixes(ngrams: NGrams) -> Int32Array:
    """The longest suffix of every node that is a node itself, (nodes,).

    The suffix of (context, word) is (suffix of the context, word), or, if that is missing, the same
    with the next shorter context; single words are never missing. Also fills in probabilities that
    are NaN, from the shorter context and the backoffs.
    """
    keys = node_keys(ngrams.prefix, ngrams.word)
    keys[0] = -1  # the empty n-gram has no key and must not match (0, 0)
    suffix = np.zeros(len(keys), dtype=np.int32)
    for length in range(2, ngrams.order + 1):
        nodes = np.arange(ngrams.starts[length], ngrams.starts[length + 1])
        context = ngrams.prefix[nodes]
        penalty = ngrams.backoff[context]
        context = suffix[context]
        while len(nodes):
            wanted = node_keys(context, ngrams.word[nodes])
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found = keys[place] == wanted
            suffix[nodes[found]] = place[found]
            empty = np.isnan(ngrams.logprob[nodes[found]])
            filled = (penalty + ngrams.logprob[place])[found]
            ngrams.logprob[nodes[found][empty]] = filled[empty]
            nodes, context, penalty = nodes[~found], context[~found], penalty[~found]
            penalty = penalty + ngrams.backoff[context]
            context = suffix[context]
    return suffix


@dataclass(frozen=True, eq=False)
class NGramSection:
    """The n-grams of one length, with natural logarithms."""

    words: Int32Array  # (n-grams, length)
    logprob: FloatArray
    backoff: FloatArray


def assemble(vocabulary: Vocabulary, sections: list[NGramSection], where: str = "") -> NGrams:
    """Builds the forest from n-grams in any order; prefixes may be missing.

    For each length, all n-grams of this length or longer are assigned to the node of their first
    words. A node without an n-gram of this length is added without a probability.
    """
    order = len(sections)
    nodes = [np.zeros(len(section.words), dtype=np.int64) for section in sections]
    keys, logprob, backoff = [np.zeros(1, np.int64)], [np.zeros(1)], [np.zeros(1)]
    start = 1
    for length, section in enumerate(sections, 1):
        column = length - 1
        wanted = [
            node_keys(nodes[longer], sections[longer].words[:, column])
            for longer in range(column, order)
        ]
        listed = wanted[0]
        repeated = _repeated(np.sort(listed))
        if repeated.any():
            row = int(np.flatnonzero(listed == np.sort(listed)[repeated][0])[0])
            words = " ".join(vocabulary.decode(section.words[row]))
            raise DataError(f"the {length}-gram {words!r} is listed twice", where=where)
        unique = np.sort(np.concatenate(wanted))
        unique = unique[~_repeated(unique)]
        for longer in range(column, order):
            nodes[longer] = np.searchsorted(unique, wanted[longer - column]) + start
        keys.append(unique)
        logprob.append(np.full(len(unique), np.nan))
        backoff.append(np.zeros(len(unique)))
        logprob[-1][nodes[column] - start] = section.logprob
        backoff[-1][nodes[column] - start] = section.backoff
        start += len(unique)
    backoff[-1][:] = 0.0  # nothing follows the longest n-grams
    together = np.concatenate(keys)
    ngrams = NGrams(
        vocabulary,
        starts=np.cumsum([0, *map(len, keys)]),
        prefix=(together >> 32).astype(np.int32),
        word=(together & 0xFFFFFFFF).astype(np.int32),
        logprob=np.concatenate(logprob),
        backoff=np.concatenate(backoff),
    )
    if np.isnan(ngrams.logprob).any():
        link_suffixes(ngrams)  # fills in the probabilities
    return ngrams


def _repeated(keys: Int64Array) -> BoolArray:
    """Whether each of the sorted keys equals the previous one."""
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[1:] = keys[1:] == keys[:-1]
    return repeated
