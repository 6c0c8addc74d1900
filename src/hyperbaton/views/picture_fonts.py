"""Fonts for words of any script in pictures, as far as fonts are installed.

matplotlib's own font covers Latin, Greek, Cyrillic, Arabic and some more. Other characters are
drawn with the first installed font that has them; well-known fonts of many scripts are tried first.
Letters are not shaped: scripts that join or stack theirs look better in an SVG file, whose viewer
draws the text with its own fonts.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from matplotlib.font_manager import fontManager, get_font
from matplotlib.ft2font import FT2Font
from rich.cells import cell_len

from hyperbaton.views.picture_files import keeps_text

BASE = "DejaVu Sans"  # comes with matplotlib
NO_FONT = "Last Resort"  # has every character, as a box
KNOWN = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Source Han Sans",
    "IPAGothic",
    "TakaoGothic",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Hiragino Sans",
    "PingFang SC",
    "Arial Unicode MS",
    "Noto Sans",
    "FreeSans",
    "Unifont",
)


class Fonts:
    """Families that together have the characters of the texts of a picture, and the characters that
    are still missing. If the file `path` keeps its text, another machine may have fonts for them.
    """

    def __init__(self, texts: Iterable[str], path: Path | None = None) -> None:
        self.elsewhere = keeps_text(path)
        wanted = {character for text in texts for character in text if not character.isspace()}
        self.families = [BASE]
        self.missing = wanted - _characters(BASE)
        for family in _families() if self.missing else ():
            if not self.missing.isdisjoint(_characters(family)):
                self.families.append(family)
                self.missing -= _characters(family)
            if not self.missing:
                break
        self._fonts = [_font(family) for family in self.families]

    def can_draw(self, text: str) -> bool:
        return self.elsewhere or not self.missing.intersection(text)

    def word_or_number(self, word: str, number: int) -> str:
        """The word, or its number if it cannot be drawn."""
        return word if self.can_draw(word) else f"[{number}]"

    def width(self, text: str, size: float) -> float:
        """The width of a text in points; characters that no font has are as wide as their kind."""
        return sum(self._advance(character) for character in text) * size

    def _advance(self, character: str) -> float:
        """In units of the font's size."""
        for font in self._fonts:
            index = font.get_char_index(ord(character))
            if index:
                font.set_size(64, 72)
                return float(font.load_glyph(index).linearHoriAdvance) / 65536 / 64
        return cell_len(character) / 2

    def message(self) -> str:
        """What to tell the user about missing characters."""
        problem = f"no installed font has {''.join(sorted(self.missing)[:20])!r}"
        if self.elsewhere:
            return f"{problem}: the picture keeps the text, but the boxes may not fit it"
        return (
            f"{problem}: in the picture, words with them are numbers\n"
            "  install a font (Noto Sans CJK has Chinese, Japanese and Korean), or draw an SVG"
        )


def _families() -> list[str]:
    """Installed ones but BASE, the KNOWN ones first."""
    order = {family: place for place, family in enumerate(KNOWN)}
    return sorted(_files().keys() - {BASE}, key=lambda name: (order.get(name, len(KNOWN)), name))


@cache
def _files() -> dict[str, str]:
    """The file of each installed family that has a regular face."""
    return {
        entry.name: entry.fname
        for entry in fontManager.ttflist
        if (entry.style, entry.variant, entry.stretch) == ("normal",) * 3
        and entry.weight in (400, "normal", "regular")
        and not entry.name.startswith(NO_FONT)
    }


@cache
def _font(family: str) -> FT2Font:
    return get_font(_files()[family])


@cache
def _characters(family: str) -> frozenset[str]:
    try:
        return frozenset(map(chr, _font(family).get_charmap()))
    except (OSError, RuntimeError):  # the file is gone or cannot be read
        return frozenset()
