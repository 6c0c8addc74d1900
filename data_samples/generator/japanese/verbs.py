"""Japanese inflection in romanised form: verbs, i-adjectives, and the copula.

>>> conjugate("yomu", "g", "te"), conjugate("taberu", "i", "te"), conjugate("suru", "suru", "te")
('yonde', 'tabete', 'shite')
>>> inflect("takai", "adj", past=True, negative=True, polite=True)
[('ADJI', 'takaku'), ('AX', 'nakatta'), ('COP', 'desu')]
"""

Tokens = list[tuple[str, str]]  # tag, word

# Last syllable of a godan verb: bases in a, i and e, then the te- and ta-forms.
GODAN = {
    "tsu": ("ta", "chi", "te", "tte", "tta"),
    "ku": ("ka", "ki", "ke", "ite", "ita"),
    "gu": ("ga", "gi", "ge", "ide", "ida"),
    "su": ("sa", "shi", "se", "shite", "shita"),
    "nu": ("na", "ni", "ne", "nde", "nda"),
    "bu": ("ba", "bi", "be", "nde", "nda"),
    "mu": ("ma", "mi", "me", "nde", "nda"),
    "ru": ("ra", "ri", "re", "tte", "tta"),
    "u": ("wa", "i", "e", "tte", "tta"),
}
# Form: base and suffix. The bases of each verb are made by `_bases`.
FORMS = {
    "present": ("u", ""),
    "past": ("ta", ""),
    "te": ("te", ""),
    "stem": ("i", ""),
    "negative": ("a", "nai"),
    "negative past": ("a", "nakatta"),
    "polite": ("i", "masu"),
    "polite past": ("i", "mashita"),
    "polite negative": ("i", "masen"),
    "polite negative past": ("i", "masen deshita"),
    "tara": ("ta", "ra"),
    "ba": ("ba", "ba"),
    "nakereba": ("a", "nakereba"),
    "naide": ("a", "naide"),
    "let us": ("i", "mashou"),
    "tai": ("i", "tai"),
    "potential": ("potential", "ru"),
    "passive": ("passive", "ru"),
    "causative": ("causative", "ru"),
}
COPULA = {  # past, negative, polite
    (False, False, False): "da",
    (True, False, False): "datta",
    (False, True, False): "dewa nai",
    (True, True, False): "dewa nakatta",
    (False, False, True): "desu",
    (True, False, True): "deshita",
    (False, True, True): "dewa arimasen",
    (True, True, True): "dewa arimasen deshita",
}


def conjugate(verb: str, kind: str, form: str) -> str:
    """One form of a verb: `kind` is g(odan), i(chidan), iku, kuru, suru or aru."""
    base, suffix = FORMS[form]
    if kind == "aru" and form.startswith("negative"):
        return suffix
    return _bases(verb, kind)[base] + suffix


def inflect(
    word: str, kind: str, *, past: bool, negative: bool, polite: bool, link: str = "da"
) -> Tokens:
    """The finite form as tagged tokens; `kind` is that of a verb, or adj, na or noun. `link` is
    what a plain copula becomes before a conjunction: shizuka na node, shizuka nara."""
    if kind == "adj":
        return _adjective(word, past, negative, polite)
    if kind in COPULAR_TAGS:
        ending = copula(past=past, negative=negative, polite=polite)
        if ending == [("COP", "da")]:
            ending = [("COP", link)] if link else []
        return [(COPULAR_TAGS[kind], word), *ending]
    names = ["polite"] * polite + ["negative"] * negative + ["past"] * past
    verb, *rest = conjugate(word, kind, " ".join(names) or "present").split()
    return [("V", verb), *(("COP", token) for token in rest)]


def copula(*, past: bool, negative: bool, polite: bool) -> Tokens:
    first, *rest = COPULA[past, negative, polite].split()
    return [("COP", first), *(("AX", token) for token in rest)]


def adverbial(adjective: str) -> str:
    """takai → takaku, ii → yoku"""
    return ("yo" if adjective == "ii" else adjective[:-1]) + "ku"


COPULAR_TAGS = {"na": "ADJN", "noun": "N"}


def _adjective(word: str, past: bool, negative: bool, polite: bool) -> Tokens:
    """takai, takakatta, takaku nai, takaku nakatta, each with desu if polite"""
    if negative:
        tokens = [("ADJI", adverbial(word)), ("AX", "nakatta" if past else "nai")]
    else:
        tokens = [("ADJI", adverbial(word)[:-1] + "atta" if past else word)]
    return tokens + ([("COP", "desu")] if polite else [])


def _bases(verb: str, kind: str) -> dict[str, str]:
    if kind == "g" or kind == "iku" or kind == "aru":
        ending = next(e for e in GODAN if verb.endswith(e) and (e != "u" or verb[-2] in "aiueo"))
        stem = verb[: -len(ending)]
        a, i, e, te, ta = (stem + syllable for syllable in GODAN[ending])
        if kind == "iku":
            te, ta = stem + "tte", stem + "tta"
        return _table(verb, a, i, e, te, ta, e, a + "re", a + "se")
    if kind == "i":
        s = verb[:-2]
        return _table(verb, s, s, s + "re", s + "te", s + "ta", s + "rare", s + "rare", s + "sase")
    if kind == "suru":
        return _table(verb, "shi", "shi", "sure", "shite", "shita", "deki", "sare", "sase")
    if kind == "kuru":
        return _table(verb, "ko", "ki", "kure", "kite", "kita", "korare", "korare", "kosase")
    raise ValueError(f"no conjugation {kind!r} for {verb!r}")


def _table(u: str, a: str, i: str, ba: str, te: str, ta: str, *derived: str) -> dict[str, str]:
    potential, passive, causative = derived
    bases = {"u": u, "a": a, "i": i, "ba": ba, "te": te, "ta": ta}
    return bases | {"potential": potential, "passive": passive, "causative": causative}
