"""Spaces between tokens: detokenising restores the text exactly.

Rules say where a space is usual: none before a comma, none after an opening bracket, and so on.
Exceptions are marked on a token, preferably on punctuation:

    a/b, c / d      a / b , c ▁/▁ d      ▁ a space against the rules
    R+D             R ￭+￭ D              ￭ no space against the rules

Marks are part of the tokens that a system learns and translates, so that translations have unusual
spaces where the target language has them. Characters with a meaning in Moses' files, and the marks
themselves, are written as entities.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hyperbaton.corpus.languages import UNSPACED

JOIN, SPACE = "￭", "▁"
MARKS = JOIN + SPACE
ENTITIES = {
    "&": "&amp;", "|": "&#124;", "<": "&lt;", ">": "&gt;", "[": "&#91;", "]": "&#93;",
    JOIN: "&#65517;", SPACE: "&#9601;",
}  # fmt: skip
_CHARACTERS = {entity: character for character, entity in ENTITIES.items()}
_SPECIAL = re.compile(f"[{re.escape(''.join(ENTITIES))}]")
_ENTITY = re.compile("|".join(_CHARACTERS))
_WORD = re.compile(r"\w")
# Scripts that are written without spaces, and their punctuation
_UNSPACED = re.compile(
    "[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\uffe0-\uffe6"
    "\U0001b000-\U0001b16f\U0001f200-\U0001f2ff\U00020000-\U0003ffff]"
)

QUOTES = frozenset("\"'")  # the same for opening and closing
CLOSING = frozenset(",.;:!?)]}%…”’»›‰°′″/~")  # no space before them
OPENING = frozenset("([{“‘«‹¿¡$£€¥₩#@/~")  # no space after them
_LOW_QUOTES = "bg cs da de et hr hu is lt lv pl ro sk sl sr"  # „so“ or „so”
FRENCH_SPACED = frozenset(";:!?»«")


def escape(text: str) -> str:
    """Replaces special characters by entities.

    >>> escape("[a|b]"), unescape(escape("&lt;"))
    ('&#91;a&#124;b&#93;', '&lt;')
    """
    return _SPECIAL.sub(lambda match: ENTITIES[match[0]], text)


def unescape(text: str) -> str:
    return _ENTITY.sub(lambda match: _CHARACTERS[match[0]], text) if "&" in text else text


@dataclass(frozen=True)
class Spacing:
    """The rules of one language. `always` overrides them."""

    closing: frozenset[str] = CLOSING
    opening: frozenset[str] = OPENING
    unspaced: bool = False  # the language is written without spaces
    always: bool | None = None

    @classmethod
    def of(cls, language: str) -> "Spacing":
        if language in UNSPACED:
            return cls(unspaced=True)
        if language == "fr":
            return cls(CLOSING - FRENCH_SPACED, OPENING - FRENCH_SPACED)
        if language in _LOW_QUOTES.split():
            return cls(CLOSING | {"“", "‘"}, (OPENING - {"“", "‘"}) | {"„", "‚"})
        return cls()

    def marked(self, surfaces: Sequence[str], gaps: Sequence[bool]) -> list[str]:
        """Tokens from pieces of text and whether a space follows each but the last."""
        before, after = [""] * len(surfaces), [""] * len(surfaces)

        def decide(place: int, usual: bool) -> bool:
            if gaps[place] != usual:
                mark = SPACE if gaps[place] else JOIN
                left, right = surfaces[place : place + 2]
                if _WORD.search(right) and not _WORD.search(left):
                    after[place] = mark
                else:
                    before[place + 1] = mark
            return gaps[place]

        for _ in self._walk(surfaces, decide):
            pass
        return [
            mark + escape(surface) + end
            for mark, surface, end in zip(before, surfaces, after, strict=True)
        ]

    def text(self, tokens: Sequence[str]) -> str:
        """Joins tokens by marks where there are any, otherwise by rules."""
        tokens = [token for token in tokens if token.strip(MARKS)]
        surfaces = [unescape(token.strip(MARKS)) for token in tokens]

        def decide(place: int, usual: bool) -> bool:
            left, right = tokens[place][-1:], tokens[place + 1][:1]
            mark = right if right and right in MARKS else left
            return mark == SPACE if mark and mark in MARKS else usual

        spaces = self._walk(surfaces, decide)
        return "".join(
            surface + " " * space
            for surface, space in zip(surfaces, [*spaces, False], strict=True)
        ) if tokens else ""  # fmt: skip

    def _walk(self, surfaces: Sequence[str], decide: Callable[[int, bool], bool]) -> Iterator[bool]:
        """Yields whether a space follows each token: `decide(place, usual)`."""
        opened: set[str] = set()  # quotes
        inside = bool(surfaces) and _see(opened, surfaces[0], spaced=True)
        for place, (left, right) in enumerate(pairwise(surfaces)):
            if self.always is not None:
                usual = self.always
            elif inside:  # the left token opens a quotation
                usual = False
            else:
                usual = right not in opened and self._usual(left, right)
            spaced = decide(place, usual)
            inside = _see(opened, right, spaced=spaced or inside or self._opens(left))
            yield spaced

    def _usual(self, left: str, right: str) -> bool:
        """Whether a space is usual between two tokens that are not quotes."""
        if not left or not right:
            return False
        last, first = _UNSPACED.match(left[-1]), _UNSPACED.match(right)
        if self.unspaced:
            return not (last or first) and left[-1].isalnum() and right[0].isalnum()
        if last and first:
            return False
        if self._opens(left) or (right[0] in self.closing and not _WORD.search(right)):
            return False
        # he 's, l' eau
        return not (right[0] in "'’" and right[1:2].isalpha()) and not (
            left[-1] in "'’" and left[-2:-1].isalpha()
        )

    def _opens(self, left: str) -> bool:
        return left[-1:] in self.opening and not _WORD.search(left)


def _see(opened: set[str], token: str, *, spaced: bool) -> bool:
    """Opens or closes a quotation; returns whether it was opened. A quote directly after a word
    opens none: 5" is a length."""
    if token not in QUOTES:
        return False
    if token in opened:
        opened.remove(token)
        return False
    if spaced:
        opened.add(token)
    return spaced
