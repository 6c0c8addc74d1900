from types import SimpleNamespace

import numpy as np
import pytest

from hyperbaton.decoder.edges import _row_after, distance_limit, within_limit
from hyperbaton.decoder.search_space import N_ROWS
from hyperbaton.foundation.kernels import kernel

is_within_limit = kernel(within_limit)  # compiled, as in the search


@pytest.mark.parametrize(
    ("start", "end", "previous_end", "gap", "limit", "expected"),
    [
        (0, 3, 0, 0, 0, True),  # monotone, whatever the length
        (1, 2, 0, 0, 0, False),
        (6, 7, 6, 2, 5, True),  # leaves the gap open but ends 5 words from it
        (6, 8, 6, 2, 5, False),
        (2, 4, 6, 2, 5, True),  # back to the gap
        (2, 4, 8, 2, 5, False),  # which is too far away
        (2, 9, 2, 2, 5, True),  # what starts at the gap may end anywhere
    ],
)
def test_rule_of_moses(start, end, previous_end, gap, limit, expected):
    assert is_within_limit(start, end, previous_end, gap, limit) == expected
    spans = np.array([start, start]), np.array([end, end])
    assert within_limit(*spans, previous_end, gap, limit).tolist() == [expected] * 2


def test_a_negative_limit_is_none():
    assert (distance_limit(-1, 9), distance_limit(0, 9), distance_limit(6, 3)) == (9, 0, 6)


def test_options_that_share_a_row_do_not_share_its_scores():
    scores, last_of_row = np.full((N_ROWS, 2), 7.0), np.full(N_ROWS, -1)
    space = SimpleNamespace(first_scores=scores, last_of_row=last_of_row)
    for last in (3, 3 + N_ROWS, 3):
        assert _row_after(space, last) == 3
        assert np.isnan(scores[3]).all()
        scores[3] = last
        assert _row_after(space, last) == 3
        assert scores[3].tolist() == [last, last]
    assert (scores[np.arange(N_ROWS) != 3] == 7.0).all()
