"""What the surroundings ask of a clause, and the mood, tense and adjuncts that follow from it."""

from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.japanese.adjuncts import Wanted
from hyperbaton.data_samples.generator.japanese.frames import Frame
from hyperbaton.data_samples.generator.japanese.predicates import (
    MOODS,
    PLAIN,
    STATE,
    VOICES,
    Inflection,
    Mood,
)
from hyperbaton.data_samples.generator.japanese.words import Nominal
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser

MOOD_WEIGHTS = [
    ("plain", 62.0),
    ("progressive", 11.0),
    ("potential", 6.0),
    ("want", 6.0),
    ("ability", 3.0),
    ("must", 4.0),
    ("maybe", 3.0),
    ("intend", 2.0),
    ("begin", 3.0),
    ("continue", 1.5),
    ("finish", 1.5),
    ("try", 1.5),
    ("ever", 2.5),
]
DEEDS = ("potential", "ability", "want", "intend", "try", "begin", "continue", "finish")
LASTING = ("progressive", "begin", "continue", "finish")
EMBEDDED_MOODS = ("progressive", "potential", "want")


@dataclass(frozen=True)
class Setting:
    """What the surroundings ask of a clause."""

    depth: int = 0
    polite: bool = False
    shared: Nominal | None = None  # a subject that is understood from elsewhere
    other: Nominal | None = None  # the subject of the clause around it
    topic: bool = False  # the subject may be marked with wa
    person: bool = False  # the subject must be a person
    how: Inflection | None = None  # tense and form, if decided outside
    simple: bool = False  # a deed without mood or voice
    backshift: bool = False  # nonpast below "said": would, was
    asks: bool = False  # about one of its parts
    adjuncts: float = 1.0
    link: str = "da"  # what a plain copula becomes at its end
    deed: bool = False  # something one can be asked to do
    fronting: bool = True  # the object may be the topic
    gap: str = ""  # relative clause: role, frame and noun of its head
    frame: Frame | None = None
    head: Entry | None = None


def stative_of(entry: Entry) -> bool:
    return entry.has("na") or entry.has("adj") or entry.has("state")


def mood_of(choose: Chooser, shape: Frame, setting: Setting) -> Mood:
    """-te iru, -tai, -nakereba naranai and so on; a voice or a state leaves no choice."""
    entry = shape.entry
    if shape.voice:
        return VOICES[shape.voice]
    if entry.has("state"):
        return STATE
    if setting.simple or stative_of(entry) or "subj" in entry.features:
        return PLAIN
    name = choose.source.weighted(MOOD_WEIGHTS)
    if setting.depth and name not in EMBEDDED_MOODS:
        return PLAIN
    if name in DEEDS and not entry.has("pot"):
        return PLAIN
    if name in LASTING and entry.has("punct"):
        return PLAIN
    return MOODS.get(name, PLAIN)


def inflection_of(
    choose: Chooser, entry: Entry, mood: Mood, setting: Setting
) -> tuple[Inflection, str]:
    """Tense and polarity, and the kind of time expression that goes with them."""
    if setting.how:
        return _given(setting.how, entry, mood)
    kind = choose.source.weighted(_kinds(setting))
    negative = choose.source.chance(0.14) and not mood.always_negative and not setting.asks
    if mood is MOODS["ever"]:
        return Inflection(False, negative, setting.polite), ""
    past = kind == "past"
    timeless = mood.stative or stative_of(entry)
    nonpast = "future" if kind == "future" and not timeless else "present"
    if setting.backshift:
        nonpast = {"future": "would", "present": "past"}[nonpast]
    how = Inflection(past, negative, setting.polite, nonpast, link=setting.link)
    return how, kind if past or not timeless else ""


def _kinds(setting: Setting) -> list[tuple[str, float]]:
    """A nonpast is future in a main clause or quotation unless a time says "every day"; in a
    relative clause it is a habit."""
    future = 0.0 if setting.gap else 2.0
    habit = 0.0 if setting.asks else 2.5 if setting.gap else 1.0 if not setting.depth else 0.0
    return [("past", 6.0), ("future", future), ("habit", habit)]


def _given(how: Inflection, entry: Entry, mood: Mood) -> tuple[Inflection, str]:
    """An inflection decided outside, made to fit the mood."""
    if mood is MOODS["ever"]:
        return replace(how, past=False, nonpast="present"), ""
    if mood.always_negative:
        how = replace(how, negative=False)
    if (mood.stative or stative_of(entry)) and how.tense in ("future", "would"):
        how = replace(how, nonpast="present" if how.tense == "future" else "past")
    return how, {"past": "past", "future": "future"}.get(how.tense, "")


def wanted_of(setting: Setting, shape: Frame, mood: Mood, how: Inflection, kind: str) -> Wanted:
    """The adjuncts that fit; a plain nonpast main clause needs a time to be understood."""
    habit = kind == "habit" and not setting.gap and not how.past
    return Wanted(
        kind,
        negative=how.negative,
        place=not shape.entry.has("noplace") and setting.gap != "place",
        forced=habit,
        share=setting.adjuncts if not setting.depth else setting.adjuncts * 0.4,
        state=stative_of(shape.entry),
        act=mood is PLAIN and shape.entry.has("pot") and not shape.entry.has("punct"),
    )
