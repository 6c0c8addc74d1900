from bisect import bisect_left

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation import sorted_arrays
from hyperbaton.foundation.kernels import kernel

lower_bound = kernel(sorted_arrays.lower_bound)
numbers = st.integers(-9, 9)


@given(st.lists(numbers, max_size=20), numbers, st.integers(0, 20), st.integers(0, 20))
def test_the_first_place_that_is_not_below(values, value, one, other):
    values = sorted(values)
    begin, end = sorted(min(place, len(values)) for place in (one, other))
    found = lower_bound(np.array(values, np.int64), begin, end, value)
    assert found == bisect_left(values, value, begin, end)
