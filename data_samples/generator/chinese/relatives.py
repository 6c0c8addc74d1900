"""Relative clauses: before the noun and de in Chinese, after the noun in English."""

from collections.abc import Callable
from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.assembly import Clause, assemble, plan
from hyperbaton.data_samples.generator.chinese.clauses import (
    INTRANSITIVE,
    TRANSITIVE,
    a_subject,
    predicate,
)
from hyperbaton.data_samples.generator.chinese.frames import transitive
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    Modifier,
    Scope,
    accepts,
    belongs,
    gap,
    link,
    wording,
)
from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

RELATIVE_TAGS = {"that": "WDT", "who": "WP", "where": "WRB"}
Gap = Callable[[Chooser, Entry, Agreement, Scope], tuple[Clause, str]]


def relative(choose: Chooser, head: Entry, agreement: Agreement, scope: Scope) -> Modifier:
    """mai shu de ren → the man who bought the book: the head comes last in Chinese, first in
    English"""
    inner = scope.deeper()
    options: list[tuple[Gap, float]] = [(_subject_gap, 3.0)]
    if any(_takes(verb, head) for verb in LEXICON.entries("vt")):
        options.append((_object_gap, 3.5))
    if head.category == "place":
        options = [(_place_gap, 1.0)]
    made, pronoun = choose.source.weighted(options)(choose, head, agreement, inner)
    de = Leaf("DEC", "de")
    pronoun = wording(choose, pronoun)
    words = link(pronoun, RELATIVE_TAGS.get(pronoun, ""), de) + made.words
    return Modifier(Tree("CP", (made.source, de)), after=words)


def _takes(verb: Entry, head: Entry) -> bool:
    return not verb.unseen and accepts(verb, "obj", head)


RELATIVE_TENSES = [("past", 5.0), ("present", 2.0), ("future", 1.0)]


def _subject_gap(
    choose: Chooser, head: Entry, agreement: Agreement, scope: Scope
) -> tuple[Clause, str]:
    """zuotian lai de ren → the man who came yesterday"""
    when = plan(choose, RELATIVE_TENSES, 0.2)
    subject = gap(head, agreement)
    inner = replace(scope, table=when.table)
    core = predicate(choose, subject, inner, small=True, qualities=False)  # that is an adjective
    made = assemble(choose, subject, core, when, scope)
    return made, "who|that" if belongs(head, "human") else "that"


def _object_gap(
    choose: Chooser, head: Entry, agreement: Agreement, scope: Scope
) -> tuple[Clause, str]:
    """wo mai de shu → the book that i bought"""
    when = plan(choose, RELATIVE_TENSES, 0.2)
    verb = LEXICON.pick(choose, "vt", lambda e: accepts(e, "obj", head))
    subject = a_subject(choose, replace(scope, depth=1), verb.features.get("subj", "human"))
    core = transitive(choose, verb, subject, scope, gap(head, agreement))
    made = assemble(choose, subject, core, when, scope)
    return made, "that|"


def _place_gap(
    choose: Chooser, _head: Entry, _agreement: Agreement, scope: Scope
) -> tuple[Clause, str]:
    """ta gongzuo de yiyuan → the hospital where he works"""
    when = plan(choose, RELATIVE_TENSES, 0.15)
    subject = a_subject(choose, replace(scope, depth=1), "human")
    rule = choose.source.among(TRANSITIVE, INTRANSITIVE)
    entry = LEXICON.pick(choose, rule.category, lambda e: rule.fits(e, subject.entry))
    core = replace(rule.build(choose, entry, subject, scope), roomy=False)
    made = assemble(choose, subject, core, when, scope)
    return made, "where"
