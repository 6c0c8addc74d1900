"""Putting a clause together: time, mood, adjuncts and adverbs around a verb with its arguments."""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.adjuncts import (
    Time,
    adverb,
    adverb_adjunct,
    manner,
    room_for,
    time,
    timed,
)
from hyperbaton.data_samples.generator.chinese.core import (
    Adjunct,
    Core,
    finite_verb,
    tail,
    verb_phrase,
)
from hyperbaton.data_samples.generator.chinese.frames import lasting, repeated
from hyperbaton.data_samples.generator.chinese.verbs import KINDS, MOODS, Mood, marks_of, shifted
from hyperbaton.data_samples.generator.chinese.words import (
    Nominal,
    Scope,
    Words,
    belongs,
    insert,
    wording,
)
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

TENSES = [("past", 5.0), ("present", 2.5), ("future", 2.0)]
TIMED = 0.25  # share of the clauses with a time expression


@dataclass(frozen=True)
class Plan:
    """When a clause takes place: the table of its moods and perhaps a time expression."""

    table: str
    time: Time | None = None


@dataclass(frozen=True)
class Clause:
    """`parts` are the children of the Chinese IP; `front` stands before the English subject."""

    parts: tuple[Tree | Leaf, ...]
    front: Words
    words: Words
    subject: Nominal
    asked: Words  # the beginning of `words` that asks

    @property
    def source(self) -> Tree:
        return Tree("IP", self.parts)

    @property
    def target(self) -> Words:
        return self.front + self.words


def plan(choose: Chooser, tenses: list[tuple[str, float]] = TENSES, chance: float = TIMED) -> Plan:
    tense = choose.source.weighted(tenses)
    if choose.source.chance(chance):
        when = time(choose, tense)
        return Plan(when.table, when)
    return Plan(tense)


def assemble(
    choose: Chooser,
    subject: Nominal,
    core: Core,
    when: Plan,
    scope: Scope,
    *,
    inverted: bool = False,
    mood_name: str = "",
    extras: bool = True,
    adverbs: bool = True,
) -> Clause:
    """Puts a clause together: mood, adjuncts, adverbs, then both word orders."""
    mood = MOODS[mood_name or choose.source.weighted(KINDS[core.kind][when.table])]
    mood = replace(mood, modal=wording(choose, mood.modal))
    if scope.shifted:
        mood = shifted(mood)
    middle: Words = ()
    outer = [a for a in core.adjuncts if a.outer]
    core = replace(core, adjuncts=tuple(a for a in core.adjuncts if not a.outer))
    if extras:
        core = _counted(choose, room_for(choose, core, subject, scope), mood)
    if extras and adverbs:
        core, more, middle = _adverbs(choose, core, mood, subject, scope)
        outer += more
    first: list[Adjunct] = []
    if when.time:
        adjunct = timed(choose, when.time, scope)
        if subject.source and choose.source.chance(0.45):
            first.append(adjunct)
        else:
            outer.insert(0, adjunct)
    marks = marks_of(mood)
    source = verb_phrase(core, marks, tuple(a.source for a in outer))
    core = replace(core, adjuncts=(*core.adjuncts, *outer, *first))
    verb = finite_verb(core, mood, marks, subject.agreement, middle, inverted=inverted)
    if inverted:
        words = (*core.asked, *verb.first, *subject.subject, *verb.rest)
    else:
        words = (*core.asked, *subject.subject, *verb.all())
    words = (*words, *tail(core), *marks.adverbs(last=True))
    nodes = (subject.source,) if subject.source else ()
    parts = (*(a.source for a in first), *nodes, source)
    return Clause(parts, _front(core), words, subject, core.asked)


def _front(core: Core) -> Words:
    words: Words = ()
    for adjunct in core.adjuncts:
        if adjunct.front:
            words += adjunct.words + insert(",", ",")
    return words


def _counted(choose: Chooser, core: Core, mood: Mood) -> Core:
    """Adds how long or how often to an event of the past or future."""
    if core.durable and mood.kind in ("past", "future") and choose.source.chance(0.3):
        return lasting(choose, core)
    often = mood.aspect in ("guo", "le") and core.kind == "event" and isinstance(core.verb, Leaf)
    if often and not core.late and core.roomy and choose.source.chance(0.07):
        return repeated(choose, core)
    return core


def _adverbs(
    choose: Chooser, core: Core, mood: Mood, subject: Nominal, scope: Scope
) -> tuple[Core, list[Adjunct], Words]:
    """Adds adverbs: the first before negation and modals, one of manner next to the verb."""
    outer: list[Adjunct] = []
    middle: Words = ()
    if choose.source.chance(0.17):
        entry = adverb(choose, mood.kind, subject, embedded=scope.embedded)
        negative = bool(mood.negation)
        adjunct, middle = adverb_adjunct(choose, entry, outer=True, negative=negative)
        outer.append(adjunct)
    human = belongs(subject.entry, "human")
    if core.roomy and core.kind in ("event", "result") and human and choose.source.chance(0.06):
        adjunct, more = adverb_adjunct(choose, manner(choose, subject), outer=False)
        core = replace(core, adjuncts=(adjunct, *core.adjuncts))
        middle += more
    return core, outer, middle
