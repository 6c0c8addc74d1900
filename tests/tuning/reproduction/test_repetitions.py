"""Repeated experiments: mean, deviation and t-tests, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from hyperbaton.tuning.reproduction.repetitions import paired_t_test, spread

values = st.lists(st.tuples(*[st.floats(-1, 1)] * 2), min_size=2, max_size=8)


def test_mean_and_deviation_by_hand():
    result = spread([0.1, 0.2, 0.3])
    assert (result.mean, result.deviation) == pytest.approx((0.2, 0.1))
    assert str(result) == "20.0 ± 10.0"
    assert str(spread([0.5])) == "50.0"  # one run says nothing about chance


def test_t_test_by_hand():
    # Differences 1 2 3: mean 2, deviation 1. With two degrees of freedom p is 1 − t/√(2 + t²)
    result = paired_t_test([2, 4, 6], [1, 2, 3])
    t = 2 / (1 / math.sqrt(3))
    assert (result.difference, result.t) == pytest.approx((2, t))
    assert result.p_value == pytest.approx(1 - t / math.sqrt(2 + t * t))


def test_t_test_of_differences_that_are_all_the_same():
    assert paired_t_test([0.1, 0.2], [0.1, 0.2]).p_value == 1
    for first, second, t in (([0.3, 0.4], [0.1, 0.2], np.inf), ([0.1, 0.2], [0.3, 0.4], -np.inf)):
        result = paired_t_test(first, second)
        assert (result.t, result.p_value) == (t, 0)


@given(values)
def test_t_test_agrees_with_scipy(pairs):
    first, second = np.array(pairs).T
    result = paired_t_test(first, second)
    if np.ptp(first - second) > 1e-3:
        expected = ttest_rel(first, second)
        assert (result.t, result.p_value) == pytest.approx((expected.statistic, expected.pvalue))
        swapped = paired_t_test(second, first)
        assert (swapped.t, swapped.p_value) == pytest.approx((-result.t, result.p_value))
