"""Numbers, demonstratives and measure words before the noun.

The noun to the right decides the measure word's English: bei is "cup of" with tea, "glass of" with
water; ben, zhang and most others have none. A measure word also tells homographs apart (yi ke shu:
a tree, yi ben shu: a book).
"""

from collections.abc import Callable
from dataclasses import dataclass

from hyperbaton.data_samples.generator.chinese.words import LEXICON, Words, insert, link, wording
from hyperbaton.data_samples.generator.english import plural
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree


@dataclass(frozen=True)
class Determiner:
    """What stands before the noun, with the English that replaces the article."""

    source: Tree | None = None
    words: Words = ()
    many: bool = False
    measured: bool = False  # "cups of" carries the number instead of the noun
    definite: bool = False  # asks for "the" in front of it


NONE = Determiner()
WEIGHTS = {
    "none": 11.0, "one": 4.0, "number": 2.2, "this": 2.5, "these": 1.2, "these three": 0.7,
    "every": 0.5, "several": 0.7, "some": 0.7, "many": 0.9, "ordinal": 0.5,
}  # fmt: skip
COUNTED = ("one", "number", "this", "every", "several")  # those with a measure word
POINTING = ("this", "these", "these three", "every", "ordinal")
DEMONSTRATIVES = (("zhe", "this", "these"), ("na", "that", "those"))


def determiner(choose: Chooser, entry: Entry, *, new: bool = False) -> Determiner:
    """A determiner that the noun admits, often none; `new` things are not pointed at."""
    names = [name for name in _admitted(entry) if not (new and name in POINTING)]
    name = choose.source.weighted([(name, WEIGHTS[name]) for name in names])
    return RULES[name](choose, entry) if name != "none" else NONE


def _admitted(entry: Entry) -> tuple[str, ...]:
    abstract = entry.category == "topic" and entry.has("mass") and not entry.has("m")
    if entry.has("bare") or entry.category == "attr" or abstract:
        return ("none",)
    if entry.has("counted"):
        return COUNTED
    if entry.has("mass") or entry.has("plural"):
        uncounted = ("none", "many", "some") if entry.has("mass") else ("none", "some")
        return (
            (*uncounted, "one", "number", "this")
            if ":" in entry.features.get("m", "")
            else (uncounted)
        )
    return tuple(WEIGHTS)


def _measure(choose: Chooser, entry: Entry, *, many: bool) -> tuple[Tree, Words]:
    """The measure word's phrase and its English, if it has one: bei → cups of."""
    options = entry.features.get("m", "ge").split(",")
    usual, *others = [item.partition(":") for item in options]
    english_only = entry.has("mass") or entry.has("plural")
    others = [item for item in others if item[2] or not english_only]
    chosen = choose.source.among(*others) if others and choose.source.chance(0.3) else usual
    leaf = Leaf("M", chosen[0])
    words: Words = ()
    if chosen[2]:
        measure, of = chosen[2].split("_")
        words = link(plural(measure) if many else measure, "NNS" if many else "NN", leaf)
        words += insert(of, "IN")
    return Tree("CLP", (leaf,)), words


def _one(choose: Chooser, entry: Entry) -> Determiner:
    """yi ben shu → a book, yi bei cha → a cup of tea"""
    one = Leaf("CD", "yi")
    measure, english = _measure(choose, entry, many=False)
    return Determiner(
        Tree("QP", (one, measure)), link("a", "DT", one) + english, measured=bool(english)
    )


def _number(choose: Chooser, entry: Entry) -> Determiner:
    """san zhang zhuozi → three tables"""
    number = LEXICON.pick(choose, "number")
    leaf = Leaf("CD", number.forms[0])
    measure, english = _measure(choose, entry, many=True)
    words = link(number.english, "CD", leaf) + english
    return Determiner(Tree("QP", (leaf, measure)), words, many=True, measured=bool(english))


def _this(choose: Chooser, entry: Entry) -> Determiner:
    """na liang che → that car"""
    word, english, _ = choose.source.among(*DEMONSTRATIVES)
    leaf = Leaf("DT", word)
    measure, measured = _measure(choose, entry, many=False)
    words = link(english, "DT", leaf) + measured
    return Determiner(Tree("DP", (leaf, measure)), words, measured=bool(measured))


def _these(choose: Chooser, _entry: Entry) -> Determiner:
    """zhe xie shu → these books: xie makes the plural"""
    word, _, english = choose.source.among(*DEMONSTRATIVES)
    leaf, measure = Leaf("DT", word), Leaf("M", "xie")
    source = Tree("DP", (leaf, Tree("CLP", (measure,))))
    return Determiner(source, link(english, "DT", leaf, measure), many=True)


def _these_three(choose: Chooser, entry: Entry) -> Determiner:
    """na san ge ren → those three men"""
    word, _, english = choose.source.among(*DEMONSTRATIVES)
    leaf = Leaf("DT", word)
    number = _number(choose, entry)
    assert number.source
    words = link(english, "DT", leaf) + number.words
    return Determiner(Tree("DP", (leaf, number.source)), words, many=True, measured=number.measured)


def _every(choose: Chooser, entry: Entry) -> Determiner:
    """mei ge xuesheng → every student"""
    leaf = Leaf("DT", "mei")
    measure, english = _measure(choose, entry, many=False)
    words = link(wording(choose, "every|each"), "DT", leaf) + english
    return Determiner(Tree("DP", (leaf, measure)), words, measured=bool(english))


def _several(choose: Chooser, entry: Entry) -> Determiner:
    """ji ben shu → several books"""
    leaf = Leaf("CD", "ji")
    measure, english = _measure(choose, entry, many=True)
    words = link(wording(choose, "several|a few"), "JJ", leaf) + english
    return Determiner(Tree("QP", (leaf, measure)), words, many=True, measured=bool(english))


def _some(_choose: Chooser, entry: Entry) -> Determiner:
    """yixie ren → some people"""
    leaf = Leaf("CD", "yixie")
    return Determiner(Tree("QP", (leaf,)), link("some", "DT", leaf), many=not entry.has("mass"))


def _many(choose: Chooser, entry: Entry) -> Determiner:
    """henduo ren → many people, henduo cha → a lot of tea"""
    leaf = Leaf("CD", "henduo")
    english = wording(choose, "a lot of|much" if entry.has("mass") else "many|a lot of")
    return Determiner(Tree("QP", (leaf,)), link(english, "JJ", leaf), many=not entry.has("mass"))


def _ordinal(choose: Chooser, entry: Entry) -> Determiner:
    """di er ge wenti → the second problem"""
    ordinal = LEXICON.pick(choose, "ordinal")
    leaf = Leaf("OD", ordinal.forms[0])
    measure, english = _measure(choose, entry, many=False)
    words = link(ordinal.english, "JJ", leaf) + english
    source = Tree("QP", (leaf, measure))
    return Determiner(source, words, measured=bool(english), definite=True)


RULES: dict[str, Callable[[Chooser, Entry], Determiner]] = {
    "one": _one,
    "number": _number,
    "this": _this,
    "these": _these,
    "these three": _these_three,
    "every": _every,
    "several": _several,
    "some": _some,
    "many": _many,
    "ordinal": _ordinal,
}
