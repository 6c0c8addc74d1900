"""Japanese inflection in romanised form: verbs, i-adjectives, the copula, and verb complexes.

>>> conjugate("yomu", "g", "te"), conjugate("taberu", "i", "te"), conjugate("suru", "suru", "te")
('yonde', 'tabete', 'shite')
>>> how = Inflection(past=True, negative=True, polite=True)
>>> [(leaf.tag, leaf.word) for leaf in inflect("takai", "adj", how)]
[('ADJI', 'takaku'), ('AX', 'nakatta'), ('COP', 'desu')]
"""

import re
from dataclasses import dataclass, replace
from typing import Any

from hyperbaton.data_samples.generator.english import Agreement, finite, verb_group
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Leaf, Phrase, Word, Words

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
COPULAR_TAGS = {"na": "ADJN", "noun": "N"}
CONJUGATIONS = ("g", "i", "suru", "kuru", "iku", "aru", "na", "adj")
DERIVED = ("potential", "passive", "causative", "tai")
Leaves = tuple[Leaf, ...]


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


def conjugation(entry: Entry) -> str:
    return next(kind for kind in CONJUGATIONS if entry.features.get(kind))


def inflect(word: str, kind: str, how: Inflection, ending: str = "da") -> Leaves:
    """The finite form; `kind` is a conjugation, adj, na or noun, `ending` a plain copula."""
    if kind == "adj":
        return _adjective(word, how)
    if kind in COPULAR_TAGS:
        last = copula(how)
        if last[0].word == "da":
            last = (Leaf("COP", ending),) if ending else ()
        return (Leaf(COPULAR_TAGS[kind], word), *last)
    names = ["polite"] * how.polite + ["negative"] * how.negative + ["past"] * how.past
    verb, *rest = conjugate(word, kind, " ".join(names) or "present").split()
    return (Leaf("V", verb), *(Leaf("COP", token) for token in rest))


def copula(how: Inflection) -> Leaves:
    """da, datta, desu, deshita, dewa nai, dewa nakatta, dewa arimasen, dewa arimasen deshita"""
    if not how.negative:
        forms = ("desu", "deshita") if how.polite else ("da", "datta")
        return (Leaf("COP", forms[how.past]),)
    forms = ("arimasen", "arimasen deshita") if how.polite else ("nai", "nakatta")
    return (Leaf("COP", "dewa"), *(Leaf("AX", word) for word in forms[how.past].split()))


def adverbial(adjective: str) -> str:
    """takai → takaku, ii → yoku"""
    return ("yo" if adjective == "ii" else adjective[:-1]) + "ku"


def _adjective(word: str, how: Inflection) -> Leaves:
    """takai, takakatta, takaku nai, takaku nakatta, each with desu if polite"""
    polite = (Leaf("COP", "desu"),) if how.polite else ()
    if how.negative:
        negation = Leaf("AX", "nakatta" if how.past else "nai")
        return (Leaf("ADJI", adverbial(word)), negation, *polite)
    return (Leaf("ADJI", adverbial(word)[:-1] + "atta" if how.past else word), *polite)


def verb_complex(word: str, kind: str, mood: Entry, how: Inflection) -> tuple[Leaves, Leaves]:
    """The main verb, and what follows it: yonde + ite, yoma + nakereba + naranai"""
    auxiliary_kind = mood.kind or "i"
    if mood.form in DERIVED:
        word, kind = conjugate(word, kind, mood.form), auxiliary_kind if not how.form else "i"
    if how.form and mood.aux:  # a form without tense: yonde, yomeba, yonde ite
        main = Leaf("V", conjugate(word, kind, mood.form))
        return (main,), (Leaf("AX", conjugate(mood.aux, auxiliary_kind, how.form)),)
    if how.form:
        return (Leaf("V", conjugate(word, kind, how.form)),), ()
    if not mood.aux and mood.kind != "noun":
        first, *rest = inflect(word, kind, how, how.ending if not mood.form else "da")
        return (Leaf("V", first.word) if mood.form else first,), tuple(rest)
    mains: Leaves
    if mood.inner_tense:
        mains = inflect(word, kind, replace(how, polite=False))
        how = replace(how, past=False, negative=False)
    else:
        mains = (Leaf("V", conjugate(word, kind, mood.form)),)
    if mood.always_negative:
        how = replace(how, negative=True)
    if mood.kind == "noun":
        return mains, inflect(mood.between, "noun", how)
    auxiliary, *rest = inflect(mood.aux, auxiliary_kind, how)
    return mains, (*tagged(mood.between), Leaf("AX", auxiliary.word), *rest)


def tagged(text: str) -> Leaves:
    """N.koto,P-SUBJ.ga → leaves"""
    pairs = (item.split(".") for item in text.split(",") if item)
    return tuple(Leaf(tag, word) for tag, word in pairs)


def group(verb: Phrase, subject: Agreement, inverted: bool = False) -> Words:
    """The English finite verb group of a predicate, "did not buy", without its tail."""
    if verb.perfect:
        words = [(*finite("have", "present", subject), "verb")]
        words += [("not", "RB", "not")] * verb.negative
    else:
        words = verb_group(
            verb.lemma,
            subject,
            tense=verb.tense,
            negation="not" if verb.negative else "",
            modal=verb.modal or {"future": "will", "would": "would"}.get(verb.tense, ""),
            inverted=inverted,
        )
    links = {"verb": tuple(verb.head)}
    return tuple(Word(text, tag, links.get(role, tuple(verb.outer))) for text, tag, role in words)
