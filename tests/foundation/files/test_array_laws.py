import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_laws import (
    LARGEST_SCORE,
    VALUES_AT_ONCE,
    CheckedArrays,
    plain_numbers,
)
from hyperbaton.foundation.files.vocabulary import Vocabulary


def laws(tmp_path, header=None, **arrays):
    return CheckedArrays(tmp_path, header or {}, arrays, {"words": Vocabulary(["a", "b"])})


def refusal(check, *arguments, **options):
    with pytest.raises(DataError) as caught:
        check(*arguments, **options)
    return str(caught.value).splitlines()[0].rpartition("/")[2]


def test_types_and_shapes(tmp_path):
    kept = laws(tmp_path, table=np.zeros((2, 3), np.float32))
    assert kept.array("table", np.float32, (None, 3)).shape == (2, 3)
    for dtype, shape, said in (
        (np.float32, (2,), "not (2) of float32"),
        (np.float32, (None, 4), "not (any, 4) of float32"),
        (np.float64, (2, 3), "not (2, 3) of float64"),
    ):
        answer = refusal(kept.array, "table", dtype, shape)
        assert answer == f"table.npy: contains (2, 3) of float32, {said}"
    assert refusal(kept.array, "other", np.int32, (1,)) == "other.npy: is missing"
    assert kept.words("words") == 5
    assert refusal(kept.words, "tags") == "tags.npy: is missing"


@pytest.mark.parametrize("at", [0, 5, 2 * VALUES_AT_ONCE + 7])
@pytest.mark.parametrize("value", [-1, 10])
def test_indices_lie_inside(tmp_path, at, value):
    values = np.arange(2 * VALUES_AT_ONCE + 8, dtype=np.int32) % 10
    laws(tmp_path, numbers=values).indices("numbers", np.int32, (None,), below=10)
    values[at] = value
    kept = laws(tmp_path, numbers=values)
    said = refusal(kept.indices, "numbers", np.int32, (None,), below=10)
    assert said == f"numbers.npy: has numbers from {min(value, 0)} to {max(value, 9)}"
    kept.indices("numbers", np.int32, (None,), low=-1, below=11)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2 * LARGEST_SCORE, -2 * LARGEST_SCORE])
def test_scores_are_finite(tmp_path, value):
    values = np.full((3, 2), LARGEST_SCORE)
    laws(tmp_path, scores=values).floats("scores", np.float64, (3, 2))
    values[1, 1] = value
    said = refusal(laws(tmp_path, scores=values).floats, "scores", np.float64, (3, 2))
    assert said == "scores.npy: has NaN, infinite or too large values"


def test_offsets_never_fall(tmp_path):
    long = np.arange(VALUES_AT_ONCE + 2)
    long[VALUES_AT_ONCE] = VALUES_AT_ONCE + 1  # equal to the next one, across the end of a chunk
    for values, end in (([0, 2, 2, 5], 5), ([0], 0), (long, VALUES_AT_ONCE + 1)):
        kept = laws(tmp_path, begin=np.array(values, np.int64))
        kept.ranges("begin", np.int64, end)
    long[VALUES_AT_ONCE] = VALUES_AT_ONCE - 2
    for values, end in (
        ([], 0), ([0, 3, 2, 5], 5), ([1, 5], 5), ([0, 4], 5), ([0, 6, 5], 5),
        (long, VALUES_AT_ONCE + 1),
    ):  # fmt: skip
        kept = laws(tmp_path, begin=np.array(values, np.int64))
        said = refusal(kept.ranges, "begin", np.int64, end)
        assert said == f"begin.npy: does not increase from 0 to {end}"
    kept = laws(tmp_path, begin=np.array([3, 4, 9]))
    kept.ranges("begin", np.int64, 9, first=3, rows=2)
    assert "not (4) of int64" in refusal(kept.ranges, "begin", np.int64, 9, first=3, rows=3)


def test_keys_rise(tmp_path):
    kept = laws(tmp_path)
    kept.rises("keys", np.array([-3, 0, 7]))
    assert refusal(kept.rises, "keys", np.array([1, 1])) == "keys.npy: is not in increasing order"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([-1, 0, -1, 1], ""),
        ([-1, 0, 2, 1], "values.npy: has numbers from -1 to 2"),
        ([-2, 0, -1, -1], "values.npy: has numbers from -2 to 0"),
        ([0, 0, 1, -1], "keys.npy: is not a hash table: 1 of 4 slots are free"),
        ([-1, 0, -1], "keys.npy: is not a hash table: 2 of 3 slots are free"),
        ([], "keys.npy: is not a hash table: 0 of 0 slots are free"),
    ],
)
def test_searches_in_hash_tables_end(tmp_path, values, said):
    keys = np.arange(len(values), dtype=np.int64)
    kept = laws(tmp_path, keys=keys, values=np.array(values, np.int32))
    if said:
        assert refusal(kept.hash_table, "keys", "values", 2, free=-1) == said
    else:
        kept.hash_table("keys", "values", 2, free=-1)


def test_a_hash_table_whose_free_slots_are_known_by_their_keys(tmp_path):
    values = np.array([0, 1, 0, 0], np.int32)
    kept = laws(tmp_path, keys=np.array([5, 6, -1, -1]), values=values)
    kept.hash_table("keys", "values", 2, free=-1, by_key=True)
    kept = laws(tmp_path, keys=np.array([5, 6, 7, -1]), values=values)
    assert "1 of 4 slots" in refusal(kept.hash_table, "keys", "values", 2, free=-1, by_key=True)


@pytest.mark.parametrize("value", [None, "3", True, 0, 2.5, float("nan"), float("inf"), [1]])
def test_numbers_of_the_header(tmp_path, value):
    assert laws(tmp_path, {"order": 3}).number("order", low=1) == 3
    said = refusal(laws(tmp_path, {"order": value}).number, "order", low=1)
    assert said == f"header.json: has the invalid value {value!r} for order"


def test_an_array_that_no_law_speaks_of(tmp_path):
    kept = laws(tmp_path, known=np.zeros(1), more=np.zeros(1))
    kept.array("known", np.float64, (1,))
    assert refusal(kept.all_checked) == "more.npy: is not part of this folder"
    plain_numbers(kept)
    kept.all_checked()
    broken = laws(tmp_path, known=np.array([np.nan]))
    assert "NaN" in refusal(plain_numbers, broken)
