"""Repeated experiments: mean, deviation and t-tests, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from hyperbaton.tuning.reproduction.repetitions import paired_p_value, spread

values = st.lists(st.tuples(*[st.floats(-1, 1)] * 2), min_size=2, max_size=8)


def test_mean_and_deviation_by_hand():
    result = spread([0.1, 0.2, 0.3])
    assert (result.mean, result.deviation) == pytest.approx((0.2, 0.1))
    assert result.text(1, 100) == "20.0 ± 10.0"
    assert result.text(2) == "0.20 ± 0.10"
    assert spread([0.5]).text(1, 100) == "50.0"  # one run says nothing about chance


def test_t_test_by_hand():
    # Differences 1 2 3: mean 2, deviation 1. With two degrees of freedom p is 1 − t/√(2 + t²)
    t = 2 / (1 / math.sqrt(3))
    assert paired_p_value([1, 2, 3]) == pytest.approx(1 - t / math.sqrt(2 + t * t))


def test_t_test_of_differences_that_are_all_the_same():
    assert paired_p_value([0, 0]) == 1
    for first, second in (([0.3, 0.4], [0.1, 0.2]), ([0.1, 0.2], [0.3, 0.4])):
        assert paired_p_value(np.subtract(first, second)) == 0


@given(values)
def test_t_test_agrees_with_scipy(pairs):
    first, second = np.array(pairs).T
    p_value = paired_p_value(first - second)
    if np.ptp(first - second) > 1e-3:
        assert p_value == pytest.approx(ttest_rel(first, second).pvalue)
        assert paired_p_value(second - first) == pytest.approx(p_value)
