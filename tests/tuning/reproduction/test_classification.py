import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from models.errors import DataError, SettingError
from tuning.reproduction.classification import (
    EACH_DISTANCE,
    compare_classifiers,
    distance_text,
    judge,
    paired_t_test,
    precision_by_distance,
    spread,
)

THREE = ("d < 0", "d = 0", "d > 0")
TRUE, PREDICTED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]

labels = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=30)
values = st.lists(st.tuples(*[st.floats(-1, 1)] * 2), min_size=2, max_size=8)


def test_measures_by_hand():
    result = judge(TRUE, PREDICTED, THREE)
    assert result.confusion.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert result.n_examples == 6
    assert result.precision == pytest.approx(4 / 6)
    assert result.class_precision == pytest.approx([1, 1 / 2, 1 / 2])
    assert result.class_recall == pytest.approx([2 / 3, 1 / 2, 1])
    assert result.class_f1 == pytest.approx([0.8, 0.5, 2 / 3])


def test_the_table_of_one_run():
    assert judge(TRUE, PREDICTED, THREE).text() == (
        "class    examples  precision  recall    F1  → d < 0  → d = 0  → d > 0\n"
        "d < 0           3      100.0    66.7  80.0        2        1        0\n"
        "d = 0           2       50.0    50.0  50.0        0        1        1\n"
        "d > 0           1       50.0   100.0  66.7        0        0        1\n"
        "overall         6       66.7"
    )


def test_a_class_that_nobody_has_scores_nothing():
    result = judge([0, 0], [0, 1], THREE)
    assert result.class_precision.tolist() == [1, 0, 0]
    assert result.class_recall.tolist() == [0.5, 0, 0]
    assert result.class_f1.tolist() == pytest.approx([2 / 3, 0, 0])
    assert judge([], [], THREE).precision == 0


@given(labels)
def test_measures_agree_with_counting(pairs):
    result = judge([t for t, _ in pairs], [p for _, p in pairs], THREE)
    assert result.precision == pytest.approx(
        sum(t == p for t, p in pairs) / len(pairs) if pairs else 0
    )
    for label in range(3):
        right = pairs.count((label, label))
        found = [t for t, p in pairs if p == label]
        wanted = [p for t, p in pairs if t == label]
        precision = right / len(found) if found else 0
        recall = right / len(wanted) if wanted else 0
        assert result.class_precision[label] == pytest.approx(precision)
        assert result.class_recall[label] == pytest.approx(recall)
        f1 = 2 * precision * recall / (precision + recall) if right else 0
        assert result.class_f1[label] == pytest.approx(f1)


@given(labels, labels)
def test_confusion_is_additive(first, second):
    first, second = (np.array(pairs, dtype=int).reshape(-1, 2) for pairs in (first, second))
    parts = [judge(*pairs.T, THREE).confusion for pairs in (first, second)]
    both = judge(*np.concatenate([first, second]).T, THREE).confusion
    assert both.tolist() == sum(parts).tolist()


def test_precision_by_distance_by_hand():
    bins = precision_by_distance(
        TRUE, PREDICTED, [-20, -5, -1, 0, 0, 7], [(None, -5), (-4, -1), (0, 0), (1, 5), (6, None)]
    )
    assert [(b.name, b.n_examples, b.n_right) for b in bins] == [
        ("≤ -5", 2, 2), ("-4 to -1", 1, 0), ("0", 2, 1), ("1 to 5", 0, 0), ("≥ 6", 1, 1),
    ]  # fmt: skip
    assert [b.precision for b in bins] == [1, 0, 0.5, 0, 1]
    assert distance_text(bins[1:3]) == (
        "distance  examples  precision\n"
        "-4 to -1         1        0.0\n"
        "0                2       50.0"
    )


def test_each_distance_up_to_fifteen_has_a_bin():
    bins = precision_by_distance([0, 1], [0, 0], [-15, 16])
    assert [b.name for b in bins] == [str(d) for d in range(-15, 16)]
    assert len(EACH_DISTANCE) == 31
    assert bins[0].n_right == sum(b.n_examples for b in bins) == 1


def test_mean_and_deviation_by_hand():
    result = spread([0.1, 0.2, 0.3])
    assert (result.mean, result.deviation) == pytest.approx((0.2, 0.1))
    assert str(result) == "20.0 ± 10.0"
    assert str(spread([0.5])) == "50.0 ± 0.0"


def test_t_test_by_hand():
    # Differences 1 2 3: mean 2, deviation 1. With two degrees of freedom p is 1 − t/√(2 + t²)
    result = paired_t_test([2, 4, 6], [1, 2, 3])
    t = 2 / (1 / math.sqrt(3))
    assert (result.difference, result.t, result.n) == pytest.approx((2, t, 3))
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
    """Runs with so many of ten right: class 0 is always found, class 1 so many times of nine."""
    return [judge([0] + [1] * 9, [0] + [1] * (n - 1) + [0] * (10 - n), ("a", "b")) for n in n_right]


def test_comparison_by_hand():
    comparison = compare_classifiers({"LR": runs(5, 6, 5), "ME": runs(7, 7, 8)}, "ME")
    overall, f1_a, f1_b = comparison.rows
    assert [row.name for row in comparison.rows] == ["overall", "F1 a", "F1 b"]
    assert overall.spreads["LR"].mean == pytest.approx(16 / 30)
    # Class b: found in n − 1 of 9 and never wrongly, F1 = 2(n − 1)/(n + 8); a: 2/(12 − n)
    assert f1_b.spreads["ME"].mean == pytest.approx((12 / 15 + 12 / 15 + 14 / 16) / 3)
    assert f1_a.spreads["LR"].mean == pytest.approx((2 / 7 + 2 / 6 + 2 / 7) / 3)
    # Differences 2 1 3: p as for 1 2 3
    t = 2 * math.sqrt(3)
    assert overall.p_values == {"LR": pytest.approx(1 - t / math.sqrt(2 + t * t))}
    # The other p-values by scipy.stats.ttest_rel from the same formulas
    assert comparison.text() == (
        "                 LR          ME\n"
        "overall  53.3 ± 5.8  73.3 ± 5.8\n"
        "F1 a     30.2 ± 2.7  43.3 ± 5.8\n"
        "F1 b     64.8 ± 5.7  82.5 ± 4.3\n"
        "\n"
        "p-values of the differences to ME, paired t-test\n"
        "\n"
        "               LR\n"
        "overall  7.42e-02\n"
        "F1 a     9.39e-02\n"
        "F1 b     7.25e-02"
    )


def test_single_runs_have_no_p_values():
    comparison = compare_classifiers({"LR": runs(5), "ME": runs(7)}, "ME")
    assert comparison.rows[0].p_values == {}
    assert "p-values" not in comparison.text()


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: judge([0], [0, 1], THREE),
         "1 true and 2 predicted classes\n  one of each for every example"),
        (lambda: judge([0, 3], [0, 1], THREE),
         "the true class of example 1 is 3\n  classes are numbered 0 to 2"),
        (lambda: judge([0, 1], [-1, 1], THREE),
         "the predicted class of example 0 is -1\n  classes are numbered 0 to 2"),
        (lambda: precision_by_distance([-2], [0], [0]),
         "the true class of example 0 is -2\n  classes are numbered 0 and up"),
        (lambda: precision_by_distance([0], [0], [1, 2]),
         "2 distances for 1 examples\n  one for each"),
        (lambda: spread([]), "there are no repetitions to average\n  one at least"),
        (lambda: paired_t_test([1, 2], [1]), "2 values against 1\n  a paired test needs pairs"),
        (lambda: paired_t_test([1], [1]),
         "a t-test of 1 pair\n  two at least; repeat the experiment with other seeds or splits"),
        (lambda: paired_t_test([], []), "a t-test of 0 pairs\n  two at least; repeat"),
        (lambda: compare_classifiers({"LR": runs(5), "ME": runs(5, 6)}, "ME"),
         "LR has 1 runs, ME has 2\n  all must have been run on the same data"),
        (lambda: compare_classifiers({"LR": runs(5), "ME": [judge([0], [0], THREE)]}, "ME"),
         "the classifiers have different classes\n  a, b / d < 0, d = 0, d > 0"),
    ],
)  # fmt: skip
def test_bad_data_is_refused(work, message):
    with pytest.raises(DataError) as error:
        work()
    assert str(error.value).startswith(message)


def test_an_unknown_classifier_is_refused():
    with pytest.raises(SettingError) as error:
        compare_classifiers({"MMS": runs(5), "ME": runs(5)}, "MMR")
    assert str(error.value) == "there is no classifier 'MMR'\n  did you mean MMS?"
