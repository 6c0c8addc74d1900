"""Chinese to English: the entry point, and sentences that state or ask.

Chinese is pinyin without tones, so that many words are homographs. Its phrases are tagged and
bracketed as in the Penn Chinese Treebank.
"""

from collections.abc import Callable
from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.assembly import Plan, assemble, plan
from hyperbaton.data_samples.generator.chinese.clauses import (
    a_subject,
    clause,
    embedded_question,
    predicate,
)
from hyperbaton.data_samples.generator.chinese.connectives import connected
from hyperbaton.data_samples.generator.chinese.core import Core
from hyperbaton.data_samples.generator.chinese.patterns import (
    Parts,
    absence,
    cleft,
    comparison,
    even,
    existence,
    identity,
    inversion,
    topic,
)
from hyperbaton.data_samples.generator.chinese.questions import asked_subject, asking
from hyperbaton.data_samples.generator.chinese.relatives import relative
from hyperbaton.data_samples.generator.chinese.words import LEXICON, Nominal, Scope, link, wording
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Pair, Tree, Word

SOURCE, TARGET = "zh", "en"
Rule = Callable[[Chooser, Scope], Parts]


def sentence(choose: Chooser) -> Pair:
    """A sentence of one of the patterns, with its full stop or question mark."""
    rule, mark = choose.source.weighted(SENTENCES)
    parts, words = rule(choose, Scope(relative, depth=3))
    stop = Leaf("PU", mark)
    return Pair(Tree("IP", (*parts, stop)), (*words, Word(mark, ".", (stop,))))


def statement(choose: Chooser, scope: Scope) -> Parts:
    """An ordinary clause."""
    made = clause(choose, scope)
    return made.parts, made.target


def sequence(choose: Chooser, scope: Scope) -> Parts:
    """ta mai le shu , ranhou hui jia → he bought a book and then went home"""
    when = plan(choose, [("past", 2.0), ("future", 1.0)])
    scope = replace(scope, depth=2)
    subject = a_subject(choose, scope, "human")
    done = predicate(choose, subject, replace(scope, table=when.table), active=True)
    first = assemble(choose, subject, done, when, scope)
    silent = replace(first.subject, source=None, subject=())
    core = predicate(choose, silent, replace(scope, table=when.table), small=True, active=True)
    second = assemble(choose, silent, core, Plan(when.table), replace(scope, embedded=True))
    word, english = choose.source.among(("ranhou", "and then"), ("bing", "and"))
    comma = Leaf("PU", ",")
    leaf = Leaf("AD" if word == "ranhou" else "CC", word)
    node = Tree("ADVP", (leaf,)) if leaf.tag == "AD" else leaf
    parts = (*first.parts, comma, node, second.parts[-1])
    return parts, (*first.target, *link(english, "CC", leaf), *second.words)


def yes_no(choose: Chooser, scope: Scope) -> Parts:
    """ni renshi ta ma → do you know him"""
    when = plan(choose, chance=0.2)
    scope = replace(scope, depth=2, embedded=True, table=when.table)  # times stay at the end
    subject = a_subject(choose, scope, _asked_ones(choose))
    core = predicate(choose, subject, scope)
    made = assemble(choose, subject, core, when, scope, inverted=True, adverbs=False)
    return (*made.parts, Leaf("SP", "ma")), made.words


def _asked_ones(choose: Chooser) -> str:
    return choose.source.among("human", "human", "pro.ni", "pro.ni", "event")


def verb_not_verb(choose: Chooser, scope: Scope) -> Parts:
    """ni renshi bu renshi ta → do you know him"""
    scope = replace(scope, depth=2, embedded=True, table="present")
    subject = a_subject(choose, scope, _asked_ones(choose))
    core = predicate(choose, subject, scope, small=True)
    if not isinstance(core.verb, Leaf) or core.kind in ("result", "posture") or core.bei:
        return yes_no(choose, scope)
    copy = Leaf(core.verb.tag, core.verb.word)
    doubled = Tree("VNV", (core.verb, Leaf("AD", "bu"), copy))
    core = replace(core, verb=doubled, heads=(*core.heads, copy), durable=False)
    made = assemble(choose, subject, core, Plan("present"), scope, inverted=True,
                    mood_name="present", extras=False)  # fmt: skip
    return made.parts, made.words


def wh_question(choose: Chooser, scope: Scope) -> Parts:
    """ni zai nali mai le zhe ben shu → where did you buy this book"""
    when = plan(choose, chance=0.15)
    scope = replace(scope, depth=2, embedded=True, table=when.table)
    subject = a_subject(choose, scope, choose.source.among("human", "pro.ni"))
    core = asking(choose, subject, scope)
    made = assemble(choose, subject, core, when, scope, inverted=True, extras=False)
    return made.parts, made.words


def who_question(choose: Chooser, scope: Scope) -> Parts:
    """shei mai le zhe ben shu → who bought this book"""
    when = plan(choose, chance=0.25)
    scope = replace(scope, depth=2, embedded=True, table=when.table)
    subject = asked_subject(choose)
    core = predicate(choose, subject, scope, small=True, active=True)
    made = assemble(choose, subject, core, when, scope)
    return made.parts, made.words


THINKING = ("renwei", "juede", "xiwang", "xiangxin")


def far_question(choose: Chooser, scope: Scope) -> Parts:
    """ni renwei ta mai le shenme → what do you think he bought: out of the inner clause"""
    asker: Nominal = a_subject(choose, scope, "pro.ni")
    entry = LEXICON.pick(choose, "vs", lambda e: e.forms[0] in THINKING)
    verb = Leaf("VV", entry.forms[0])
    inner = embedded_question(choose, replace(scope, depth=1), asker)
    rest = inner.words[len(inner.asked) :]
    core = Core(wording(choose, entry.english), verb, (verb,), rest, post=(inner.source,),
                kind="state", roomy=False, asked=inner.asked)  # fmt: skip
    made = assemble(choose, asker, core, Plan("present"), scope, inverted=True, extras=False,
                    mood_name="present")  # fmt: skip
    return made.parts, made.words


SENTENCES: list[tuple[tuple[Rule, str], float]] = [
    ((statement, "."), 46.0),
    ((connected, "."), 24.0),
    ((topic, "."), 3.0),
    ((existence, "."), 2.0),
    ((absence, "."), 0.6),
    ((inversion, "."), 2.0),
    ((comparison, "."), 3.0),
    ((identity, "."), 3.0),
    ((cleft, "."), 2.0),
    ((even, "."), 1.5),
    ((sequence, "."), 5.0),
    ((yes_no, "?"), 3.5),
    ((verb_not_verb, "?"), 1.5),
    ((wh_question, "?"), 3.0),
    ((who_question, "?"), 1.5),
    ((far_question, "?"), 1.2),
]
