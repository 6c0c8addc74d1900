"""A backoff language model as an automaton, for compiled code.

A state is the number of a context: the longest known end of the words so far that can still matter.
Equal states have equal futures, so a search may merge hypotheses whose states are equal.

    state ──word──▶ is the n-gram (state, word) known?
                      yes: its probability, and the state that it leads to
                      no:  add the backoff of the state, go to its suffix, ask again
                    state 0, the empty context, knows every word

Each state has a signature of 64 bits, one for each hash of a word that follows it, and each slot of
the hash table has a byte of the key's hash; one or the other rejects most words that do not follow
a state before a record is read. Probabilities are natural logarithms in 32 bits.

A context becomes a state if a longer n-gram continues it or if its backoff is not 0; any other one
says nothing that its longest suffix does not say, which replaces it (Li and Khudanpur 2008).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import (
    BoolArray,
    Float32Array,
    FloatArray,
    Int32Array,
    Int64Array,
    UInt64Array,
)
from models.data.vocabulary import END, UNKNOWN
from models.hashing import GOLDEN
from models.kernels import inner, kernel, uncounted
from models.language_model.ngrams import NGrams, link_suffixes

EMPTY_STATE = 0
NO_TAG = 0  # of a free slot

STATE = np.dtype([("signature", np.uint64), ("backoff", np.float32), ("suffix", np.int32)])
TRANSITION = np.dtype([("key", np.uint64), ("logprob", np.float32), ("next", np.int32)])
UNIGRAM = np.dtype([("logprob", np.float32), ("next", np.int32)])
MEMORY = np.dtype(
    [("key", np.uint64), ("logprob", np.float64), ("next", np.int32), ("unused", np.int32)]
)
MEMORY_BITS = 12  # 2^12 answers are remembered: more do not stay in the cache
MEMORY_SHIFT = np.uint64(64 - MEMORY_BITS)
NO_KEY = np.uint64(2**64 - 1)  # of an answer that was never given


class Automaton(NamedTuple):
    """All that compiled code needs, as one argument. The arrays are read-only."""

    states: NDArray[Any]  # (states,) STATE
    unigrams: NDArray[Any]  # (vocabulary,) UNIGRAM; words without a unigram are <unk>
    transitions: NDArray[Any]  # (power of two,) TRANSITION
    tags: NDArray[np.uint8]  # (power of two,) NO_TAG where the slot is free
    shift: np.uint64  # the bits of a hash above this many are the slot


def hash_shift(n_slots: int) -> np.uint64:
    """The shift for a number of slots, a power of two."""
    return np.uint64(65 - n_slots.bit_length())


@inner
def signature_bit(word: int) -> np.uint64:
    return np.uint64(1) << ((np.uint64(word) * GOLDEN) >> np.uint64(58))


@inner
def transition_key(state: int | np.uint64, word: int) -> np.uint64:
    return (np.uint64(state) << np.uint64(32)) | np.uint64(word)


@inner
def hash_key(key: np.uint64) -> np.uint64:
    return (key ^ (key >> np.uint64(29))) * GOLDEN


@inner
def hash_tag(hashed: np.uint64, shift: np.uint64) -> np.uint8:
    """The eight bits below those that choose the slot, never NO_TAG."""
    return np.uint8(((hashed >> (shift - np.uint64(8))) & np.uint64(255)) | np.uint64(1))


@uncounted
def advance(lm: Automaton, state: int, word: int) -> tuple[float, int]:
    """log p(word | state), and the state after the word."""
    total = 0.0
    here = np.uint64(state)
    bit = signature_bit(word)
    mask = np.uint64(len(lm.tags) - 1)
    logprob = lm.unigrams[np.uint64(word)].logprob
    following = lm.unigrams[np.uint64(word)].next
    while here != np.uint64(EMPTY_STATE):
        if lm.states[here].signature & bit:
            key = transition_key(here, word)
            hashed = hash_key(key)
            tag = hash_tag(hashed, lm.shift)
            slot = hashed >> lm.shift
            while lm.tags[slot] != NO_TAG and not (
                lm.tags[slot] == tag and lm.transitions[slot].key == key
            ):
                slot = (slot + np.uint64(1)) & mask
            if lm.tags[slot] != NO_TAG:
                logprob = lm.transitions[slot].logprob
                following = lm.transitions[slot].next
                break
        total += lm.states[here].backoff
        here = np.uint64(lm.states[here].suffix)
    return total + logprob, following


step = kernel(advance)  # for calls from Python


def empty_memory() -> NDArray[Any]:
    """For `remembered_advance`."""
    memory = np.zeros(1 << MEMORY_BITS, MEMORY)
    memory["key"] = NO_KEY
    return memory


@uncounted
def remembered_advance(
    lm: Automaton, memory: NDArray[Any], state: int, word: int
) -> tuple[float, int]:
    """As `advance`, for a search, which asks the same questions again and again.

    The memory is a small table of answers in which new ones replace old ones.
    """
    key = transition_key(state, word)
    known = memory[hash_key(key) >> MEMORY_SHIFT]
    if known.key != key:
        logprob, following = advance(lm, state, word)
        known.key, known.logprob, known.next = key, logprob, following
    return known.logprob, known.next


@kernel
def score_words(
    lm: Automaton, words: Int32Array, offsets: Int64Array, first_state: int, end: bool
) -> FloatArray:
    """log p of every word of every sentence, one after the other; with `end` also of each </s>.

    Sentence i is `words[offsets[i]:offsets[i + 1]]`; each begins in `first_state`.
    """
    n_sentences = len(offsets) - 1
    n_scores = offsets[-1] - offsets[0] + (n_sentences if end else 0)
    scores = np.empty(n_scores)
    at = 0
    for sentence in range(n_sentences):
        state = first_state
        for i in range(offsets[sentence], offsets[sentence + 1]):
            scores[at], state = advance(lm, state, words[i])
            at += 1
        if end:
            scores[at], state = advance(lm, state, END)
            at += 1
    return scores


def build_automaton(ngrams: NGrams) -> Automaton:
    suffix = link_suffixes(ngrams)
    backoff = ngrams.backoff.astype(np.float32)
    is_state = _states_among(ngrams, backoff)
    state = _state_of_nodes(ngrams, is_state, suffix)
    states = np.zeros(int(is_state.sum()), dtype=STATE)
    states["backoff"] = backoff[is_state]
    states["suffix"] = state[suffix[is_state]]

    longer = slice(int(ngrams.starts[2]), None)  # two words or more
    n_transitions = len(ngrams.word[longer])
    size = 1 << max(3, (n_transitions * 3 // 2).bit_length())  # at most two thirds are taken
    transitions = np.zeros(size, dtype=TRANSITION)
    tags = np.full(size, NO_TAG, dtype=np.uint8)
    shift = hash_shift(size)
    _fill(
        states["signature"],
        transitions,
        tags,
        shift,
        state[ngrams.prefix[longer]],
        ngrams.word[longer],
        ngrams.logprob[longer].astype(np.float32),
        state[longer],
    )
    automaton = Automaton(states, _unigrams(ngrams, state), transitions, tags, shift)
    for array in automaton[:4]:  # read-only like those from files, so that kernels compile once
        array.setflags(write=False)
    return automaton


def _states_among(ngrams: NGrams, backoff: Float32Array) -> BoolArray:
    is_state: BoolArray = backoff != 0
    is_state[ngrams.prefix[1:]] = True  # continued by something
    is_state[ngrams.starts[ngrams.order] :] = False  # nothing is longer
    is_state[0] = True
    return is_state


def _state_of_nodes(ngrams: NGrams, is_state: BoolArray, suffix: Int32Array) -> Int32Array:
    """For every node its own state, or that of its longest suffix that has one."""
    state = np.cumsum(is_state, dtype=np.int32) - np.int32(1)
    for length in range(1, ngrams.order + 1):
        nodes = slice(int(ngrams.starts[length]), int(ngrams.starts[length + 1]))
        state[nodes] = np.where(is_state[nodes], state[nodes], state[suffix[nodes]])
    return state


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


@kernel
def _fill(
    signatures: UInt64Array,
    transitions: NDArray[np.void],
    tags: NDArray[np.uint8],
    shift: np.uint64,
    state: Int32Array,
    word: Int32Array,
    logprob: Float32Array,
    following: Int32Array,
) -> None:
    mask = np.uint64(len(tags) - 1)
    for i in range(len(state)):
        signatures[state[i]] |= signature_bit(word[i])
        key = transition_key(state[i], word[i])
        hashed = hash_key(key)
        slot = hashed >> shift
        while tags[slot] != NO_TAG:
            slot = (slot + np.uint64(1)) & mask
        tags[slot] = hash_tag(hashed, shift)
        transitions[slot].key = key
        transitions[slot].logprob = logprob[i]
        transitions[slot].next = following[i]
