"""Modifiers of a noun that hold no further phrase: adjectives, numerals, demonstratives, and so on.

Every rule takes a `Noun`, a noun and where it stands, and returns a `Modifier` if it applies.
"""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.english import plural as english_plural
from hyperbaton.data_samples.generator.japanese.words import (
    LEXICON,
    Nominal,
    Words,
    belongs,
    belongs_to_any,
    link,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word


@dataclass(frozen=True)
class Modifier:
    """What a modifier adds: `determiner` replaces the article, `many` asks for a plural."""

    source: Tree | None = None
    determiner: Words = ()
    before: Words = ()
    after: Words = ()
    many: bool = False
    definite: bool = False
    possessed: bool = False
    counted: bool = False  # two cups of tea: a plural although tea has none
    floating: Tree | None = None


@dataclass(frozen=True)
class Demand:
    """What the clause asks of a noun phrase."""

    article: str = "a"  # a, the, bare, own (the subject's), generic (cats), role (a doctor), new
    owner: "Nominal | None" = None  # the subject, for jibun
    depth: int = 0
    floats: bool = False  # a numeral may follow the particle


@dataclass(frozen=True)
class Noun:
    """A noun to be modified."""

    choose: Chooser
    entry: Entry
    demand: Demand


COUNTERS = {  # counter: form after san and nan; one of it in one word
    "nin": ("nin", "hitori"),
    "hiki": ("biki", "ippiki"),
    "wa": ("ba", "ichiwa"),
    "satsu": ("satsu", "issatsu"),
    "hon": ("bon", "ippon"),
    "mai": ("mai", "ichimai"),
    "hai": ("bai", "ippai"),
    "ko": ("ko", "ikko"),
    "dai": ("dai", "ichidai"),
    "tsuu": ("tsuu", "ittsuu"),
    "ken": ("gen", "ikken"),
}
GENERAL = {
    "two": "futatsu",
    "three": "mittsu",
    "four": "yottsu",
    "five": "itsutsu",
    "six": "muttsu",
}
CLASS_COUNTERS = {"person": "nin", "animal.bird": "wa", "animal": "hiki", "vehicle": "dai"}
NUMERAL_LIMIT = {"nin": 10, "tsu": 5}
QUANTIFIERS = [  # Japanese, English of many, English of much
    (("takusan", "many|a lot of", "a lot of|much"), 3.0),
    (("sukoshi", "a few", "a little"), 1.0),
    (("ooku", "many", "much"), 1.5),
    (("subete", "all the", "all the"), 1.0),
    (("iroiro", "various", ""), 0.7),
    (("juubun", "enough", "enough"), 0.4),
]
DEMONSTRATIVES = [
    (("kono", "this", "these"), 3.0),
    (("sono", "that", "those"), 3.0),
    (("ano", "that", "those"), 2.0),
]


def adjective(noun: Noun) -> Modifier | None:
    """takai yama → a high mountain, takai hon → an expensive book"""
    fitting = [a for a in LEXICON.entries("adj") if belongs_to_any(noun.entry, a.features["on"])]
    if not any(not a.unseen for a in fitting):
        return None
    chosen = LEXICON.pick(
        noun.choose, "adj", lambda a: belongs_to_any(noun.entry, a.features["on"])
    )
    word = chosen.forms[0]
    if chosen.has("na"):
        leaves: tuple[Leaf, ...] = (Leaf("ADJN", word), Leaf("COP", "na"))
    else:
        leaves = (Leaf("ADJI", word),)
    text = wording(noun.choose, adjective_english(chosen, noun.entry))
    return Modifier(Tree("ADJP", leaves), before=link(text, "JJ", *leaves))


def adjective_english(adjective: Entry, noun: Entry) -> str:
    """The translation that the noun's class asks for; the narrower class wins."""
    special = [
        key for key in adjective.features if key.startswith("en.") and belongs(noun, key[3:])
    ]
    if not special:
        return adjective.english
    return adjective.features[max(special, key=lambda key: key.count("."))]


def demonstrative(noun: Noun) -> Modifier:
    """kono hon → this book"""
    japanese, one, more = noun.choose.source.weighted(DEMONSTRATIVES)
    leaf = Leaf("D", japanese)
    many = noun.entry.has("pl") or noun.entry.has("plural")
    return Modifier(Tree("DP", (leaf,)), determiner=link(more if many else one, "DT", leaf))


def quantifier(noun: Noun) -> Modifier | None:
    """takusan no hon → many books, hon o takusan → many books, mizu o sukoshi → a little water"""
    japanese, many, much = noun.choose.source.weighted(QUANTIFIERS)
    text = wording(noun.choose, much if noun.entry.has("mass") else many)
    if not text:
        return None
    leaf = Leaf("Q", japanese)
    if noun.demand.floats and japanese in ("takusan", "sukoshi") and noun.choose.source.chance(0.5):
        tree = Tree("QP", (leaf,))
        return Modifier(determiner=link(text, "JJ", leaf), many=True, floating=tree)
    tail = Leaf("COP", "na") if japanese == "iroiro" else Leaf("P-NO", "no")
    words = link(text, "JJ", leaf, tail)
    return Modifier(Tree("PP", (Tree("QP", (leaf,)), tail)), determiner=words, many=True)


def numeral(noun: Noun) -> Modifier | None:
    """san nin no kodomo → three children, hon o ni satsu → two books, mizu o ippai → a glass of"""
    counter, _, measure = noun.choose.source.among(*_counters(noun.entry)).partition(":")
    number = LEXICON.pick(noun.choose, "num", lambda n: n.rank < NUMERAL_LIMIT.get(counter, 6))
    one = noun.choose.source.chance(0.2) and counter in COUNTERS
    floats = noun.demand.floats and noun.choose.source.chance(0.6)
    if one:
        leaves: tuple[Leaf, ...] = (Leaf("NUM", COUNTERS[counter][1]),)
        words = link("a" if measure else "one", "CD", *leaves)
    elif counter == "tsu":
        leaves = (Leaf("NUM", GENERAL[number.english]),)
        words = link(number.english, "CD", *leaves)
    else:
        leaves = counted(number.forms[0], counter)
        words = link(number.english, "CD", *leaves)
    if measure:  # biiru o ni hai: the counter is a word of its own
        unit = measure if one else english_plural(measure)
        tag = "NN" if one else "NNS"
        of = Word("of", "IN", leaves[-1:])
        words = (Word(words[0].text, "CD", leaves[:1]), Word(unit, tag, leaves[-1:]), of)
    tree = Tree("NUMCLP", leaves)
    article = noun.demand.article == "the" and not measure and not one
    the = (Word("the", "DT"),) if article else ()
    if floats:
        return Modifier(determiner=the + words, many=not one, floating=tree, counted=not one)
    no = Leaf("P-NO", "no")
    words = (replace(words[0], links=(*words[0].links, no)), *words[1:])
    source = Tree("PP", (tree, no))
    return Modifier(source, determiner=the + words, many=not one, counted=not one)


def counted(number: str, counter: str) -> tuple[Leaf, ...]:
    """san bon, futari: a number with its counter, which may fuse or change its sound"""
    if (number, counter) == ("ni", "nin"):
        return (Leaf("NUM", "futari"),)
    if (number, counter) == ("yon", "nin"):
        number = "yo"
    form = COUNTERS[counter][0] if number in ("san", "nan") else counter
    return (Leaf("NUM", number), Leaf("CL", form))


def _counters(entry: Entry) -> list[str]:
    if "cl" in entry.features:
        return entry.features["cl"].split(",")
    return [next((c for k, c in CLASS_COUNTERS.items() if belongs(entry, k)), "tsu")]


def time_genitive(noun: Noun) -> Modifier:
    """kinou no shinbun → yesterday 's newspaper"""
    time = LEXICON.pick(noun.choose, "time", lambda t: t.has("day"))
    leaf, no = Leaf("NT", time.forms[0]), Leaf("P-NO", "no")
    words = link(wording(noun.choose, time.english), "NN", leaf)
    return Modifier(Tree("PP", (Tree("NP", (leaf,)), no)), (*words, Word("'s", "POS", (no,))))


def compound(noun: Noun) -> Modifier:
    """rekishi no hon → a history book, ki no isu → a wooden chair"""
    kind = "study" if noun.entry.category in ("doc", "event", "person") else "material"
    first = LEXICON.pick(noun.choose, kind)
    leaf, no = Leaf("N", first.forms[0]), Leaf("P-NO", "no")
    tag = "JJ" if kind == "material" else "NN"
    words = link(wording(noun.choose, first.english), tag, leaf, no)
    return Modifier(Tree("PP", (Tree("NP", (leaf,)), no)), before=words)
