"""Settings for raw text."""

from dataclasses import dataclass

NUMBERS = KEEP, COPY = "keep", "copy"


@dataclass(frozen=True)
class TextSettings:
    """How raw text becomes tokens (`--set text.KEY=VALUE`). Without languages, the text must
    already be tokenised."""

    source_language: str = ""  # code of the source language, such as `ja`; the text is raw
    target_language: str = ""  # code of the target language
    source_tokeniser: str = ""  # a tokeniser other than the default one of the language
    target_tokeniser: str = ""  # the same for the target language
    source_case: str = ""  # `keep` capitals, `lower` all, or learn the usual case of words (`true`)
    target_case: str = ""  # `keep` or `true`
    split: bool = False  # split lines into sentences and translate these one by one
    # `keep`, or `copy`: replace numbers that agree on both sides by one placeholder word
    numbers: str = KEEP
