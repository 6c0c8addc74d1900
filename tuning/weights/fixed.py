"""Weights that tuning leaves alone, as users write them: `lm`, `lm=0.5`, `translation.*=0`."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from math import isfinite

from models.errors import SettingError, nearest


def read_fixed(
    texts: Iterable[str], names: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The features to be fixed, and the weights that some of them get first.

    >>> read_fixed(["lm", "translation.*=0"], ["lm", "linear", "translation.lexical"])
    (('lm', 'translation.lexical'), {'translation.lexical': 0.0})
    """
    fixed: dict[str, None] = {}  # in order, each once
    values: dict[str, float] = {}
    for text in texts:
        pattern, has_value, value = text.partition("=")
        found = [name for name in names if fnmatchcase(name, pattern)]
        if not found:
            raise SettingError(
                f"there is no feature {pattern!r} to fix", expected=nearest(pattern, list(names))
            )
        fixed |= dict.fromkeys(found)
        if has_value:
            values |= dict.fromkeys(found, _number(value, text))
    return tuple(fixed), values


def _number(value: str, text: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise SettingError(
            f"{value!r} is not a weight",
            where=f"--fix {text}",
            expected="a number, as in --fix lm=0.5",
        )
    return number
