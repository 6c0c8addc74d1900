"""Machines with other programs are refused."""

import sys

import numpy as np

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.cluster.versions import check_versions, own_versions
from tests.refusals import refused


def test_the_same_programs_are_fine():
    own = own_versions()
    assert own["numpy"] == np.__version__
    assert own["Python"] == f"{sys.version_info.major}.{sys.version_info.minor}"
    check_versions(own, "tcp://there")


def test_a_difference_is_named():
    wanted = own_versions() | {"numpy": "1.0", "hyperbaton": "0.0, source 0"}
    facts = "worker tcp://there: versions differ … source 0 … install the same versions"
    error = refused(facts, lambda: check_versions(wanted, "tcp://there"), SettingError)
    assert f"numpy {np.__version__} instead of 1.0" in str(error)
    assert "scipy" not in str(error)
