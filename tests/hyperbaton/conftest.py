"""A system of two sentences, for whatever needs any system."""

import pytest

from hyperbaton.models.system.training import train_system
from tests.tiny_systems import TWO_PAIRS, write_corpus


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    train_system(write_corpus(folder, times=1, **TWO_PAIRS), folder / "m")
    return folder / "m"
