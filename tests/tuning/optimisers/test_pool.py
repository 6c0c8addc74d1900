"""Pools of hypotheses against dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.optimisers.pool import Pool, hypothesis_keys, word_keys
from tests.tuning.optimisers.pools import planted_pool

# n-best lists of three sentences: each hypothesis a small number that stands for all of it
lists = st.lists(st.lists(st.integers(0, 5), max_size=6), min_size=3, max_size=3)


def arrays(of):
    """Features, statistics, keys and offsets of such lists."""
    values = np.array([value for row in of for value in row], dtype=np.float64)
    features = np.stack([values, -values], axis=1).reshape(-1, 2)
    keys = hypothesis_keys(values.astype(np.uint64), features)
    return features, 10 * values[:, None], keys, np.cumsum([0, *map(len, of)])


def merged(*rounds):
    pool = Pool.empty(3, 2, 1)
    for of in rounds:
        pool = pool.merge(Pool(*arrays(of)))
    return pool


def content(pool):
    return [
        pool.features[pool.offsets[i] : pool.offsets[i + 1], 0].tolist()
        for i in range(pool.n_sentences)
    ]


@given(st.lists(lists, min_size=1, max_size=4))
def test_each_hypothesis_once_in_the_order_in_which_they_came(rounds):
    expected = [list(dict.fromkeys(value for of in rounds for value in of[i])) for i in range(3)]
    pool = merged(*rounds)
    assert content(pool) == expected
    assert pool.statistics[:, 0].tolist() == [10 * v for row in expected for v in row]
    assert len(pool) == sum(map(len, expected))


@given(lists, lists)
def test_merging_is_idempotent(one, two):
    once, twice = merged(one, two), merged(one, two, one, two, two)
    for name in ("features", "statistics", "keys", "offsets"):
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))


@given(lists, lists)
def test_rows_of_hypotheses_that_are_there(one, two):
    pool = merged(one)
    is_new, first = pool.first_of_each(*arrays(two)[2:])
    seen = [set(row) for row in one]
    behind = [value for row in two for value in row]
    at = 0
    for i, row in enumerate(two):
        for value in row:
            assert is_new[at] == (value not in seen[i])
            seen[i].add(value)
            known = first[at] < len(pool)
            same = pool.features[first[at], 0] if known else behind[first[at] - len(pool)]
            assert same == value
            at += 1


def test_keys_see_words_order_and_values():
    rows = Ragged(np.array([1, 2, 2, 1, 1, 2, -1, 3]), np.array([0, 2, 4, 4, 6, 7, 8]))
    keys = word_keys(rows)
    assert keys[0] == keys[3]
    assert len(set(keys.tolist())) == 5
    values = np.array([[1.0, 2], [2, 1], [1, 2 + 1e-9], [1, -0.0], [1, 0]])
    same = hypothesis_keys(np.full(5, 7, np.uint64), values)
    assert same[0] == same[2]
    assert same[3] == same[4]
    assert len(set(same.tolist())) == 3
    assert hypothesis_keys(np.full(5, 8, np.uint64), values)[0] != same[0]


def test_best_rows_and_score():
    pool = merged([[1, 3, 2], [0, 5], [4]])
    assert pool.best_rows(np.array([1.0, 0])).tolist() == [1, 4, 5]
    assert pool.best_rows(np.array([0.0, 1])).tolist() == [0, 3, 5]
    assert pool.best_rows(np.zeros(2)).tolist() == [0, 3, 5]  # of equal ones the first
    counts = Pool(pool.features, np.tile([0.5, 1.0], (6, 1)), pool.keys, pool.offsets)
    assert counts.score(Ribes(), np.array([1.0, 0])) == 50


def test_deviations_are_those_within_sentences():
    pool = merged([[1, 3], [5], [2, 2, 4]])
    # around means 2, 5 and 3: 1, 1, 0, 1, 1
    np.testing.assert_allclose(pool.deviations(), np.sqrt([4 / 5, 4 / 5]))
    shifted = Pool(
        np.stack([pool.sentence_of * 7.1, pool.features[:, 0]], axis=1),
        pool.statistics,
        pool.keys,
        pool.offsets,
    )
    assert shifted.deviations().tolist() == [0, pytest.approx(np.sqrt(4 / 5))]
    assert Pool.empty(3, 2, 1).deviations().tolist() == [0, 0]


def test_differences_that_only_rounding_makes_are_no_deviations():
    features = np.array([[1.0, 1.0], [1.0 + 1e-9, 1.0 + 1e-5]])
    keys = np.arange(2).astype(np.uint64)
    found = Pool(features, np.zeros((2, 1)), keys, np.array([0, 2])).deviations()
    assert found.tolist() == [0.0, pytest.approx(5e-6)]


def test_a_part_of_a_pool_has_the_hypotheses_of_its_sentences():
    pool, planted = planted_pool(1, n_sentences=7)
    part = pool.part(np.array([5, 0, 2]))
    assert part.n_sentences == 3
    for number, sentence in enumerate([5, 0, 2]):
        own = slice(*part.offsets[number : number + 2])
        whole = slice(*pool.offsets[sentence : sentence + 2])
        for one, other in zip(
            (part.features, part.statistics, part.keys),
            (pool.features, pool.statistics, pool.keys),
            strict=True,
        ):
            np.testing.assert_array_equal(one[own], other[whole])
    assert part.best_rows(planted).shape == (3,)
