"""Settings that are given as text, or as values of a TOML file, as the type they should have."""

from typing import Any

from models.errors import SettingError

BOOLEANS = {"true": True, "yes": True, "on": True, "1": True} | {
    "false": False, "no": False, "off": False, "0": False
}  # fmt: skip
TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


def convert_setting(name: str, value: Any, wanted: type, where: str = "") -> Any:
    """The value as the type that the setting's default has."""
    if type(value) is wanted:
        return value
    if wanted is float and type(value) is int:
        return float(value)
    if isinstance(value, str):
        try:
            return BOOLEANS[value.lower()] if wanted is bool else wanted(value)
        except (ValueError, KeyError):
            pass
    expected = f"expected {TYPE_NAMES.get(wanted, wanted.__name__)}"
    raise SettingError(f"{name} cannot be {value!r}", where=where, expected=expected)
