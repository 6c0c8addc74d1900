"""The n-grams of an automaton, the way back from `build_automaton`, for other tools.

A state is the context of its transitions and was reached first, in order of length, by the n-gram
whose words it stands for; longer n-grams that lead to it only end in these words. So the first
n-gram into each state tells its words, and the state tells that n-gram's backoff.
"""

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model.automaton import EMPTY_STATE, SCATTER, Automaton
from hyperbaton.models.language_model.ngrams import NGrams, NGramSection, assemble

GATHER = pow(SCATTER, -1, 1 << 32)  # undoes it


def list_ngrams(lm: Automaton, vocabulary: Vocabulary, order: int) -> NGrams:
    """Logarithms have the 32 bits of the automaton's; words without a unigram get that of <unk>."""
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
    """Of every n-gram, one more than that of the state before it."""
    state_length = np.zeros(len(ngram_of_state), np.int64)
    while True:  # each round gets one more length right, from the shortest on
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
