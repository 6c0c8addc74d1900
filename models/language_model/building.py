"""Makes the automaton of a language model from its n-grams.

A context becomes a state if a longer n-gram continues it or if its backoff is not 0; any other one
says nothing that its longest suffix does not say, and is replaced by it (Li and Khudanpur 2008).
"""

import numpy as np
from numpy.typing import NDArray

from models.arrays import BoolArray, Float32Array, Int32Array, UInt64Array
from models.data.vocabulary import UNKNOWN
from models.kernels import kernel
from models.language_model.automaton import (
    NO_TAG,
    STATE,
    TRANSITION,
    UNIGRAM,
    Automaton,
    hash_key,
    hash_shift,
    hash_tag,
    signature_bit,
    transition_key,
)
from models.language_model.ngrams import NGrams, link_suffixes


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
    return read_only(automaton)


def read_only(automaton: Automaton) -> Automaton:
    """Arrays in memory as read-only as those from files, so that kernels are compiled once."""
    for array in automaton[:4]:
        array.setflags(write=False)
    return automaton


def _states_among(ngrams: NGrams, backoff: Float32Array) -> BoolArray:
    is_state: BoolArray = backoff != 0
    is_state[ngrams.prefix[1:]] = True  # continued by something
    is_state[ngrams.starts[ngrams.order] :] = False  # nothing is longer
    is_state[0] = True
    return is_state


def _state_of_nodes(ngrams: NGrams, is_state: BoolArray, suffix: Int32Array) -> Int32Array:
    """For every node its own state or that of its longest suffix that has one."""
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
