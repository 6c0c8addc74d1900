"""Splits text into sentences, by rules.

A sentence ends at . ! ? … and closing quotes and brackets, before a space and a possible beginning
of a sentence; not at the full stop of an abbreviation, an initial or an ordinal number. In Japanese
and Chinese it ends at 。！？ with or without a space, unless a bracket is open.
"""

import re
from collections.abc import Iterator

from hyperbaton.corpus.languages import EAST_ASIAN, ENDING, WIDE_ENDING

CLOSERS = "\"'”’“‘»›)\\]」』】）〉》"
OPENERS = "\"'“‘„«‹(\\[「『【（〈《¿¡"
# Matches only from the first of several marks: a line of only marks would take minutes
_END = re.compile(
    rf"(?P<mark>(?<![{ENDING}])[{ENDING}]++|(?<![{WIDE_ENDING}])[{WIDE_ENDING}]++)"
    rf"[{CLOSERS}]*+(?= )"
)
_BEGINS = re.compile(rf" [{OPENERS}–—-]* ?(?P<first>\w)")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«/-]+$")
_BRACKETS = {"「": "」", "『": "』", "（": "）", "(": ")", "【": "】", "〈": "〉", "《": "》"}
_UNSPACED_END = re.compile(
    rf"[{''.join(_BRACKETS)}{''.join(_BRACKETS.values())}]"
    rf"|(?:[{WIDE_ENDING}]|[!?](?![\w=&%/]))+",  # not the ? of a URL
    re.ASCII,
)

# Without their full stops. Other languages rely on initials and on lower case after the stop.
ABBREVIATIONS = {
    "en": """Mr Mrs Ms Messrs Dr Prof Rev Fr Sr Jr St Hon Gen Col Maj Capt Lt Sgt Gov Sen Rep Pres
        vs etc e.g i.e cf al ca approx Inc Ltd Co Corp Bros Dept Univ No Nos Fig Figs Vol pp p ch Ch
        Sec ed eds Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mt Ave Blvd Rd Ph.D U.S U.K""",
    "de": """Hr Fr Dr Prof Dipl Ing St Str Nr Bd S Abs Art Abb Tab vgl bzw ca etc evtl ggf inkl usw
        z.B d.h u.a z.T o.ä Jh Jan Feb Mär Apr Jun Jul Aug Sep Okt Nov Dez Mio Mrd""",
    "fr": """M MM Mme Mmes Mlle Mgr Dr Pr St Ste etc cf env ex p pp vol art av bd fig chap no Jr
        janv févr avr juil sept oct nov déc""",
    "es": """Sr Sra Sres Srta Dr Dra Prof D Dª Ud Uds Vd Vds etc p.ej pág págs núm vol art av Avda
        EE.UU a.C d.C""",
    "it": "Sig Sig.ra Sigg Dott Dr Prof Ing Avv S ecc pag pagg cap vol art fig n es p.es a.C d.C",
    "pt": "Sr Sra Srs Dr Dra Prof Eng etc p.ex pág págs núm vol art av Exmo a.C d.C",
    "nl": "dhr mevr mw dr prof ir ing drs mr St bijv d.w.z o.a enz blz nr ca resp",
}
LONGEST_ABBREVIATION = 40  # characters
_ORDINALS = "cs da de et fi hr hu is lv no pl sk sl sr tr"  # 3. Mai


class Splitter:
    """Splits normalised text into sentences.

    >>> [*Splitter("en")("Mr. Ito came. He left.")]
    [(0, 13), (14, 22)]
    """

    def __init__(self, language: str) -> None:
        self._unspaced = language in EAST_ASIAN
        self._ordinals = language in _ORDINALS.split()
        self._abbreviations = frozenset(ABBREVIATIONS.get(language, "").split())

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields the spans of the sentences."""
        begin = 0
        for end in self._unspaced_ends(text) if self._unspaced else self._ends(text):
            if text[begin:end].strip():
                yield begin, end
            begin = end + text[end : end + 1].count(" ")
        if text[begin:].strip():
            yield begin, len(text)

    def _ends(self, text: str) -> Iterator[int]:
        for match in _END.finditer(text):
            following = _BEGINS.match(text, match.end())
            if following is None or following["first"].islower():
                continue
            before = text[max(match.start() - LONGEST_ABBREVIATION, 0) : match.start()]
            if match["mark"] != "." or not self._is_abbreviation(before):
                yield match.end()

    def _is_abbreviation(self, before: str) -> bool:
        """Whether a full stop after this text belongs to its last word."""
        match = _LAST_WORD.search(before)
        if match is None:
            return False
        word = match[0]
        if word.isdecimal():
            return self._ordinals
        is_initial = len(word) == 1 and word.isalpha()
        return is_initial or word in self._abbreviations or bool(re.fullmatch(r"(\w\.)+\w", word))

    def _unspaced_ends(self, text: str) -> Iterator[int]:
        waiting: list[str] = []  # expected closing brackets
        last = {bracket: text.rfind(closing) for bracket, closing in _BRACKETS.items()}
        for match in _UNSPACED_END.finditer(text):
            mark, place = match[0], match.end()
            if mark in _BRACKETS:
                # ignore a bracket that is never closed
                if last[mark] >= place:
                    waiting.append(_BRACKETS[mark])
            elif waiting and mark == waiting[-1]:
                waiting.pop()
            elif not waiting and mark[0] not in _BRACKETS.values():
                yield place
