"""Facts about languages by code: scripts, spaces between words, the usual tokeniser, and the marks
that end sentences.

A letter's script is the first word of its Unicode name, as in `HIRAGANA LETTER A`.
"""

from functools import cache
from typing import Literal, NamedTuple
from unicodedata import name

ENDING = ".!?…"  # end a sentence before a space and the beginning of another sentence
WIDE_ENDING = "。．｡！？।؟"  # always end a sentence
FINAL = frozenset(ENDING + WIDE_ENDING)
EAST_ASIAN = frozenset(["ja", "wuu", "yue", "zh"])  # 。！？ end a sentence without a space
UNSPACED = EAST_ASIAN | {"bo", "dz", "km", "lo", "my", "th"}
CHARACTERS = 2.0  # that count as one word in unspaced languages
HAN = frozenset({"CJK"})
KANA = frozenset({"HIRAGANA", "KATAKANA"})
_LATIN = (
    "af az bs ca cs cy da de en eo es et eu fi fil fr ga gl ha hr ht hu id ig is it jv la lb lt lv "
    "mg ms mt nb nl nn no pl pt ro rw sk sl so sq st su sv sw tl tr uz vi xh yo zu"
)
_SCRIPTS = {
    "LATIN": _LATIN,
    "CYRILLIC": "ba be bg ce cv kk ky mk mn ru sr tg tt uk",
    "ARABIC": "ar arz ckb fa ps sd ug ur",
    "DEVANAGARI": "hi mr ne sa",
    "HEBREW": "he iw yi",
    "BENGALI": "as bn",
    "ETHIOPIC": "am ti",
    "GREEK": "el", "ARMENIAN": "hy", "GEORGIAN": "ka", "HANGUL": "ko", "THAI": "th", "LAO": "lo",
    "KHMER": "km", "MYANMAR": "my", "TIBETAN": "bo dz", "TAMIL": "ta", "TELUGU": "te",
    "KANNADA": "kn", "MALAYALAM": "ml", "GUJARATI": "gu", "GURMUKHI": "pa", "ORIYA": "or",
    "SINHALA": "si",
}  # fmt: skip
SCRIPTS = {
    code: frozenset({script}) for script, codes in _SCRIPTS.items() for code in codes.split()
}
SCRIPTS |= {"ja": HAN | KANA, "zh": HAN, "yue": HAN, "wuu": HAN, "ko": HAN | {"HANGUL"}}
EUROPEAN = """
    bg ca cs da de el en es et fi fr ga hr hu is it lt lv mt nl no pl pt ro ru sk sl sq sr sv tr uk
"""
_OWN, _FOREIGN, _OTHER = range(3)  # letter of the scripts, other letter, not a letter
_SUBTAGS = {"latn": frozenset({"LATIN"}), "cyrl": frozenset({"CYRILLIC"})}  # sr-Latn, uz-Cyrl


class TextConventions(NamedTuple):
    """The usual way to read raw text of a language (`corpus/raw_text/`)."""

    tokeniser: str
    form: Literal["NFC", "NFKC"] = "NFC"  # Unicode normalisation form
    case: str = "true"


TEXT_CONVENTIONS = dict.fromkeys(EUROPEAN.split(), TextConventions("moses")) | {
    "ja": TextConventions("unidic", "NFKC", "keep"),
    "zh": TextConventions("jieba", "NFKC", "keep"),
    "ko": TextConventions("kiwi", "NFKC", "keep"),
}


@cache
def primary(code: str) -> str:
    """The language without region and script: `pt` for `pt-BR`."""
    return code.replace("_", "-").partition("-")[0].lower()


def scripts_of(code: str) -> frozenset[str]:
    """The scripts of a language; empty if the language is unknown."""
    for subtag in code.replace("_", "-").lower().split("-")[1:]:
        if subtag in _SUBTAGS:
            return _SUBTAGS[subtag]
    return SCRIPTS.get(primary(code), frozenset())


def is_same_language(code: str, wanted: str) -> bool:
    """Whether a code matches the wanted language: `en` matches `EN` and `en-US`, but `pt-BR` does
    not match other Portuguese.

    >>> is_same_language("en_US", "en"), is_same_language("pt-PT", "pt-BR")
    (True, False)
    """
    code, wanted = (text.replace("_", "-").lower() for text in (code, wanted))
    return code == wanted or code.startswith(f"{wanted}-")


def size(text: str, code: str) -> float:
    """Number of words; in languages without spaces, two characters count as one word."""
    words = text.split()
    return sum(map(len, words)) / CHARACTERS if primary(code) in UNSPACED else float(len(words))


def share_of_scripts(text: str, scripts: frozenset[str]) -> float:
    """The share of letters that belong to these scripts; 1 if there are no letters."""
    kinds = list(map(_kinds(scripts).__getitem__, text))
    own, foreign = kinds.count(_OWN), kinds.count(_FOREIGN)
    return own / (own + foreign) if own + foreign else 1.0


class _Kinds(dict[str, int]):
    """Caches whether a character is a letter of the given scripts."""

    def __init__(self, scripts: frozenset[str]) -> None:
        super().__init__()
        self._scripts = scripts

    def __missing__(self, letter: str) -> int:
        is_own = script_of(letter) in self._scripts
        self[letter] = (_OWN if is_own else _FOREIGN) if letter.isalpha() else _OTHER
        return self[letter]


@cache
def _kinds(scripts: frozenset[str]) -> _Kinds:
    return _Kinds(scripts)


def script_of(letter: str) -> str:
    words = name(letter, "UNKNOWN").replace("-", " ").split()
    first = words[1] if words[0] in ("FULLWIDTH", "HALFWIDTH") else words[0]
    return "CJK" if first == "IDEOGRAPHIC" else first
