"""Noun phrases: the choice of modifiers, genitives, articles.

Every modifier rule returns a `Modifier`; `noun_phrase` puts them before the Japanese noun and
around the English one.
"""

from collections.abc import Callable
from dataclasses import replace

from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.japanese.modifiers import (
    Demand,
    Modifier,
    Noun,
    adjective,
    compound,
    demonstrative,
    numeral,
    quantifier,
    time_genitive,
)
from hyperbaton.data_samples.generator.japanese.words import (
    PRONOUNS,
    Nominal,
    Words,
    belongs,
    belongs_to_any,
    leaves_of,
    link,
    named,
    noun_words,
    pick_noun,
    possessive_mark,
    pronoun,
    pronoun_for,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Rule = Callable[[Noun], Modifier | None]


def noun_phrase(
    choose: Chooser, entry: Entry, demand: Demand, clause: Modifier | None = None
) -> Nominal:
    """A noun with its modifiers; `clause` is a relative clause, made by the caller."""
    wanted = ("adjective",) if clause and choose.source.chance(0.25) else ()
    names = wanted if clause else choose.source.weighted(_patterns(entry, demand))
    made = [RULES[name](Noun(choose, entry, demand)) for name in names]
    modifiers = ([clause] if clause else []) + [modifier for modifier in made if modifier]
    return _assemble(choose, entry, demand, modifiers)


def _assemble(choose: Chooser, entry: Entry, demand: Demand, modifiers: list[Modifier]) -> Nominal:
    leaves = leaves_of(entry)
    possessed = any(m.possessed for m in modifiers)
    generic = demand.article == "generic" and not any(m.definite for m in modifiers)
    many = entry.has("pl") or any(m.many for m in modifiers)
    many = many or (generic and not {"mass", "det", "plural", "proper"} & set(entry.features))
    if possessed and "of" in entry.features and entry.category == "person":
        words: Words = link(entry.features["of"], "NN", *leaves)  # ojiisan: old man, grandfather
    else:
        words = noun_words(choose, entry, leaves, many=many)
    determiner = next((m.determiner for m in modifiers if m.determiner), None)
    if determiner is None:
        definite = any(m.definite for m in modifiers)
        determiner = _article(entry, demand, leaves, definite, many)
    before = tuple(word for m in modifiers for word in m.before)
    after = tuple(word for m in reversed(modifiers) for word in m.after)
    target = (*determiner, *before, *words, *after)
    source = Tree("NP", leaves)
    for modifier in reversed(modifiers):
        if modifier.source:
            source = Tree("NP", (modifier.source, source))
    plural = (many or entry.has("plural")) and not entry.has("mass")
    count = Agreement(3, plural or any(m.counted for m in modifiers))
    floating = next((m.floating for m in modifiers if m.floating), None)
    stands = pronoun_for(entry, many=count.plural)
    possessive = (*target, possessive_mark(target, many=count.plural))
    return Nominal(source, target, count, entry, stands, target, possessive, floating)


def _article(
    entry: Entry, demand: Demand, leaves: tuple[Leaf, ...], definite: bool, many: bool
) -> Words:
    """The article by the noun first (tokyo, the sun, my mother), then by its place."""
    if (
        entry.has("proper")
        or demand.article == "bare"
        or (belongs(entry, "study") and not definite)
    ):
        return ()
    if entry.has("kin") and demand.article != "new":
        return (Word("my", "PRP$", leaves),)
    if belongs(entry, "body") or demand.article == "own":
        owned = PRONOUNS[demand.owner.pronoun][1] if demand.owner else ""
        return (Word(owned, "PRP$") if owned else Word("the", "DT"),)
    if (definite and demand.article != "new") or entry.has("det") or demand.article == "the":
        return (Word("the", "DT"),)
    if demand.article == "generic" or many or entry.has("mass") or entry.has("plural"):
        return ()
    return (Word("a", "DT"),)


def possessor(noun: Noun) -> Modifier:
    """tanaka san no hon → mr. tanaka 's book, kanojo no hon → her book"""
    choose, no = noun.choose, Leaf("P-NO", "no")
    if noun.demand.owner and choose.source.chance(0.25):
        return _self(noun.demand.owner.pronoun, no)
    kind = choose.source.weighted([("pro", 3.0), ("name", 3.0), ("person", 3.0)])
    if kind == "pro":
        owner = pronoun(choose, avoid=noun.demand.owner)
        words = tuple(replace(word, links=(*word.links, no)) for word in owner.possessive)
        return Modifier(Tree("PP", (owner.source, no)), words, possessed=True)
    owner = named(choose, noun.demand.owner) if kind == "name" else _inner(noun, "person")
    *before, mark = owner.possessive
    determiner = (*before, Word(mark.text, mark.tag, (no,)))
    return Modifier(Tree("PP", (owner.source, no)), determiner, possessed=True)


def _self(owner: str, no: Leaf) -> Modifier:
    """jibun no hon → his own book: the English comes from the subject, wherever that is"""
    leaf = Leaf("PRO", "jibun")
    words = (Word(PRONOUNS[owner][1], "PRP$", (leaf, no)), Word("own", "JJ", (leaf, no)))
    return Modifier(Tree("PP", (Tree("NP", (leaf,)), no)), words, possessed=True)


def whole(noun: Noun) -> Modifier:
    """kuruma no nedan → the price of the car, or: the car 's price"""
    no = Leaf("P-NO", "no")
    owner = _inner(noun, noun.entry.features["of"])
    source = Tree("PP", (owner.source, no))
    # A long possessor sounds better behind: the price of the car that he bought.
    if len(owner.words) < 4 and noun.choose.target.chance(0.2):
        mark = replace(owner.possessive[-1], links=(no,))
        return Modifier(source, determiner=(*owner.words, mark))
    return Modifier(source, after=(Word("of", "IN", (no,)), *owner.words), definite=True)


def place_genitive(noun: Noun) -> Modifier:
    """kyouto no tera → a temple in kyoto, eki no tenin → a clerk at the station"""
    no = Leaf("P-NO", "no")
    regions = "place.town+place.country"
    owner = _inner(noun, regions if noun.entry.category == "place" else "place")
    preposition = Word(owner.entry.features.get("at", "in"), "IN", (no,))
    return Modifier(Tree("PP", (owner.source, no)), after=(preposition, *owner.words))


def _inner(noun: Noun, kinds: str) -> Nominal:
    """The noun phrase inside a genitive, which may hold a genitive itself."""
    inner = Demand("the", noun.demand.owner, noun.demand.depth + 1)
    return noun_phrase(noun.choose, pick_noun(noun.choose, kinds), inner)


RULES: dict[str, Rule] = {
    "adjective": adjective,
    "demonstrative": demonstrative,
    "quantifier": quantifier,
    "numeral": numeral,
    "possessor": possessor,
    "whole": whole,
    "place": place_genitive,
    "time": time_genitive,
    "compound": compound,
}
# Modifiers in their Japanese order, the weight, and the classes of noun that allow them.
PATTERNS = [
    (("adjective",), 20.0, "person,animal,place,vehicle,food,thing,clothes,doc,event,part"),
    (("possessor",), 14.0, "vehicle,clothes,doc.text,doc.music,doc.art,doc.secret,animal.pet,"
     "place.home,place.room,thing.precious,thing.instrument,thing.carry,person.kin,person.old,"
     "event.plan,event.work,body,thing.tool,doc.label"),
    (("demonstrative",), 8.0, "person,animal,place,vehicle,thing,clothes,doc,event.plan"),
    (("numeral",), 10.0, "person,animal,vehicle,food.count,food.drink,food.baked,thing,"
     "clothes.upper,doc.text,doc.picture,doc.music"),
    (("quantifier",), 5.0, "person,animal,food,thing,doc.text,doc.picture,vehicle"),
    (("place",), 6.0, "person.job,person.learner,place.building,place.sight,place.water"),
    (("time",), 16.0, "doc.periodical,doc.news,event.meeting,event.exam,event.match,event.lesson"),
    (("compound",), 10.0, "doc.book,event.exam,event.lesson,doc.homework,thing.furniture,thing.toy,"
     "thing.container"),
    (("demonstrative", "adjective"), 3.0, "person,animal,place,vehicle,thing,clothes,doc"),
    (("possessor", "adjective"), 4.0, "vehicle,clothes,doc.text,animal.pet,place.home,place.room"),
    (("numeral", "adjective"), 2.0, "person,animal,vehicle,thing,doc.text"),
    (("place", "adjective"), 2.0, "place.building,place.sight,person.job"),
]  # fmt: skip
BARE = 42.0


def _patterns(entry: Entry, demand: Demand) -> list[tuple[tuple[str, ...], float]]:
    """The modifiers a noun may have; deeper phrases have fewer, so that chains end."""
    if belongs(entry, "part"):
        return [(("whole",), 1.0)]
    bare = BARE * (1 + demand.depth)
    unfit = set()
    if entry.has("proper") or demand.article in ("bare", "own"):
        return [((), 1.0)]
    if entry.has("det") or (entry.has("kin") and demand.article != "new"):
        unfit = {"adjective", "demonstrative", "numeral", "quantifier", "place", "compound"}
    if entry.has("pl") or entry.has("plural") or (entry.has("mass") and "cl" not in entry.features):
        unfit.add("numeral")
    if demand.depth and belongs(entry, "person"):
        unfit.add("place")  # the student in the town 's sister
    if demand.article == "new":
        unfit |= {"demonstrative", "possessor"}
    if demand.article in ("generic", "role"):
        unfit |= {"numeral", "quantifier", "time", "place"}
    allowed = [
        (names, weight)
        for names, weight, kinds in PATTERNS
        if not unfit & set(names) and belongs_to_any(entry, kinds)
    ]
    return [((), bare), *allowed]
