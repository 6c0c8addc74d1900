"""Adjuncts of a clause: times, places, adverbs. Times come early in Japanese, late in English."""

from dataclasses import dataclass

from hyperbaton.data_samples.generator.english import plural
from hyperbaton.data_samples.generator.japanese.modifiers import Demand
from hyperbaton.data_samples.generator.japanese.phrases import noun_phrase
from hyperbaton.data_samples.generator.japanese.words import (
    LEXICON,
    Adjunct,
    Nominal,
    Words,
    link,
    pick_noun,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

# Where people do things: nobody reads in a river.
WHERE = "place.building+place.room+place.outdoor+place.town+place.shop+place.school+place.public"


@dataclass(frozen=True)
class Wanted:
    """Which adjuncts a clause can take; `kind` is past, future, habit or empty (no time)."""

    kind: str
    negative: bool = False
    place: bool = True
    time: bool = True
    forced: bool = False  # a nonpast needs a time or a frequency to be told from the future
    share: float = 1.0
    many: bool = False  # the subject can act together
    owner: Nominal | None = None
    act: bool = False
    state: bool = False  # takes no adverb


@dataclass(frozen=True)
class Adverbials:
    time: Adjunct | None = None
    place: Adjunct | None = None
    adverb: Tree | None = None
    middle: Words = ()
    manner: Words = ()
    drops: bool = False  # the adverb is the English negation


def adverbials(choose: Chooser, wanted: Wanted) -> Adverbials:
    """At most one of each sort."""
    time = place = adverb = None
    has_time = choose.source.chance(0.42 * wanted.share) or wanted.forced
    if wanted.time and wanted.kind and has_time:
        time = time_phrase(choose, wanted.kind, lasting=wanted.act)
    if wanted.place and choose.source.chance(0.3 * wanted.share):
        place = place_phrase(choose, wanted.owner)
    if wanted.kind and not wanted.state and choose.source.chance(0.22 * wanted.share):
        adverb = _pick_adverb(choose, wanted)
    if adverb is None:
        return Adverbials(time, place)
    leaves = tuple(
        Leaf("P" if word in ("ni", "de") else "ADV", word) for word in adverb.forms[0].split()
    )
    words = link(wording(choose, adverb.english), "RB", *leaves)
    middle = adverb.has("mid")
    return Adverbials(
        time,
        place,
        Tree("ADVP", leaves),
        words if middle else (),
        () if middle else words,
        adverb.has("drops"),
    )


def _pick_adverb(choose: Chooser, wanted: Wanted) -> Entry | None:
    def fits(adverb: Entry) -> bool:
        for tense in ("past", "habit"):
            if adverb.has(tense) and wanted.kind != tense:
                return False
        if adverb.has("act") and not wanted.act:
            return False
        if adverb.has("many") and not wanted.many:
            return False
        if wanted.negative:
            return adverb.has("negative")
        return not adverb.has("negative") and not adverb.has("study")

    allowed = [a for a in LEXICON.entries("adv") if fits(a) and not a.unseen]
    return LEXICON.pick(choose, "adv", fits) if allowed else None


def time_phrase(choose: Chooser, kind: str, lasting: bool = False) -> Adjunct:
    """A time that goes with the tense: a word, the clock, a span."""
    if kind == "habit" or choose.source.chance(0.7):
        return named_time(choose, kind)
    past = kind == "past"
    rules = [(clock, 3.0), (ago, 2.0 * past), (span, 2.0 * (past and lasting))]
    return choose.source.weighted(rules)(choose)


def named_time(choose: Chooser, kind: str) -> Adjunct:
    """kinou → yesterday, nichiyoubi ni → on sunday, natsu ni → in summer"""
    entry = LEXICON.pick(choose, "time", lambda time: _in_time(time, kind))
    leaf = Leaf("NT", entry.forms[0])
    words = link(wording(choose, entry.english), "NN", leaf)
    if not entry.has("ni"):
        return Adjunct(Tree("NP", (leaf,)), words)
    particle = Leaf("P", "ni")
    article = (Word("the", "DT"),) if entry.has("the") else ()
    preposition = Word(entry.features["prep"], "IN", (particle,))
    return Adjunct(Tree("PP", (Tree("NP", (leaf,)), particle)), (preposition, *article, *words))


def _in_time(time: Entry, kind: str) -> bool:
    """With a nonpast verb, "nichiyoubi ni" is taken as the coming sunday, not as every sunday."""
    return time.has(kind) or (time.has("any") and kind != "habit")


def clock(choose: Chooser) -> Adjunct:
    """san ji ni → at three o'clock, san ji made → until three o'clock, san ji kara → from"""
    number = LEXICON.pick(choose, "num", lambda n: n.english != "twenty")
    digits = {"yon": "yo", "nana": "shichi", "kyuu": "ku"}  # the clock has forms of its own
    leaf, hour = Leaf("NUM", digits.get(number.forms[0], number.forms[0])), Leaf("CL", "ji")
    particle, preposition = choose.source.weighted(
        [(("ni", "at"), 4.0), (("made", "until"), 0.5), (("kara", "from"), 0.5)]
    )
    mark = Leaf("P", particle)
    words = (
        Word(preposition, "IN", (mark,)),
        Word(number.english, "CD", (leaf,)),
        Word("o'clock", "RB", (hour,)),
    )
    return Adjunct(Tree("PP", (Tree("NUMCLP", (leaf, hour)), mark)), words)


def ago(choose: Chooser) -> Adjunct:
    """san nen mae ni → three years ago"""
    number, unit, number_leaf, unit_leaf = _amount(choose)
    mae, ni = Leaf("N", "mae"), Leaf("P", "ni")
    words = (*_amount_words(number, unit, number_leaf, unit_leaf), Word("ago", "RB", (mae, ni)))
    amount = Tree("NUMCLP", (number_leaf, unit_leaf))
    return Adjunct(Tree("PP", (Tree("NP", (amount, mae)), ni)), words)


def span(choose: Chooser) -> Adjunct:
    """ni jikan → for two hours"""
    number, unit, number_leaf, unit_leaf = _amount(choose)
    words = (Word("for", "IN"), *_amount_words(number, unit, number_leaf, unit_leaf))
    return Adjunct(Tree("NUMCLP", (number_leaf, unit_leaf)), words)


def _amount(choose: Chooser) -> tuple[Entry, Entry, Leaf, Leaf]:
    number, unit = LEXICON.pick(choose, "num"), LEXICON.pick(choose, "unit")
    form = unit.forms[0]
    if form == "fun" and number.forms[0] in ("san", "yon", "roku", "hachi", "juu"):
        form = "pun"
    spoken = {("yon", "nen"): "yo", ("yon", "jikan"): "yo"}.get((number.forms[0], form))
    return number, unit, Leaf("NUM", spoken or number.forms[0]), Leaf("CL", form)


def _amount_words(number: Entry, unit: Entry, number_leaf: Leaf, unit_leaf: Leaf) -> Words:
    return (
        Word(number.english, "CD", (number_leaf,)),
        Word(plural(unit.english), "NNS", (unit_leaf,)),
    )


def place_phrase(choose: Chooser, owner: Nominal | None = None, particle: str = "de") -> Adjunct:
    """toshokan de → in the library, eki no mae de → in front of the station"""
    entry = pick_noun(choose, WHERE)
    relational = not entry.has("proper") and choose.source.chance(0.18)
    demand = Demand("the", owner, 1)
    nominal = noun_phrase(choose, entry, demand)
    mark = Leaf("P", particle)
    if not relational:
        preposition = link(entry.features.get("at", "in"), "IN", mark)
        return Adjunct(Tree("PP", (nominal.source, mark)), preposition + nominal.words)
    side = LEXICON.pick(choose, "side", lambda s: not s.has("hollow") or entry.has("building"))
    return Adjunct(*beside(choose, nominal.source, nominal.words, side, mark))


def beside(
    choose: Chooser, source: Tree, words: Words, side: Entry, mark: Leaf
) -> tuple[Tree, Words]:
    """eki no mae → in front of the station: a Japanese noun for an English preposition"""
    no, noun = Leaf("P-NO", "no"), Leaf("N", side.forms[0])
    inner = Tree("NP", (Tree("PP", (source, no)), Tree("NP", (noun,))))
    return Tree("PP", (inner, mark)), link(
        wording(choose, side.english), "IN", no, noun, mark
    ) + words
