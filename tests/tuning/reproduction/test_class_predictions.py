"""Measures of predicted classes, by hand and by counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.tuning.reproduction.trials import judge, precision_by_distance

THREE = ("d < 0", "d = 0", "d > 0")
TRUE, PREDICTED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]

labels = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=30)


def test_measures_by_hand():
    result = judge(TRUE, PREDICTED, THREE)
    assert result.confusion.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert result.n_examples == 6
    assert result.precision == pytest.approx(4 / 6)
    assert result.class_f1 == pytest.approx([0.8, 0.5, 2 / 3])


def test_a_class_that_nobody_has_scores_nothing():
    result = judge([0, 0], [0, 1], THREE)
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
        f1 = 2 * precision * recall / (precision + recall) if right else 0
        assert result.class_f1[label] == pytest.approx(f1)


@given(labels, labels)
def test_confusion_is_additive(first, second):
    first, second = (np.array(pairs, dtype=int).reshape(-1, 2) for pairs in (first, second))
    parts = [judge(*pairs.T, THREE).confusion for pairs in (first, second)]
    both = judge(*np.concatenate([first, second]).T, THREE).confusion
    assert both.tolist() == sum(parts).tolist()


def test_precision_by_distance_by_hand():
    bins = precision_by_distance(TRUE, PREDICTED, [-20, -5, -1, 0, 0, 7])
    assert [(b.name, b.n_examples, b.n_right) for b in bins if b.n_examples] == [
        ("-5", 1, 1), ("-1", 1, 0), ("0", 2, 1), ("7", 1, 1)
    ]  # fmt: skip
    assert [b.precision for b in bins if b.name in ("-5", "-1", "0", "1")] == [1, 0, 0.5, 0]


def test_each_distance_up_to_fifteen_has_a_bin():
    bins = precision_by_distance([0, 1], [0, 0], [-15, 16])
    assert [b.name for b in bins] == [str(d) for d in range(-15, 16)]
    assert bins[0].n_right == sum(b.n_examples for b in bins) == 1


def test_f1_of_moves_leaves_out_the_class_that_goes_straight_on():
    # monotone is always found, swap in one of two, discontinuous never
    true, found = [0, 0, 1, 1, 2], [0, 0, 1, 2, 0]
    result = judge(true, found, ("monotone", "swap", "discontinuous"))
    assert result.moving_f1 == pytest.approx((2 / 3 + 0) / 2)
    assert judge(true, found, ("d<0", "d=0", "d>0")).moving_f1 == pytest.approx((4 / 5 + 0) / 2)
