"""Tense, aspect and negation: what Chinese marks by words around the verb, English by auxiliaries.

A `Mood` lists the Chinese marks and the English forms they ask for; `verb_words` makes the English
verb group and links every auxiliary to the mark that it translates, or to the verb.
"""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.words import Words, link
from hyperbaton.data_samples.generator.english import Agreement, finite, verb
from hyperbaton.data_samples.generator.synchronous import Leaf, Tree, Word


@dataclass(frozen=True)
class Mark:
    """A word before the verb and its English: an auxiliary, the negation, or an adverb."""

    tag: str
    word: str
    roles: str = ""  # of "aux not"
    adverb: str = ""  # "already" in the verb group, "yet" at the end
    last: bool = False


@dataclass(frozen=True)
class Mood:
    """`kind` is what adverbs must agree with; `modal` may be "be going to"."""

    kind: str
    tense: str
    marks: tuple[Mark, ...] = ()
    aspect: str = ""
    negation: str = ""
    modal: str = ""
    progressive: bool = False
    perfect: bool = False


BU, MEI = Mark("AD", "bu", "not aux"), Mark("AD", "mei", "not aux")
NOT = Mark("AD", "bu", "not")


def _modal(word: str, modal: str, *, tag: str = "VV", tense: str = "present") -> Mood:
    kind = "future" if tense == "future" else "modal"
    return Mood(kind, tense, (Mark(tag, word, "aux"),), modal=modal)


MOODS = {
    "le": Mood("past", "past", aspect="le"),
    "mei": Mood("mei", "past", (MEI,), negation="not"),
    "yijing": Mood("perfect", "present", (Mark("AD", "yijing", adverb="already"),), "le",
                   perfect=True),
    "gang": Mood("perfect", "present", (Mark("AD", "gang", adverb="just"),), perfect=True),
    "guo": Mood("perfect", "present", aspect="guo", perfect=True),
    "mei guo": Mood("perfect", "present", (Mark("AD", "mei", "not"),), "guo", "never",
                    perfect=True),
    "hai mei": Mood("perfect", "present",
                    (Mark("AD", "hai", adverb="yet", last=True), Mark("AD", "mei", "not aux")),
                    negation="not", perfect=True),
    "past": Mood("past", "past"),  # nothing but a time word tells
    "past bu": Mood("bu", "past", (BU,), negation="not"),
    "present": Mood("present", "present"),
    "perfect": Mood("present", "present", perfect=True),
    "cai": Mood("mei", "past", (Mark("AD", "cai", "not aux"),), negation="not"),
    "bu": Mood("bu", "present", (BU,), negation="not"),
    "zhengzai": Mood("progressive", "present", (Mark("AD", "zhengzai", "aux"),), progressive=True),
    "zai": Mood("progressive", "present", (Mark("AD", "zai", "aux"),), progressive=True),
    "zhe": Mood("progressive", "present", aspect="zhe", progressive=True),
    "zhe still": Mood("state", "present", aspect="zhe"),
    "past zhe still": Mood("state", "past", aspect="zhe"),
    "past zhe": Mood("progressive", "past", aspect="zhe", progressive=True),
    "neng": _modal("neng", "can"),
    "keyi": _modal("keyi", "can|may"),
    "bixu": _modal("bixu", "must"),
    "dei": _modal("dei", "must"),
    "yinggai": _modal("yinggai", "should"),
    "keneng": _modal("keneng", "may|might"),
    "bu neng": Mood("modal", "present", (NOT, Mark("VV", "neng", "aux")), negation="not",
                    modal="can"),
    "bu yinggai": Mood("modal", "present", (NOT, Mark("VV", "yinggai", "aux")), negation="not",
                       modal="should"),
    "hui": _modal("hui", "will", tense="future"),
    "jiang": _modal("jiang", "will", tag="AD", tense="future"),
    "yao": _modal("yao", "be going to|will", tense="future"),
    "bu hui": Mood("future", "future", (NOT, Mark("VV", "hui", "aux")), negation="not",
                   modal="will"),
}  # fmt: skip
# What may be said of an event in each tense, and of a state.
EVENTS = {
    "past": [("le", 9.0), ("mei", 2.5), ("yijing", 1.5), ("guo", 1.0), ("mei guo", 0.6),
             ("hai mei", 0.8), ("gang", 0.6)],
    "timed past": [("le", 8.0), ("mei", 2.0)],
    "present": [("present", 3.0), ("bu", 1.0), ("zhengzai", 2.0), ("zai", 1.2), ("neng", 0.8),
                ("keyi", 0.7), ("bixu", 0.7), ("dei", 0.4), ("yinggai", 0.8), ("keneng", 0.5),
                ("bu neng", 0.7), ("bu yinggai", 0.3)],
    "habit": [("present", 1.0)],
    "now": [("zhengzai", 2.0), ("zai", 1.0)],
    "if": [("present", 4.0), ("bu", 2.0), ("neng", 0.8)],
    "since": [("mei guo", 2.0), ("yijing", 2.0), ("guo", 1.0), ("hai mei", 1.0)],
    "future": [("hui", 3.0), ("yao", 2.0), ("bu hui", 1.0), ("jiang", 1.0), ("keneng", 0.5)],
}  # fmt: skip
STATES = {
    "past": [("present", 3.0), ("bu", 1.2)],
    "timed past": [("past", 3.0), ("past bu", 1.0)],
    "present": [("present", 4.0), ("bu", 1.5), ("yinggai", 0.3), ("keneng", 0.4)],
    "habit": [("present", 1.0)],
    "now": [("present", 1.0), ("bu", 0.5)],
    "if": [("present", 3.0), ("bu", 1.5)],
    "since": [("perfect", 1.0)],
    "future": [("hui", 2.0), ("bu hui", 0.7), ("keneng", 0.4)],
}
REPORTS = {  # said, decided, asked: the past needs no mark
    "past": [("past", 8.0), ("mei", 1.0)],
    "timed past": [("past", 5.0), ("mei", 1.0)],
    "present": [("past", 1.0)],
    "habit": [("present", 1.0)],
    "now": [("keneng", 1.0), ("yinggai", 1.0)],
    "if": [("present", 3.0), ("bu", 1.0)],
    "since": [("perfect", 3.0), ("mei guo", 1.0)],
    "future": [("hui", 2.0), ("bu hui", 0.7), ("yao", 0.7)],
}
RESULTS = {  # what ba and bei tell is done
    "past": [("le", 8.0), ("mei", 1.3), ("yijing", 2.0), ("hai mei", 0.7)],
    "timed past": [("le", 8.0), ("mei", 1.5)],
    "present": [("le", 4.0), ("yinggai", 0.7), ("keneng", 0.6), ("bu neng", 0.5), ("bixu", 0.5)],
    "habit": [("present", 1.0)],
    "now": [("keneng", 1.0), ("bixu", 1.0)],
    "if": [("present", 3.0), ("bu", 1.0)],
    "since": [("yijing", 3.0), ("hai mei", 1.0)],
    "future": [("hui", 3.0), ("yao", 1.0), ("bu hui", 0.6), ("jiang", 0.5)],
}
POSTURES = {
    "past": [("zhe", 1.0)],
    "timed past": [("past zhe", 1.0)],
    "present": [("zhe", 3.0), ("hui", 1.0)],
    "habit": [("present", 1.0)],
    "now": [("zhe", 1.0)],
    "if": [("zhe", 1.0)],
    "since": [("perfect", 1.0)],
    "future": [("hui", 2.0), ("yao", 1.0)],
}
FACTS = {
    table: [(name, weight) for name, weight in moods if not MOODS[name].negation]
    for table, moods in STATES.items()
}
STILL = {  # is parked, is written: a posture that English tells without -ing
    table: [(f"{name} still" if name.endswith("zhe") else name, weight) for name, weight in moods]
    for table, moods in POSTURES.items()
}
KINDS = {
    "still": STILL,
    "fact": FACTS,
    "posture": POSTURES,
    "event": EVENTS,
    "state": STATES,
    "report": REPORTS,
    "result": RESULTS,
}
SHIFTED = {"will": "would", "can": "could", "may": "might", "might": "might"}


@dataclass(frozen=True)
class Marks:
    """The leaves made for one mood of one clause."""

    leaves: tuple[Leaf, ...]
    aspect: Leaf | None
    mood: Mood

    def role(self, name: str) -> tuple[Leaf, ...]:
        pairs = zip(self.mood.marks, self.leaves, strict=True)
        found = tuple(leaf for mark, leaf in pairs if name in mark.roles.split())
        if name == "aux" and self.mood.aspect == "guo" and self.aspect:
            found += (self.aspect,)
        return found

    def adverbs(self, *, last: bool) -> Words:
        pairs = zip(self.mood.marks, self.leaves, strict=True)
        chosen = [(m.adverb, leaf) for m, leaf in pairs if m.adverb and m.last == last]
        return tuple(Word(text, "RB", (leaf,)) for text, leaf in chosen)


def marks_of(mood: Mood) -> Marks:
    leaves = tuple(Leaf(mark.tag, mark.word) for mark in mood.marks)
    return Marks(leaves, Leaf("AS", mood.aspect) if mood.aspect else None, mood)


def shifted(mood: Mood) -> Mood:
    """Backshift under a verb of the past: will → would, has gone → had gone."""
    return replace(mood, tense="past", modal=SHIFTED.get(mood.modal, mood.modal))


def wrap_marks(leaves: tuple[Leaf, ...], before: tuple[Tree, ...], inner: Tree) -> Tree:
    """Adverbs stand beside the verb phrase, (VP (ADVP (AD mei)) (VP ...)); modals take one."""
    children: list[Tree] = []
    for position, leaf in enumerate(leaves):
        if leaf.tag == "VV":
            modal = Tree("VP", (leaf, wrap_marks(leaves[position + 1 :], before, inner)))
            return Tree("VP", (*children, modal)) if children else modal
        children.append(Tree("ADVP", (leaf,)))
    children.extend(before)
    return Tree("VP", (*children, inner)) if children else inner


def _chain(lemma: str, mood: Mood, passive: bool) -> list[tuple[str, str]]:
    """Verbs from the outermost auxiliary in, each with the form it asks of the next."""
    chain = []
    if mood.perfect:
        chain.append(("have", "part"))
    if mood.progressive:
        chain.append(("be", "ing"))
    if passive:
        chain.append(("be", "part"))
    return [*chain, (lemma, "")]


TAGS = {"part": "VBN", "ing": "VBG", "base": "VB"}
Role = tuple[str, str, str]  # text, tag, role


def verb_group(
    lemma: str, mood: Mood, subject: Agreement, *, passive: bool = False, inverted: bool = False
) -> list[Role]:
    """The finite verb group, each word with its role: aux, bei (be of the passive), not or verb.

    >>> [word for word, _, _ in verb_group("see", MOODS["hai mei"], Agreement(), passive=True)]
    ['has', 'not', 'been', 'seen']
    """
    chain = _chain(lemma, mood, passive)
    tense = "past" if mood.tense == "past" else "present"
    words: list[Role] = []
    form = "finite"
    if mood.modal:
        first, *others = mood.modal.split()
        text, tag = finite("be", tense, subject) if first == "be" else (first, "MD")
        words.append((text, tag, "aux"))
        words += [(w, "TO" if w == "to" else "VBG", "aux") for w in others]
        form = "base"
    elif (mood.negation or inverted) and chain == [(lemma, "")] and lemma != "be":
        words.append((*finite("do", tense, subject), "aux"))
        form = "base"
    roles = ["aux"] * (len(chain) - 2) + ["bei" if passive else "aux", "verb"]
    for (word, following), role in zip(chain, roles[-len(chain) :], strict=True):
        if form == "finite":
            text, tag = finite(word, tense, subject)
        else:
            text, tag = verb(word, form), TAGS[form]
        words.append((text, tag, role))
        form = following
    if mood.negation:
        words.insert(1, (mood.negation, "RB", "not"))
    return words


def link_group(
    group: list[Role], marks: Marks, heads: tuple[Leaf, ...], bei: tuple[Leaf, ...] = ()
) -> Words:
    """Links auxiliaries to the marks that express them, otherwise to bei or the verb."""
    found = {"verb": heads, "bei": bei, "aux": marks.role("aux"), "not": marks.role("not")}
    return tuple(Word(text, tag, found[role] or bei or heads) for text, tag, role in group)


WORD_TAGS = {"to": "TO", "a": "DT", "an": "DT", "the": "DT"}
WORD_TAGS |= dict.fromkeys(("about", "for", "of", "at", "on", "in", "after", "with", "like"), "IN")
WORD_TAGS |= dict.fromkeys(("up", "off", "out", "down", "back", "over", "along", "away"), "RP")


def complement(lemma: str, heads: tuple[Leaf, ...]) -> Words:
    """The rest of an English verb of several words: (be) interested, (look) at."""
    first, *rest = lemma.split()
    words: Words = ()
    for text in rest:
        default = "VBG" if text.endswith("ing") else "JJ" if first == "be" else "NN"
        words += link(text, WORD_TAGS.get(text, default), *heads)
    return words
