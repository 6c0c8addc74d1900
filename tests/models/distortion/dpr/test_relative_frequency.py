import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.dpr.relative_frequency import RelativeFrequency

# hon → book: forward, forward, straight; hon → this: back; kare → he: straight
PHRASE = np.array([1, 1, 1, 1, 2])
PAIR = np.array([10, 10, 10, 11, 20])
CLASS = np.array([0, 0, 1, 2, 1])


def test_counts_worked_by_hand():
    model = RelativeFrequency().fit([PHRASE, PAIR], CLASS, 3)
    found = model.probabilities([np.array([1, 1, 1, 2, 3]), np.array([10, 11, 99, 20, 30])])
    # p(o) = 2/5 2/5 1/5; p(o | hon) = (2 + .2, 1 + .2, 1 + .1) / 4.5
    hon = [2.2 / 4.5, 1.2 / 4.5, 1.1 / 4.5]
    kare = [0.2 / 1.5, 1.2 / 1.5, 0.1 / 1.5]
    assert found[0] == pytest.approx([(2 + hon[0] / 2) / 3.5, (1 + hon[1] / 2) / 3.5, hon[2] / 7])
    assert found[1] == pytest.approx([hon[0] / 3, hon[1] / 3, (1 + hon[2] / 2) / 1.5])
    assert found[2] == pytest.approx(hon)  # another translation of hon
    assert found[3] == pytest.approx([kare[0] / 3, (1 + kare[1] / 2) / 1.5, kare[2] / 3])
    assert found[4] == pytest.approx([0.4, 0.4, 0.2])  # another source phrase
    assert found.sum(axis=1) == pytest.approx(1.0)


def test_a_tie_follows_the_source_phrase_and_a_majority_does_not():
    phrase, pair = np.array([1] * 6), np.array([7, 7, 8, 8, 8, 9])
    model = RelativeFrequency().fit([phrase, pair], np.array([0, 2, 2, 2, 2, 1]), 3)
    found = model.probabilities([np.array([1, 1]), np.array([7, 9])])
    assert found.argmax(axis=1).tolist() == [2, 1]


def test_no_examples_are_refused():
    nothing = np.array([], np.int64)
    with pytest.raises(DataError, match="nothing to learn from: 0 examples"):
        RelativeFrequency().fit([nothing, nothing], nothing, 3)
