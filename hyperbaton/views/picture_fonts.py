"""Fonts for words of any script in pictures, as far as fonts are installed.

matplotlib's own font knows Latin, Greek, Cyrillic, Arabic and some more. For other characters the
fonts of the machine are asked, well-known ones of many scripts first; each character is drawn with
the first font that has it. Letters are not shaped: scripts that join or stack theirs look better
in an SVG file, whose text is drawn by whoever shows it, with the fonts that are there.
"""

from collections.abc import Iterable
from functools import cache

from matplotlib.font_manager import fontManager, get_font
from matplotlib.ft2font import FT2Font
from rich.cells import cell_len

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
    """Families that together have the characters of a text, and what is still missing.

    `elsewhere`: the picture keeps its text, so that fonts of another machine may have what is
    missing on this one.
    """

    def __init__(self, texts: Iterable[str], *, elsewhere: bool = False) -> None:
        self.elsewhere = elsewhere
        wanted = {character for text in texts for character in text if not character.isspace()}
        self.families = [BASE]
        self.missing = wanted - _characters(BASE)
        for family in _families() if self.missing else ():
            found = self.missing & _characters(family)
            if found:
                self.families.append(family)
                self.missing -= found
            if not self.missing:
                break
        self._fonts = [_font(family) for family in self.families]

    def can_draw(self, text: str) -> bool:
        return self.elsewhere or not self.missing.intersection(text)

    def word_or_number(self, word: str, number: int) -> str:
        """The word, or its number if it cannot be drawn."""
        return word if self.can_draw(word) else f"[{number}]"

    def width(self, text: str, size: float) -> float:
        """Of a text in points. Characters that no font has count as other letters of their kind."""
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
        """What to tell whoever is missing characters."""
        shown = "".join(sorted(self.missing)[:20])
        if self.elsewhere:
            return (
                f"no installed font has {shown!r}: the picture keeps the text, but the boxes may "
                "not fit it"
            )
        return (
            f"no installed font has {shown!r}: in the picture, words with them are numbers\n"
            "  install a font (Noto Sans CJK has Chinese, Japanese and Korean), or draw an SVG"
        )


def _families() -> list[str]:
    installed = sorted(_files().keys() - {BASE})
    known = [family for family in KNOWN if family in installed]
    return [*known, *(family for family in installed if family not in known)]


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
    except (OSError, RuntimeError):  # a file that is no longer there, or that cannot be read
        return frozenset()
