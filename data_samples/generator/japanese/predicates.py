"""Verb complexes: tense, polarity, politeness, moods and voices at the end of a Japanese clause.

`MOODS` and `VOICES` say for each construction how Japanese forms it (form of the verb, fixed words,
inflected auxiliary) and what English makes of it (an auxiliary or a verb with its complement).
"""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.english import Agreement, finite, verb, verb_group
from hyperbaton.data_samples.generator.japanese.verbs import Tokens, conjugate, inflect
from hyperbaton.data_samples.generator.japanese.words import Words, link, wording
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Word

KINDS = ("g", "i", "suru", "kuru", "iku", "aru", "na", "adj")


@dataclass(frozen=True)
class Predicate:
    """A Japanese verb complex and what its English needs until the subject is known."""

    source: tuple[Leaf, ...]
    lemma: str
    head: tuple[Leaf, ...]  # linked to the lemma
    outer: tuple[Leaf, ...]  # linked to its auxiliaries and the negation
    tense: str = "past"
    negative: bool = False
    modal: str = ""
    tail: Words = ()  # follows at once: look *for*, want *to eat*
    perfect: bool = False  # "have" is an auxiliary
    moved: Words = ()  # takes a place among the complements: made him *eat*


@dataclass(frozen=True)
class Mood:
    """`english` is (outer verb, form of the main verb); as is (modal, "modal")."""

    form: str = ""  # of the main verb; empty: it is inflected itself
    between: tuple[tuple[str, str], ...] = ()
    auxiliary: str = ""
    kind: str = "i"  # conjugation of the auxiliary or of the derived verb
    english: tuple[str, str] = ("", "")
    past: tuple[str, str] | None = None
    always_negative: bool = False  # naranai, shirenai
    inner_tense: bool = False  # tense and negation are on the main verb
    moved: bool = False
    stative: bool = True  # the nonpast is an English present


MOODS = {
    "progressive": Mood("te", (), "iru", "i", ("be", "ing")),
    "potential": Mood("potential", english=("can", "modal"), past=("could", "modal")),
    "ability": Mood(
        "present",
        (("N", "koto"), ("P-SUBJ", "ga")),
        "dekiru",
        "i",
        ("can", "modal"),
        ("could", "modal"),
    ),
    "want": Mood("tai", kind="adj", english=("want", "to")),
    "must": Mood(
        "nakereba", (), "naru", "g", ("must", "modal"), ("have", "to"), always_negative=True
    ),
    "maybe": Mood(
        "", (("P", "kamo"),), "shireru", "i", ("may", "modal"), ("may", "perfect"), True, True
    ),
    "intend": Mood("present", (("N", "tsumori"),), "", "noun", ("intend", "to")),
    "begin": Mood("stem", (), "hajimeru", "i", ("begin", "to"), stative=False),
    "continue": Mood("stem", (), "tsuzukeru", "i", ("continue", "to"), stative=False),
    "finish": Mood("stem", (), "owaru", "g", ("finish", "ing"), stative=False),
    "try": Mood("te", (), "miru", "i", ("try", "ing"), stative=False),
    "ever": Mood("past", (("N", "koto"), ("P-SUBJ", "ga")), "aru", "aru", ("have", "part")),
}
VOICES = {
    "passive": Mood("passive", english=("be", "part"), stative=False),
    "victim": Mood("passive", english=("have", "part"), moved=True, stative=False),
    "causative": Mood("causative", english=("make", "base"), moved=True, stative=False),
    "favour": Mood("te", (), "morau", "g", ("have", "base"), moved=True, stative=False),
    "benefit": Mood("te", (), "kureru", "i", stative=False),
}
PLAIN = Mood(stative=False)
STATE = Mood("te", (), "iru", "i")  # shitte iru: knows
DERIVED = ("potential", "passive", "causative", "tai")
INNER = {"part": ("VBN", ""), "ing": ("VBG", ""), "base": ("VB", ""), "to": ("VB", "to")}


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
    link: str = "da"  # plain copula before what follows the clause
    english: str = ""  # the English tense, where it does not follow the Japanese one

    @property
    def tense(self) -> str:
        return self.english or ("past" if self.past else self.nonpast)


def predicate(choose: Chooser, entry: Entry, mood: Mood, how: Inflection) -> Predicate:
    """The complex of a verb in a mood or voice."""
    *prefix, word = entry.forms[0].split()
    kind = next(kind for kind in KINDS if entry.has(kind))
    before = [("N", part) for part in prefix]
    main, after = _japanese(word, kind, mood, how)
    mains = tuple(Leaf(tag, token) for tag, token in before + main)
    afters = tuple(Leaf(tag, token) for tag, token in after)
    lemma, *particle = wording(choose, entry.english).split()
    tail = link(" ".join(particle), "RP", *mains)
    base = Predicate(mains + afters, lemma, mains, mains, how.tense, how.negative, tail=tail)
    if how.positive:
        base = replace(base, negative=False)
    return _english(base, mood, how, mains, afters)


def _japanese(word: str, kind: str, mood: Mood, how: Inflection) -> tuple[Tokens, Tokens]:
    """The tokens of the main verb and those that follow it."""
    past, negative, polite = how.past, how.negative, how.polite
    if how.form:
        return _unfinished(word, kind, mood, how.form)
    if mood.inner_tense:
        main = inflect(word, kind, past=past, negative=negative, polite=False)
        past, negative = False, False
    elif mood.form in DERIVED:
        derived = conjugate(word, kind, mood.form)
        tokens = inflect(derived, mood.kind, past=past, negative=negative, polite=polite)
        return [("V", tokens[0][1])], tokens[1:]
    elif mood.form:
        main = [("V", conjugate(word, kind, mood.form))]
    else:
        tokens = inflect(word, kind, past=past, negative=negative, polite=polite, link=how.link)
        return tokens[:1], tokens[1:]
    negative = negative or mood.always_negative
    if mood.kind == "noun":
        *fixed, (_, noun) = mood.between
        closing = inflect(noun, "noun", past=past, negative=negative, polite=polite)
        return main, [*fixed, *closing]
    auxiliary = inflect(mood.auxiliary, mood.kind, past=past, negative=negative, polite=polite)
    return main, [*mood.between, ("AX", auxiliary[0][1]), *auxiliary[1:]]


def _unfinished(word: str, kind: str, mood: Mood, form: str) -> tuple[Tokens, Tokens]:
    """A form without tense: yonde, yomeba, yonde ite"""
    if mood.auxiliary:
        main = [("V", conjugate(word, kind, mood.form))]
        return main, [("AX", conjugate(mood.auxiliary, mood.kind, form))]
    if mood.form in DERIVED:
        return [("V", conjugate(conjugate(word, kind, mood.form), "i", form))], []
    return [("V", conjugate(word, kind, form))], []


def _english(
    base: Predicate, mood: Mood, how: Inflection, mains: tuple[Leaf, ...], afters: tuple[Leaf, ...]
) -> Predicate:
    """Puts the main verb below the outer verb or modal of the mood."""
    outer = tuple(leaf for leaf in afters if leaf.tag != "P-SUBJ") or mains
    word, form = mood.past if mood.past and how.tense == "past" else mood.english
    if not word:
        return replace(base, head=mains + afters if mood is STATE else mains, outer=outer)
    if form == "modal":
        return replace(base, modal=word, outer=outer)
    if form == "perfect":
        inner = link("have", "VB", *mains) + link(verb(base.lemma, "part"), "VBN", *mains)
        return replace(
            base, lemma="have", modal=word, outer=outer, head=mains, tail=inner[1:] + base.tail
        )
    tag, marker = INNER[form]
    shape = "base" if form == "to" else form
    inner = link(marker, "TO", *outer) + link(verb(base.lemma, shape), tag, *mains) + base.tail
    if mood.moved:
        return replace(base, lemma=word, head=outer, outer=outer, tail=(), moved=inner)
    return replace(
        base, lemma=word, head=outer, outer=outer, tail=inner, perfect=mood is MOODS["ever"]
    )


def group(predicate: Predicate, subject: Agreement, *, inverted: bool = False) -> Words:
    """The finite verb group: "did not buy", without the tail."""
    if predicate.perfect:
        text, tag = finite("have", "present", subject)
        negation = (Word("not", "RB", predicate.outer),) if predicate.negative else ()
        return (Word(text, tag, predicate.head), *negation)
    would = predicate.tense == "would"
    words = verb_group(
        predicate.lemma,
        tense="past" if would else predicate.tense,
        subject=subject,
        negative=predicate.negative,
        modal=predicate.modal or ("would" if would else ""),
        inverted=inverted,
    )
    *auxiliaries, (main, tag) = words
    if main == "not":  # "was not": the verb comes first
        auxiliaries, (main, tag) = [], words[0]
        return (Word(main, tag, predicate.head), Word("not", "RB", predicate.outer))
    return (
        *(Word(text, tag_, predicate.outer) for text, tag_ in auxiliaries),
        Word(main, tag, predicate.head),
    )


def copular(
    source: tuple[Leaf, ...], head: tuple[Leaf, ...], rest: Words, how: Inflection
) -> Predicate:
    """A predicate with be: "is *tall*"."""
    negative = how.negative and not how.positive
    return Predicate(source, "be", head, head, how.tense, negative, tail=rest)
