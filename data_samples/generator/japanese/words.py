"""Words and noun phrases as both languages see them, and access to the Japanese lexicon."""

from dataclasses import dataclass
from functools import cache

from hyperbaton.data_samples.generator.english import Agreement, plural
from hyperbaton.data_samples.generator.lexicon import Entry, Lexicon
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Words = tuple[Word, ...]
LEXICON = Lexicon("japanese")
FAVOURITE = 0.75  # share of the first of several translations that mean the same
PRONOUNS = {  # subject: object, possessive
    "i": ("me", "my"),
    "you": ("you", "your"),
    "he": ("him", "his"),
    "she": ("her", "her"),
    "it": ("it", "its"),
    "we": ("us", "our"),
    "they": ("them", "their"),
}
AGREEMENT = {
    "i": Agreement(1),
    "you": Agreement(2, True),
    "we": Agreement(1, True),
    "they": Agreement(3, True),
}


@dataclass(frozen=True)
class Nominal:
    """A noun phrase without its particle; `words` is its English as an object."""

    source: Tree
    words: Words
    agreement: Agreement
    entry: Entry
    pronoun: str  # that stands for it: "he"
    subject: Words
    possessive: Words
    floating: Tree | None = None  # a numeral that follows the particle


@dataclass(frozen=True)
class Adjunct:
    """A phrase that no verb asks for, such as a time or a place."""

    source: Tree
    words: Words


def wording(choose: Chooser, text: str) -> str:
    """One of the translations that mean the same: "big|large"."""
    first, *others = text.split("|")
    if not others or choose.target.chance(FAVOURITE):
        return first
    return choose.target.among(*others)


def link(text: str, tag: str, *leaves: Leaf) -> Words:
    """Each word of an English expression, all linked to the same leaves."""
    return tuple(Word(word, tag, leaves) for word in text.split())


@cache
def belongs(entry: Entry, kind: str) -> bool:
    """Whether a noun is of a class: "thing" or "thing.tool"."""
    category, _, flag = kind.partition(".")
    return entry.category == category and (not flag or entry.has(flag))


@cache
def belongs_to_any(entry: Entry, kinds: str) -> bool:
    return any(belongs(entry, kind) for kind in kinds.replace("+", ",").split(","))


def pick_noun(choose: Chooser, kinds: str) -> Entry:
    """A noun of one of the classes "thing.tool+food"."""
    kind = choose.source.among(*kinds.split("+"))
    return LEXICON.pick(choose, kind.partition(".")[0], lambda entry: belongs(entry, kind))


def leaves_of(entry: Entry) -> tuple[Leaf, ...]:
    """A noun's tokens: "otoko no ko" has a particle inside."""
    return tuple(Leaf("P-NO" if w == "no" else "N", w) for w in entry.forms[0].split())


def noun_words(choose: Chooser, entry: Entry, leaves: tuple[Leaf, ...], *, many: bool) -> Words:
    """The English noun with all its words linked, plural if `many`."""
    text = wording(choose, entry.english)
    own_plural = entry.has("plural") or entry.has("mass")
    tag = "NNP" if entry.has("proper") else "NNS" if many or entry.has("plural") else "NN"
    *before, head = link(plural(text) if many and not own_plural else text, tag, *leaves)
    return (*(Word(word.text, "NN" if tag != "NNP" else tag, leaves) for word in before), head)


def pronoun_for(entry: Entry, *, many: bool) -> str:
    if many or entry.has("plural"):
        return "they"
    if entry.category in ("person", "name"):
        return "she" if entry.has("f") else "he"
    return "it"


def pronoun(choose: Chooser, avoid: Nominal | None = None, kind: str = "pro") -> Nominal:
    """kare → he, him, his; none that could be the subject, which would take jibun"""
    other = avoid.pronoun if avoid else ""
    clash = ("i", "we") if other in ("i", "we") else (other,)
    entry = LEXICON.pick(choose, "pro", lambda e: e.english not in clash and belongs(e, kind))
    leaf = Leaf("PRO", entry.forms[0])
    text = entry.english
    other, possessive = PRONOUNS[text]
    return Nominal(
        Tree("NP", (leaf,)),
        link(other, "PRP", leaf),
        AGREEMENT.get(text, Agreement()),
        entry,
        text,
        link(text, "PRP", leaf),
        link(possessive, "PRP$", leaf),
    )


def named(choose: Chooser, avoid: Nominal | None = None) -> Nominal:
    """tanaka san → mr. tanaka, suzuki sensei → professor suzuki"""
    entry = LEXICON.pick(choose, "name", lambda e: avoid is None or e is not avoid.entry)
    name, *title = entry.forms[0].split()
    leaves = (Leaf("NPR", name), *(Leaf("N", word) for word in title))
    *titles, last = entry.english.split()
    words = (*(Word(text, "NNP", leaves[1:]) for text in titles), Word(last, "NNP", leaves[:1]))
    return Nominal(
        Tree("NP", leaves),
        words,
        Agreement(),
        entry,
        pronoun_for(entry, many=False),
        words,
        (*words, Word("'s", "POS")),
    )


def unsaid(text: str) -> Nominal:
    """A subject that is nowhere named: "i" in a polite statement."""
    words = (Word(text, "PRP"),)
    entry = next(entry for entry in LEXICON.entries("pro") if entry.english == text)
    return Nominal(
        Tree("NP", ()), words, AGREEMENT.get(text, Agreement()), entry, text, words, words
    )


def possessive_mark(words: Words, *, many: bool) -> Word:
    """the child 's, the boys '"""
    return Word("'" if many and words[-1].text.endswith("s") else "'s", "POS")


def hidden(nominal: Nominal) -> Words:
    """The pronoun for a subject that Japanese leaves out: an English word without a link."""
    return (Word(nominal.pronoun, "PRP"),)
