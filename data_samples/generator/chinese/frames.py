"""Verb frames: how each kind of verb takes its arguments in both languages.

The verb, at the right end in Chinese, decides what a preposition far to its left becomes:
dui X ganxingqu is "be interested in X", gen X jiehun "marry X".
"""

from collections.abc import Callable
from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.core import (
    BENEFIT,
    DURATION,
    FREQUENCY,
    INSTRUMENT,
    Adjunct,
    Core,
)
from hyperbaton.data_samples.generator.chinese.nouns import noun_phrase, pick_adjective
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    Nominal,
    Scope,
    Words,
    belongs,
    insert,
    link,
    phrase,
    sense,
    senses,
    wording,
)
from hyperbaton.data_samples.generator.english import plural
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

DIRECT = "-"  # an argument without a preposition


def fixed_verb(entry: Entry) -> tuple[Leaf, tuple[Tree, ...], tuple[Leaf, ...]]:
    """The verb, its fixed object if any, and both leaves: chi fan, da dianhua."""
    first, *rest = entry.forms
    verb = Leaf("VV", first)
    objects = [phrase("NP", "NN", form) for form in rest]
    return verb, tuple(tree for tree, _ in objects), (verb, *(leaf for _, leaf in objects))


def kind_of(entry: Entry) -> str:
    return "state" if entry.has("stative") else "result" if entry.has("done") else "event"


def source_of(*nominals: Nominal) -> tuple[Tree, ...]:
    """The trees of those that are not gaps."""
    return tuple(nominal.source for nominal in nominals if nominal.source)


def object_kinds(entry: Entry) -> str:
    return ",".join(kind for kind, _ in senses(entry, "obj"))


def _object(choose: Chooser, entry: Entry, scope: Scope, article: str = "a") -> Nominal:
    article = "generic" if entry.has("generic") else article
    return noun_phrase(choose, object_kinds(entry), scope, article)


def intransitive(choose: Chooser, entry: Entry, _subject: Nominal, _scope: Scope) -> Core:
    """xiuxi → rest, shui jiao → sleep"""
    verb, objects, heads = fixed_verb(entry)
    core = Core(wording(choose, entry.english), verb, heads, post=objects, kind=kind_of(entry))
    core = replace(core, durable=entry.has("dur"))
    if entry.has("der") and choose.source.chance(0.3):
        return _how_well(choose, core)
    return core


def _how_well(choose: Chooser, core: Core) -> Core:
    """chang ge chang de hen hao → sings well"""
    result = LEXICON.pick(choose, "result")
    assert isinstance(core.verb, Leaf)
    de, hen, leaf = Leaf("DER", "de"), Leaf("AD", "hen"), Leaf("VA", result.forms[0])
    degree = Tree("VP", (Tree("ADVP", (hen,)), Tree("VP", (leaf,))))
    copied = (Tree("VP", (core.verb, *core.post)),) if core.post else ()
    verb = Leaf("VV", core.verb.word) if core.post else core.verb
    heads = core.heads if verb is core.verb else (*core.heads, verb)
    words = (*core.words, *link(wording(choose, result.english), "RB", leaf))
    return replace(core, verb=verb, heads=heads, words=words, pre=(*core.pre, *copied),
                   post=(de, degree), kind="state", durable=False, roomy=False)  # fmt: skip


def transitive(
    choose: Chooser, entry: Entry, subject: Nominal, scope: Scope, target: Nominal | None = None
) -> Core:
    """kan shu → read a book, kan dianying → watch a movie; `target` is a given object"""
    target = target or _object(choose, entry, scope)
    verb = Leaf("VV", entry.forms[0])
    core = Core(
        wording(choose, _meaning(entry, subject, target)),
        verb,
        (verb,),
        target.words,
        post=source_of(target),
        kind=kind_of(entry),
        asked=target.asked,
        durable=entry.has("dur") and target.source is not None,
    )
    adjuncts = []
    human = belongs(subject.entry, "human")
    if entry.has("yong") and human and choose.source.chance(0.35):
        adjuncts.append(instrument(choose, entry, scope))
    if entry.has("ben") and choose.source.chance(0.15):
        adjuncts.append(beneficiary(choose, scope, subject))
    return replace(core, adjuncts=tuple(adjuncts))


def _meaning(entry: Entry, subject: Nominal, target: Nominal) -> str:
    """mai is "sell" when a merchant does it, "buy" otherwise; most verbs look at the object"""
    if entry.has("merchant") and subject.entry.has("merchant"):
        return entry.features["merchant"]
    if target.asked and not belongs(target.entry, "human") and len(target.asked) == 1:
        return entry.english  # nobody knows what "what" will be
    return sense(entry, "obj", target.entry)


def instrument(choose: Chooser, entry: Entry, scope: Scope) -> Adjunct:
    """yong dao → with a knife, yong yingyu → in english"""
    tool = noun_phrase(choose, entry.features["yong"], replace(scope, depth=0))
    yong = Leaf("P", "yong")
    english = "in" if tool.entry.category == "lang" else "with"
    return Adjunct(
        Tree("PP", (yong, *source_of(tool))), link(english, "IN", yong) + tool.words, INSTRUMENT
    )


def beneficiary(choose: Chooser, scope: Scope, subject: Nominal) -> Adjunct:
    """gei mama, wei mama, ti mama → for my mother"""
    avoid = subject.entry.forms[0]
    person = noun_phrase(choose, "human", replace(scope, depth=0), "the", avoid=avoid)
    preposition = Leaf("P", choose.source.among("gei", "wei", "ti"))
    words = link("for", "IN", preposition) + person.words
    return Adjunct(Tree("PP", (preposition, *source_of(person))), words, BENEFIT)


def disposal(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """ba beizi dasui le → broke the cup"""
    target = _object(choose, entry, scope, "the")
    core = transitive(choose, entry, subject, replace(scope, depth=0), target)
    return replace(core, post=(), wrap=in_ba(target), kind="result", durable=False)


def in_ba(*nominals: Nominal) -> Callable[[Tree], Tree]:
    """Encloses a verb phrase in ba: (VP (BA ba) (IP (NP ...) (VP ...)))."""
    ba = Leaf("BA", "ba")
    return lambda tree: Tree("VP", (ba, Tree("IP", (*source_of(*nominals), tree))))


def passive(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """bei laoshi piping le → was criticized by the teacher; without the agent: bei piping le"""
    verb = Leaf("VV", entry.forms[0])
    lemma = wording(choose, sense(entry, "obj", subject.entry))
    if choose.source.chance(0.3):
        short = Leaf("SB", "bei")
        return Core(
            lemma,
            verb,
            (verb,),
            wrap=lambda tree: Tree("VP", (short, tree)),
            kind="result",
            bei=(short,),
        )
    agents = entry.features.get("subj", "human")
    agent = noun_phrase(choose, agents, scope, "the", avoid=subject.entry.forms[0])
    bei = Leaf("LB", "bei")
    return Core(
        lemma,
        verb,
        (verb,),
        link("by", "IN", bei) + agent.words,
        wrap=lambda tree: Tree("VP", (bei, Tree("IP", (*source_of(agent), tree)))),
        kind="result",
        bei=(bei,),
    )


def quality(choose: Chooser, subject: Nominal) -> Core | None:
    """hen gao → is tall, feichang mang → is very busy"""
    found = pick_adjective(choose, subject.entry)
    if not found:
        return None
    degree = LEXICON.pick(choose, "degree")
    tree, adverb = phrase("ADVP", "AD", degree.forms[0])
    leaf = Leaf("VA", found.forms[0])
    words = link(wording(choose, sense(found, "of", subject.entry)), "JJ", leaf)
    if degree.english != "-":
        words = link(wording(choose, degree.english), "RB", adverb) + words
    kind = "fact" if degree.has("positive") else "state"
    return Core("be", leaf, (), words, pre=(tree,), kind=kind, roomy=False)


def amount(choose: Chooser) -> tuple[Tree, Words]:
    """san tian → three days, liang ge xiaoshi → two hours"""
    number, unit = LEXICON.pick(choose, "number"), LEXICON.pick(choose, "unit")
    count = Leaf("CD", number.forms[0])
    if unit.has("bare"):
        leaf = Leaf("M", unit.forms[0])
        source = Tree("QP", (count, Tree("CLP", (leaf,))))
    else:
        leaf = Leaf("NN", unit.forms[0])
        measure = Tree("CLP", (Leaf("M", unit.features["m"]),))
        source = Tree("NP", (Tree("QP", (count, measure)), Tree("NP", (leaf,))))
    words = link(number.english, "CD", count) + link(plural(unit.english), "NNS", leaf)
    return source, words


def lasting(choose: Chooser, core: Core) -> Core:
    """kan shu kan le san ge xiaoshi → read a book for three hours: an object repeats the verb"""
    source, words = amount(choose)
    assert isinstance(core.verb, Leaf)
    adjunct = (insert("for", "IN") + words, DURATION)
    copied = (Tree("VP", (core.verb, *core.post)),) if core.post else ()
    verb = Leaf("VV", core.verb.word) if core.post else core.verb
    heads = core.heads if verb is core.verb else (*core.heads, verb)
    pre = (*core.pre, *copied)
    return _complemented(replace(core, verb=verb, heads=heads, pre=pre, post=()), source, *adjunct)


def repeated(choose: Chooser, core: Core) -> Core:
    """qu guo san ci beijing → have been to beijing three times"""
    number = LEXICON.pick(choose, "number")
    count, measure = Leaf("CD", number.forms[0]), Leaf("M", "ci")
    source = Tree("QP", (count, Tree("CLP", (measure,))))
    words = link(number.english, "CD", count) + link("times", "NNS", measure)
    return _complemented(core, source, words, FREQUENCY)


def _complemented(core: Core, source: Tree, words: Words, rank: int) -> Core:
    """A complement right after the verb in Chinese, among the adjuncts in English."""
    late = (*core.late, (rank, words))
    return replace(core, post=(source, *core.post), late=late, durable=False)
