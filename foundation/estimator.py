"""The base class of distortion models and learners, with the conventions of scikit-learn.

The constructor only stores its arguments, the settings, under the same names. `fit` learns, returns
the object, and stores results in attributes whose names end in `_`. Reading such an attribute
before `fit` or `load` raises `NotFitted`.
"""

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from hyperbaton.foundation.errors import NotFitted, SettingError, nearest

SCALARS = (bool, int, float, str)  # types of settings that can be given as text


class Estimator:
    name: ClassVar[str]

    def settings(self) -> dict[str, Any]:
        """The constructor's arguments, which suffice to create an equal object."""
        keys = default_settings(type(self))
        for key in keys:
            if not hasattr(self, key):
                raise SettingError(
                    f"{type(self).__name__} does not store its setting {key!r}",
                    expected="a constructor must store every argument under the same name",
                )
        return {key: getattr(self, key) for key in keys}

    def learned(self) -> dict[str, Any]:
        """The learned attributes by name; empty before `fit`."""
        return {key: value for key, value in vars(self).items() if _is_learned(key)}

    def check_fitted(self) -> None:
        if not self.learned():
            raise NotFitted(self.name)

    if not TYPE_CHECKING:  # otherwise mypy would accept every misspelt attribute

        def __getattr__(self, key: str) -> Any:
            if _is_learned(key):
                raise NotFitted(self.name)
            return object.__getattribute__(self, key)  # raises the usual error

    def _check(self, key: str, good: bool, expected: str) -> None:
        if not good:
            raise SettingError(
                f"{getattr(self, key)!r} is not possible",
                where=f"{self.name}.{key}",
                expected=expected,
            )

    def _check_positive(self, *keys: str) -> None:
        for key in keys:
            self._check(key, getattr(self, key) > 0, "expected a number above 0")

    def _check_at_least(self, lowest: int, *keys: str) -> None:
        for key in keys:
            self._check(key, getattr(self, key) >= lowest, f"expected {lowest} or more")

    def _check_choice(self, key: str, known: list[str]) -> None:
        value = getattr(self, key)
        self._check(key, value in known, nearest(str(value), known))


def default_settings(factory: Any) -> dict[str, Any]:
    """The arguments of a class or factory, with their defaults."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (ValueError, TypeError):  # a built-in type, or not callable
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        parameter.name: parameter.default for parameter in parameters if parameter.kind in named
    }


def _is_learned(key: str) -> bool:
    return key.endswith("_") and not key.startswith("_")
