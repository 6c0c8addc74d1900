"""Comparison: yori, hodo, ichiban, dochira."""

from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.japanese.arguments import argument
from hyperbaton.data_samples.generator.japanese.clauses import relative
from hyperbaton.data_samples.generator.japanese.modifiers import Demand, adjective_english
from hyperbaton.data_samples.generator.japanese.predicates import Inflection, group
from hyperbaton.data_samples.generator.japanese.predicates import copular as copular_predicate
from hyperbaton.data_samples.generator.japanese.states import adjective_for, describable, described
from hyperbaton.data_samples.generator.japanese.verbs import inflect
from hyperbaton.data_samples.generator.japanese.words import Nominal, Words, link, wording
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

KINDS = ("person", "place.town", "place.building", "vehicle", "animal", "doc.text", "thing.device",
         "doc.film", "thing.furniture", "food.fruit", "clothes")  # fmt: skip
IRREGULAR = {
    "good": ("better", "best"),
    "bad": ("worse", "worst"),
    "little": ("smaller", "smallest"),
}
# These take -er and -est, the others more and most.
ENDINGS = {"big", "large", "tall", "high", "old", "new", "long", "cheap", "low", "white", "black",
           "red", "blue", "green", "hard", "young", "wide", "narrow", "kind", "quiet", "heavy",
           "small", "cold", "dark", "hot", "sweet", "light", "strict", "strong", "weak", "thick",
           "thin", "busy", "lively", "short", "sad", "deep", "dirty", "fast", "slow", "cute",
           "spicy", "round", "easy", "poor", "sharp", "rich", "scary", "fat", "bright", "soft",
           "funny", "nice", "tasty", "clean", "healthy", "tough", "stern"}  # fmt: skip
Sentence = tuple[tuple[Tree | Leaf, ...], Words]


def degrees(text: str) -> tuple[str, str]:
    """Comparative and superlative of an English adjective."""
    if text in IRREGULAR:
        return IRREGULAR[text]
    if text not in ENDINGS:
        return f"more {text}", f"most {text}"
    if text.endswith("y"):
        stem = text[:-1] + "i"
    elif text.endswith("e"):
        stem = text[:-1]
    elif text[-1] in "gtdn" and text[-2] in "aeio" and text[-3] not in "aeiou":
        stem = text + text[-1]  # bigger, hotter, sadder, thinner
    else:
        stem = text
    return stem + "er", stem + "est"


def compare(choose: Chooser, polite: bool) -> Sentence:
    """One of the ways to compare two things, or one thing with all."""
    rules = [(more_than, 5.0), (rather_than, 3.0), (less_than, 2.0), (most, 2.0)]
    return choose.source.weighted(rules)(choose, polite)


def _two(choose: Chooser) -> tuple[Nominal, Nominal, Entry]:
    """Two things of a class and an adjective that fits the first."""
    kind = choose.source.among(*KINDS)
    first = describable(choose, kind, Demand("the"))
    second = argument(choose, kind, Demand("the", first, 1), relative)
    while second.entry is first.entry:
        second = argument(choose, kind, Demand("the", first, 1), relative)
    return first, second, adjective_for(choose, described(first.entry))


def _closing(
    choose: Chooser, chosen: Entry, noun: Nominal, polite: bool, negative: bool = False
) -> tuple[tuple[Leaf, ...], Inflection, str]:
    """The predicate's leaves and inflection, and the English adjective."""
    how = Inflection(choose.source.chance(0.25), negative, polite, "present")
    kind = "na" if chosen.has("na") else "adj"
    tokens = inflect(chosen.forms[0], kind, past=how.past, negative=negative, polite=polite)
    text = wording(choose, adjective_english(chosen, described(noun.entry)))
    return tuple(Leaf(tag, token) for tag, token in tokens), how, text


def _be(leaves: tuple[Leaf, ...], how: Inflection, subject: Nominal) -> Words:
    verb = copular_predicate(leaves, leaves[1:] or leaves, (), how)
    return group(verb, subject.agreement)


def more_than(choose: Chooser, polite: bool) -> Sentence:
    """A wa B yori takai → a is taller than b"""
    first, second, chosen = _two(choose)
    leaves, how, text = _closing(choose, chosen, first, polite)
    wa, yori = Leaf("P-TOP", "wa"), Leaf("P", "yori")
    zutto = (Leaf("ADV", "zutto"),) if choose.source.chance(0.3) else ()
    source = (
        Tree("PP", (first.source, wa)),
        Tree("VP", (Tree("PP", (second.source, yori)), _adjective_phrase(zutto, leaves))),
    )
    much = link("much", "RB", *zutto) if zutto else ()
    words = (*first.subject, *_be(leaves, how, first), *much,
             *link(degrees(text)[0], "JJR", leaves[0]), Word("than", "IN", (yori,)),
             *second.words)  # fmt: skip
    return source, words


def _adjective_phrase(before: tuple[Leaf, ...], leaves: tuple[Leaf, ...]) -> Tree:
    return Tree("VP", (*(Tree("ADVP", (leaf,)) for leaf in before), *leaves))


def rather_than(choose: Chooser, polite: bool) -> Sentence:
    """B yori A no hou ga takai → a is taller than b: the standard comes first"""
    first, second, chosen = _two(choose)
    leaves, how, text = _closing(choose, chosen, first, polite)
    yori, no, hou, ga = (
        Leaf("P", "yori"),
        Leaf("P-NO", "no"),
        Leaf("N", "hou"),
        Leaf("P-SUBJ", "ga"),
    )
    side = Tree("NP", (Tree("PP", (first.source, no)), Tree("NP", (hou,))))
    source = (
        Tree("PP", (second.source, yori)),
        Tree("PP", (side, ga)),
        Tree("VP", leaves),
    )
    words = (*first.subject, *_be(leaves, how, first),
             *link(degrees(text)[0], "JJR", leaves[0], hou), Word("than", "IN", (yori,)),
             *second.words)  # fmt: skip
    return source, words


def less_than(choose: Chooser, polite: bool) -> Sentence:
    """A wa B hodo takaku nai → a is not as tall as b"""
    first, second, chosen = _two(choose)
    leaves, how, text = _closing(choose, chosen, first, polite, negative=True)
    wa, hodo = Leaf("P-TOP", "wa"), Leaf("P", "hodo")
    source = (
        Tree("PP", (first.source, wa)),
        Tree("VP", (Tree("PP", (second.source, hodo)), Tree("VP", leaves))),
    )
    words = (*first.subject, *_be(leaves, how, first), Word("as", "RB", (hodo,)),
             *link(text, "JJ", leaves[0]), Word("as", "IN", (hodo,)), *second.words)  # fmt: skip
    return source, words


def most(choose: Chooser, polite: bool) -> Sentence:
    """machi no naka de kono mise ga ichiban takai → this shop is the most expensive in the town"""
    kind = choose.source.among("person", "place.building", "place.shop", "place.sight", "animal")
    first = describable(choose, kind, Demand("the", None, 1))
    chosen = adjective_for(choose, described(first.entry))
    leaves, how, text = _closing(choose, chosen, first, polite)
    where = argument(choose, "place.town+place.country", Demand("the", None, 1), relative)
    no, naka, de = Leaf("P-NO", "no"), Leaf("N", "naka"), Leaf("P", "de")
    ga, best = Leaf("P-SUBJ", "ga"), Leaf("ADV", "ichiban")
    inside = Tree("NP", (Tree("PP", (where.source, no)), Tree("NP", (naka,))))
    source = (
        Tree("PP", (inside, de)),
        Tree("PP", (first.source, ga)),
        _adjective_phrase((best,), leaves),
    )
    words = (*first.subject, *_be(leaves, how, first), Word("the", "DT", (best,)),
             *link(degrees(text)[1], "JJS", leaves[0], best), Word("in", "IN", (naka, de)),
             *where.words)  # fmt: skip
    return source, words


def which(choose: Chooser, polite: bool) -> Sentence:
    """A to B to dochira ga takai desu ka → which is taller , a or b ?"""
    first, second, chosen = _two(choose)
    leaves, how, text = _closing(choose, chosen, first, polite)
    to, to_, dochira, ga = (
        Leaf("P", "to"),
        Leaf("P", "to"),
        Leaf("PRO", "dochira"),
        Leaf("P-SUBJ", "ga"),
    )
    pair = Tree("NP", (Tree("PP", (first.source, to)), Tree("PP", (second.source, to_))))
    source = (pair, Tree("PP", (Tree("NP", (dochira,)), ga)), Tree("VP", leaves))
    person = first.pronoun != "it"
    front = link("who" if person else "which", "WP" if person else "WDT", dochira)
    verb = copular_predicate(leaves, leaves[1:] or leaves, (), how)
    comma = Word(",", ",")
    words = (*front, *group(verb, Agreement()), *link(degrees(text)[0], "JJR", leaves[0]),
             comma, *first.words, Word("or", "CC", (to,)), *second.words)  # fmt: skip
    return source, words
