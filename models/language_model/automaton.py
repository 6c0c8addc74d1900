"""A backoff language model as an automaton, for compiled code.

A state is the number of a context: the longest known end of the words so far that can still matter.
Equal states have equal futures, so a search may merge hypotheses whose states are equal.

    state ──word──▶ is the n-gram (state, word) known?
                      yes: its probability, and the state that it leads to
                      no:  add the backoff of the state, go to its suffix, ask again
                    state 0, the empty context, knows every word

Each state has a signature of 64 bits, one for each hash of a word that follows it, and each slot of
the hash table has a byte of the key's hash; most words that do not follow a state are turned away
by one or the other before a record is read. Probabilities are natural logarithms in 32 bits.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array, Int64Array
from models.data.vocabulary import END
from models.hashing import GOLDEN
from models.kernels import kernel, uncounted

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

EMPTY_STATE = 0
NO_TAG = 0  # of a free slot

STATE = np.dtype([("signature", np.uint64), ("backoff", np.float32), ("suffix", np.int32)])
TRANSITION = np.dtype([("key", np.uint64), ("logprob", np.float32), ("next", np.int32)])
UNIGRAM = np.dtype([("logprob", np.float32), ("next", np.int32)])
MEMORY = np.dtype(
    [("key", np.uint64), ("logprob", np.float64), ("next", np.int32), ("unused", np.int32)]
)
MEMORY_BITS = 12  # of the number of answers that are remembered: more do not stay in the cache
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


@kernel
def signature_bit(word: int) -> np.uint64:
    return np.uint64(1) << ((np.uint64(word) * GOLDEN) >> np.uint64(58))


@kernel
def transition_key(state: int | np.uint64, word: int) -> np.uint64:
    return (np.uint64(state) << np.uint64(32)) | np.uint64(word)


@kernel
def hash_key(key: np.uint64) -> np.uint64:
    return (key ^ (key >> np.uint64(29))) * GOLDEN


@kernel
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


def empty_memory() -> NDArray[Any]:
    """For `remembered_advance`."""
    memory = np.zeros(1 << MEMORY_BITS, MEMORY)
    memory["key"] = NO_KEY
    return memory


@uncounted
def remembered_advance(
    lm: Automaton, memory: NDArray[Any], state: int, word: int
) -> tuple[float, int]:
    """As `advance`, for a search, which asks much the same again and again.

    The memory is a small table of answers, new ones in the place of old ones.
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
    """log p of every word of every sentence, one after the other; with `end` of each </s> as well.

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
