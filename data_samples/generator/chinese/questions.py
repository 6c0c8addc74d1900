"""Question words: in Chinese they stand where the answer would, in English in front."""

from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.arguments import DIRECT, going, prepositional
from hyperbaton.data_samples.generator.chinese.core import PLACE, TIME, Adjunct, Core
from hyperbaton.data_samples.generator.chinese.frames import intransitive, object_kinds, transitive
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    Nominal,
    Scope,
    Words,
    accepts,
    belongs,
    gap,
    link,
    phrase,
    pick_noun,
    plain,
    wording,
)
from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

ADVERBS = [  # tag, Chinese, English, where it stands
    (("NT", "shenme shihou", "when"), 1.5),
    (("AD", "weishenme", "why"), 2.0),
    (("PN", "nali", "where"), 2.0),
    (("AD", "zenme", "how"), 1.0),
]


def asking(choose: Chooser, subject: Nominal, scope: Scope) -> Core:
    """A predicate with a question word in it."""
    rules = [(_object, 4.0), (_argument, 2.5), (_adverbial, 3.0), (_goal, 1.0)]
    return choose.source.weighted(rules)(choose, subject, scope)


def _pick(choose: Chooser, category: str, subject: Nominal, *refused: str) -> Entry:
    def fits(verb: Entry) -> bool:
        plain_verb = not any(verb.has(feature) for feature in refused)
        return plain_verb and accepts(verb, "subj", subject.entry)

    return LEXICON.pick(choose, category, fits)


def question_word(choose: Chooser, noun: Entry) -> Nominal:
    """shei → who, shenme → what, na ben shu → which book, shenme shu → what book"""
    if belongs(noun, "human"):
        return _asked(*_pronoun("shei", "who"), noun)
    if noun.has("counted") or noun.has("the") or choose.source.chance(0.4):
        return _asked(*_pronoun("shenme", "what"), noun)
    leaf = Leaf("NN", noun.forms[0])
    words = link(wording(choose, noun.english), "NN", leaf)
    if choose.source.chance(0.5) and not (noun.has("mass") or noun.has("plural")):
        which, measure = Leaf("DT", "na"), noun.features.get("m", "ge").split(",")[0]
        marked = Tree("DP", (which, Tree("CLP", (Leaf("M", measure.partition(":")[0]),))))
        words = link("which", "WDT", which) + words
    else:
        marked, which = phrase("DP", "DT", "shenme")
        words = link("what", "WDT", which) + words
    return _asked(Tree("NP", (marked, Tree("NP", (leaf,)))), words, noun)


def _pronoun(form: str, english: str) -> tuple[Tree, Words]:
    tree, leaf = phrase("NP", "PN", form)
    return tree, link(english, "WP", leaf)


def _asked(source: Tree, words: Words, noun: Entry) -> Nominal:
    return replace(gap(noun, Agreement(), words), source=source)


def asked_subject(choose: Chooser) -> Nominal:
    """shei lai le → who came"""
    return plain(*_pronoun("shei", "who"), pick_noun(choose, "person"))


def _object(choose: Chooser, subject: Nominal, scope: Scope) -> Core:
    """ni mai le shenme → what did you buy"""
    verb = _pick(choose, "vt", subject)
    target = question_word(choose, pick_noun(choose, object_kinds(verb)))
    return replace(transitive(choose, verb, subject, scope, target), durable=False)


def _argument(choose: Chooser, subject: Nominal, scope: Scope) -> Core:
    """ni gen shei jiehun → who will you marry; dui shenme ganxingqu → what ... interested in"""
    verb = _pick(choose, "vpp", subject, "tail")
    classes = verb.features["pp"].split(":")[1]
    target = question_word(choose, pick_noun(choose, classes))
    return prepositional(choose, verb, subject, scope, target)


def _goal(choose: Chooser, subject: Nominal, scope: Scope) -> Core:
    """ni qu nali → where are you going"""
    verb = LEXICON.pick(choose, "vgo", lambda e: e.features["to"] != DIRECT and len(e.forms) == 1)
    core = going(choose, verb, subject, replace(scope, depth=0))
    tree, leaf = phrase("NP", "PN", "nali")
    return replace(core, words=(), post=(tree,), asked=link("where", "WRB", leaf))


def _adverbial(choose: Chooser, subject: Nominal, scope: Scope) -> Core:
    """ni weishenme ku → why do you cry; ni zai nali mai shu → where do you buy books"""
    if choose.source.chance(0.5):
        core = transitive(choose, _pick(choose, "vt", subject, "stative"), subject, scope)
    else:
        core = intransitive(choose, _pick(choose, "vi", subject), subject, scope)
    tag, form, english = choose.source.weighted(ADVERBS)
    leaves = tuple(Leaf(tag, word) for word in form.split())
    source = Tree("ADVP" if tag == "AD" else "NP", leaves)
    words = link(english, "WRB", *leaves)
    if tag == "PN":
        zai = Leaf("P", "zai")
        source = Tree("PP", (zai, source))
        words = link(english, "WRB", zai, *leaves)
    adjunct = Adjunct(source, (), PLACE if tag == "PN" else TIME, outer=tag != "PN")
    return replace(core, adjuncts=(adjunct, *core.adjuncts), asked=words, roomy=False)
