import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.hashing import (
    EMPTY,
    add_one_row,
    enlarged,
    find_number,
    find_row,
    find_slot,
    first_slot,
    index_keys,
    keys_in_order,
    mix_in,
    mixed,
    no_rows,
    table_size,
)
from hyperbaton.foundation.kernels import kernel

mix, find_slot, first_slot, mix_in, find_number, find_row = map(
    kernel, (mixed, find_slot, first_slot, mix_in, find_number, find_row)
)

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def test_finaliser_gives_the_published_numbers_of_splitmix64():
    # the reference implementation with the seed 1234567 mixes the seed plus multiples of GOLDEN
    states = np.array([(1234567 + n * GOLDEN) & MASK for n in (1, 2, 3)], np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert mixed(states).tolist() == expected
    assert [int(mix(state)) for state in states] == expected


def test_sequences_are_mixed_in_value_by_value():
    first = (5 ^ 7) * GOLDEN & MASK
    first ^= first >> 29
    second = (first ^ 9) * GOLDEN & MASK
    second ^= second >> 29
    once = np.uint64(mix_in(np.uint64(5), np.uint64(7)))
    assert int(mix_in(once, np.uint64(9))) == second


def test_keys_begin_at_the_high_bits_of_their_product():
    for key in (0, 1, 123456789, 2**62 + 5):
        assert first_slot(key, 1023) == ((key * GOLDEN & MASK) >> 32) & 1023


def test_colliding_keys_go_to_the_next_empty_slot():
    size = table_size(8)
    assert size == 16
    home = first_slot(1, size - 1)
    keys, values = np.zeros(size, np.int64), np.full(size, EMPTY, np.int64)
    keys[home], values[home] = 99, 0
    slot = find_slot(keys, values, 1)
    assert slot == (home + 1) % size
    keys[slot], values[slot] = 1, 1
    assert find_slot(keys, values, 1) == slot


@given(st.lists(st.integers(0, 1 << 60), unique=True))
def test_an_index_finds_what_was_put_in(keys):
    index = index_keys(np.array(keys, np.int64))
    assert [find_number(index, key) for key in keys] == list(range(len(keys)))
    assert find_number(index, (1 << 60) + 1) == find_number(index, -1) == EMPTY
    assert keys_in_order(index).tolist() == keys


@given(st.lists(st.lists(st.integers(-5, 5), max_size=4).map(tuple), max_size=60))
def test_rows_are_numbered_in_order_of_first_use(given_rows):
    rows, numbers = no_rows(np.int32, 2), {}
    for row in given_rows:
        expected = numbers.setdefault(row, len(numbers))
        values = np.array(row, np.int32)
        while (number := add_one_row(rows, values, len(row))) == EMPTY:
            rows = enlarged(rows)
        assert number == expected
    assert rows.total[0] == len(numbers)
    for row, number in numbers.items():
        assert find_row(rows, np.array(row, np.int32), len(row)) == number
    assert find_row(rows, np.array([7], np.int32), 1) == EMPTY
