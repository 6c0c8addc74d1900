"""Sentence patterns of their own: existence, comparison, identity, clefts, topics."""

from dataclasses import replace

from hyperbaton.data_samples.generator.chinese.adjuncts import place, time
from hyperbaton.data_samples.generator.chinese.assembly import Plan, assemble, plan
from hyperbaton.data_samples.generator.chinese.clauses import TRANSITIVE, a_subject, predicate
from hyperbaton.data_samples.generator.chinese.core import (
    MANNER,
    Adjunct,
    Core,
    finite_verb,
    tail,
    verb_phrase,
)
from hyperbaton.data_samples.generator.chinese.frames import object_kinds, transitive
from hyperbaton.data_samples.generator.chinese.nouns import located, noun_phrase, pick_adjective
from hyperbaton.data_samples.generator.chinese.verbs import MOODS, marks_of
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    Nominal,
    Scope,
    Words,
    belongs,
    insert,
    link,
    noun_words,
    phrase,
    pick_noun,
    sense,
    wording,
)
from hyperbaton.data_samples.generator.english import finite, verb
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Parts = tuple[tuple[Tree | Leaf, ...], Words]  # children of the Chinese IP, and the English


def existence(choose: Chooser, scope: Scope) -> Parts:
    """zhuozi shang you yi ben shu → there is a book on the table"""
    spot = located(choose, replace(scope, depth=1), "furn,place,build,plant.tree")
    listed = "goods,doc,food,animal" if belongs(spot.entry, "furn") else "person,animal,vehicle.own"
    thing = noun_phrase(choose, listed, replace(scope, depth=2), "new")
    assert thing.source
    you = Leaf("VE", "you")
    text, tag = finite("be", "present", thing.agreement)
    words = insert("there", "EX") + link(text, tag, you) + thing.words
    words = spot.words + words if choose.target.chance(0.15) else words + spot.words
    return (spot.source, Tree("VP", (you, thing.source))), words


def absence(choose: Chooser, scope: Scope) -> Parts:
    """zhuozi shang meiyou shu → there is no book on the table"""
    spot = located(choose, replace(scope, depth=1), "furn,place,build,plant.tree")
    listed = "goods,doc,food" if belongs(spot.entry, "furn") else "person,animal,vehicle.own"
    noun = pick_noun(choose, listed)
    tree, leaf = phrase("NP", "NN", noun.forms[0])
    none = Leaf("VE", "meiyou")
    many = (noun.has("pl") or noun.has("plural")) and not noun.has("mass")
    words = link("are" if many else "is", "VBP" if many else "VBZ", none) + link("no", "DT", none)
    words += noun_words(choose, noun.english, noun, leaf, many=many)
    return (spot.source, Tree("VP", (none, tree))), insert("there", "EX") + words + spot.words


def inversion(choose: Chooser, scope: Scope) -> Parts:
    """qiang shang gua zhe yi fu hua → a picture is hanging on the wall"""
    entry = LEXICON.pick(choose, "vloc")
    listed = entry.features.get("spot", "place,build")
    leading = Leaf("P", "zai") if choose.source.chance(0.25) else None
    extra = (leading,) if leading else ()
    spot = located(choose, replace(scope, depth=1), listed, *extra)
    thing = noun_phrase(choose, entry.features["subj"].replace("human", "person"),
                        replace(scope, depth=2), "new")  # fmt: skip
    assert thing.source
    leaf = Leaf("VV", entry.forms[0])
    core = Core(wording(choose, entry.english), leaf, (leaf,), spot.words, post=(thing.source,))
    mood = MOODS["zhe still" if entry.has("still") or entry.has("stative") else "zhe"]
    marks = marks_of(mood)
    group = finite_verb(core, mood, marks, thing.agreement, (), inverted=False)
    front = Tree("PP", (leading, spot.source)) if leading else spot.source
    return (front, verb_phrase(core, marks)), (*thing.subject, *group.all(), *tail(core))


def comparative(adjective: str) -> str:
    """tall → taller, happy → happier, important → more important

    Spelling works as in the past tense: big, bigger as plan, planned.
    """
    stem = adjective.removesuffix("e")
    groups = len("".join(c if c in "aeiouy" else " " for c in stem).split())
    if adjective == "good":
        return "better"
    short = groups == 1 or (groups == 2 and adjective.endswith("y"))
    return verb(adjective, "past")[:-1] + "r" if short else f"more {adjective}"


COMPARED = [("human", 4.0), ("animal", 1.0), ("build", 1.0), ("city", 1.0), ("doc", 1.0),
            ("topic", 1.0), ("vehicle", 1.0)]  # fmt: skip


def comparison(choose: Chooser, scope: Scope) -> Parts:
    """ta bi wo gao → he is taller than me; gen wo yiyang gao → as tall as me"""
    kind = choose.source.weighted(COMPARED)
    first = noun_phrase(choose, kind, scope.deeper(), "the")
    second = noun_phrase(choose, kind, replace(scope, depth=1), "the", avoid=first.entry.forms[0])
    found = pick_adjective(choose, first.entry)
    assert first.source
    assert second.source
    assert found
    leaf = Leaf("VA", found.forms[0])
    how = choose.source.weighted([("bi", 4.0), ("much", 2.0), ("yiyang", 1.5), ("meiyou", 1.5)])
    text = wording(choose, sense(found, "of", first.entry))
    tree, words = COMPARISONS[how](choose, text, leaf, second)
    copula, tag = finite("be", "present", first.agreement)
    return (first.source, tree), (*first.subject, Word(copula, tag), *words)


def _more(_choose: Chooser, text: str, leaf: Leaf, second: Nominal) -> tuple[Tree, Words]:
    bi = Leaf("P", "bi")
    tree = Tree("VP", (Tree("PP", (bi, *_tree(second))), Tree("VP", (leaf,))))
    return tree, link(comparative(text), "JJR", leaf) + link("than", "IN", bi) + second.words


def _much_more(choose: Chooser, text: str, leaf: Leaf, second: Nominal) -> tuple[Tree, Words]:
    bi, de, much = Leaf("P", "bi"), Leaf("DER", "de"), Leaf("VA", "duo")
    inner = Tree("VP", (leaf, de, Tree("VP", (much,))))
    words = link(wording(choose, "much|far"), "RB", much) + link(comparative(text), "JJR", leaf)
    tree = Tree("VP", (Tree("PP", (bi, *_tree(second))), inner))
    return tree, words + link("than", "IN", bi) + second.words


def _as(choose: Chooser, text: str, leaf: Leaf, second: Nominal) -> tuple[Tree, Words]:
    gen, same = Leaf("P", "gen"), Leaf("AD", "yiyang")
    inner = Tree("VP", (leaf,))
    tree = Tree("VP", (Tree("PP", (gen, *_tree(second))), Tree("ADVP", (same,)), inner))
    words = (
        link(wording(choose, "as|just as"), "RB", same)
        + link(text, "JJ", leaf)
        + link("as", "IN", gen)
    )
    return tree, words + second.words


def _not_as(choose: Chooser, text: str, leaf: Leaf, second: Nominal) -> tuple[Tree, Words]:
    none, name = Leaf("VE", "meiyou"), Leaf("AD", "name")
    inner = Tree("VP", (Tree("ADVP", (name,)), Tree("VP", (leaf,))))
    tree = Tree("VP", (none, Tree("IP", (*_tree(second), inner))))
    words = (
        link("not", "RB", none)
        + link(wording(choose, "as|so"), "RB", name)
        + link(text, "JJ", leaf)
    )
    return tree, words + link("as", "IN", none) + second.words


COMPARISONS = {"bi": _more, "much": _much_more, "yiyang": _as, "meiyou": _not_as}


def _tree(nominal: Nominal) -> tuple[Tree, ...]:
    return (nominal.source,) if nominal.source else ()


def identity(choose: Chooser, scope: Scope) -> Parts:
    """ta shi yi wei laoshi → she is a teacher; bu shi → is not"""
    first = a_subject(choose, scope, "human")
    second = noun_phrase(choose, "person.job", scope.deeper(), "new", avoid=first.entry.forms[0])
    when = choose.source.weighted([("present", 4.0), ("bu", 1.0)])
    shi = Leaf("VC", "shi")
    if first.agreement.plural != second.agreement.plural:  # "they are a teacher"
        return comparison(choose, scope)
    core = Core("be", shi, (shi,), second.words, post=_tree(second), kind="state", roomy=False)
    made = assemble(choose, first, core, Plan("present"), scope, mood_name=when)
    return made.parts, made.target


def cleft(choose: Chooser, scope: Scope) -> Parts:
    """ta shi zuotian lai de → it was yesterday that he came"""
    subject = a_subject(choose, scope, "human")
    core = predicate(choose, subject, scope, small=True, active=True)
    core = replace(core, kind="report", roomy=False, durable=False)
    if choose.source.chance(0.6):
        when = time(choose, "past")
        focus = Adjunct(when.source, when.words, MANNER, outer=True)
    else:
        focus = place(choose, replace(scope, depth=1))
    shi, de = Leaf("VC", "shi"), Leaf("SP", "de")
    marks = marks_of(MOODS["past"])
    inner = verb_phrase(core, marks, (focus.source,))
    group = finite_verb(core, MOODS["past"], marks, subject.agreement, (), inverted=False)
    words = insert("it", "PRP") + link("was", "VBD", shi) + focus.words + link("that", "IN", de)
    words += (*subject.subject, *group.all(), *tail(core))
    return (*_tree(subject), Tree("VP", (shi, inner, de))), words


def topic(choose: Chooser, scope: Scope) -> Parts:
    """zhe ben shu wo yijing kan guo le → i have already read this book"""
    subject = a_subject(choose, replace(scope, depth=1), "human")
    entry = LEXICON.pick(choose, "vt", lambda e: TRANSITIVE.fits(e, subject.entry))
    target = noun_phrase(
        choose, object_kinds(entry).replace("pro", "person"), scope.deeper(), "the"
    )
    while target.entry.category == "pro":
        target = noun_phrase(choose, object_kinds(entry), scope.deeper(), "the")
    core = transitive(choose, entry, subject, scope, replace(target, source=None))
    made = assemble(choose, subject, core, plan(choose), scope)
    comma: tuple[Leaf, ...] = (Leaf("PU", ","),) if choose.source.chance(0.3) else ()
    return (*_tree(target), *comma, *made.parts), made.target


def even(choose: Chooser, scope: Scope) -> Parts:
    """lian haizi dou zhidao → even a child knows"""
    subject = a_subject(choose, scope, "person")
    lian, dou = Leaf("P", "lian"), Leaf("AD", "dou")
    marked = replace(
        subject,
        source=Tree("PP", (lian, *_tree(subject))),
        subject=link("even", "RB", lian, dou) + subject.subject,
    )
    when = plan(choose, chance=0.0)
    core = predicate(choose, subject, replace(scope, table=when.table))
    adjunct = Adjunct(Tree("ADVP", (dou,)), (), MANNER, outer=True)
    core = replace(core, adjuncts=(adjunct, *core.adjuncts))
    made = assemble(choose, marked, core, when, scope, extras=False)
    return made.parts, made.target
