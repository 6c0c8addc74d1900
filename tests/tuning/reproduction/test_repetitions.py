"""Repeated experiments: mean, deviation, t-tests and classifiers side by side, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from hyperbaton.tuning.reproduction.class_predictions import judge
from hyperbaton.tuning.reproduction.repetitions import compare_classifiers, paired_t_test, spread

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


def runs(*n_right):
    """Runs with n of ten examples right: class 0 is always found, class 1 in n − 1 of nine."""
    return [judge([0] + [1] * 9, [0] + [1] * (n - 1) + [0] * (10 - n), ("a", "b")) for n in n_right]


def test_comparison_by_hand():
    one_size = {"LR": [[run] for run in runs(5, 6, 5)], "ME": [[run] for run in runs(7, 7, 8)]}
    rows = compare_classifiers(one_size, "ME")
    overall, f1_a, f1_b = rows
    assert [row.name for row in rows] == ["overall", "F1 a", "F1 b"]
    assert overall.spreads["LR"].mean == pytest.approx(16 / 30)
    # Class b: found in n − 1 of 9 and never wrongly, F1 = 2(n − 1)/(n + 8); a: 2/(12 − n)
    assert f1_b.spreads["ME"].mean == pytest.approx((12 / 15 + 12 / 15 + 14 / 16) / 3)
    assert f1_a.spreads["LR"].mean == pytest.approx((2 / 7 + 2 / 6 + 2 / 7) / 3)
    # Differences 2 1 3: p as for 1 2 3
    t = 2 * math.sqrt(3)
    assert overall.p_values == {"LR": pytest.approx(1 - t / math.sqrt(2 + t * t))}
    assert [list(map(str, row.spreads.values())) for row in rows] == [
        ["53.3 ± 5.8", "73.3 ± 5.8"],
        ["30.2 ± 2.7", "43.3 ± 5.8"],
        ["64.8 ± 5.7", "82.5 ± 4.3"],
    ]
    # The other p-values by scipy.stats.ttest_rel from the same formulas
    assert [f"{row.p_values['LR']:.2e}" for row in rows] == ["7.42e-02", "9.39e-02", "7.25e-02"]


def test_single_runs_have_no_p_values():
    rows = compare_classifiers({"LR": [runs(5, 6)], "ME": [runs(7, 8)]}, "ME")
    assert rows[0].p_values == {}


def test_sizes_on_one_test_set_were_taken_for_independent_runs():
    """Twice the same size is no more evidence than once."""
    lr, me = runs(5, 6, 5), runs(7, 7, 8)
    once = {"LR": [[run] for run in lr], "ME": [[run] for run in me]}
    twice = {"LR": [[run, run] for run in lr], "ME": [[run, run] for run in me]}
    for one, two in zip(
        compare_classifiers(once, "ME"), compare_classifiers(twice, "ME"), strict=True
    ):
        assert two.p_values == pytest.approx(one.p_values)
        assert two.spreads == one.spreads
    # means of two sizes: 5.5 6.5 against 7 8, both 1.5 apart
    apart = {"LR": [runs(5, 6), runs(6, 7)], "ME": [runs(6, 8), runs(7, 9)]}
    assert compare_classifiers(apart, "ME")[0].p_values == {"LR": pytest.approx(0.0, abs=1e-9)}
