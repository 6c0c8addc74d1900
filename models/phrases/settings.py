"""The settings of phrase tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from models.errors import SettingError
from models.phrases.extraction import check_max_length
from models.phrases.pruning import significance_threshold
from models.phrases.reordering import ReorderingType
from models.phrases.smoothing import check_smoothing

NONE = "none"


@dataclass(frozen=True)
class PhraseSettings:
    """How phrase tables are made (`--set phrases.KEY=VALUE`)."""

    max_length: int = 7  # words of a phrase, at most 8
    smoothing: str = NONE  # of the phrase translation probabilities: none, good-turing, kneser-ney
    min_count: int = 1  # drop pairs seen less often
    top: int = 0  # translations kept per source phrase; 0 keeps all
    significance: str = NONE  # drop pairs by Fisher's exact test: none, a+e, a-e or a number
    reordering: str = "wbe-msd-bidirectional-fe"  # type of the reordering scores, or none


def check_phrase_settings(settings: PhraseSettings) -> None:
    """Refuses impossible values before any work."""
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
    """Checks each value; an error names the setting."""
    for key, check in checks.items():
        try:
            check(getattr(settings, key))
        except SettingError as error:
            error.where = f"{section}.{key}"
            raise


def check_not_negative(number: int) -> None:
    if number < 0:
        raise SettingError(f"{number} is not possible", expected="a number from 0 up")


def reordering_type(name: str) -> ReorderingType | None:
    return None if name == NONE else ReorderingType.parse(name)
