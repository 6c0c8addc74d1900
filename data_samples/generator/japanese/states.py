"""Clauses without an action: adjectives and nouns as predicates, weather, existence, comparison."""

from dataclasses import replace

from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.japanese.adjuncts import beside
from hyperbaton.data_samples.generator.japanese.arguments import PARTICLE_TAGS, argument
from hyperbaton.data_samples.generator.japanese.clauses import relative
from hyperbaton.data_samples.generator.japanese.english import Clause
from hyperbaton.data_samples.generator.japanese.modifiers import Demand, adjective_english
from hyperbaton.data_samples.generator.japanese.phrases import noun_phrase
from hyperbaton.data_samples.generator.japanese.predicates import Inflection, Predicate, copular
from hyperbaton.data_samples.generator.japanese.settings import Setting
from hyperbaton.data_samples.generator.japanese.verbs import adverbial, conjugate, copula, inflect
from hyperbaton.data_samples.generator.japanese.words import (
    LEXICON,
    Nominal,
    Words,
    belongs_to_any,
    hidden,
    link,
    pick_noun,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

EXISTING = {  # small place, alive: what may be there
    (True, True): "animal.pet+animal.bird",
    (True, False): "thing.small+doc.text+food.fruit+thing.container",
    (False, True): "person.young+animal+person.job+person.learner",
    (False, False): "thing.container+doc.text+place.shop+vehicle.own+place.sight",
}
DEGREES = {"totemo": "very|really", "sukoshi": "a little|slightly"}
DESCRIBED = "person+thing+place+doc.text+doc.film+animal+vehicle+food+clothes+part"


def inflection(choose: Chooser, polite: bool) -> Inflection:
    """Tense and polarity of a state."""
    past, negative = choose.source.chance(0.4), choose.source.chance(0.12)
    return Inflection(past, negative, polite, "present")


def adjective_for(choose: Chooser, noun: Entry) -> Entry:
    return LEXICON.pick(choose, "adj", lambda a: belongs_to_any(noun, a.features["on"]))


def describable(choose: Chooser, kinds: str, demand: Demand) -> Nominal:
    """A noun phrase that some adjective fits."""
    nominal = argument(choose, kinds, demand, relative)
    while not _fitting(nominal.entry):
        nominal = argument(choose, kinds, demand, relative)
    return nominal


def _fitting(noun: Entry) -> bool:
    return any(
        belongs_to_any(described(noun), a.features["on"]) and not a.unseen
        for a in LEXICON.entries("adj")
    )


def described(noun: Entry) -> Entry:
    """Names and pronouns are described like people."""
    return replace(noun, category="person") if noun.category in ("name", "pro") else noun


def quality(choose: Chooser, setting: Setting, how: Inflection) -> Clause:
    """kono hon wa totemo omoshiroi → this book is very interesting; takaku natta → became"""
    demand = Demand("the", setting.other, setting.depth)
    who = setting.shared or describable(choose, choose.source.among(*DESCRIBED.split("+")), demand)
    noun = described(who.entry)
    chosen = adjective_for(choose, noun)
    text = wording(choose, adjective_english(chosen, noun))
    degree = choose.source.weighted([("", 6.0), ("totemo", 2.0), ("sukoshi", 0.8)])
    if choose.source.chance(0.12):
        tense = "future" if how.tense == "present" and not setting.depth else how.tense
        return _state(choose, setting, who, *_become(chosen, text, replace(how, english=tense)))
    kind = "na" if chosen.has("na") else "adj"
    tokens = inflect(
        chosen.forms[0],
        kind,
        past=how.past,
        negative=how.negative,
        polite=how.polite,
        link=how.link,
    )
    leaves = tuple(Leaf(tag, token) for tag, token in tokens)
    before: tuple[Tree, ...] = ()
    words: Words = ()
    if degree and not how.negative:
        leaf = Leaf("ADV", degree)
        before = (Tree("ADVP", (leaf,)),)
        words = link(wording(choose, DEGREES[degree]), "RB", leaf)
    rest = words + link(text, "JJ", leaves[0])
    return _state(choose, setting, who, copular(leaves, leaves[1:] or leaves, rest, how), before)


def _become(chosen: Entry, text: str, how: Inflection) -> tuple[Predicate, tuple[Tree, ...]]:
    """kirei ni natta, takaku natta → became beautiful, became expensive"""
    word = chosen.forms[0]
    na = chosen.has("na")
    leaf = Leaf("ADJN", word) if na else Leaf("ADJI", adverbial(word))
    extra = (Leaf("P", "ni"),) if na else ()
    tokens = inflect("naru", "g", past=how.past, negative=how.negative, polite=how.polite)
    leaves = tuple(Leaf(tag, token) for tag, token in tokens)
    rest = link(text, "JJ", leaf)
    verb = Predicate(leaves, "become", leaves, leaves, how.tense, how.negative, tail=rest)
    return verb, (Tree("ADJP", (leaf, *extra)),)


def identity(choose: Chooser, setting: Setting, how: Inflection) -> Clause:
    """kare wa isha desu → he is a doctor; kore wa kare ga katta hon desu → this is the book ..."""
    if setting.shared or choose.source.chance(0.55):
        demand = Demand("the", None, setting.depth)
        kinds = choose.source.among("pro", "name", "person.kin")
        who = setting.shared or (argument(choose, kinds, demand, relative))
        entry = pick_noun(choose, "person.job")
        plural = who.agreement.plural
        what = noun_phrase(choose, entry, Demand("generic" if plural else "role", None, 2))
    else:
        who = _this(choose)
        what = argument(choose, "doc.text+thing+place+vehicle+clothes", Demand("a"), relative)
        if what.agreement.plural:
            who = replace(who, agreement=Agreement(3, True), subject=_these(who.subject))
    tokens = copula(past=how.past, negative=how.negative, polite=how.polite)
    leaves = tuple(Leaf(tag, token) for tag, token in tokens)
    verb = copular(leaves, leaves, what.words, how)
    return _state(choose, setting, who, verb, (what.source,))


def _this(choose: Chooser) -> Nominal:
    japanese, english = choose.source.among(("kore", "this"), ("sore", "that"), ("are", "that"))
    leaf = Leaf("PRO", japanese)
    words = link(english, "DT", leaf)
    entry = LEXICON.entries("pro")[0]
    return Nominal(Tree("NP", (leaf,)), words, Agreement(), entry, "it", words, words)


def _these(words: Words) -> Words:
    return tuple(replace(w, text={"this": "these", "that": "those"}[w.text]) for w in words)


def _state(
    choose: Chooser, setting: Setting, who: Nominal, verb: Predicate, before: tuple[Tree, ...]
) -> Clause:
    """Subject, what stands before the predicate, predicate."""
    body = Tree("VP", (*before, *verb.source))
    if setting.shared:
        return Clause((), body, hidden(who), who.agreement, who, verb)
    particle = "wa" if setting.topic and choose.source.chance(0.9) else "ga"
    head = Tree("PP", (who.source, Leaf(PARTICLE_TAGS[particle], particle)))
    return Clause((head,), body, who.subject, who.agreement, who, verb)


def weather(choose: Chooser, how: Inflection) -> Clause:
    """ame ga futta → it rained: subject and verb become one English verb"""
    entry = LEXICON.pick(choose, "weather")
    noun, ga = Leaf("N", entry.forms[0]), Leaf("P-SUBJ", "ga")
    if choose.source.chance(0.4):
        auxiliary = inflect("iru", "i", past=how.past, negative=how.negative, polite=how.polite)
        after = (Leaf("AX", auxiliary[0][1]), *(Leaf(t, w) for t, w in auxiliary[1:]))
        main = Leaf("V", conjugate("furu", "g", "te"))
        text = "raining" if entry.features["verb"] == "rain" else "snowing"
        rest = link(text, "VBG", noun, main)
        tense = "past" if how.tense == "past" else "present"
        verb = Predicate((main, *after), "be", after, after, tense, how.negative, tail=rest)
    else:
        tokens = inflect("furu", "g", past=how.past, negative=how.negative, polite=how.polite)
        leaves = tuple(Leaf(tag, word) for tag, word in tokens)
        links = (noun, *leaves)
        verb = Predicate(leaves, entry.features["verb"], links, leaves, how.tense, how.negative)
    head = Tree("PP", (Tree("NP", (noun,)), ga))
    return Clause((head,), Tree("VP", verb.source), (Word("it", "PRP"),), Agreement(), None, verb)


def location(choose: Chooser, depth: int, *, small: bool) -> tuple[Tree, Words]:
    """tsukue no ue ni → on the desk, kouen ni → in the park; `small` for a piece of furniture"""
    mark = Leaf("P", "ni")
    if small:
        kinds = "thing.surface+thing.furniture"
        nominal = noun_phrase(choose, pick_noun(choose, kinds), Demand("the", None, depth + 1))
        return beside(choose, nominal.source, nominal.words, LEXICON.pick(choose, "on"), mark)
    nominal = argument(choose, "place", Demand("the", None, depth), relative)
    if not nominal.entry.has("proper") and choose.source.chance(0.25):
        fits = nominal.entry.has("building")
        side = LEXICON.pick(choose, "side", lambda s: not s.has("hollow") or fits)
        return beside(choose, nominal.source, nominal.words, side, mark)
    words = link(nominal.entry.features.get("at", "in"), "IN", mark) + nominal.words
    return Tree("PP", (nominal.source, mark)), words


def existence(choose: Chooser, setting: Setting) -> Clause:
    """niwa ni neko ga iru → there is a cat in the garden; neko wa niwa ni iru → the cat is"""
    how = inflection(choose, setting.polite)
    small, alive = choose.source.chance(0.4), choose.source.chance(0.45)
    tree, where = location(choose, setting.depth, small=small)
    known = choose.source.chance(0.35)
    demand = Demand("the" if known else "new", None, setting.depth, floats=not known)
    what = argument(choose, EXISTING[small, alive], demand, relative)
    leaves = _being(alive, how)
    verb = copular(leaves, leaves, where if known else what.words + where, how)
    if known:
        head = Tree("PP", (what.source, Leaf("P-TOP", "wa")))
        body = Tree("VP", (tree, Tree("VP", leaves)))
        return Clause((head,), body, what.subject, what.agreement, what, verb)
    topic = (Leaf("P-TOP", "wa"),) if choose.source.chance(0.5) else ()
    head = Tree("PP", (*tree.children, *topic))
    body = Tree("VP", (*_subject(what), Tree("VP", leaves)))
    return Clause((head,), body, (Word("there", "EX"),), what.agreement, what, verb)


def _being(alive: bool, how: Inflection) -> tuple[Leaf, ...]:
    """iru for what lives, aru for the rest"""
    lemma, kind = ("iru", "i") if alive else ("aru", "aru")
    tokens = inflect(lemma, kind, past=how.past, negative=how.negative, polite=how.polite)
    return tuple(Leaf(tag, token) for tag, token in tokens)


def _subject(what: Nominal) -> list[Tree]:
    """The noun phrase with ga, and its numeral if that follows: neko ga san biki"""
    phrase = Tree("PP", (what.source, Leaf("P-SUBJ", "ga")))
    return [phrase, *([what.floating] if what.floating else [])]


def possession(choose: Chooser, setting: Setting) -> Clause:
    """kare ni wa kodomo ga san nin iru → he has three children"""
    how = inflection(choose, setting.polite)
    who = argument(choose, "person", Demand("the", None, setting.depth), relative)
    alive = choose.source.chance(0.5)
    kinds = "person.sibling+animal.pet" if alive else "event.exam+event.plan+event.illness"
    what = argument(choose, kinds, Demand("new", who, 1, floats=True), relative)
    leaves = _being(alive, how)
    verb = Predicate(leaves, "have", leaves, leaves, how.tense, how.negative)
    body = Tree("VP", (*_subject(what), Tree("VP", leaves)))
    head = Tree("PP", (who.source, Leaf("P", "ni"), Leaf("P-TOP", "wa")))
    return Clause((head,), body, who.subject, who.agreement, who, verb, what.words)
