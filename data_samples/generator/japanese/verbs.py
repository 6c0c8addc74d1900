"""Forms of Japanese verbs in romanised writing.

>>> conjugate("yomu", "g", "te"), conjugate("taberu", "i", "te"), conjugate("suru", "suru", "te")
('yonde', 'tabete', 'shite')
"""

import re
from dataclasses import dataclass, replace
from typing import Any

# Last syllable of a godan verb: bases in a, i and e, then the te- and ta-forms.
GODAN = """
tsu ta chi te tte tta, ku ka ki ke ite ita, gu ga gi ge ide ida, su sa shi se shite shita,
nu na ni ne nde nda, bu ba bi be nde nda, mu ma mi me nde nda, ru ra ri re tte tta, u wa i e tte tta
"""
SYLLABLES = {ending: bases for ending, *bases in map(str.split, GODAN.split(","))}
BASES = ("u", "a", "i", "ba", "te", "ta", "potential", "passive", "causative")
IRREGULAR = {
    "suru": ("suru", "shi", "shi", "sure", "shite", "shita", "deki", "sare", "sase"),
    "kuru": ("kuru", "ko", "ki", "kure", "kite", "kita", "korare", "korare", "kosase"),
}
FORMS = """
present: u, past: ta, te: te, stem: i, negative: a nai, negative past: a nakatta, polite: i masu,
polite past: i mashita, polite negative: i masen, polite negative past: i masen deshita,
tara: ta ra, ba: ba ba, nakereba: a nakereba, naide: a naide, let us: i mashou, tai: i tai,
potential: potential ru, passive: passive ru, causative: causative ru
"""
ENDINGS: list[tuple[str, str]] = re.findall(r"(\w[\w ]*): ([^,\n]+)", FORMS)
SUFFIXES = {form: ending.split(" ", 1) for form, ending in ENDINGS}


@dataclass(frozen=True)
class Inflection:
    """Source tense, polarity and politeness; `nonpast` is the English tense of a Japanese nonpast.

    `form` asks for a form that is not finite (te, ba, ...); `positive` leaves the negation to an
    adverb in English.
    """

    past: bool = True
    negative: bool = False
    polite: bool = False
    nonpast: str = "present"
    form: str = ""
    positive: bool = False
    ending: str = "da"  # plain copula before what follows the clause: shizuka na node
    english: str = ""  # the English tense, where it does not follow the Japanese one

    @property
    def tense(self) -> str:
        return self.english or ("past" if self.past else self.nonpast)

    def but(self, **changes: Any) -> "Inflection":
        return replace(self, **changes)


def conjugate(verb: str, kind: str, form: str) -> str:
    """One form of a verb: `kind` is g(odan), i(chidan), iku, kuru, suru or aru."""
    base, *suffix = SUFFIXES[form]
    if kind == "aru" and form.startswith("negative"):
        return suffix[0]
    return "".join([_bases(verb, kind)[BASES.index(base)], *suffix])


def _bases(verb: str, kind: str) -> tuple[str, ...]:
    if kind in IRREGULAR:
        return IRREGULAR[kind]
    if kind == "i":
        s = verb[:-2]
        return verb, s, s, s + "re", s + "te", s + "ta", s + "rare", s + "rare", s + "sase"
    ending = next(e for e in SYLLABLES if verb.endswith(e) and (e != "u" or verb[-2] in "aiueo"))
    stem = verb[: -len(ending)]
    a, i, e, te, ta = (stem + syllable for syllable in SYLLABLES[ending])
    if kind == "iku":
        te, ta = stem + "tte", stem + "tta"
    return verb, a, i, e, te, ta, e, a + "re", a + "se"
