"""Verbs that take prepositional phrases, two objects, or a place."""

from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.core import Core
from hyperbaton.data_samples.generator.chinese.frames import (
    fixed_verb,
    in_ba,
    kind_of,
    object_kinds,
    source_of,
)
from hyperbaton.data_samples.generator.chinese.nouns import Place, at_place, located, noun_phrase
from hyperbaton.data_samples.generator.chinese.words import (
    Nominal,
    Scope,
    Words,
    insert,
    link,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

DIRECT = "-"  # an argument without a preposition


def prepositional(
    choose: Chooser, entry: Entry, subject: Nominal, scope: Scope, target: Nominal | None = None
) -> Core:
    """dui X ganxingqu → be interested in X, gen X jiehun → marry X, xiang X xuexi → learn from X"""
    form, classes, english = entry.features["pp"].split(":")
    avoid = subject.entry.forms[0]
    target = target or noun_phrase(choose, classes, scope, "the", avoid=avoid)
    preposition = Leaf("P", form)
    verb, objects, heads = fixed_verb(entry)
    return Core(
        wording(choose, entry.english),
        verb,
        heads,
        _argument(entry, english, preposition, target, heads),
        pre=(Tree("PP", (preposition, *source_of(target))),),
        post=objects,
        kind=kind_of(entry),
        asked=target.asked,
        durable=entry.has("dur"),
    )


def _argument(
    entry: Entry, english: str, preposition: Leaf, target: Nominal, heads: tuple[Leaf, ...]
) -> Words:
    """The English of the phrase: with a preposition, bare, or as a possessor."""
    after = link(entry.features.get("tail", "").replace("_", " "), "NN", *heads)
    if english == "poss":
        return target.possessive + after
    if english == DIRECT:
        return target.words + after
    return link(english, "IN", preposition) + target.words + after


def with_object(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """gen X jie NP → borrow NP from X, but gen X yao NP → ask X for NP"""
    core = prepositional(choose, entry, subject, scope)
    thing = noun_phrase(choose, object_kinds(entry), replace(scope, depth=scope.depth - 1))
    swap = entry.features.get("swap")
    if swap is None:
        words = thing.words + core.words
    else:
        words = core.words + (() if swap == "none" else insert(swap, "IN")) + thing.words
    return replace(core, words=words, post=source_of(thing))


def giving(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """song gei X NP → give X NP or NP to X; ba NP song gei X → give NP to X"""
    ba = choose.source.chance(0.45)
    thing = noun_phrase(choose, object_kinds(entry), scope, "the" if ba else "a")
    smaller = replace(scope, depth=scope.depth - 1 if not ba else 0)
    avoid = subject.entry.forms[0]
    person = noun_phrase(choose, "human", smaller, "the", avoid=avoid)
    verb, gei = Leaf("VV", entry.forms[0]), Leaf("VV", "gei")
    core = Core(
        wording(choose, entry.english),
        Tree("VRD", (verb, gei)),
        (verb,),
        thing.words + link("to", "TO", gei) + person.words,
        post=source_of(person) if ba else source_of(person, thing),
        kind="result",
    )
    if ba:
        return replace(core, wrap=in_ba(thing))
    if entry.english.split()[0] in DATIVE and choose.target.chance(0.35):
        return replace(core, words=person.words + thing.words, heads=(verb, gei))
    return core


DATIVE = ("give", "hand", "lend", "pass", "send", "sell", "leave", "throw")  # give him a book


def two_objects(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """jiao women yingyu → teach us english"""
    avoid = subject.entry.forms[0]
    person = noun_phrase(choose, "human", scope, "the", avoid=avoid)
    thing = noun_phrase(choose, object_kinds(entry), replace(scope, depth=scope.depth - 1))
    verb = Leaf("VV", entry.forms[0])
    words = person.words + thing.words
    post = source_of(person, thing)
    return Core(wording(choose, entry.english), verb, (verb,), words, post=post)


def going(choose: Chooser, entry: Entry, _subject: Nominal, scope: Scope) -> Core:
    """qu beijing → go to beijing, jin jiaoshi → enter the classroom, hui jia → go home"""
    first, *second = entry.forms
    place = noun_phrase(choose, "city" if entry.has("city") else "place,city", scope, "the")
    verb = Leaf("VV", first)
    reach = Leaf("VV", second[0]) if second else verb
    lemma, preposition = wording(choose, entry.english), entry.features["to"]
    if (place.entry.has("noto") and preposition != DIRECT) or preposition == DIRECT:
        words = place.words
    else:
        words = link(_arrival(preposition, place), "TO", reach) + place.words
    node = Tree("VRD", (verb, reach)) if second else verb
    return Core(lemma, node, (verb,), words, post=source_of(place), roomy=False)


def _arrival(preposition: str, place: Nominal) -> str:
    """arrive at the station, but arrive in beijing"""
    return place.entry.features["at"].split("|")[0] if preposition == "at" else preposition


def being_at(choose: Chooser, entry: Entry, _subject: Nominal, scope: Scope) -> Core:
    """zai chuang shang tang zhe → is lying on the bed"""
    spot = spot_for(choose, entry, scope)
    verb = Leaf("VV", entry.forms[0])
    return Core(
        wording(choose, entry.english),
        verb,
        (verb,),
        spot.words,
        pre=(spot.source,),
        kind="state" if entry.has("stative") else "still" if entry.has("still") else "posture",
        roomy=False,
    )


def spot_for(choose: Chooser, entry: Entry, scope: Scope) -> Place:
    """A place that suits the verb, with zai: on the wall for gua"""
    listed = entry.features.get("spot")
    if not listed:
        return at_place(choose, scope)
    zai = Leaf("P", "zai")
    spot = located(choose, scope, listed, zai)
    return replace(spot, source=Tree("PP", (zai, spot.source)))


def putting(choose: Chooser, entry: Entry, _subject: Nominal, scope: Scope) -> Core:
    """ba shu fang zai zhuozi shang → put the book on the table"""
    thing = noun_phrase(choose, object_kinds(entry), scope, "the")
    spot = spot_for(choose, entry, replace(scope, depth=0))
    verb = Leaf("VV", entry.forms[0])
    return Core(
        wording(choose, entry.english),
        verb,
        (verb,),
        thing.words + spot.words,
        post=(spot.source,),
        wrap=in_ba(thing),
        kind="report",
        roomy=False,
    )
