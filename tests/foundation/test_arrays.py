import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.arrays import Ragged
from tests.mapped_arrays import ragged


@given(st.data())
def test_taken_rows_are_the_rows(data):
    rows = data.draw(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1))
    wanted = data.draw(st.lists(st.integers(0, len(rows) - 1)))
    taken = ragged(rows).take(np.array(wanted, dtype=np.int64))
    assert [row.tolist() for row in taken] == [rows[i] for i in wanted]
    assert taken.lengths.tolist() == [len(rows[i]) for i in wanted]


def test_row_of_value():
    assert ragged([[5, 5], [], [5]]).row_of_value.tolist() == [0, 0, 2]


def test_rows_are_gathered_from_anywhere():
    rows = Ragged.gather(np.arange(10), np.array([7, 0, 3]), np.array([3, 0, 2]))
    assert [row.tolist() for row in rows] == [[7, 8, 9], [], [3, 4]]
