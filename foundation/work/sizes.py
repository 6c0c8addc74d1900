"""Sizes as people write them."""

import re

from hyperbaton.foundation.errors import SettingError

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([kmgt]?)b?")


def parse_size(text: str) -> int:
    """Bytes: `3GB`, `500 MB`, `0` for no limit."""
    match = _SIZE.fullmatch(text.strip().lower())
    if not match:
        raise SettingError(f"{text!r} is not a size", expected="expected one such as 3GB, or 0")
    return int(float(match[1]) * UNITS[match[2]])
