"""The settings of raw text."""

from dataclasses import dataclass

NUMBERS = KEEP, COPY = "keep", "copy"


@dataclass(frozen=True)
class TextSettings:
    """What raw text is made of (`--set text.KEY=VALUE`). Without languages, text is tokens."""

    source_language: str = ""  # as a code: ja
    target_language: str = ""
    source_tokeniser: str = ""  # instead of the language's own
    target_tokeniser: str = ""
    source_case: str = ""  # keep, lower or true
    target_case: str = ""  # keep or true
    split: bool = False  # lines of several sentences are translated one sentence at a time
    numbers: str = KEEP  # copy: numbers that are the same on both sides are learned as one word
