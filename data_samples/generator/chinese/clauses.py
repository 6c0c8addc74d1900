"""Clauses: a subject and a predicate of some frame; verbs that take another clause or verb."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from hyperbaton.data_samples.generator.chinese.adjuncts import room_for
from hyperbaton.data_samples.generator.chinese.arguments import (
    being_at,
    giving,
    going,
    prepositional,
    putting,
    two_objects,
    with_object,
)
from hyperbaton.data_samples.generator.chinese.assembly import Clause, Plan, assemble, plan
from hyperbaton.data_samples.generator.chinese.core import (
    CLAUSE,
    INSTRUMENT,
    Adjunct,
    Core,
    non_finite,
    verb_phrase,
)
from hyperbaton.data_samples.generator.chinese.frames import (
    disposal,
    intransitive,
    passive,
    quality,
    source_of,
    transitive,
)
from hyperbaton.data_samples.generator.chinese.nouns import noun_phrase
from hyperbaton.data_samples.generator.chinese.questions import asking
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    NOWHERE,
    Nominal,
    Scope,
    accepts,
    again,
    insert,
    link,
    wording,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

Frame = Callable[[Chooser, Entry, Nominal, Scope], Core]
# Subjects of ordinary clauses, by how often.
SUBJECTS = [
    ("human", 12.0), ("animal", 1.0), ("vehicle", 0.7), ("topic", 1.0), ("event", 0.8),
    ("org", 0.7), ("doc", 0.5), ("show", 0.4), ("thing", 0.6), ("clothes", 0.2), ("plant", 0.2),
    ("build", 0.3), ("food", 0.2), ("attr", 0.8),
]  # fmt: skip


def clause(
    choose: Chooser, scope: Scope, when: Plan | None = None, subject: Nominal | None = None
) -> Clause:
    """An ordinary clause of any frame."""
    when = when or plan(choose)
    scope = replace(scope, table=when.table)
    subject = subject or a_subject(choose, scope)
    core = predicate(choose, subject, scope)
    return assemble(choose, subject, core, when, scope)


def a_subject(choose: Chooser, scope: Scope, listed: str = "") -> Nominal:
    listed = listed or choose.source.weighted(SUBJECTS)
    return noun_phrase(choose, listed, scope.deeper(), "the")


def predicate(
    choose: Chooser,
    subject: Nominal,
    scope: Scope,
    *,
    small: bool = False,
    active: bool = False,
    qualities: bool = True,
) -> Core:
    """A verb for the subject, with its arguments; `active` asks for something one does."""
    if qualities and not active and choose.source.chance(0.1):
        made = quality(choose, subject)
        if made:
            return made
    deep = not small and scope.depth > 0
    options = [f for f in FRAMES if f.open_to(subject.entry, deep=deep, active=active)]
    if not options:
        made = quality(choose, subject)
        assert made, f"nothing to say of {subject.entry.forms[0]}"
        return made
    chosen = choose.source.weighted([(f, f.weight) for f in options])
    entry = LEXICON.pick(choose, chosen.category, lambda e: chosen.fits(e, subject.entry, active))
    return chosen.build(choose, entry, subject, scope.deeper())


@dataclass(frozen=True)
class FrameRule:
    """A way to use the verbs of a category; `flag` is asked of the verb."""

    category: str
    build: Frame
    weight: float
    flag: str = ""
    deep: bool = False  # contains another verb phrase or clause

    def fits(self, verb: Entry, subject: Entry, active: bool = False) -> bool:
        if (self.flag and not verb.has(self.flag)) or (active and verb.has("stative")):
            return False
        role = "obj" if self.flag == "bei" else "subj"
        return accepts(verb, role, subject)

    @cache  # noqa: B019 - there are few frames, and they last
    def open_to(self, subject: Entry, *, deep: bool, active: bool) -> bool:
        """Whether some verb of the frame can have the subject."""
        if (self.deep and not deep) or (active and self.flag == "bei"):
            return False
        verbs = LEXICON.entries(self.category)
        return any(not verb.unseen and self.fits(verb, subject, active) for verb in verbs)


def _looks_back(entry: Entry, table: str) -> bool:
    """Whether the verb will be in the past, so that what it embeds shifts."""
    if entry.has("stative"):
        return table == "timed past"
    return table in ("past", "timed past", "present")


def embedding(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """shuo ta hui lai → said that he would come; bu zhidao ta mai le shenme → what he bought"""
    verb = Leaf("VV", entry.forms[0])
    extra = tuple(Leaf("VV", form) for form in entry.forms[1:])
    scope = replace(scope, shifted=_looks_back(entry, scope.table), embedded=True)
    listener: tuple[Nominal, ...] = ()
    if entry.has("to"):
        avoid = subject.entry.forms[0]
        listener = (noun_phrase(choose, "human", NOWHERE, "the", avoid=avoid),)
    if entry.has("only") or (entry.has("q") and choose.source.chance(0.35)):
        inner = embedded_question(choose, scope, subject)
        start = insert("", "IN")
    else:
        when = plan(choose, [("future", 1.0)], 0.2) if entry.has("future") else plan(choose)
        inner = clause(choose, scope, when, _other(choose, scope, subject))
        start = insert("that" if choose.target.chance(0.8) else "", "IN")
    words = tuple(word for person in listener for word in person.words) + start + inner.words
    return Core(
        wording(choose, entry.english),
        Tree("VP", (verb, *extra)) if extra else verb,
        (verb, *extra),
        words,
        post=(*source_of(*listener), inner.source),
        kind="state" if entry.has("stative") else "report",
        roomy=False,
    )


def _other(choose: Chooser, scope: Scope, subject: Nominal) -> Nominal:
    """The subject of an embedded clause: somebody else, or the same one as a pronoun."""
    if subject.source and subject.entry.category != "pro" and choose.source.chance(0.25):
        return again(subject)
    return a_subject(choose, scope)


def embedded_question(choose: Chooser, scope: Scope, subject: Nominal) -> Clause:
    """ta mai le shenme → what he bought"""
    person = noun_phrase(choose, "human", NOWHERE, "the", avoid=subject.entry.forms[0])
    core = asking(choose, person, replace(scope, depth=0))
    return assemble(choose, person, core, plan(choose, chance=0.1), scope, extras=False)


def pivot(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """qing pengyou chi fan → ask a friend to eat, zuzhi ta chou yan → stop him from smoking"""
    person = noun_phrase(choose, "human", scope, "the", avoid=subject.entry.forms[0])
    inner = room_for(
        choose, predicate(choose, person, scope, small=True, active=True), person, scope
    )
    verb = Leaf("VV", entry.forms[0])
    return Core(
        wording(choose, entry.english),
        verb,
        (verb,),
        person.words + non_finite(inner, entry.features["form"]),
        post=(*source_of(person), Tree("IP", (verb_phrase(inner),))),
        kind="report",
        roomy=False,
    )


def control(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """xiang mai shu → want to buy a book, jianchi zou → insist on walking"""
    inner = predicate(choose, subject, scope, small=True, active=True)
    inner = room_for(choose, inner, subject, scope)
    verb = Leaf("VV", entry.forms[0])
    return Core(
        wording(choose, entry.english),
        verb,
        (verb,),
        non_finite(inner, entry.features["form"]),
        post=(verb_phrase(inner),),
        kind="state" if entry.has("stative") else "report",
        roomy=False,
    )


def travelling(choose: Chooser, entry: Entry, subject: Nominal, scope: Scope) -> Core:
    """zuo huoche qu beijing kan pengyou → go to beijing by train to see a friend"""
    core = going(choose, entry, subject, scope)
    how = choose.source.weighted([("purpose", 3.0), ("vehicle", 2.0), ("both", 1.0)])
    if how != "purpose":
        core = replace(core, adjuncts=(_by_vehicle(choose),))
    if how == "vehicle":
        return core
    inner = predicate(choose, subject, scope, small=True, active=True)
    purpose, words = verb_phrase(inner), non_finite(inner, "to")
    return replace(
        core, wrap=lambda tree: Tree("VP", (tree, purpose)), late=((CLAUSE, words),), kind="report"
    )


def _by_vehicle(choose: Chooser) -> Adjunct:
    """zuo huoche → by train"""
    vehicle = LEXICON.pick(choose, "vehicle", lambda e: e.has("public"))
    zuo, leaf = Leaf("VV", "zuo"), Leaf("NN", vehicle.forms[0])
    source = Tree("VP", (zuo, Tree("NP", (leaf,))))
    words = link("by", "IN", zuo) + link(wording(choose, vehicle.english), "NN", leaf)
    return Adjunct(source, words, INSTRUMENT)


TRANSITIVE = FrameRule("vt", transitive, 9.0)
INTRANSITIVE = FrameRule("vi", intransitive, 3.5)
FRAMES = [
    TRANSITIVE,
    INTRANSITIVE,
    FrameRule("vt", disposal, 3.0, "ba"),
    FrameRule("vt", passive, 1.8, "bei"),
    FrameRule("vpp", prepositional, 5.0),
    FrameRule("vppo", with_object, 2.5),
    FrameRule("vdat", giving, 2.2),
    FrameRule("vtwo", two_objects, 1.3),
    FrameRule("vgo", going, 1.5),
    FrameRule("vgo", travelling, 1.8, "trip", deep=True),
    FrameRule("vloc", being_at, 1.0),
    FrameRule("vput", putting, 1.5),
    FrameRule("vs", embedding, 3.6, deep=True),
    FrameRule("vpiv", pivot, 3.0, deep=True),
    FrameRule("vctl", control, 3.3, deep=True),
]
