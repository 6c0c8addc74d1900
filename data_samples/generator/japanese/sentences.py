"""Romanised Japanese to English: verb-final clauses with free argument order, particles whose
English depends on the verb at the end, modifiers before nouns, quotations around clauses."""

from collections.abc import Callable
from dataclasses import replace

from hyperbaton.data_samples.generator.japanese.clauses import clause
from hyperbaton.data_samples.generator.japanese.comparison import compare, which
from hyperbaton.data_samples.generator.japanese.complex import chain, object_clause, subordinate
from hyperbaton.data_samples.generator.japanese.english import bare, main_statement, question
from hyperbaton.data_samples.generator.japanese.predicates import Inflection
from hyperbaton.data_samples.generator.japanese.quotes import cleft, quote, remark
from hyperbaton.data_samples.generator.japanese.settings import Setting
from hyperbaton.data_samples.generator.japanese.states import (
    existence,
    identity,
    inflection,
    possession,
    quality,
)
from hyperbaton.data_samples.generator.japanese.words import Words, link, unsaid
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Pair, Tree, Word

SOURCE, TARGET = "ja", "en"
POLITE = 0.35
UNSAID = 0.15  # share of polite sentences that leave out "i" or "you"
Sentence = tuple[tuple[Tree | Leaf, ...], Words]
Rule = Callable[[Chooser, bool], Sentence]


def sentence(choose: Chooser) -> Pair:
    """One sentence pair."""
    rule, kind = choose.source.weighted(SENTENCES)
    polite = choose.source.chance(POLITE)
    source, target = rule(choose, polite)
    if kind == "question":
        ka = Leaf("P-FINAL", "ka")
        return _close((*source, ka), target, "?", ka)
    if kind == "statement" and choose.source.chance(0.12):
        return _with_particle(choose, source, target)
    return _close(source, target, ".")


def _close(source: tuple[Tree | Leaf, ...], target: Words, mark: str, *asking: Leaf) -> Pair:
    """The full stop, which together with ka is a question mark."""
    stop = Leaf("PU", ".")
    return Pair(Tree("S", (*source, stop)), (*target, Word(mark, ".", (*asking, stop))))


def _with_particle(choose: Chooser, source: tuple[Tree | Leaf, ...], target: Words) -> Pair:
    """... ne → ... , right ?; yo only adds weight and has no English"""
    if choose.source.chance(0.5):
        return _close((*source, Leaf("P-FINAL", "yo")), target, ".")
    ne = Leaf("P-FINAL", "ne")
    return _close((*source, ne), (*target, Word(",", ","), Word("right", "RB", (ne,))), "?")


def plain(choose: Chooser, polite: bool) -> Sentence:
    """kare wa kinou toshokan de hon o yonda → he read a book in the library yesterday"""
    setting = Setting(topic=True, polite=polite)
    if polite and choose.source.chance(UNSAID):
        setting = replace(setting, shared=unsaid("i"))
    made = clause(choose, setting)
    return (*made.head, made.body), main_statement(choose, made)


def yes_no(choose: Chooser, polite: bool) -> Sentence:
    """kanojo wa hon o kaimashita ka → did she buy a book ?"""
    setting = Setting(topic=True, polite=polite, adjuncts=0.8)
    if polite and choose.source.chance(2 * UNSAID):
        setting = replace(setting, shared=unsaid("you"))
    made = clause(choose, setting)
    return (*made.head, made.body), question(made)


def wh(choose: Chooser, polite: bool) -> Sentence:
    """kanojo wa dare ni hon o ageta ka → who did she give a book to ?"""
    setting = Setting(topic=True, polite=polite, asks=True, adjuncts=0.8)
    if polite and choose.source.chance(2 * UNSAID):
        setting = replace(setting, shared=unsaid("you"))
    made = clause(choose, setting)
    return (*made.head, made.body), question(made)


def request(choose: Chooser, polite: bool) -> Sentence:
    """eki de kippu o katte kudasai → please buy a ticket at the station"""
    negative = choose.source.chance(0.2)
    how = Inflection(False, False, polite, "present", "naide" if negative else "te")
    made = clause(
        choose, Setting(shared=unsaid("you"), how=how, simple=True, deed=True, adjuncts=0.9)
    )
    last = Leaf("AX", "kudasai")
    words: Words = (Word("please", "UH", (last,)),)
    if negative:
        words += link("do not", "RB", *made.predicate.head)
    return (*made.head, Tree("VP", (made.body, last))), (*words, *bare(made))


def proposal(choose: Chooser, polite: bool) -> Sentence:
    """issho ni eiga o mimashou → let 's watch a movie together"""
    how = Inflection(False, False, polite, "future", "let us")
    made = clause(
        choose, Setting(shared=unsaid("we"), how=how, simple=True, deed=True, adjuncts=0.9)
    )
    head = made.predicate.head
    words = (Word("let", "VB", head), Word("'s", "PRP", head))
    return (*made.head, made.body), (*words, *bare(made))


def state(choose: Chooser, polite: bool) -> Sentence:
    """kono hon wa omoshiroi → this book is interesting, kare wa isha da → he is a doctor"""
    rule = choose.source.weighted([(quality, 1.0), (identity, 1.0)])
    made = rule(choose, Setting(topic=True), inflection(choose, polite))
    return (*made.head, made.body), main_statement(choose, made)


def there_is(choose: Chooser, polite: bool) -> Sentence:
    """niwa ni neko ga iru → there is a cat in the garden, kare ni wa neko ga iru → he has a cat"""
    rule = choose.source.weighted([(existence, 3.0), (possession, 1.0)])
    made = rule(choose, Setting(topic=True, polite=polite))
    return (*made.head, made.body), main_statement(choose, made)


def state_question(choose: Chooser, polite: bool) -> Sentence:
    """kono hon wa omoshiroi desu ka → is this book interesting ?"""
    made = quality(choose, Setting(topic=True), inflection(choose, polite))
    return (*made.head, made.body), question(made)


SENTENCES: list[tuple[tuple[Rule, str], float]] = [
    ((plain, "statement"), 27.0),
    ((subordinate, "statement"), 20.0),
    ((quote, "statement"), 13.0),
    ((chain, "statement"), 7.0),
    ((object_clause, "statement"), 6.0),
    ((remark, "remark"), 5.0),
    ((yes_no, "question"), 5.0),
    ((wh, "question"), 6.0),
    ((state, "statement"), 5.0),
    ((there_is, "statement"), 6.0),
    ((compare, "statement"), 4.0),
    ((request, "request"), 4.0),
    ((cleft, "statement"), 2.0),
    ((proposal, "request"), 2.0),
    ((state_question, "question"), 1.0),
    ((which, "question"), 1.0),
]
