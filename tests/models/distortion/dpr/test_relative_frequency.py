import numpy as np
import pytest

from models.distortion.dpr.relative_frequency import RelativeFrequency
from models.errors import DataError


def test_counts_worked_by_hand():
    # pair 7: classes 0, 0, 1; pair 3: class 2. p(o) = 2/4, 1/4, 1/4
    model = RelativeFrequency().fit(np.array([7, 7, 3, 7]), np.array([0, 0, 2, 1]), 3)
    found = model.probabilities(np.array([3, 7, 5, 99]))
    prior = np.array([0.25, 0.125, 0.125])
    assert found[0] == pytest.approx((np.array([0, 0, 1]) + prior) / 1.5)
    assert found[1] == pytest.approx((np.array([2, 1, 0]) + prior) / 3.5)
    assert found[2] == pytest.approx([0.5, 0.25, 0.25])  # never seen
    assert found[3] == pytest.approx([0.5, 0.25, 0.25])
    assert found.sum(axis=1) == pytest.approx(1.0)


def test_no_examples_are_refused():
    with pytest.raises(DataError, match="nothing to learn from: 0 examples"):
        RelativeFrequency().fit(np.array([], np.int64), np.array([], np.int64), 3)
