import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.hashing import EMPTY, find_number
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.next_word.selection import (
    keys_in_order,
    make_pair_index,
    record_key,
)
from hyperbaton.models.distortion.next_word.templates import (
    ORIENTATION_BIT,
    TAG_PAIR,
    describe,
    distance_key,
    key_of_words,
    orientation_key,
    side_keys,
    word_pair_key,
    word_template,
)

word_pair_key, side_keys, distance_key, orientation_key = map(
    kernel, (word_pair_key, side_keys, distance_key, orientation_key)
)  # compiled, as in use


@kernel
def find_record(index, first, second, o):
    return find_number(index.records, record_key(first, second, o))


features = st.tuples(
    st.integers(0, TAG_PAIR - 1), st.integers(0, 1), st.integers(0, 3), st.integers(0, 3)
)


@given(st.lists(features, unique=True), st.booleans())
def test_features_of_the_same_words_follow_each_other(found, with_others):
    words = [
        int(key_of_words(template, o, np.int64(first) << 22 | second))
        for template, o, first, second in found
    ]
    others = [int(orientation_key(0)), int(distance_key(1, 2))] * with_others
    keys = np.array([*words[:1], *others, *words[1:]], np.int64)
    index = make_pair_index(keys)
    in_order = keys_in_order(index).tolist()
    assert sorted(in_order) == sorted(keys.tolist())
    assert in_order[: len(others)] == others
    assert index.n_features == len(keys)
    seen = []  # records in the order of their first keys
    for template, o, first, second in found:
        if (o, first, second) not in seen:
            seen.append((o, first, second))
        record = find_record(index, first, second, o)
        assert record == seen.index((o, first, second))
        numbers = range(index.begin[record], index.begin[record + 1])
        own = sorted(one[0] for one in found if one[1:] == (o, first, second))
        assert [int(index.template[number - len(others)]) for number in numbers] == own
        key = int(key_of_words(template, o, np.int64(first) << 22 | second))
        assert in_order[numbers[own.index(template)]] == key
    assert find_record(index, 7, 7, 0) == find_record(index, -1, 0, 0) == EMPTY


def test_keys_of_two_words_are_known_by_their_templates():
    words = np.arange(10)
    for number in range(TAG_PAIR):
        key = int(word_pair_key(words, 2, 3, number, 1))
        assert word_template(np.array([key])).tolist() == [number]
        assert key >> ORIENTATION_BIT & 1 == 1
        names, o, symbols = describe(key)
        assert (len(names), o) == (2, 1)
        assert key == key_of_words(number, 1, np.int64(symbols[0]) << 22 | symbols[1])
    keys = np.empty(6, np.int64)
    side_keys(words, words, 2, 1, 1, keys)
    others = word_template(np.array([*keys, orientation_key(0), distance_key(0, 0)]))
    assert ((others < 0) | (others >= TAG_PAIR)).all()
