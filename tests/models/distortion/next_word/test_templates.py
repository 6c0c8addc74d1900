import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.next_word.templates import (
    ABSENT,
    BOTH,
    SIDE,
    both_keys,
    check_sizes,
    describe,
    distance_class,
    distance_key,
    orientation_key,
    padded,
    side_keys,
)
from tests.models.distortion.next_word import oracles
from tests.refusals import refused

both_keys, distance_class, distance_key, orientation_key, padded, side_keys = map(
    kernel, (both_keys, distance_class, distance_key, orientation_key, padded, side_keys)
)  # compiled, as in use

symbols = st.lists(st.integers(-1, 6).filter(lambda symbol: symbol not in (0, 1, 2)), min_size=1)


def keys_of(words, tags, i, j):
    """The keys of all features of a pair of places."""
    words = padded(np.array(words, np.int32), 0, len(words))
    tags = padded(np.array(tags, np.int32), 0, len(tags))
    o = 1 if j < i else 0
    keys = np.empty(2 * SIDE + BOTH, np.int64)
    side_keys(words, tags, i, 0, o, keys)
    side_keys(words, tags, j, 1, o, keys[SIDE:])
    both_keys(words, tags, i, j, o, keys[2 * SIDE :])
    return [*keys.tolist(), orientation_key(o), distance_key(o, distance_class(i, j))]


def test_a_pair_of_places_has_42_features():
    keys = keys_of([3, 4, 5, 6], [3, 4, 3, 4], 1, 3)
    assert len(keys) == len(set(keys)) == 42
    assert min(keys) >= 0
    assert {describe(key)[0] for key in keys} >= {("s[i]", "s[j]"), ("t[j+1]", "t[i]", "t[j]")}


@given(st.data())
def test_keys_are_the_features_of_table_1(data):
    words = data.draw(symbols)
    tags = data.draw(st.lists(st.integers(-1, 5).filter(lambda tag: tag not in (0, 1, 2)),
                              min_size=len(words), max_size=len(words)))  # fmt: skip
    i = data.draw(st.integers(0, len(words)))
    j = data.draw(st.integers(1, len(words) + 1).filter(lambda place: place != i))
    keys = [key for key in keys_of(words, tags, i, j) if key != ABSENT]
    assert sorted(map(describe, keys)) == sorted(oracles.features(words, tags, i, j))


def test_the_largest_symbols_keep_apart():
    most_words, most_tags = (1 << 22) - 1, (1 << 16) - 1
    keys = keys_of([most_words, most_words - 1], [most_tags, most_tags - 1], 1, 2)
    assert len(set(keys)) == 42
    found = {describe(key)[0]: describe(key)[2] for key in keys}
    assert found["s[i]", "s[j]"] == (most_words, most_words - 1)
    assert found["s[j]", "t[i]", "t[j]"] == (most_words - 1, most_tags, most_tags - 1)


def test_too_many_words_or_tags_are_refused():
    check_sizes(1 << 22, 1 << 16)
    refused("has 4,194,305 words … at most 4,194,304", lambda: check_sizes((1 << 22) + 1, 5))
    refused("has 65,537 tags … at most 65,536", lambda: check_sizes(5, (1 << 16) + 1))
