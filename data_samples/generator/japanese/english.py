"""The English order of a clause: statement, question, infinitive, gerund, relative clause.

Japanese orders a clause by topic and emphasis and ends with the verb; English goes by function. A
`Clause` therefore keeps the English parts apart until it is known where the clause stands.
"""

from dataclasses import dataclass

from hyperbaton.data_samples.generator.english import Agreement, verb
from hyperbaton.data_samples.generator.japanese.predicates import Predicate, group
from hyperbaton.data_samples.generator.japanese.words import Nominal, Words
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

TIME_FIRST = 0.15  # share of statements with the time at the head


@dataclass(frozen=True)
class Clause:
    """Japanese: what comes before the verb phrase, and the verb phrase. English: its parts."""

    head: tuple[Tree, ...]  # topic, subject, time
    body: Tree
    subject: Words
    agreement: Agreement
    who: Nominal | None  # the subject, for a clause that shares it
    predicate: Predicate
    complements: Words = ()
    middle: Words = ()  # often, already
    manner: Words = ()
    place: Words = ()
    time: Words = ()
    front: Words = ()  # the question word

    def tree(self, label: str = "IP") -> Tree:
        return Tree(label, (*self.head, self.body)) if self.head else Tree(label, (self.body,))


def statement(clause: Clause, time_first: bool = False) -> Words:
    """time? subject verb complements manner place time"""
    if time_first and clause.time:
        comma = (Word(",", ","),) if len(clause.time) > 1 else ()
        return (*clause.time, *comma, *_core(clause))
    return (*_core(clause), *clause.time)


def main_statement(choose: Chooser, clause: Clause) -> Words:
    return statement(clause, choose.target.chance(TIME_FIRST))


def _core(clause: Clause) -> Words:
    return (*clause.subject, *verb_phrase(clause))


def verb_phrase(clause: Clause) -> Words:
    """The finite verb and what follows it, without the time."""
    words = _insert(group(clause.predicate, clause.agreement), clause)
    return (*words, *_after_verb(clause))


def question(clause: Clause) -> Words:
    """did she buy a book ? what did she buy ? who bought the book ?"""
    if clause.front and not clause.subject:
        return (*clause.front, *verb_phrase(clause), *clause.time)
    first, *rest = group(clause.predicate, clause.agreement, inverted=True)
    inner = (*clause.middle, *rest) if rest else clause.middle
    return (*clause.front, first, *clause.subject, *inner, *_after_verb(clause), *clause.time)


def indirect_question(clause: Clause) -> Words:
    """where she went"""
    return (*clause.front, *statement(clause))


def infinitive(clause: Clause, *to: Leaf) -> Words:
    """to buy a book"""
    return (Word("to", "TO", to), *bare(clause))


def bare(clause: Clause) -> Words:
    """buy a book"""
    predicate = clause.predicate
    head = Word(predicate.lemma, "VB", predicate.head)
    return (*clause.middle, head, *_after_verb(clause), *clause.time)


def gerund(clause: Clause) -> Words:
    """buying a book"""
    predicate = clause.predicate
    head = Word(verb(predicate.lemma, "ing"), "VBG", predicate.head)
    return (*clause.middle, head, *_after_verb(clause), *clause.time)


def _after_verb(clause: Clause) -> Words:
    return (*clause.predicate.tail, *clause.complements, *clause.manner, *clause.place)


def _insert(words: Words, clause: Clause) -> Words:
    """he often eats, he is often late, he did not often eat"""
    if not clause.middle:
        return words
    predicate = clause.predicate
    auxiliary = predicate.perfect or (predicate.lemma == "be" and predicate.tense != "would")
    if auxiliary and not predicate.modal:
        return (*words, *clause.middle)
    if len(words) == 1:
        return (*clause.middle, *words)
    return (*words[:-1], *clause.middle, words[-1])
