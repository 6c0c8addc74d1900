"""Text normalisation: Unicode normal forms, spaces, invisible characters.

Runs of white space (tabs, form feeds, U+00A0, U+2028, …) become one space; leading and trailing
space is removed, and so are control characters and marks that only affect the display. Joiners
(U+200C, U+200D) stay between characters that are not ASCII: emoji and some scripts need them.
"""

import re
import unicodedata
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["NFC", "NFKC"]

_JOINERS = "\u200c\u200d"
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0001]"
)
# Possessive, so that a match is not retried inside a run: a line of only joiners would take minutes
_LOOSE_JOINERS = re.compile(
    rf"(?:(?<=[\x00-\x7f])|^)[{_JOINERS}]+|(?<![{_JOINERS}])[{_JOINERS}]++(?=[\x00-\x7f]|$)"
)
_SPACES = re.compile(r"[\s\x1c-\x1f\u3164\uffa0]+")
# A character with its combining marks and the characters that joiners tie to it
_CLUSTER = re.compile(
    rf".(?:[{_JOINERS}]+[^ ]?|[\u0300-\u036f\u1160-\u11ff\uff9e\uff9f\uffa0-\uffdc])*", re.DOTALL
)


def normalise(text: str, form: Form = "NFC") -> str:
    """Normalises text; a normalised text does not change.

    >>> normalise(" a\\u00a0\\tb\\u200b ")
    'a b'
    """
    while True:  # removing a character may let its neighbours compose
        cleaned = _cleaned(text, form)
        if cleaned == text:
            return text
        text = cleaned


def origins(raw: str, form: Form = "NFC") -> list[tuple[int, int]]:
    """The span in the raw text of each character of the normalised text, without spaces."""
    whole = normalise(raw, form).replace(" ", "")
    for pattern in (_CLUSTER, re.compile(r"\S+")):
        parts, places = [], []
        for match in pattern.finditer(raw):
            characters = normalise(match[0], form).replace(" ", "")
            parts.append(characters)
            same = len(characters) == len(match[0])
            first, last = match.span()
            places += (
                [(first + n, first + n + 1) for n in range(len(characters))]
                if same
                else [(first, last)] * len(characters)
            )
        if "".join(parts) == whole:
            return places
    return [(0, len(raw))] * len(whole)  # no closer mapping is known


def _cleaned(text: str, form: Form) -> str:
    text = _INVISIBLE.sub("", unicodedata.normalize(form, text))
    text = _SPACES.sub(" ", text).strip(" ")
    return _LOOSE_JOINERS.sub("", text)
