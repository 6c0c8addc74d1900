"""Sentences of two clauses: conjunctions, chains of te-forms, purpose, clauses as objects.

The subordinate clause always comes first in Japanese; where it goes in English depends on the
conjunction, which stands behind it.
"""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.japanese.arguments import argument
from hyperbaton.data_samples.generator.japanese.clauses import clause, relative
from hyperbaton.data_samples.generator.japanese.english import (
    Clause,
    bare,
    gerund,
    infinitive,
    main_statement,
    statement,
    verb_phrase,
)
from hyperbaton.data_samples.generator.japanese.frames import frame
from hyperbaton.data_samples.generator.japanese.modifiers import Demand
from hyperbaton.data_samples.generator.japanese.predicates import (
    PLAIN,
    Inflection,
    group,
    predicate,
)
from hyperbaton.data_samples.generator.japanese.settings import Setting
from hyperbaton.data_samples.generator.japanese.states import quality, weather
from hyperbaton.data_samples.generator.japanese.words import (
    LEXICON,
    Nominal,
    Words,
    hidden,
    link,
    wording,
)
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Sentence = tuple[tuple[Tree | Leaf, ...], Words]
EITHER = {"because": "before", "when": "after", "if": "after"}
VIA = {
    "no_o": (("N", "no"), ("P-OBJ", "o")),
    "no_ga": (("N", "no"), ("P-SUBJ", "ga")),
    "koto_o": (("N", "koto"), ("P-OBJ", "o")),
    "koto_ni": (("N", "koto"), ("P", "ni")),
    "you_ni": (("N", "you"), ("P", "ni")),
}
FLIPS = 0.1  # share of sentences with the other English order, where both are good


@dataclass(frozen=True)
class Conjunction:
    """`form` of the subordinate verb (empty: finite); `order` of the English clauses."""

    tokens: tuple[tuple[str, str], ...]
    english: str
    order: str  # after (main first), before, between (coordinated)
    weight: float
    form: str = ""
    shape: str = "finite"  # in English: finite, ing or to
    main: str = ""  # past or nonpast, if only one will do
    past: bool | None = None  # tense of a finite subordinate verb, if fixed
    states: bool = True  # states and weather may come under it
    motion: bool = False  # the main verb must be one of motion
    link: str = "da"  # what a plain copula becomes before it


CONJUNCTIONS = [
    Conjunction((("P-CONN", "node"),), "because", "after", 5.0, link="na"),
    Conjunction((("P-CONN", "kara"),), "so", "between", 3.0),
    Conjunction((("P-CONN", "ga"),), "but", "between", 3.0),
    Conjunction((("P-CONN", "noni"),), "although|even though", "before", 2.5, link="na"),
    Conjunction((("N", "toki"),), "when", "before", 4.0, link="na"),
    Conjunction((("N", "ato"), ("P", "de")), "after", "after", 2.5, past=True, states=False),
    Conjunction((("N", "mae"), ("P", "ni")), "before", "after", 2.5, past=False, states=False),
    Conjunction((("P-CONN", "made"),), "until", "after", 1.5, past=False, states=False),
    Conjunction((("P-CONN", "nara"),), "if", "before", 2.0, main="nonpast", past=False,
                link=""),
    Conjunction((), "if", "before", 1.5, form="ba", main="nonpast", states=False),
    Conjunction((), "if", "before", 1.2, form="tara", main="nonpast", states=False),
    Conjunction((), "when", "before", 1.5, form="tara", main="past", states=False),
    Conjunction((("P", "mo"),), "even if", "before", 1.2, form="te", main="nonpast", states=False),
    Conjunction((("P-CONN", "kara"),), "after", "after", 2.0, form="te", shape="ing"),
    Conjunction((("N", "tame"), ("P", "ni")), "in order|", "after", 2.5, form="present",
                shape="to"),
    Conjunction((("P-CONN", "nagara"),), "while", "after", 2.0, form="stem", shape="ing"),
    Conjunction((), "without", "after", 1.5, form="naide", shape="ing"),
    Conjunction((("P", "ni"),), "", "after", 2.5, form="stem", shape="to", motion=True),
]  # fmt: skip


def subordinate(choose: Chooser, polite: bool) -> Sentence:
    """A subordinate clause and a main clause, with one subject or two."""
    conjunction = choose.source.weighted([(c, c.weight) for c in CONJUNCTIONS])
    past = choose.source.chance(0.72) if not conjunction.main else conjunction.main == "past"
    negative = choose.source.chance(0.08) and conjunction.shape == "finite"
    how = Inflection(past, negative, polite, "future")
    one_subject = conjunction.shape != "finite" or choose.source.chance(0.45)
    main = clause(choose, _main_setting(choose, conjunction, how))
    if main.who is None or main.who.entry.category not in ("person", "name", "pro"):
        one_subject = False
    sub = _subordinate_clause(choose, conjunction, past, main.who, one_subject)
    return _combine(choose, conjunction, main, sub, one_subject)


def _main_setting(choose: Chooser, conjunction: Conjunction, how: Inflection) -> Setting:
    simple = conjunction.shape != "finite"
    setting = Setting(topic=True, person=True, how=how, simple=simple, adjuncts=0.5, fronting=False)
    if conjunction.motion:
        moves = ("iku", "kuru", "kaeru")
        entry = LEXICON.pick(choose, "verb", lambda verb: verb.forms[0] in moves)
        return replace(setting, frame=frame(entry))
    return setting


def _subordinate_clause(
    choose: Chooser, conjunction: Conjunction, past: bool, who: Nominal | None, one_subject: bool
) -> Clause:
    """The clause before the conjunction; its English tense follows the main clause's at times."""
    own = choose.source.chance(0.9) if past else False
    japanese_past = own if conjunction.past is None else conjunction.past
    negative = not conjunction.form and conjunction.states and choose.source.chance(0.12)
    english = "past" if past else "present"
    how = Inflection(japanese_past, negative, False, english, conjunction.form)
    how = replace(how, link=conjunction.link)
    if conjunction.form or conjunction.past is not None:
        how = replace(how, english=english if conjunction.shape == "finite" else "none")
    shared = who if one_subject else None
    setting = Setting(1, shared=shared, other=who, person=True, how=how)
    if conjunction.form or not conjunction.states:
        return clause(choose, replace(setting, simple=True, adjuncts=0.0 if shared else 0.7))
    sort = choose.source.weighted([("verb", 6.0), ("state", 2.0), ("weather", 1.0)])
    if sort == "weather" and shared is None:
        return weather(choose, how)
    if sort == "state" and (shared is None or shared.entry.category != "pro"):
        return quality(choose, setting, how)
    return clause(choose, setting)


def _combine(
    choose: Chooser, conjunction: Conjunction, main: Clause, sub: Clause, one_subject: bool
) -> Sentence:
    leaves = tuple(Leaf(tag, token) for tag, token in conjunction.tokens)
    text = wording(choose, conjunction.english)
    links = leaves or sub.predicate.source
    word = link(text, "IN" if conjunction.order != "between" else "CC", *links)
    comma = (Leaf("PU", ","),) if choose.source.chance(0.4) else ()
    under = Tree("CONJP", (sub.tree(), *leaves))
    first = one_subject or choose.source.chance(0.25)
    heads = (*main.head, under, *comma) if first else (under, *comma, *main.head)
    if conjunction.shape == "to":
        return (*heads, main.body), (
            *main_statement(choose, main),
            *word,
            *infinitive(sub, *leaves),
        )
    if conjunction.shape == "ing":
        return (*heads, main.body), (*main_statement(choose, main), *word, *gerund(sub))
    flipped = conjunction.english in EITHER and choose.target.chance(FLIPS)
    order = EITHER[conjunction.english] if flipped else conjunction.order
    return (*heads, main.body), _ordered(order, main, sub, word, comma)


def _ordered(order: str, main: Clause, sub: Clause, word: Words, comma: tuple[Leaf, ...]) -> Words:
    """Two finite clauses in English; of a subject they share, the first names it."""
    if order == "after":
        return (*statement(main), *word, *statement(sub))
    if main.who is not None and sub.who is main.who:
        sub = replace(sub, subject=main.who.subject)
        main = replace(main, subject=hidden(main.who))
    pause = Word(",", ",", comma)
    if order == "before":
        return (*word, *statement(sub), pause, *statement(main))
    return (*statement(sub), pause, *word, *statement(main))


def chain(choose: Chooser, polite: bool) -> Sentence:
    """heya ni haitte mado o aketa → entered the room and opened the window: the last verb has the
    tense of all"""
    past = choose.source.chance(0.8)
    how = Inflection(past, False, polite, "future")
    main = clause(
        choose, Setting(topic=True, person=True, how=how, simple=True, adjuncts=0.4, fronting=False)
    )
    assert main.who is not None
    link_form = replace(how, polite=False, form="te")
    setting = Setting(1, shared=main.who, person=True, how=link_form, simple=True)
    steps = [clause(choose, setting) for _ in range(1 + choose.source.chance(0.25))]
    commas = [Leaf("PU", ",") if choose.source.chance(0.6) else None for _ in steps]
    source: list[Tree | Leaf] = list(main.head)
    for step, comma in zip(steps, commas, strict=True):
        source += [step.tree(), *([comma] if comma else [])]
    later = verb_phrase if past else bare
    words = statement(replace(steps[0], subject=main.subject, middle=main.middle + steps[0].middle))
    for step in steps[1:]:
        words += (Word(",", ","), *later(step), *(step.time if past else ()))
    closing = replace(main, middle=())
    pause = (commas[-1],) if commas[-1] else ()
    words += (Word("and", "CC", pause), *later(closing), *(main.time if past else ()))
    return (*source, main.body), words


def object_clause(choose: Chooser, polite: bool) -> Sentence:
    """hon o kau no o wasureta → forgot to buy a book, kodomo ga asobu no o mita → saw ... play"""
    entry = LEXICON.pick(choose, "comp")
    past = entry.has("past") or choose.source.chance(0.3)
    who = argument(choose, "person", Demand("the"), relative)
    other = None
    if "other" in entry.features:
        other = argument(choose, "person", Demand("the", who, 1), relative)
    how = Inflection(past, choose.source.chance(0.08), polite, "present")
    verb = predicate(choose, entry, PLAIN, how)
    inner = Inflection(False, False, False, "present", "present")
    doer = other if other is not None else who
    sub = clause(choose, Setting(1, shared=doer, person=True, how=inner, simple=True))
    mark = tuple(Leaf(tag, word) for tag, word in VIA[entry.features["via"]])
    under = sub.tree()
    before: tuple[Tree, ...] = ()
    if other is not None and entry.features["other"] == "ga":
        under = Tree("IP", (Tree("PP", (other.source, Leaf("P-SUBJ", "ga"))), under))
    elif other is not None:
        before = (Tree("PP", (other.source, Leaf("P", "ni"))),)
    object_ = Tree("PP", (Tree("NP", (under, mark[0])), mark[1]))
    body = Tree("VP", (object_, Tree("VP", verb.source)))
    for tree in before:
        body = Tree("VP", (tree, body))
    words = (*who.subject, *group(verb, who.agreement), *verb.tail)
    words += other.words if other is not None else ()
    form = entry.features["as"]
    words += infinitive(sub, mark[0]) if form == "to" else {"ing": gerund, "bare": bare}[form](sub)
    return (Tree("PP", (who.source, Leaf("P-TOP", "wa"))), body), words
