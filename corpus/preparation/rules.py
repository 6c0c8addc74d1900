"""Rules for dropping sentence pairs. The reason is the first rule that a pair breaks."""

import re
from dataclasses import dataclass
from functools import cached_property

from hyperbaton.corpus.languages import scripts_of, share_of_scripts, size
from hyperbaton.foundation.errors import SettingError

EMPTY = "a side is empty"
LONG = "too long"
RATIO = "lengths too different"
SAME = "both sides are the same"
SCRIPT = "wrong script"
DUPLICATE = "a duplicate"
# Control characters that are not white space, and the byte order mark
_DROPPED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff]")


@dataclass(frozen=True)
class Rules:
    source_language: str
    target_language: str
    max_words: int = 100  # per side; 0: no limit
    ratio: float = 9.0  # largest ratio of the longer to the shorter side; 0: no limit
    script: float = 0.3  # smallest share of letters in the language's script; 0: no check

    def check(self) -> None:
        if self.max_words < 0:
            raise SettingError(f"--max-words is {self.max_words}", expected="expected at least 0")
        if self.ratio != 0 and not self.ratio >= 1:
            raise SettingError(
                f"--ratio is {self.ratio}", expected="expected at least 1, or 0 for no limit"
            )
        if not 0 <= self.script <= 1:
            raise SettingError(
                f"--script is {self.script}", expected="expected a number from 0 to 1"
            )

    @cached_property
    def _sides(self) -> list[tuple[int, frozenset[str]]]:
        """The sides with a known script, and their scripts."""
        codes = self.source_language, self.target_language
        known = enumerate(map(scripts_of, codes))
        return [(side, scripts) for side, scripts in known if scripts and self.script]

    def fault(self, source: str, target: str) -> str:
        """The reason to drop a pair; empty if it is kept."""
        if not source or not target:
            return EMPTY
        sizes = size(source, self.source_language), size(target, self.target_language)
        if self.max_words and max(sizes) > self.max_words:
            return LONG
        if self.ratio and max(sizes) > self.ratio * min(sizes):
            return RATIO
        if source == target:
            return SAME
        pair = source, target
        if any(share_of_scripts(pair[side], known) < self.script for side, known in self._sides):
            return SCRIPT
        return ""


def cleaned(text: str) -> str:
    """The text with single spaces between words and without control characters."""
    return " ".join(_DROPPED.sub("", text).split())
