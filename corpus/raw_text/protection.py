"""Text that tokenisers must not split: addresses, numbers, dates, entities, emoji."""

import re
from collections.abc import Iterable
from itertools import pairwise
from unicodedata import category

_PATTERN = re.compile(
    r"""
    (?:(?:https?|ftp)://|www\.)[\w\-.~%/?\#@!$&*+,;=:]+(?<![.,;:!?])  # URLs
  | (?<![\w.+\-])[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+  # e-mail; a long word is searched once
  | &(?:[A-Za-z][A-Za-z0-9]*|\#[0-9]+|\#x[0-9A-Fa-f]+);
  | (?<![A-Za-z0-9.,])[0-9]+(?:[.,:/\-][0-9]+)+(?![A-Za-z0-9])  # 1,000.5  10:30  2026-11-16
  | [\U0001f1e6-\U0001f1ff]{2}  # flags
    """,
    re.ASCII | re.VERBOSE,
)
_CLINGING = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_SPACE = re.compile(" ")
_TYING = "\u200d"


def spans(text: str, cuts: Iterable[int]) -> list[tuple[int, int]]:
    """The token spans of a text that is cut at these places and at spaces, but not inside protected
    text.

    >>> spans("see a.b@c.de!", [5, 6, 12])
    [(0, 3), (4, 12), (12, 13)]
    """
    size = len(text)
    places = {
        place
        for place in cuts
        if 0 < place < size and (text[place] < "\x80" or _may_cut(text, place))
    }
    for match in _PATTERN.finditer(text):
        first, last = match.span()
        places.difference_update(range(first + 1, last))
        places |= {first, last}
    for space in _SPACE.finditer(text):
        places.update(space.span())
    edges = sorted(places | {0, size})
    return [(first, last) for first, last in pairwise(edges) if text[first] != " "]


def _may_cut(text: str, place: int) -> bool:
    """Whether the character at a place does not combine with the one before."""
    character = text[place]
    return (
        category(character)[0] != "M"
        and not _CLINGING.match(character)
        and text[place - 1] != _TYING
    )
