"""Answers from memory are those of the model."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.language_model.asking import no_answers
from hyperbaton.models.language_model.stepping import MEMORY_BITS, advance, remembered_advance
from tests.models.language_model.small_texts import encoded, texts


@kernel
def walk(lm, memory, state, words):
    """Scores and states along the words, from memory and from the model itself."""
    result = np.empty((len(words), 4))
    mine = state
    for place, word in enumerate(words):
        result[place, 0], mine = remembered_advance(lm, memory, mine, word)
        result[place, 2], state = advance(lm, state, word)
        result[place, 1], result[place, 3] = mine, state
    return result


@given(texts, st.integers(1, 4), st.lists(st.integers(0, 12), max_size=60))
def test_answers_are_the_same(text, order, numbers):
    sentences, vocabulary = encoded(text)
    lm = LanguageModel.from_ngrams(estimate(sentences, vocabulary, order=order))
    words = np.array([number % len(lm.vocabulary) for number in numbers], np.int32)
    memory = no_answers(MEMORY_BITS)
    # what was remembered of other words lies in the way
    memory["key"][::2] = len(lm.vocabulary) + np.arange(len(memory) // 2)
    memory["logprob"], memory["next"] = 1e9, -7
    for _ in range(2):
        found = walk(lm.automaton, memory, lm.begin_state, words)
        np.testing.assert_array_equal(found[:, :2], found[:, 2:])
