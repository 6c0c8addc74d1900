"""One clause: a verb with its arguments in any order and its adjuncts; relative clauses."""

from dataclasses import dataclass, replace
from functools import cache

from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.japanese.adjuncts import Adverbials, adverbials
from hyperbaton.data_samples.generator.japanese.arguments import (
    PARTICLE_TAGS,
    Around,
    Filler,
    argument,
    complements,
    filler,
)
from hyperbaton.data_samples.generator.japanese.english import Clause, statement, verb_phrase
from hyperbaton.data_samples.generator.japanese.frames import CHANGES, Frame, frame, passive, voices
from hyperbaton.data_samples.generator.japanese.modifiers import Demand, Modifier
from hyperbaton.data_samples.generator.japanese.predicates import (
    Predicate,
    predicate,
)
from hyperbaton.data_samples.generator.japanese.settings import (
    Setting,
    inflection_of,
    mood_of,
    stative_of,
    wanted_of,
)
from hyperbaton.data_samples.generator.japanese.words import (
    LEXICON,
    Nominal,
    Words,
    belongs,
    belongs_to_any,
    hidden,
    link,
    pronoun_for,
    unsaid,
)
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree, Word

VOICE_SHARE = 0.2
OPTIONAL = 0.3  # share of optional arguments that are there
MARKERS = [("wa", 74.0), ("ga", 12.0), ("mo", 5.0), ("object", 9.0)]
NOT_ASKED = ("agent", "doer", "gain", "nitsuite")
WHEN_AND_WHY = {"time": ("itsu", "when"), "reason": ("naze", "why")}


@dataclass(frozen=True)
class Parts:
    """The pieces of a clause before they are put in order."""

    frame: Frame
    who: Nominal | None
    marker: str
    fillers: dict[str, Filler]
    extra: Adverbials
    verb: Predicate
    asked: str


def clause(choose: Chooser, setting: Setting) -> Clause:
    """A clause with a verb; see `Setting` for what can be asked."""
    shape = setting.frame or _shape(choose, setting)
    mood = mood_of(choose, shape, setting)
    how, kind = inflection_of(choose, shape.entry, mood, setting)
    asked = _asked(choose, shape) if setting.asks else ""
    marker = _marker(choose, setting, shape, asked)
    who = None
    if "subject" not in (setting.gap, asked):
        who = setting.shared or _subject(choose, shape, setting, marker)
    owner = who or _gap_owner(setting)
    topic = "o" if marker == "object" else ""
    around = Around(shape, setting.depth, relative, owner, setting.gap, setting.head, asked, topic)
    fillers = {
        slot.role: filler(choose, slot, around)
        for slot in shape.slots
        if not slot.optional or slot.role in (setting.gap, asked) or choose.source.chance(OPTIONAL)
    }
    wanted = wanted_of(setting, shape, mood, how, kind)
    extra = adverbials(
        choose,
        replace(
            wanted,
            owner=owner,
            many=bool(who and who.agreement.plural),
            place=wanted.place and "de" not in fillers,
            time=asked != "time",
        ),
    )
    if extra.drops:
        how = replace(how, negative=True, positive=True)
    verb = predicate(choose, shape.entry, mood, how)
    return _join(choose, setting, Parts(shape, who, marker, fillers, extra, verb, asked))


def _shape(choose: Chooser, setting: Setting) -> Frame:
    """A verb and its voice."""
    shape = frame(LEXICON.pick(choose, "verb", lambda entry: _fits(entry, setting)))
    possible = [] if setting.simple or setting.shared else voices(shape)
    if setting.person:
        possible = [voice for voice in possible if voice != "passive"]
    if possible and choose.source.chance(VOICE_SHARE):
        return CHANGES[choose.source.among(*possible)](shape)
    return shape


def _fits(entry: Entry, setting: Setting) -> bool:
    if (setting.shared or setting.person) and "subj" in entry.features:
        return False
    return not (setting.simple and stative_of(entry)) and (entry.has("pot") or not setting.deed)


def _marker(choose: Chooser, setting: Setting, shape: Frame, asked: str) -> str:
    """wa for what is known, ga for what is new, mo for "also"; or the object is the topic."""
    if not setting.topic or asked == "subject":
        return "no" if setting.gap and choose.source.chance(0.15) else "ga"
    marker = choose.source.weighted(MARKERS)
    patient = shape.slot("o")
    fronts = patient and not patient.optional and setting.fronting and not setting.shared
    if marker == "object":
        return marker if fronts and not asked and shape.voice != "victim" else "wa"
    return "wa" if asked and marker == "ga" else marker


def _subject(choose: Chooser, shape: Frame, setting: Setting, marker: str) -> Nominal:
    new = marker == "ga" and setting.topic
    demand = Demand("a" if new else "the", setting.other, setting.depth, new)
    return argument(choose, shape.subject, demand, relative)


def _gap_owner(setting: Setting) -> Nominal | None:
    """te o ageta hito → who raised *his* hand: the subject is the noun outside"""
    if setting.gap != "subject":
        return None
    if setting.head and belongs(setting.head, "person"):
        return unsaid(pronoun_for(setting.head, many=setting.head.has("pl")))
    return setting.other


def _asked(choose: Chooser, shape: Frame) -> str:
    """The role that a question asks for: a place only where English has a preposition."""
    bare = {role for preposition, role in shape.order if not preposition}
    means = {role for preposition, role in shape.order if preposition == "by"}
    unfit = {*NOT_ASKED, *_double(shape), *means}
    roles = [
        slot.role
        for slot in shape.slots
        if slot.role not in unfit and not (slot.role in bare and slot.kinds.startswith("place"))
    ]
    personal = ["subject"] if shape.subject.startswith("person") else []
    return choose.source.among(*personal, *roles, *roles, "time", "reason")


def _join(choose: Chooser, setting: Setting, parts: Parts) -> Clause:
    """Orders the Japanese constituents and collects the English parts."""
    extra = parts.extra
    heads, subject, agreement, also = _subject_side(setting, parts)
    front_tree, front = _front(parts)
    inner = _arranged(choose, parts)
    if parts.asked == "subject":
        heads = [front_tree] if front_tree else []
    elif parts.asked in WHEN_AND_WHY and front_tree:
        inner.insert(0, front_tree)
    if parts.marker == "object":
        heads = [tree for tree in (parts.fillers["o"].tree,) if tree] + heads
    if extra.time:
        heads.insert(choose.source.among(0, len(heads)), extra.time.source)
    body = Tree("VP", parts.verb.source)
    for tree in reversed(inner):
        body = Tree("VP", (tree, body))
    return Clause(
        tuple(heads),
        body,
        subject,
        agreement,
        parts.who,
        parts.verb,
        complements(parts.frame, parts.fillers, parts.verb.moved, parts.asked),
        extra.middle if parts.verb.negative else also + extra.middle,
        extra.manner,
        (extra.place.words if extra.place else ()) + (also if parts.verb.negative else ()),
        extra.time.words if extra.time else (),
        front,
    )


def _subject_side(setting: Setting, parts: Parts) -> tuple[list[Tree], Words, Agreement, Words]:
    """The subject with its particle, its English, its agreement, and "also" for mo."""
    who = parts.who
    if who is None:
        many = bool(setting.head and (setting.head.has("pl") or setting.head.has("plural")))
        return [], (), Agreement(3, many), ()
    if setting.shared:
        return [], hidden(who), who.agreement, ()
    particle = "ga" if parts.marker == "object" else parts.marker
    leaf = Leaf(PARTICLE_TAGS.get(particle, "P"), particle)
    either = parts.verb.negative  # he did not buy it *either*
    also = link("either" if either else "also", "RB", leaf) if particle == "mo" else ()
    trees = [Tree("PP", (who.source, leaf))]
    if who.floating:
        trees.append(who.floating)
    return trees, who.subject, who.agreement, also


def _front(parts: Parts) -> tuple[Tree | None, Words]:
    """The question word: its Japanese stays in place, its English opens the clause."""
    if parts.asked == "subject":
        leaf = Leaf("PRO", "dare")
        return Tree("PP", (Tree("NP", (leaf,)), Leaf("P-SUBJ", "ga"))), link("who", "WP", leaf)
    if parts.asked in WHEN_AND_WHY:
        japanese, english = WHEN_AND_WHY[parts.asked]
        leaf = Leaf("ADV", japanese)
        return Tree("ADVP", (leaf,)), link(english, "WRB", leaf)
    return None, parts.fillers[parts.asked].words if parts.asked else ()


def _arranged(choose: Chooser, parts: Parts) -> list[Tree]:
    """Place, arguments and adverb before the verb; the arguments are scrambled at times."""
    blocks: list[list[Tree]] = []
    for role, found in parts.fillers.items():
        if found.tree and not (role == "o" and parts.marker == "object"):
            floating = found.nominal.floating if found.nominal else None
            blocks.append([found.tree, *([floating] if floating else [])])
    if len(blocks) > 1 and choose.source.chance(0.4):
        blocks.insert(0, blocks.pop(1 + choose.source.below(len(blocks) - 1)))
    if parts.extra.place:
        at = choose.source.below(len(blocks) + 1) if choose.source.chance(0.3) else 0
        blocks.insert(at, [parts.extra.place.source])
    if parts.extra.adverb:
        blocks.insert(choose.source.among(0, len(blocks)), [parts.extra.adverb])
    return [tree for block in blocks for tree in block]


def relative(choose: Chooser, noun: Entry, depth: int) -> Modifier | None:
    """kare ga katta hon → the book that he bought, hon o katta mise → the shop where"""
    if belongs(noun, "place") and choose.source.chance(0.5):
        entry = LEXICON.pick(choose, "verb", _has_place)
        shape, role = frame(entry), "place"
    else:
        if not any(_roles(entry, noun) and not entry.unseen for entry in LEXICON.entries("verb")):
            return None
        entry = LEXICON.pick(choose, "verb", lambda entry: bool(_roles(entry, noun)))
        shape, role = frame(entry), choose.source.among(*_roles(entry, noun))
        if role == "o" and entry.has("passive") and choose.source.chance(0.25):
            shape, role = passive(shape), "subject"
    inside = clause(choose, Setting(depth, gap=role, frame=shape, head=noun))
    if role == "subject":
        person = belongs(noun, "person")
        who = person and not choose.target.chance(0.2)
        pronoun = Word("who", "WP") if who else Word("that", "WDT")
        words: Words = (pronoun, *verb_phrase(inside), *inside.time)
    elif role == "place" or (role == "de" and belongs(noun, "place")):
        words = (Word("where", "WRB"), *statement(inside))
    else:
        that = () if choose.target.chance(0.3) else (Word("that", "WDT"),)
        words = (*that, *statement(inside))
    return Modifier(inside.tree("IP-REL"), after=words, definite=True)


@cache
def _has_place(entry: Entry) -> bool:
    slots = {slot.role for slot in frame(entry).slots}
    return not entry.has("noplace") and not slots & {"de"} and not stative_of(entry)


@cache
def _roles(entry: Entry, noun: Entry) -> tuple[str, ...]:
    """The roles in which a noun can head a relative clause with this verb."""
    if entry.has("na") or entry.has("adj"):
        return ()
    shape = frame(entry)
    subject = ["subject"] if belongs_to_any(noun, shape.subject) else []
    fitting = [slot.role for slot in shape.slots if belongs_to_any(noun, slot.kinds)]
    unfit = ("nitsuite", *_double(shape))
    return (*subject, *(role for role in fitting if role not in unfit))


def _double(shape: Frame) -> tuple[str, ...]:
    """The first of two English objects, which stays in its place: taught *them* english"""
    bare = [role for preposition, role in shape.order if not preposition]
    return tuple(bare[:1]) if len(bare) > 1 else ()
