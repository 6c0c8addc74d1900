"""One step of any language model, for compiled code: log p(word | state) and the next state.

    Automaton    a built-in model (automaton.py)
    Asked        a KenLM binary (asking.py)
    WeightedSum  two of these; its states are pairs, numbered in order of first use

The kind is known when a kernel is compiled, so the built-in model does not slow down for others.
"""

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.files.vocabulary import END
from hyperbaton.foundation.hashing import EMPTY, DistinctRows, add_row
from hyperbaton.foundation.kernels import UNCOUNTED, kernel, uncounted
from hyperbaton.models.language_model.asking import Asked, ask, place_of, question
from hyperbaton.models.language_model.automaton import EMPTY_STATE, Automaton, automaton_step

MEMORY_BITS = 12  # 2^12 answers are remembered: more would not fit into the CPU cache


class WeightedSum(NamedTuple):
    """Two models as one argument of compiled code. For one thread."""

    first: Any
    second: Any
    first_words: Int32Array  # (joint vocabulary,) word ids in the first model
    second_words: Int32Array
    weights: FloatArray  # (2,)
    states: DistinctRows  # pairs; number 0 is the pair of empty contexts
    room: Int32Array  # (2,) for a pair
    n_missing: Int64Array  # (1,) pairs that did not fit into `states`


def advance(lm: Any, state: int, word: int) -> tuple[float, int]:
    """log p(word | state) and the next state."""
    raise NotImplementedError("compiled code only")


@overload(advance, jit_options=UNCOUNTED, strict=False)  # type: ignore[arg-type]  # as jit
def _code_of(lm, state, word):  # noqa: ARG001
    return {Automaton: automaton_step, Asked: ask, WeightedSum: _sum_step}[lm.instance_class]


@uncounted
def _sum_step(lm, state, word):
    pair = lm.states.begin[state]
    first, lm.room[0] = advance(lm.first, lm.states.values[pair], lm.first_words[word])
    second, lm.room[1] = advance(lm.second, lm.states.values[pair + 1], lm.second_words[word])
    following = add_row(lm.states, lm.room, 2)
    if following == EMPTY:  # the caller checks, enlarges the table and repeats
        lm.n_missing[0] += 1
        following = EMPTY_STATE
    return lm.weights[0] * first + lm.weights[1] * second, np.int32(following)


@kernel
def step(lm, state, word):
    """Calls `advance` from Python."""
    return advance(lm, state, word)


@uncounted
def remembered_advance(lm, memory, state, word):
    """Like `advance`, with a small cache for a search, which repeats queries."""
    key = question(state, word)
    known = memory[place_of(key, MEMORY_BITS)]
    if known.key != key:
        known.logprob, known.next = advance(lm, state, word)
        known.key = key
    return known.logprob, known.next


@kernel
def score_words(lm, words, offsets, first_state, end):
    """log p of every word of every sentence, concatenated; with `end` also of each </s>.

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
