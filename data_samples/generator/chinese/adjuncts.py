"""Adverbials: times, places, companions, adverbs. All precede the Chinese verb; in English their
kind decides: weekdays and seasons go to the front, days and hours to the end."""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.core import (
    CLAUSE,
    COMPANION,
    MANNER,
    PLACE,
    TIME,
    Adjunct,
    Core,
)
from hyperbaton.data_samples.generator.chinese.frames import amount, source_of
from hyperbaton.data_samples.generator.chinese.nouns import at_place, noun_phrase
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    Nominal,
    Scope,
    Words,
    belongs,
    insert,
    link,
    phrase,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

MOVED = 0.12  # share of the times that English puts at its less usual end
DAY_PARTS = {  # English of a day and a part of it where it is not just both words
    ("today", "morning"): "this morning",
    ("today", "afternoon"): "this afternoon",
    ("today", "evening"): "tonight|this evening",
    ("yesterday", "evening"): "last night|yesterday evening",
    ("yesterday", "night"): "last night",
    ("today", "night"): "tonight",
    ("today", "noon"): "at noon today",
    ("yesterday", "noon"): "at noon yesterday",
    ("tomorrow", "noon"): "at noon tomorrow",
}
SIDE = {"past": "last", "future": "next", "present": "every"}
YEARS = {"past": "qunian", "future": "mingnian", "present": "meinian"}


@dataclass(frozen=True)
class Time:
    """A time with the table of moods that it allows."""

    source: Tree
    words: Words
    front: bool
    table: str  # timed past, future, habit or now


def time(choose: Chooser, tense: str) -> Time:
    """A time expression of the tense, of one of several kinds."""
    rules = [(_word, 5.0), (_weekday, 2.0), (_clock, 1.5), (_season, 1.5)]
    if tense != "present":
        rules += [(_part, 3.0), (_distance, 1.2)]
    return choose.source.weighted(rules)(choose, tense)


def _table(tense: str) -> str:
    return {"past": "timed past", "present": "habit"}.get(tense, tense)


def _noun(*leaves: Leaf) -> Tree:
    return Tree("NP", leaves)


def _word(choose: Chooser, tense: str) -> Time:
    """zuotian → yesterday, at the end; congqian → formerly, in front"""

    def fits(entry: Entry) -> bool:
        when = entry.features["tense"]
        return entry.features["kind"] != "adverb" and when in (tense, "any") and (
            tense != "present" or when == tense
        )  # fmt: skip

    entry = LEXICON.pick(choose, "time", fits)
    leaf = Leaf("NT", entry.forms[0])
    kind = entry.features["kind"]
    table = "now" if kind == "now" else _table(tense)
    return Time(
        _noun(leaf), link(wording(choose, entry.english), "RB", leaf), kind == "front", table
    )


def _part(choose: Chooser, tense: str) -> Time:
    """zuotian wanshang → last night, mingtian xiawu → tomorrow afternoon"""
    day = LEXICON.pick(choose, "time", lambda e: e.forms[0] in DAYS[tense])
    part = LEXICON.pick(choose, "part")
    first, second = Leaf("NT", day.forms[0]), Leaf("NT", part.forms[0])
    special = DAY_PARTS.get((day.english, part.english))
    if special:
        words = link(wording(choose, special), "NN", first, second)
    else:
        words = link(day.english, "NN", first) + link(part.english, "NN", second)
    return Time(_noun(first, second), words, False, _table(tense))


DAYS = {"past": ("zuotian", "jintian"), "future": ("mingtian", "jintian")}


def _weekday(choose: Chooser, tense: str) -> Time:
    """xingqiyi zaoshang → on monday morning, in front"""
    day = LEXICON.pick(choose, "weekday")
    leaf = Leaf("NT", day.forms[0])
    words = insert("on", "IN") + link(day.english, "NNP", leaf)
    leaves = [leaf]
    if choose.source.chance(0.35) and not day.english.startswith("the"):
        part = LEXICON.pick(choose, "part", lambda e: e.english != "noon")
        leaves.append(Leaf("NT", part.forms[0]))
        words += link(part.english, "NN", leaves[1])
    return Time(_noun(*leaves), words, True, _table(tense))


def _clock(choose: Chooser, tense: str) -> Time:
    """xiawu san dian → at three o'clock in the afternoon"""
    part = LEXICON.pick(choose, "part", lambda e: e.english not in ("noon", "night"))
    hour = LEXICON.pick(choose, "number", lambda e: e.rank < 9)
    leaf, count, dian = Leaf("NT", part.forms[0]), Leaf("CD", hour.forms[0]), Leaf("M", "dian")
    source = Tree("NP", (Tree("NP", (leaf,)), Tree("QP", (count, Tree("CLP", (dian,))))))
    words = (
        insert("at", "IN")
        + link(hour.english, "CD", count)
        + link(wording(choose, "o'clock|"), "RB", dian)
    )
    words += insert("in the", "IN") + link(part.english, "NN", leaf)
    return Time(source, words, False, _table(tense))


def _season(choose: Chooser, tense: str) -> Time:
    """qunian xiatian → last summer; mingnian sanyue → in march next year"""
    year = Leaf("NT", YEARS[tense])
    if choose.source.chance(0.5):
        season = LEXICON.pick(choose, "season")
        leaf = Leaf("NT", season.forms[0])
        words = link(SIDE[tense], "JJ", year) + link(wording(choose, season.english), "NN", leaf)
    else:
        month = LEXICON.pick(choose, "month")
        leaf = Leaf("NT", month.forms[0])
        words = insert("in", "IN") + link(month.english, "NNP", leaf)
        words += link(f"{SIDE[tense]} year", "NN", year)
    return Time(_noun(year, leaf), words, True, _table(tense))


def _distance(choose: Chooser, tense: str) -> Time:
    """san tian yiqian → three days ago; san tian yihou → in three days"""
    source, words = amount(choose)
    leaf = Leaf("LC", "yiqian" if tense == "past" else "yihou")
    ago = (*words, *link("ago", "RB", leaf))
    words = ago if tense == "past" else (*link("in", "IN", leaf), *words)
    return Time(Tree("LCP", (source, leaf)), words, False, _table(tense))


def timed(choose: Chooser, when: Time, scope: Scope, *, outer: bool = True) -> Adjunct:
    """Places the time: never in front within another clause."""
    front = when.front and not scope.embedded
    if not scope.embedded and choose.target.chance(MOVED):
        front = not front
    return Adjunct(when.source, when.words, TIME, front, outer)


def place(choose: Chooser, scope: Scope) -> Adjunct:
    """zai tushuguan → in the library"""
    spot = at_place(choose, scope)
    return Adjunct(spot.source, spot.words, PLACE)


def companion(choose: Chooser, scope: Scope, subject: Nominal) -> tuple[Adjunct, ...]:
    """gen pengyou → with a friend, gen pengyou yiqi → together with a friend"""
    person = noun_phrase(choose, "human", scope, avoid=subject.entry.forms[0])
    preposition = Leaf("P", choose.source.among("gen", "he"))
    source = Tree("PP", (preposition, *source_of(person)))
    words = link("with", "IN", preposition) + person.words
    if not choose.source.chance(0.35):
        return (Adjunct(source, words, COMPANION),)
    tree, leaf = phrase("ADVP", "AD", "yiqi")
    words = link("together", "RB", leaf) + words
    return Adjunct(source, words, COMPANION), Adjunct(tree, (), COMPANION)


def manner(choose: Chooser, subject: Nominal) -> Entry:
    """An adverb of manner that fits the number of the subject."""
    refused = "one" if subject.agreement.plural else "many"
    return LEXICON.pick(choose, "manner", lambda e: not e.has(refused) and not e.has("vi"))


def adverb(choose: Chooser, kind: str, subject: Nominal, *, embedded: bool) -> Entry:
    """A clause adverb that goes with the mood; dou needs a plural subject."""

    def fits(entry: Entry) -> bool:
        if entry.has("many"):
            return subject.agreement.plural and subject.source is not None
        if embedded and entry.features.get("pos") == "front":
            return False
        allowed = entry.features["with"].split(",")
        return kind in allowed or "all" in allowed

    return LEXICON.pick(choose, "adv", fits)


def adverb_adjunct(
    choose: Chooser, entry: Entry, *, outer: bool, negative: bool = False
) -> tuple[Adjunct, Words]:
    """The adjunct, and its English if that belongs in the middle of the verb group."""
    leaves = tuple(Leaf("AD", form) for form in entry.forms)
    english, position = entry.english, entry.features.get("pos", "mid")
    if entry.has("end") and choose.target.chance(0.2) and not negative:
        english, position = entry.features["end"], "end"
    words = link(wording(choose, english), "RB", *leaves)
    source = Tree("ADVP", leaves)
    rank = CLAUSE if outer else MANNER  # again and too after everything else
    if position == "mid":
        return Adjunct(source, (), rank, outer=outer), words
    return Adjunct(source, words, rank, front=position == "front", outer=outer), ()


def room_for(choose: Chooser, core: Core, subject: Nominal, scope: Scope) -> Core:
    """Adds phrases of place and company where the verb leaves room for them."""
    if not core.roomy or core.kind == "state":
        return core
    smaller = replace(scope, depth=min(scope.depth - 1, 1))
    added = []
    chances = (0.06, 0.03) if core.busy else (0.15, 0.07)
    if choose.source.chance(chances[0]):
        added.append(place(choose, smaller))
    alone = bool(core.bei or core.pre) or not belongs(subject.entry, "human")
    if choose.source.chance(chances[1]) and not alone:
        added.extend(companion(choose, smaller, subject))
    return replace(core, adjuncts=(*added, *core.adjuncts))
