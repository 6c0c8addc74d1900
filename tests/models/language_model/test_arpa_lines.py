import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.language_model.arpa_lines import NO_WORD, find_word, index_words
from tests.strategies import words

find_word = kernel(find_word)  # compiled, as in use


@given(st.lists(words, max_size=50), st.lists(words, max_size=10))
def test_words_are_found_where_the_vocabulary_has_them(known, asked):
    vocabulary = Vocabulary(known)
    index = index_words(vocabulary)
    for word in [*vocabulary.words, *asked, *(word + "s" for word in known)]:
        text = np.frombuffer(b"before " + word.encode() + b" behind", dtype=np.uint8)
        found = find_word(index, text, 7, len(text) - 7)
        wanted = vocabulary.encode([word])[0] if word in vocabulary else NO_WORD
        assert found == wanted
