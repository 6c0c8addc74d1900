"""Computes the probabilities of all n-grams in a search lattice, and the translation that gains
most from them.

An n-gram may span several phrases, so nodes are split into states until all paths to a state end in
the same words. Then every transition between states adds the same n-grams, whatever came before:

    node ──phrase──▶ node          states: a node and the last ORDER − 1 words
    (3, "a b c") ──"d e"──▶ (5, "c d e")      adds d, cd, bcd, abcd, e, de, cde, bcde

With these states, the path with the highest gain is well defined if the gain is a sum over words
and n-grams (Tromble et al. 2008).
"""

from dataclasses import dataclass, replace

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.lattice import NONE, pruned_arcs
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged, UInt64Array
from hyperbaton.foundation.kernels import inner, kernel

ORDER = 4
BITS = 16  # of a word's number in the key of an n-gram; 0 means no word
EQUAL_GAINS = 1e-9  # smaller differences are rounding errors
MOST_ARCS = 5000  # of a lattice; only the best are used
WORD = np.uint64((1 << BITS) - 1)
CONTEXT = np.uint64((1 << BITS * (ORDER - 1)) - 1)


@dataclass(frozen=True, eq=False)
class NgramLattice:
    """S states and T transitions in topological order. State 0 is initial, the last one final."""

    decoded: PhraseDecoded
    words: dict[str, int]  # numbered from 1
    option: Int32Array  # (T,) NONE for transitions to the final state
    before: Int32Array  # (T,)
    to: Int32Array  # (T,)
    score: FloatArray  # (T,)
    n_words: Int64Array  # (T,)
    added: Ragged  # numbers of the n-grams that each transition adds
    keys: UInt64Array  # (n_ngrams,) words, BITS each, the last word in the lowest bits

    @property
    def order(self) -> Int64Array:
        """The number of words of each n-gram, (n_ngrams,)."""
        longer = self.keys[:, None] >> (BITS * np.arange(1, ORDER, dtype=np.uint64)) > 0
        order: Int64Array = 1 + longer.sum(axis=1)
        return order

    def contains(self, text: list[str]) -> Int64Array:
        """How often the n-grams of the lattice occur in a text, (n_ngrams,)."""
        numbers = np.array([self.words.get(word, int(WORD)) for word in text], np.uint64)
        keys = _keys_of(numbers)
        ngrams = np.searchsorted(self.keys, keys[np.isin(keys, self.keys)])
        return np.bincount(ngrams, minlength=len(self.keys))

    def probabilities(self, scale: float) -> FloatArray:
        """The probability that a translation contains each n-gram, (n_ngrams,), if the probability
        of a derivation is proportional to exp(scale · score)."""
        added, score = self.added, self.score * scale
        probabilities: FloatArray = _probabilities(
            self.before, self.to, score, added.values, added.offsets, len(self.keys)
        )
        return probabilities

    def best(self, word_gain: float, ngram_gain: FloatArray) -> PhraseDecoded:
        """The derivation with the highest sum of gains over its words and n-grams; among equals,
        the one with the highest score."""
        sums = np.concatenate([[0.0], np.cumsum(ngram_gain[self.added.values])])
        gain = sums[self.added.offsets[1:]] - sums[self.added.offsets[:-1]]
        path = _best_path(self.before, self.to, gain + word_gain * self.n_words, self.score)
        path = path[self.option[path] != NONE]
        chosen = Ragged(self.option[path], np.array([0, len(path)]))
        return replace(
            self.decoded, chosen=chosen, scores=np.array([self.score[path].sum()]), lattice=None
        )


def ngram_lattice(decoded: Decoded, n_arcs: int = MOST_ARCS) -> NgramLattice | None:
    """The n-gram lattice of a search that kept its lattice; None for an empty sentence."""
    if not isinstance(decoded, PhraseDecoded) or decoded.lattice is None:
        return None
    arcs = pruned_arcs(decoded.lattice, n_arcs)
    words: dict[str, int] = {}
    used, place = np.unique(arcs.option[arcs.option != NONE], return_inverse=True)
    phrases = [
        [words.setdefault(word, len(words) + 1) for word in decoded.phrase(option)]
        for option in used.tolist()
    ]
    lengths = np.array([0, *map(len, phrases)])  # first for arcs without an option
    flat = np.array([number for phrase in phrases for number in phrase], np.uint64)
    row = np.zeros(len(arcs.option), np.int64)
    row[arcs.option != NONE] = place + 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    arc, before, to, keys, key_offsets = _expand(arcs, row, flat, offsets)
    distinct, numbers = np.unique(keys, return_inverse=True)
    return NgramLattice(
        decoded, words, arcs.option[arc], before, to, arcs.score[arc], lengths[row[arc]],
        Ragged(numbers, key_offsets), distinct,
    )  # fmt: skip


@kernel
def _keys_of(numbers):
    """The keys of all n-grams of a text."""
    keys, context = [np.uint64(0)], np.uint64(0)
    for number in numbers:
        context = _say(context, number, keys)
    return np.array(keys)[1:]


@inner
def _say(context, word, keys):
    """Adds the keys of the n-grams that end in a word; returns the context after it."""
    longest = (context << np.uint64(BITS)) | word
    key, mask = np.uint64(0), np.uint64(0)
    for n in range(ORDER):
        shift = np.uint64(BITS * n)
        if not (longest >> shift) & WORD:
            break
        mask |= WORD << shift
        key = longest & mask
        keys.append(key)
    return longest & CONTEXT


@kernel
def _expand(arcs, row, words, offsets):
    """The transitions between states: arcs, states before and after, and keys of n-grams. `row` is
    the phrase of each arc in `words`."""
    n_nodes = arcs.to[-1] + 1
    begin = np.zeros(n_nodes + 1, np.int64)  # first state of each node
    contexts = [np.uint64(0)]
    begin[1] = 1
    arc_of, before, to = [np.int32(0)], [np.int32(0)], [np.int32(0)]
    keys, key_offsets = [np.uint64(0)], [0]
    last = 0
    for node in range(1, n_nodes):
        first = last
        n = 0
        while last < len(arcs.to) and arcs.to[last] == node:
            n += begin[arcs.before[last] + 1] - begin[arcs.before[last]]
            last += 1
        reached = np.zeros(n, np.uint64)
        n = 0
        for arc in range(first, last):
            for state in range(begin[arcs.before[arc]], begin[arcs.before[arc] + 1]):
                context = contexts[state]
                for word in words[offsets[row[arc]] : offsets[row[arc] + 1]]:
                    context = _say(context, word, keys)
                reached[n] = context if node < n_nodes - 1 else np.uint64(0)  # one final state
                key_offsets.append(len(keys) - 1)
                arc_of.append(np.int32(arc))
                before.append(np.int32(state))
                n += 1
        distinct = np.unique(reached)
        for context in reached:
            to.append(np.int32(begin[node] + np.searchsorted(distinct, context)))
        for context in distinct:
            contexts.append(context)
        begin[node + 1] = begin[node] + len(distinct)
    return (
        np.array(arc_of)[1:], np.array(before)[1:], np.array(to)[1:],
        np.array(keys)[1:], np.array(key_offsets),
    )  # fmt: skip


@kernel
def _best_path(before, to, gain, score):
    """The transitions of the path with the highest gain; among equals, with the highest score."""
    n_states = to[-1] + 1
    best, best_score = np.full(n_states, -np.inf), np.full(n_states, -np.inf)
    came = np.full(n_states, -1, np.int64)
    best[0] = best_score[0] = 0.0
    for t in range(len(to)):
        value, total = best[before[t]] + gain[t], best_score[before[t]] + score[t]
        known = best[to[t]]
        if value > known + EQUAL_GAINS or (
            value > known - EQUAL_GAINS and total > best_score[to[t]]
        ):
            best[to[t]], best_score[to[t]], came[to[t]] = value, total, t
    path, state = [np.int64(0)], n_states - 1
    while state:
        path.append(came[state])
        state = before[came[state]]
    return np.array(path)[1:][::-1].copy()


@kernel
def _probabilities(before, to, score, added, offsets, n_ngrams):
    """P(a path has the n-gram), by propagating the share of paths that already have it."""
    n_states, n = to[-1] + 1, len(to)
    rest = np.full(n_states, -np.inf)  # log of the sum over all paths to the final state
    rest[-1] = 0.0
    for t in range(n - 1, -1, -1):
        value = score[t] + rest[to[t]]
        high, low = max(value, rest[before[t]]), min(value, rest[before[t]])
        rest[before[t]] = high + np.log1p(np.exp(low - high)) if low > -np.inf else high
    chance = np.exp(score + rest[to] - rest[before])  # of each transition, given its first state
    reached = np.zeros(n_states)
    reached[0] = 1.0
    for t in range(n):
        reached[to[t]] += reached[before[t]] * chance[t]
    # transitions by n-gram
    begin = np.zeros(n_ngrams + 1, np.int64)
    for ngram in added:
        begin[ngram + 1] += 1
    begin = np.cumsum(begin)
    at, users = begin.copy(), np.empty(len(added), np.int64)
    for t in range(n):
        for place in range(offsets[t], offsets[t + 1]):
            users[at[added[place]]] = t
            at[added[place]] += 1
    probability = np.zeros(n_ngrams)
    for ngram in range(n_ngrams):
        seen = np.zeros(n_states)
        user = begin[ngram]
        for t in range(users[user], n):
            has = False
            while user < begin[ngram + 1] and users[user] == t:
                has, user = True, user + 1
            share = reached[before[t]] if has else seen[before[t]]
            if share > 0.0:
                seen[to[t]] += share * chance[t]
        probability[ngram] = seen[-1]
    return probability
