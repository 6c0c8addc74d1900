"""Converts settings from text, or from values of a TOML file, to their types."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from hyperbaton.foundation.errors import SettingError

BOOLEANS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False, "no": False, "off": False, "0": False
}  # fmt: skip
NO_LIMIT = -1  # INFINITE as a number
INFINITE: Literal["inf"] = "inf"
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *([kmgt]?)b?")
TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def convert_setting(name: str, value: Any, wanted: type, where: str = "") -> Any:
    """Converts a value to the type of the setting's default."""
    if type(value) is wanted:
        return value
    if wanted is float and type(value) is int:
        return float(value)
    if wanted is tuple and isinstance(value, (str, list)):  # of words
        return tuple(value.split() if isinstance(value, str) else map(str, value))
    if isinstance(value, str):
        try:
            return BOOLEANS[value.lower()] if wanted is bool else wanted(value)
        except (ValueError, KeyError):
            pass
    expected = f"expected {TYPE_NAMES.get(wanted, wanted.__name__)}"
    raise SettingError(f"{name} cannot be {value!r}", where=where, expected=expected)


def split_settings(text: str, separator: str = ",") -> tuple[str, dict[str, str]]:
    """Splits `name,key=value,…` into the name and the settings, still as text.

    >>> split_settings("msd,type=wbe-msd-backward-fe")
    ('msd', {'type': 'wbe-msd-backward-fe'})
    """
    name, *assignments = (part.strip() for part in text.split(separator))
    settings = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise SettingError(
                f"{assignment!r} has no value",
                where=text,
                expected=f"expected name{separator}key=value{separator}…",
            )
        settings[key.strip()] = value.strip()
    return name, settings


def join_settings(name: str, settings: Mapping[str, Any]) -> str:
    """The opposite of `split_settings`."""
    return ",".join([name, *(f"{key}={value}" for key, value in settings.items())])


def parse_size(text: str) -> int:
    """Parses a number of bytes: `3GB`, `500 MB`, `0` for no limit."""
    match = _SIZE.fullmatch(text.strip().lower())
    if not match:
        raise SettingError(f"{text!r} is not a size", expected="expected a size such as 3GB, or 0")
    return int(float(match[1]) * UNITS[match[2]])


def parse_limit(limit: int | str) -> int:
    """A distortion limit as a number; `inf` is −1."""
    return NO_LIMIT if limit == INFINITE else int(limit)


def show_limit(limit: int) -> int | Literal["inf"]:
    return INFINITE if limit < 0 else limit
