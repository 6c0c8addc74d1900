"""Words and noun phrases as both languages see them, and access to the Chinese lexicon."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from hyperbaton.data_samples.generator.english import Agreement, plural
from hyperbaton.data_samples.generator.lexicon import Entry, Lexicon
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Words = tuple[Word, ...]
LEXICON = Lexicon("chinese")
FAVOURITE = 0.76  # share of the first of several translations that mean the same
GROUPS = {
    "human": ("person", "kin", "title", "given", "pro"),
    "name": ("title", "given"),
    "goods": ("thing", "tool", "machine", "furn"),
}
WEIGHTS = {"person": 6.0, "kin": 2.5, "title": 1.0, "given": 1.5, "pro": 4.0, "thing": 4.0}
PRONOUNS = {  # subject: object, possessive, agreement
    "i": ("me", "my", Agreement(1)),
    "you": ("you", "your", Agreement(2, True)),
    "he": ("him", "his", Agreement()),
    "she": ("her", "her", Agreement()),
    "it": ("it", "its", Agreement()),
    "we": ("us", "our", Agreement(1, True)),
    "they": ("them", "their", Agreement(3, True)),
}


@dataclass(frozen=True)
class Nominal:
    """A noun phrase; `source` is None for the gap of a relative clause or a question.

    `words` is the English as an object; `asked` is a question word that moves to the front.
    """

    source: Tree | None
    words: Words
    subject: Words
    possessive: Words
    agreement: Agreement
    entry: Entry
    pronoun: str
    asked: Words = ()


@dataclass(frozen=True)
class Modifier:
    """A phrase before the Chinese noun and what becomes of it around the English noun."""

    source: Tree
    determiner: Words = ()  # takes the place of the article
    before: Words = ()
    after: Words = ()
    definite: bool = False


Relative = Callable[[Chooser, Entry, Agreement, "Scope"], Modifier]


@dataclass(frozen=True)
class Scope:
    """Where a phrase is built: how deep it may still nest, and who makes relative clauses."""

    relative: Relative
    depth: int = 2
    shifted: bool = False  # under a verb of the past: "said that he would come"
    embedded: bool = False
    table: str = "past"  # the times that the clause may speak of

    def deeper(self, *, shifted: bool = False) -> "Scope":
        return replace(self, depth=self.depth - 1, shifted=shifted, embedded=True)


def _no_relative(*_: object) -> Modifier:
    raise AssertionError("no relative clause at depth 0")


NOWHERE = Scope(_no_relative, depth=0)  # for phrases that must stay small


def wording(choose: Chooser, text: str) -> str:
    """One of the translations that mean the same: "big|large"."""
    first, *others = text.replace("_", " ").split("|")
    if not others or choose.target.chance(FAVOURITE):
        return first
    return choose.target.among(*others)


def link(text: str, tag: str, *leaves: Leaf) -> Words:
    """Each word of an English expression, all linked to the same leaves."""
    return tuple(Word(word, tag, leaves) for word in text.split())


def insert(text: str, tag: str) -> Words:
    """English words that nothing in Chinese corresponds to."""
    return link(text, tag)


def phrase(label: str, tag: str, word: str) -> tuple[Tree, Leaf]:
    """A phrase of one word and its leaf: (ADVP (AD ye))."""
    leaf = Leaf(tag, word)
    return Tree(label, (leaf,)), leaf


@cache
def kinds(listed: str) -> tuple[str, ...]:
    """The classes of a list such as "human,doc.write:read", groups spelt out."""
    items = (item.partition(":")[0] for item in listed.split(","))
    return tuple(kind for item in items for kind in GROUPS.get(item, (item,)))


@cache
def belongs(entry: Entry, listed: str) -> bool:
    """Whether a noun is of a class: a category, with a flag or one form of it (plant.shu)."""
    return any(_is(entry, kind) for kind in kinds(listed))


@cache
def _is(entry: Entry, kind: str) -> bool:
    category, _, flag = kind.partition(".")
    if entry.category != category:
        return False
    return not flag or entry.has(flag) or entry.forms[0] == flag


def pick_noun(choose: Chooser, listed: str) -> Entry:
    """A noun of one of the classes: first the class, then the noun by its rank."""
    item = choose.source.among(*listed.split(","))
    kind = choose.source.weighted([(k, WEIGHTS.get(k, 1.0)) for k in GROUPS.get(item, (item,))])
    return LEXICON.pick(choose, kind.partition(".")[0], lambda entry: _is(entry, kind))


def senses(entry: Entry, feature: str) -> list[tuple[str, str]]:
    """Classes of `feature` with the English under each: "door:open,machine:turn_on"."""
    pairs = (item.partition(":") for item in entry.features[feature].split(","))
    return [(kind, english or entry.english) for kind, _, english in pairs]


def sense(entry: Entry, feature: str, noun: Entry) -> str:
    """The English of a verb or an adjective with this noun."""
    return next(english for kind, english in senses(entry, feature) if belongs(noun, kind))


def accepts(entry: Entry, feature: str, noun: Entry, default: str = "human") -> bool:
    """Whether the classes under `feature` admit the noun."""
    return belongs(noun, entry.features.get(feature, default))


def noun_words(choose: Chooser, text: str, entry: Entry, leaf: Leaf, *, many: bool) -> Words:
    """The English noun with all its words linked, plural if `many`."""
    english = wording(choose, text)
    proper = entry.category in ("city", "given", "title", "feast", "lang")
    if many and not entry.has("plural"):
        english = plural(english)
    tag = "NNP" if proper else "NNS" if many or entry.has("plural") else "NN"
    *before, head = english.split()
    start = link(" ".join(before), "NNP" if proper else "NN", leaf)
    return (*start, Word(head, tag, (leaf,)))


def possessive_mark(words: Words, *, many: bool, leaves: tuple[Leaf, ...] = ()) -> Words:
    """The 's of the doctor 's house, the ' of the doctors ' house."""
    bare = many and words[-1].text.endswith("s")
    return (*words, Word("'" if bare else "'s", "POS", leaves))


def pronoun_for(entry: Entry, *, many: bool) -> str:
    if many:
        return "they"
    if belongs(entry, "human"):
        return "she" if entry.has("f") else "he"
    return "it"


def gap(entry: Entry, agreement: Agreement, asked: Words = ()) -> Nominal:
    """The place a relative clause or a question has left empty."""
    return Nominal(None, (), (), (), agreement, entry, pronoun_for(entry, many=False), asked)


def plain(source: Tree, words: Words, entry: Entry, *, many: bool = False) -> Nominal:
    """A nominal whose English has one form for all cases."""
    agreement = Agreement(3, many)
    possessive = possessive_mark(words, many=many)
    return Nominal(
        source, words, words, possessive, agreement, entry, pronoun_for(entry, many=many)
    )


def pronoun(form: str, text: str, entry: Entry) -> Nominal:
    """ta → he, him, his"""
    tree, leaf = phrase("NP", "PN", form)
    other, possessive, agreement = PRONOUNS[text]
    return Nominal(
        tree,
        link(other, "PRP", leaf),
        link(text, "PRP", leaf),
        link(possessive, "PRP$", leaf),
        agreement,
        entry,
        text,
    )


def again(nominal: Nominal) -> Nominal:
    """The pronoun for somebody named before: ta is she after a woman, it after a thing."""
    text = nominal.pronoun
    chinese = {e.english: e.forms[0] for e in LEXICON.entries("pro")}
    entry = nominal.entry
    return pronoun(chinese.get(text, "ta"), text, entry)


def leaves_of(*nodes: Tree | Leaf) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for node in nodes:
        found.extend([node] if isinstance(node, Leaf) else leaves_of(*node.children))
    return tuple(found)
