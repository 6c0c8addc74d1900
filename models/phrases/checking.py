"""Validates settings before work starts.

This is not part of the settings classes, so that reading settings needs no slow imports.
"""

from collections.abc import Callable, Mapping
from typing import Any

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.phrases.extraction import check_max_length
from hyperbaton.models.phrases.pruning import significance_threshold
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.settings import NONE, PhraseSettings
from hyperbaton.models.phrases.smoothing import check_smoothing


def check_phrase_settings(settings: PhraseSettings) -> None:
    check_values(
        "phrases",
        settings,
        {
            "max_length": check_max_length,
            "smoothing": check_smoothing,
            "min_count": check_not_negative,
            "top": check_not_negative,
            "significance": lambda text: text == NONE or significance_threshold(text, 1),
            "reordering": reordering_type,
        },
    )


def check_values(section: str, settings: Any, checks: Mapping[str, Callable[[Any], Any]]) -> None:
    """Checks each value; errors give the setting."""
    for key, check in checks.items():
        try:
            check(getattr(settings, key))
        except SettingError as error:
            error.where = f"{section}.{key}"
            raise


def check_not_negative(number: int) -> None:
    if number < 0:
        raise SettingError(f"{number} is not possible", expected="expected 0 or more")


def reordering_type(name: str) -> ReorderingType | None:
    return None if name == NONE else ReorderingType.parse(name)
