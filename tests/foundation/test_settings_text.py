"""Sizes as people write them."""

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.settings_text import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("3GB", 3 * 10**9), ("500 MB", 5 * 10**8), ("1.5g", 15 * 10**8), ("0", 0), ("2000", 2000)],
)
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1GB", "3XB"])
def test_wrong_sizes_are_refused(text):
    with pytest.raises(SettingError, match="is not a size\n  expected a size such as 3GB, or 0"):
        parse_size(text)
