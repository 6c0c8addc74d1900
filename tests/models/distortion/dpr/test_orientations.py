import pytest

from models.distortion.dpr.orientations import orientations
from models.errors import SettingError


def test_three_and_five_classes_as_in_figure_4():
    distances = [-40, -6, -5, -4, -1, 0, 1, 4, 5, 6, 40]
    assert orientations(3).of(distances).tolist() == [0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]
    assert orientations(5).of(distances).tolist() == [0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4]
    assert orientations(3).names == ("d<0", "d=0", "d>0")
    assert [len(orientations(n)) for n in (3, 5)] == [3, 5]


def test_other_numbers_of_classes_are_refused():
    with pytest.raises(SettingError, match="no setup with 4 orientation classes\n  possible: 3 or"):
        orientations(4)
