"""Quoted clauses: the speaker at the far left, the verb of saying at the far right."""

from dataclasses import replace

from hyperbaton.data_samples.generator.japanese.adjuncts import time_phrase
from hyperbaton.data_samples.generator.japanese.arguments import argument
from hyperbaton.data_samples.generator.japanese.clauses import clause, relative
from hyperbaton.data_samples.generator.japanese.english import (
    Clause,
    indirect_question,
    statement,
    verb_phrase,
)
from hyperbaton.data_samples.generator.japanese.modifiers import Demand
from hyperbaton.data_samples.generator.japanese.predicates import (
    PLAIN,
    STATE,
    Inflection,
    Predicate,
    group,
    predicate,
)
from hyperbaton.data_samples.generator.japanese.settings import Setting
from hyperbaton.data_samples.generator.japanese.states import inflection, quality
from hyperbaton.data_samples.generator.japanese.words import LEXICON, Nominal, Words, link, unsaid
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Sentence = tuple[tuple[Tree | Leaf, ...], Words]
THAT_DROPPED = 0.3
REMARKS = {  # what a speaker adds to a statement: tokens (plain, polite), English before it
    "hearsay": ((("N", "sou"),), ("da", "desu"), "COP", "i hear"),
    "seeming": ((), ("rashii", "rashii desu"), "AX", "it seems"),
    "opinion": ((("P-COMP", "to"),), ("omou", "omoimasu"), "V", "i think"),
    "doubt": (
        (("P-COMP", "to"), ("P-TOP", "wa")),
        ("omowanai", "omoimasen"),
        "V",
        "i do not think",
    ),
}


def quote(choose: Chooser, polite: bool) -> Sentence:
    """kare wa hon o katta to itta → he said that he bought a book"""
    entry = LEXICON.pick(choose, "say")
    past = entry.has("past") or choose.source.chance(0.5)
    who = argument(choose, "person", Demand("the"), relative)
    hearer = None
    if "hearer" in entry.features and choose.source.chance(0.45):
        hearer = argument(choose, "person", Demand("the", who, 1), relative)
        entry = replace(entry, english=entry.features["hearer"])
    how = Inflection(past, choose.source.chance(0.06), polite, "present")
    mood = STATE if not past else PLAIN  # omotte iru: thinks
    verb = predicate(choose, entry, mood, how)
    inside = _quoted(choose, entry, who, past)
    mark, words = _question(choose, inside) if entry.has("ka") else _that(choose, inside)
    return _framed(choose, who, hearer, verb, Tree("CP", (inside.tree(), *mark)), words)


def _quoted(choose: Chooser, entry: Entry, who: Nominal, past: bool) -> Clause:
    """What is said: about the speaker (unsaid in Japanese) or about somebody else."""
    shared = who if choose.source.chance(0.4) else None
    asks = entry.has("ka") and choose.source.chance(0.5)
    setting = Setting(1, shared=shared, other=who, backshift=past, asks=asks, adjuncts=2.0)
    if entry.has("future"):
        how = Inflection(False, choose.source.chance(0.1), False, "would" if past else "future")
        return clause(choose, replace(setting, how=how, simple=True))
    if not asks and choose.source.chance(0.15) and who.entry.category != "pro":
        how = inflection(choose, False)
        return quality(choose, setting, replace(how, nonpast="past" if past else "present"))
    return clause(choose, setting)


def _that(choose: Chooser, inside: Clause) -> tuple[tuple[Leaf, ...], Words]:
    to = Leaf("P-COMP", "to")
    that = () if choose.target.chance(THAT_DROPPED) else (Word("that", "IN", (to,)),)
    return (to,), (*that, *statement(inside))


def _question(choose: Chooser, inside: Clause) -> tuple[tuple[Leaf, ...], Words]:
    """doko e iku ka → where she goes, iku ka dou ka → whether she goes"""
    ka, to = Leaf("P-FINAL", "ka"), Leaf("P-COMP", "to")
    last = (to,) if choose.source.chance(0.5) else ()
    if inside.front:
        return (ka, *last), indirect_question(inside)
    whether = "if" if choose.target.chance(0.3) else "whether"
    marks: tuple[Leaf, ...] = (ka,)
    if choose.source.chance(0.5):
        marks = (ka, Leaf("ADV", "dou"), Leaf("P-FINAL", "ka"))
    return (*marks, *last), (Word(whether, "IN", marks), *statement(inside))


def _framed(
    choose: Chooser, who: Nominal, hearer: Nominal | None, verb: Predicate, said: Tree, words: Words
) -> Sentence:
    """Speaker, hearer, quotation and verb; now and then the quotation comes first."""
    heads: list[Tree | Leaf] = [Tree("PP", (who.source, Leaf("P-TOP", "wa")))]
    time = (
        time_phrase(choose, "past") if verb.tense == "past" and choose.source.chance(0.15) else None
    )
    if time:
        heads.insert(choose.source.among(0, 1), time.source)
    to = [Tree("PP", (hearer.source, Leaf("P", "ni")))] if hearer else []
    body = Tree("VP", verb.source)
    target = (*who.subject, *group(verb, who.agreement), *verb.tail)
    target += hearer.words if hearer else ()
    target += (*(time.words if time else ()), *words)
    if choose.source.chance(0.12):
        for tree in to:
            body = Tree("VP", (tree, body))
        return (said, Leaf("PU", ","), *heads, body), target
    inner = [*to, said] if choose.source.chance(0.7) else [said, *to]
    for tree in reversed(inner):
        body = Tree("VP", (tree, body))
    return (*heads, body), target


def remark(choose: Chooser, polite: bool) -> Sentence:
    """kare wa hon o katta sou da → i hear that he bought a book: the last words come first"""
    kind = choose.source.among(*REMARKS)
    tokens, forms, tag, english = REMARKS[kind]
    seems = "" if kind == "seeming" else "da"
    inside = clause(choose, Setting(topic=True, other=unsaid("i"), adjuncts=0.6, link=seems))
    before = tuple(Leaf(t, word) for t, word in tokens)
    after = tuple(
        Leaf(tag if i == 0 else "COP", word) for i, word in enumerate(forms[polite].split())
    )
    links = after if kind in ("opinion", "doubt") else before + after
    words: Words = tuple(Word(text, _tag(text), links) for text in english.split())
    if not choose.target.chance(THAT_DROPPED):
        words += link("that", "IN", *(leaf for leaf in before if leaf.tag == "P-COMP"))
    return (inside.tree(), *before, *after), (*words, *statement(inside))


def _tag(word: str) -> str:
    return {"i": "PRP", "it": "PRP", "not": "RB", "do": "VBP", "seems": "VBZ"}.get(word, "VBP")


def cleft(choose: Chooser, polite: bool) -> Sentence:
    """hon o katta no wa kare da → it was him who bought a book: the subject at the end"""
    focus = argument(choose, "person", Demand("the", None, 1), relative)
    how = Inflection(True, choose.source.chance(0.08), False)
    setting = Setting(1, person=True, gap="subject", other=focus, simple=True, how=how)
    setting = replace(setting, adjuncts=2.0)
    inside = replace(clause(choose, setting), agreement=focus.agreement)
    copula = Leaf("COP", "desu" if polite else "da")
    nominalised = Tree("NP", (inside.tree("IP-REL"), Leaf("N", "no")))
    source = (
        Tree("PP", (nominalised, Leaf("P-TOP", "wa"))),
        Tree("VP", (focus.source, copula)),
    )
    words = (Word("it", "PRP"), Word("was", "VBD", (copula,)), *focus.words, Word("who", "WP"))
    return source, (*words, *verb_phrase(inside), *inside.time)
