"""Settings for raw text."""

from dataclasses import dataclass

NUMBERS = KEEP, COPY = "keep", "copy"


@dataclass(frozen=True)
class TextSettings:
    """Settings for raw text (`--set text.KEY=VALUE`). Without languages, input is tokenised."""

    source_language: str = ""  # code, such as ja
    target_language: str = ""
    source_tokeniser: str = ""  # instead of the language's default
    target_tokeniser: str = ""
    source_case: str = ""  # keep, lower or true
    target_case: str = ""  # keep or true
    split: bool = False  # translate the sentences of a line one at a time
    numbers: str = KEEP  # copy: learn numbers that are the same on both sides as one word
