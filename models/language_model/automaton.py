"""A backoff language model as an automaton, for compiled code.

A state is the number of a context: the longest known suffix of the words so far that can still
matter. Equal states have equal futures, so a search may recombine hypotheses with equal states.

    state ──word──▶ is the n-gram (state, word) known?
                      yes: its probability, and the state that it leads to
                      no:  add the backoff of the state, go to its suffix, repeat
                    state 0, the empty context, knows every word

The n-grams that continue a state are adjacent, sorted by a key that scatters words evenly, so the
key predicts the approximate position of a word (interpolation search). Each state has a signature
of 32 bits, one for each range of keys that follow it, which rejects most words that do not follow
the state before an n-gram is read. Probabilities are natural logarithms in 32 bits.

A context becomes a state if a longer n-gram continues it or if its backoff is not 0; any other
context is equivalent to its longest suffix, which replaces it (Li and Khudanpur 2008).
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
)
from hyperbaton.foundation.files.scratch import AT_ONCE, Scratch, pieces
from hyperbaton.foundation.files.vocabulary import BEGIN, END, UNKNOWN, Vocabulary
from hyperbaton.foundation.kernels import inner, uncounted, uncounted_kernel
from hyperbaton.models.language_model.ngrams import NGrams, NGramSection, assemble, link_suffixes

EMPTY_STATE = 0
SCATTER = 0x9E3779B1  # 2^32 / golden ratio (Knuth, section 6.4); odd, so no two words share a key
GATHER = pow(SCATTER, -1, 1 << 32)  # undoes it

STATE = np.dtype(
    [
        ("signature", np.uint32),
        ("first", np.int32),  # first transition; they end at the next state's first
        ("backoff", np.float32),
        ("suffix", np.int32),
    ]
)
TRANSITION = np.dtype([("key", np.uint32), ("logprob", np.float32), ("next", np.int32)])
UNIGRAM = np.dtype([("logprob", np.float32), ("next", np.int32)])
SHORT_RUN = 16  # transitions for which one interpolation suffices


class Automaton(NamedTuple):
    """The model as one argument of compiled code. The arrays are read-only."""

    states: NDArray[Any]  # (states + 1,) STATE; the last row only marks the end of transitions
    unigrams: NDArray[Any]  # (vocabulary,) UNIGRAM; words without a unigram are <unk>
    transitions: NDArray[Any]  # (n-grams of two words or more,) TRANSITION


@inner
def word_key(word: Any) -> Any:
    """The key of one word, or of an array of words."""
    return (np.uint64(word) * np.uint64(SCATTER)) & np.uint64(0xFFFFFFFF)


@inner
def signature_bit(key: Any) -> Any:
    return np.uint64(1) << (key >> np.uint64(27))


@uncounted
def find_key(transitions: NDArray[Any], key: np.uint64, low: np.int64, high: np.int64) -> np.int64:
    """The index of a key in transitions[low:high], which must not be empty; -1 if it is absent."""
    n = high - low
    at = low + np.int64((key * np.uint64(n)) >> np.uint64(32))
    if n > SHORT_RUN:  # a second interpolation is off by few places among thousands
        distance = np.int64(key) - np.int64(transitions[np.uint64(at)].key)
        at = min(max(at + ((distance * n) >> np.int64(32)), low), high - np.int64(1))
    found = np.uint64(transitions[np.uint64(at)].key)
    while found < key and at + np.int64(1) < high:
        at += np.int64(1)
        found = np.uint64(transitions[np.uint64(at)].key)
    while found > key and at > low:
        at -= np.int64(1)
        found = np.uint64(transitions[np.uint64(at)].key)
    return at if found == key else np.int64(-1)


@uncounted
def automaton_step(lm: Automaton, state: int, word: int) -> tuple[float, int]:
    """log p(word | state) and the next state."""
    total = 0.0
    here = np.uint64(state)
    key = word_key(word)
    bit = signature_bit(key)
    logprob = lm.unigrams[np.uint64(word)].logprob
    following = lm.unigrams[np.uint64(word)].next
    while here != np.uint64(EMPTY_STATE):
        if lm.states[here].signature & bit:
            low = np.int64(lm.states[here].first)
            high = np.int64(lm.states[here + np.uint64(1)].first)
            at = find_key(lm.transitions, key, low, high)
            if at >= 0:
                logprob = lm.transitions[np.uint64(at)].logprob
                following = lm.transitions[np.uint64(at)].next
                break
        total += lm.states[here].backoff
        here = np.uint64(lm.states[here].suffix)
    return total + logprob, following


def context_gains(lm: Automaton) -> FloatArray:
    """How much each word gains on average from the word before it: the expected value of log
    p(word | word before) where the word occurs, minus log p(word).

    The lowest order of a Kneser-Ney model expects words that follow many others, so it is a poor
    estimate of a word whose context is not yet known (Heafield, Koehn and Lavie 2012). Words before
    are weighted by how often the model itself produces them.
    """
    unigram = lm.unigrams["logprob"].astype(np.float64)
    backoff = lm.states["backoff"][lm.unigrams["next"]].astype(np.float64)
    frequency = np.exp(unigram)
    for _ in range(2):  # more hardly change them
        frequency[BEGIN], frequency[END] = frequency[END], 0.0
        unseen = frequency * np.exp(backoff)
        mass = np.exp(unigram) * unseen.sum()
        logs = np.exp(unigram) * (unseen @ backoff) + mass * unigram
        _add_bigrams(lm, frequency, mass, logs)
        expected = np.divide(logs, mass, out=unigram.copy(), where=mass > 0)
        frequency = mass
    gains: FloatArray = np.minimum(expected, 0.0) - unigram
    return gains


@uncounted_kernel
def _add_bigrams(lm, frequency, mass, logs):
    """Replaces the backoff after each word by the probability of the n-gram if there is one."""
    for before in range(len(frequency)):
        state = np.uint64(lm.unigrams[before].next)
        if state == np.uint64(EMPTY_STATE):
            continue
        for at in range(lm.states[state].first, lm.states[state + np.uint64(1)].first):
            word = np.uint32(lm.transitions[at].key * np.uint32(GATHER))
            seen = np.float64(lm.transitions[at].logprob)
            unseen = np.float64(lm.states[state].backoff) + lm.unigrams[word].logprob
            more, less = frequency[before] * np.exp(seen), frequency[before] * np.exp(unseen)
            mass[word] += more - less
            logs[word] += more * seen - less * unseen


def build_automaton(ngrams: NGrams, scratch: Scratch = Scratch()) -> Automaton:
    suffix = link_suffixes(ngrams) if ngrams.suffix is None else ngrams.suffix
    is_state = _states_among(ngrams, scratch)
    state = _state_of_nodes(ngrams, is_state, suffix, scratch)
    states = scratch.array(int(np.count_nonzero(is_state)) + 1, STATE)
    for piece in pieces(0, int(ngrams.starts[ngrams.order])):
        nodes = np.flatnonzero(is_state[piece]) + piece.start
        states["backoff"][state[nodes]] = ngrams.backoff[nodes]
        states["suffix"][state[nodes]] = state[suffix[nodes]]
    transitions = _transitions(ngrams, state, states, scratch)
    automaton = Automaton(states, _unigrams(ngrams, state), transitions)
    for array in automaton:  # read-only like those from files, so that kernels compile once
        array.setflags(write=False)
    return automaton


def _states_among(ngrams: NGrams, scratch: Scratch) -> BoolArray:
    is_state: BoolArray = scratch.array(len(ngrams.word), np.bool_)
    for piece in pieces(0, len(is_state)):
        is_state[piece] |= ngrams.backoff[piece].astype(np.float32) != 0
        is_state[ngrams.prefix[piece]] = True  # continued by a longer n-gram
    is_state[ngrams.starts[ngrams.order] :] = False  # the longest n-grams
    is_state[0] = True
    return is_state


def _state_of_nodes(
    ngrams: NGrams, is_state: BoolArray, suffix: Int32Array, scratch: Scratch
) -> Int32Array:
    """The state of every node, or that of its longest suffix with a state."""
    state: Int32Array = scratch.array(len(is_state), np.int32)
    np.cumsum(is_state, dtype=np.int32, out=state)
    state -= 1
    for length in range(1, ngrams.order + 1):
        for nodes in pieces(*ngrams.starts[length : length + 2].tolist()):
            state[nodes] = np.where(is_state[nodes], state[nodes], state[suffix[nodes]])
    return state


def _transitions(
    ngrams: NGrams, state: Int32Array, states: NDArray[Any], scratch: Scratch
) -> NDArray[Any]:
    """The n-grams of two words or more, sorted by (state of the prefix, key of the word). Prefixes
    are sorted and all are states, so the n-grams of a state are a run of nodes. Also fills in the
    transitions and signatures of `states`."""
    begin, n = int(ngrams.starts[2]), len(ngrams.word)
    transitions = scratch.array(n - begin, TRANSITION)
    while begin < n:
        end = n
        if begin + AT_ONCE < n:  # take whole runs, at least one
            last = ngrams.prefix[begin + AT_ONCE]
            side: Literal["left", "right"] = "right" if last == ngrams.prefix[begin] else "left"
            end = int(np.searchsorted(ngrams.prefix, last, side))
        nodes = slice(begin, end)
        before, keys = state[ngrams.prefix[nodes]], word_key(ngrams.word[nodes])
        order = np.argsort((before.astype(np.uint64) << np.uint64(32)) | keys)
        part = transitions[begin - int(ngrams.starts[2]) : end - int(ngrams.starts[2])]
        part["key"] = keys[order]
        part["logprob"] = ngrams.logprob[nodes][order]
        part["next"] = state[nodes][order]
        np.bitwise_or.at(states["signature"], before, signature_bit(keys).astype(np.uint32))
        np.add.at(states["first"], before + 1, 1)
        begin = end
    np.cumsum(states["first"], out=states["first"])
    return transitions


def _unigrams(ngrams: NGrams, state: Int32Array) -> NDArray[np.void]:
    nodes = slice(1, int(ngrams.starts[2]))
    unigrams = np.zeros(len(ngrams.vocabulary), dtype=UNIGRAM)
    known = np.zeros(len(unigrams), dtype=bool)
    words = ngrams.word[nodes]
    known[words] = True
    unigrams["logprob"][words] = ngrams.logprob[nodes]
    unigrams["next"][words] = state[nodes]
    unigrams[~known] = unigrams[UNKNOWN]
    return unigrams


def list_ngrams(lm: Automaton, vocabulary: Vocabulary, order: int) -> NGrams:
    """The n-grams of an automaton, for other tools: the inverse of `build_automaton`.

    A state is the context of its transitions. The shortest n-gram that leads to a state has exactly
    the state's words; longer ones only end in these words. So the first n-gram into each state
    gives its words, and the state gives that n-gram's backoff. Logarithms have the 32 bits of the
    automaton; words without a unigram get that of <unk>.
    """
    n_words, n_states = len(lm.unigrams), len(lm.states) - 1
    before = np.repeat(np.arange(n_states), np.diff(lm.states["first"]))
    before = np.concatenate([np.full(n_words, EMPTY_STATE), before])
    last = (lm.transitions["key"] * np.uint32(GATHER)).astype(np.int32)
    last = np.concatenate([np.arange(n_words, dtype=np.int32), last])
    logprob = np.concatenate([lm.unigrams["logprob"], lm.transitions["logprob"]])
    after = np.concatenate([lm.unigrams["next"], lm.transitions["next"]])

    reached, first = np.unique(after, return_index=True)
    reached, first = reached[reached != EMPTY_STATE], first[reached != EMPTY_STATE]
    ngram_of_state = np.full(n_states, -1)
    ngram_of_state[reached] = first
    backoff = np.zeros(len(after))
    backoff[first] = lm.states["backoff"][reached]
    length = _lengths(before, ngram_of_state)
    sections = []
    for n in range(1, order + 1):
        rows = np.flatnonzero(length == n)
        words = _words(rows, n, last, before, ngram_of_state)
        sections.append(NGramSection(words, logprob[rows].astype(np.float64), backoff[rows]))
    return assemble(vocabulary, sections)


def _lengths(before: Int64Array, ngram_of_state: Int64Array) -> Int64Array:
    """The length of every n-gram: one more than that of its context."""
    state_length = np.zeros(len(ngram_of_state), np.int64)
    while True:  # each round corrects the next length, from the shortest on
        longer = state_length[before[ngram_of_state[1:]]] + 1
        if np.array_equal(longer, state_length[1:]):
            return state_length[before] + 1
        state_length[1:] = longer


def _words(
    rows: Int64Array, n: int, last: Int32Array, before: Int64Array, ngram_of_state: Int64Array
) -> Int32Array:
    words = np.empty((len(rows), n), dtype=np.int32)
    for column in range(n - 1, -1, -1):
        words[:, column] = last[rows]
        rows = ngram_of_state[before[rows]]
    return words
