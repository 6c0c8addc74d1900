"""Machines with other programs are refused."""

import sys

import numpy as np
import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.cluster.versions import check_versions, own_versions


def test_the_same_programs_are_fine():
    own = own_versions()
    assert own["numpy"] == np.__version__
    assert own["Python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    check_versions(own, "tcp://there")


def test_a_difference_is_named():
    wanted = own_versions() | {"numpy": "1.0", "hyperbaton": "0.0, source 0"}
    with pytest.raises(SettingError) as error:
        check_versions(wanted, "tcp://there")
    message = str(error.value)
    assert "worker tcp://there: other versions" in message
    assert f"numpy {np.__version__} instead of 1.0" in message
    assert "source 0" in message
    assert "scipy" not in message
    assert "install the same versions" in message
