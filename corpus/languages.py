"""What is known of languages by their codes: their scripts, whether they put spaces between words,
and how their text is usually cut; and the marks that end sentences.

A letter's script is the first word of its name in Unicode: `HIRAGANA LETTER A`, `LATIN SMALL
LETTER B`.
"""

from functools import cache
from typing import Literal, NamedTuple
from unicodedata import name

ENDING = ".!?…"  # marks that end a sentence, if a space and the beginning of another follow
WIDE_ENDING = "。．｡！？।؟"  # those that stand nowhere else
FINAL = frozenset(ENDING + WIDE_ENDING)
EAST_ASIAN = frozenset(["ja", "wuu", "yue", "zh"])  # whose marks 。！？ end a sentence anywhere
UNSPACED = EAST_ASIAN | {"bo", "dz", "km", "lo", "my", "th"}
CHARACTERS = 2.0  # that count as a word in them
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
_OWN, _FOREIGN, _OTHER = range(3)  # a letter of a script, of another one; not a letter
_SUBTAGS = {"latn": frozenset({"LATIN"}), "cyrl": frozenset({"CYRILLIC"})}  # sr-Latn, uz-Cyrl


class TextConventions(NamedTuple):
    """How raw text of a language is usually read (`corpus/raw_text/`)."""

    tokeniser: str
    form: Literal["NFC", "NFKC"] = "NFC"  # Unicode's
    case: str = "true"


TEXT_CONVENTIONS = dict.fromkeys(EUROPEAN.split(), TextConventions("moses")) | {
    "ja": TextConventions("unidic", "NFKC", "keep"),
    "zh": TextConventions("jieba", "NFKC", "keep"),
    "ko": TextConventions("kiwi", "NFKC", "keep"),
}


@cache
def primary(code: str) -> str:
    """The language without region and script: `pt` of `pt-BR`."""
    return code.replace("_", "-").partition("-")[0].lower()


def scripts_of(code: str) -> frozenset[str]:
    """Scripts in which a language is written; none if the language is not known here."""
    for subtag in code.replace("_", "-").lower().split("-")[1:]:
        if subtag in _SUBTAGS:
            return _SUBTAGS[subtag]
    return SCRIPTS.get(primary(code), frozenset())


def is_same_language(code: str, wanted: str) -> bool:
    """`en` is also written `EN` or `en-US`; who wants `pt-BR` gets no other Portuguese.

    >>> is_same_language("en_US", "en"), is_same_language("pt-PT", "pt-BR")
    (True, False)
    """
    own, asked = (text.replace("_", "-").lower() for text in (code, wanted))
    return own == asked or own.startswith(f"{asked}-")


def size(text: str, code: str) -> float:
    """Words of a text; without spaces between words, two characters count as one."""
    words = text.split()
    return sum(map(len, words)) / CHARACTERS if primary(code) in UNSPACED else float(len(words))


def share_of_scripts(text: str, scripts: frozenset[str]) -> float:
    """The share of the letters that is written in these scripts; 1 if there are no letters."""
    kinds = list(map(_kinds(scripts).__getitem__, text))
    own, foreign = kinds.count(_OWN), kinds.count(_FOREIGN)
    return own / (own + foreign) if own + foreign else 1.0


class _Kinds(dict[str, int]):
    """What characters are to some scripts; worked out once for each."""

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
