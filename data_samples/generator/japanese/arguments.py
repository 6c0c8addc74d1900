"""Arguments: what fills the slots of a verb frame, in the source before its particle, in English
behind the preposition that the frame asks for."""

from collections.abc import Callable
from dataclasses import dataclass

from hyperbaton.data_samples.generator.japanese.frames import VERB, Frame, Slot
from hyperbaton.data_samples.generator.japanese.modifiers import Demand, Modifier
from hyperbaton.data_samples.generator.japanese.phrases import noun_phrase
from hyperbaton.data_samples.generator.japanese.words import (
    Nominal,
    Words,
    link,
    named,
    pick_noun,
    pronoun,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

RELATIVES = (0.19, 0.09, 0.0)  # share of nouns with a relative clause, by depth
PARTICLE_TAGS = {"wa": "P-TOP", "ga": "P-SUBJ", "o": "P-OBJ", "no": "P-NO"}
WH = {"person": ("dare", "who", "WP"), "place": ("doko", "where", "WRB")}
WHAT = ("nani", "what", "WP")
NO_CLAUSE = {"kin", "proper", "det", "sport"}  # nouns that no relative clause restricts
RelativeRule = Callable[[Chooser, Entry, int], Modifier | None]


@dataclass(frozen=True)
class Filler:
    """An argument in both languages; a relativised one is empty but for its preposition."""

    tree: Tree | None = None
    particle: tuple[Leaf, ...] = ()
    words: Words = ()
    nominal: Nominal | None = None
    at: str = "in"


@dataclass(frozen=True)
class Around:
    """What an argument must know of its clause."""

    frame: Frame
    depth: int
    relative: RelativeRule
    owner: Nominal | None = None  # the subject
    gap: str = ""  # role of a relativised argument
    head: Entry | None = None
    asked: str = ""  # role that the question is about
    topic: str = ""  # role that is marked with wa


def argument(choose: Chooser, kinds: str, demand: Demand, relative: RelativeRule) -> Nominal:
    """A noun phrase of the classes, maybe a pronoun, a name, or a noun with a relative clause."""
    avoid = demand.owner
    if kinds.startswith("pro"):
        return pronoun(choose, avoid, kinds)
    if kinds == "name":
        return named(choose, avoid)
    if kinds.split("+")[0] == "person":
        sort = choose.source.weighted([("noun", 5.0), ("pro", 2.5), ("name", 2.5)])
        if sort == "pro":
            return pronoun(choose, avoid)
        if sort == "name":
            return named(choose, avoid)
    entry = pick_noun(choose, kinds)
    if avoid and entry is avoid.entry:
        entry = pick_noun(choose, kinds)
    restricts = not NO_CLAUSE & set(entry.features) and entry.category not in (
        "part",
        "body",
        "study",
    )
    share = RELATIVES[min(demand.depth, 2)] if demand.article in ("a", "the", "new") else 0.0
    if restricts and choose.source.chance(share):
        return noun_phrase(choose, entry, demand, relative(choose, entry, demand.depth + 1))
    return noun_phrase(choose, entry, demand)


def filler(choose: Chooser, slot: Slot, around: Around) -> Filler:
    """The argument of a slot with its particle."""
    if slot.role == around.gap and around.head:
        where = slot.role == "de" and around.head.category == "place"  # the shop where
        return Filler(at="" if where else around.head.features.get("at", "in"))
    particle = choose.source.among(*slot.particles)
    leaves = _particle("wa" if slot.role == around.topic else particle)
    if slot.role == around.asked:
        return _question_word(slot, leaves)
    floats = particle in ("o", "ga") and slot.role != around.topic
    demand = Demand(_article(slot, around), around.owner, around.depth, floats)
    nominal = argument(choose, slot.kinds, demand, around.relative)
    tree = Tree("PP", (nominal.source, *leaves))
    return Filler(tree, leaves, nominal.words, nominal, nominal.entry.features.get("at", "in"))


def _particle(text: str) -> tuple[Leaf, ...]:
    if text == "nitsuite":
        return (Leaf("P", "ni"), Leaf("P", "tsuite"))
    return (Leaf(PARTICLE_TAGS.get(text, "P"), text),)


def _article(slot: Slot, around: Around) -> str:
    """Places and topics are known, means of transport have no article, other objects are new."""
    preposition = next(p for p, role in around.frame.order if role == slot.role)
    if preposition == "by" and slot.role == "de":
        return "bare"
    if around.frame.voice == "victim" and slot.role == "o":
        return "own"
    if slot.role == "ga":
        return "generic"
    return "the" if slot.kinds.startswith("place") or slot.role == around.topic else "a"


def _question_word(slot: Slot, leaves: tuple[Leaf, ...]) -> Filler:
    """dare ni → who ... to, doko e → where, nani o → what; the English goes to the front."""
    category = slot.kinds.split("+")[0].partition(".")[0]
    japanese, english, tag = WH.get(category, WHAT)
    leaf = Leaf("PRO", japanese)
    links = (leaf, *leaves) if english == "where" else (leaf,)
    tree = Tree("PP", (Tree("NP", (leaf,)), *leaves))
    return Filler(tree, leaves, (Word(english, tag, links),))


def complements(frame: Frame, fillers: dict[str, Filler], verb: Words, asked: str) -> Words:
    """The arguments in the order of the English frame, each behind its preposition; `verb` is the
    main verb below "make" or "have"."""
    words: Words = ()
    for preposition, role in frame.order:
        if role == VERB:
            words += verb
        elif role in fillers:
            found = fillers[role]
            text = found.at if preposition == "@" else preposition
            if role != asked:
                words += link(text, "IN", *found.particle) + found.words
            elif found.words[0].text != "where":  # where stands for its preposition too
                words += link(text, "IN", *found.particle)
    return words
