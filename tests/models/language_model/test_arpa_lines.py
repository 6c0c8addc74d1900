import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.hashing import EMPTY, add_one_row
from hyperbaton.models.language_model.arpa_lines import index_words
from tests.strategies import words


@given(st.lists(words, max_size=50), st.lists(words, max_size=10))
def test_words_are_found_where_the_vocabulary_has_them_and_none_is_added(known, asked):
    vocabulary = Vocabulary(known)
    index = index_words(vocabulary)
    for word in [*vocabulary.words, *asked, *(word + "s" for word in known)]:
        letters = np.frombuffer(word.encode(), dtype=np.uint8)
        wanted = vocabulary.encode([word])[0] if word in vocabulary else EMPTY
        assert add_one_row(index, letters, len(letters)) == wanted
    assert index.total[0] == len(vocabulary)
