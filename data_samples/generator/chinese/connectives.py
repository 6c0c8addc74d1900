"""Two clauses: the Chinese order is fixed, the English order depends on what marks the second.

yinwei A suoyi B is "because A , B", but yinwei A , B without suoyi is "B because A"; the clue
stands in the second clause, far from the conjunction. Conjunctions of time end their clause
(A yihou).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.assembly import Clause, Plan, assemble, plan
from hyperbaton.data_samples.generator.chinese.clauses import a_subject, predicate
from hyperbaton.data_samples.generator.chinese.core import MANNER, Adjunct
from hyperbaton.data_samples.generator.chinese.words import (
    Nominal,
    Scope,
    Words,
    again,
    insert,
    link,
    wording,
)
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

Parts = tuple[tuple[Tree | Leaf, ...], Words]


@dataclass(frozen=True)
class Connective:
    """`first` opens and `closing` ends the first clause; `second` opens the other clause, `adverb`
    stands in its verb phrase. `back` puts the first clause last in English."""

    first: str
    english: str
    weight: float
    closing: str = ""
    second: str = ""
    adverb: str = ""
    back: bool = False
    times: str = "free"
    joint: str = ""  # English between the clauses instead of a conjunction in front


CONNECTIVES = [
    Connective("yinwei", "because", 3.0, second="suoyi"),
    Connective("yinwei", "because", 2.0, back=True),
    Connective("suiran", "although|though", 2.0, second="danshi"),
    Connective("suiran", "although|though", 1.5, adverb="que", back=True),
    Connective("ruguo", "if", 2.5, adverb="jiu", times="if"),
    Connective("ruguo", "if", 1.5, closing="de hua", back=True, times="if"),
    Connective("jishi", "even if", 1.2, adverb="ye", times="if"),
    Connective("zhiyao", "as long as", 1.2, adverb="jiu", back=True, times="if"),
    Connective("zhiyou", "only if", 0.8, adverb="cai", back=True, times="if"),
    Connective("jiran", "since", 0.8, adverb="jiu"),
    Connective("", "", 1.5, second="danshi", joint="but"),
    Connective("", "", 1.2, second="suoyi", joint="so"),
    Connective("", "", 1.0, second="erqie", joint="and"),
    Connective("", "", 0.8, second="keshi", joint="but|however"),
    # time clauses
    Connective("", "after", 2.2, closing="yihou", times="same", back=True),
    Connective("", "after", 2.0, closing="yihou", adverb="jiu", times="same"),
    Connective("", "before", 2.2, closing="yiqian", times="same", back=True),
    Connective("", "when", 2.0, closing="de shihou", times="same", back=True),
    Connective("dang", "when", 1.6, closing="de shihou", times="same"),
    Connective("dang", "when", 1.4, closing="shi", times="same"),
    Connective("zhidao", "until", 1.0, times="not until", back=True),
    Connective("zicong", "since|ever since", 1.0, closing="yihou", times="since"),
]
SECOND_TAGS = {"suoyi": "AD", "danshi": "AD", "erqie": "CC", "keshi": "AD"}


def connected(choose: Chooser, scope: Scope) -> Parts:
    """Two clauses with a connective, in either English order."""
    which = choose.source.weighted([(c, c.weight) for c in CONNECTIVES])
    smaller = replace(scope, depth=2)
    times = _times(choose, which)
    first, second = _subjects(choose, smaller, back=which.back)
    inner, outer = (
        replace(smaller, embedded=not which.joint),
        replace(smaller, embedded=not which.back),
    )
    opening = _clause(choose, first, times.first, inner, times.mood)
    cause, conjunction = _close(choose, which, opening)
    adverb = Leaf("AD", which.adverb) if which.adverb else None
    other = _clause(choose, second, times.second, outer, times.second_mood, adverb)
    comma = Leaf("PU", ",")
    lead, joint = _second(choose, which)
    parts = (*cause, comma, *lead, *other.parts)
    mark = (Word(",", ",", (comma,)),)
    if which.joint:
        return parts, (*opening.target, *mark, *joint, *other.target)
    if which.back:
        return parts, (*other.target, *conjunction, *opening.words)
    return parts, (*conjunction, *opening.target, *mark, *other.target)


@dataclass(frozen=True)
class Times:
    """When both clauses take place, and their moods where the connective fixes them."""

    first: Plan
    second: Plan
    mood: str = ""
    second_mood: str = ""


def _times(choose: Chooser, which: Connective) -> Times:
    """zhidao A B cai → did not B until A: English denies what Chinese affirms"""
    if which.times == "if":
        return Times(Plan("if"), plan(choose, [("future", 1.0)], 0.15))
    if which.times == "free":
        return Times(plan(choose, chance=0.2), plan(choose, chance=0.2))
    if which.times == "since":
        return Times(Plan("timed past"), Plan("since"), "past")
    if which.times == "not until":
        return Times(Plan("timed past"), Plan("timed past"), "past", "cai")
    if choose.source.chance(0.65):
        return Times(Plan("timed past"), Plan("timed past"), "past")
    return Times(Plan("future"), Plan("future"), "present")


def _subjects(choose: Chooser, scope: Scope, *, back: bool) -> tuple[Nominal, Nominal]:
    """Two subjects, often the same. English names it in its own first clause: ta is linked to the
    pronoun, wherever that ends up."""
    first = a_subject(choose, scope)
    how = choose.source.weighted([("other", 4.5), ("pronoun", 3.0), ("dropped", 1.2)])
    if how == "other" or first.entry.category == "pro":
        second = a_subject(choose, replace(scope, depth=1))
        return first, second
    second = again(first)
    if how == "dropped":
        second = replace(second, source=None, subject=insert(second.pronoun, "PRP"))
    if back:
        return replace(first, subject=second.subject), replace(second, subject=first.subject)
    return first, second


def _clause(
    choose: Chooser,
    subject: Nominal,
    when: Plan,
    scope: Scope,
    mood: str,
    adverb: Leaf | None = None,
) -> Clause:
    core = predicate(choose, subject, replace(scope, table=when.table), small=scope.depth < 2)
    if mood == "past":
        mood = {"posture": "past zhe", "still": "past zhe still"}.get(core.kind, mood)
    if adverb:
        mark = Adjunct(Tree("ADVP", (adverb,)), (), MANNER, outer=True)
        core = replace(core, adjuncts=(mark, *core.adjuncts))
    return assemble(choose, subject, core, when, scope, mood_name=mood, extras=not mood)


def _close(
    choose: Chooser, which: Connective, opening: Clause
) -> tuple[tuple[Tree | Leaf, ...], Words]:
    """The first clause with its conjunction at either end, and the English conjunction."""
    if which.joint:
        return (opening.source,), ()
    made, leaves = CLOSINGS[which.closing](opening.source)
    tag = "P" if which.closing in ("yihou", "shi", "de shihou") or which.first == "zhidao" else "CS"
    if which.first:
        leaf = Leaf(tag, which.first)
        leaves = (leaf, *leaves)
        made = Tree("PP" if tag == "P" else "CP", (leaf, made))
    return (made,), link(wording(choose, which.english), "IN", *leaves)


Closed = tuple[Tree, tuple[Leaf, ...]]


def _open_end(clause: Tree) -> Closed:
    return clause, ()


def _localised(word: str) -> Callable[[Tree], Closed]:
    """ta chi fan yihou → (LCP (IP ...) (LC yihou))"""

    def close(clause: Tree) -> Closed:
        leaf = Leaf("LC", word)
        return Tree("LCP", (clause, leaf)), (leaf,)

    return close


def _shihou(clause: Tree) -> Closed:
    """ta chi fan de shihou → (NP (CP (IP ...) (DEC de)) (NP (NN shihou)))"""
    de, noun = Leaf("DEC", "de"), Leaf("NN", "shihou")
    return Tree("NP", (Tree("CP", (clause, de)), Tree("NP", (noun,)))), (noun,)


def _dehua(clause: Tree) -> Closed:
    """ruguo ta lai de hua → the particle closes the condition"""
    leaf = Leaf("SP", "dehua")
    return Tree("CP", (clause, leaf)), (leaf,)


CLOSINGS: dict[str, Callable[[Tree], Closed]] = {
    "": _open_end,
    "yihou": _localised("yihou"),
    "yiqian": _localised("yiqian"),
    "shi": _localised("shi"),
    "de shihou": _shihou,
    "de hua": _dehua,
}


def _second(choose: Chooser, which: Connective) -> tuple[tuple[Tree | Leaf, ...], Words]:
    """The conjunction of the second clause; English has one only where the first has none."""
    if not which.second:
        return (), ()
    leaf = Leaf(SECOND_TAGS[which.second], which.second)
    node = leaf if leaf.tag == "CC" else Tree("ADVP", (leaf,))
    words = link(wording(choose, which.joint), "CC", leaf) if which.joint else ()
    return (node,), words
