"""Verb frames: which particles a verb asks for and how English orders its complements.

The lexicon writes a frame as `args=ni:person,o:thing en=o,to+ni`; voices turn one frame into
another (the object of an active verb is the subject of its passive).
"""

from dataclasses import dataclass, replace
from functools import cache

from hyperbaton.data_samples.generator.lexicon import Entry

VERB = "*"  # in an English order: the place of the main verb below "make" or "have"


@dataclass(frozen=True)
class Slot:
    role: str
    particles: tuple[str, ...]  # any of them, "e" for "ni"
    kinds: str  # classes of noun
    optional: bool = False


@dataclass(frozen=True)
class Frame:
    entry: Entry
    subject: str
    slots: tuple[Slot, ...]
    order: tuple[tuple[str, str], ...]  # preposition, role
    voice: str = ""

    def slot(self, role: str) -> Slot | None:
        return next((slot for slot in self.slots if slot.role == role), None)


@cache
def frame(entry: Entry) -> Frame:
    """The frame of a verb as the lexicon writes it."""
    slots = tuple(_slot(text) for text in entry.features["args"].split(","))
    order = []
    for item in entry.features["en"].split(","):
        preposition, _, role = item.rpartition("+")
        order.append((preposition.replace("_", " "), role))
    return Frame(entry, entry.features.get("subj", "person"), slots, tuple(order))


def _slot(text: str) -> Slot:
    names, _, kinds = text.partition(":")
    particles = tuple(names.rstrip("?").split("/"))
    return Slot(particles[0], particles, kinds, names.endswith("?"))


def passive(active: Frame) -> Frame:
    """inu ni kamareta → was bitten by a dog"""
    slots = tuple(slot for slot in active.slots if slot.role != "o" and not slot.optional)
    order = tuple(item for item in active.order if item[1] in {slot.role for slot in slots})
    agents = () if any(s.role == "ni" for s in slots) else (Slot("agent", ("ni",), active.subject),)
    patient = active.slot("o")
    assert patient is not None
    return replace(
        active,
        subject=patient.kinds,
        slots=(*agents, *slots),
        order=(*order, ("by", "agent")),
        voice="passive",
    )


def victim(active: Frame) -> Frame:
    """dorobou ni saifu o nusumareta → had his wallet stolen by a thief"""
    agent = Slot("agent", ("ni",), active.subject)
    patient = active.slot("o")
    assert patient is not None
    order = (("", "o"), ("", VERB), ("by", "agent"))
    return replace(active, subject="person", slots=(agent, patient), order=order, voice="victim")


def _with_doer(active: Frame, particle: str, doers: str, subject: str, voice: str) -> Frame:
    """Another person acts: the doer stands before the English main verb."""
    doer = Slot("doer", (particle,), doers)
    order = (("", "doer"), ("", VERB), *active.order)
    return replace(active, subject=subject, slots=(doer, *active.slots), order=order, voice=voice)


def causative(active: Frame) -> Frame:
    """seito ni hon o yomaseta → made the pupil read a book"""
    particle = "ni" if active.slot("o") else "o"
    return _with_doer(active, particle, "person.young+person.learner", "person", "causative")


def favour(active: Frame) -> Frame:
    """tomodachi ni kuruma o naoshite moratta → had a friend repair the car"""
    return _with_doer(active, "ni", "person", "person", "favour")


def benefit(active: Frame) -> Frame:
    """watashi ni hon o yonde kureta → read a book for me"""
    slots = (Slot("gain", ("ni",), "pro.gain"), *active.slots)
    order = (*active.order, ("for", "gain"))
    givers = "person.kin+person.job"  # not the speaker
    return replace(active, subject=givers, slots=slots, order=order, voice="benefit")


def voices(active: Frame) -> list[str]:
    """The voices a frame allows: one ni in a clause is enough."""
    entry = active.entry
    names = []
    if entry.has("passive"):
        names.append("passive")
    if entry.has("victim"):
        names.append("victim")
    person = active.subject == "person" and not entry.has("state")
    if person and active.slot("o") and not active.slot("ni") and not active.slot("kara"):
        names += ["causative"] if entry.has("pot") else []
        names += ["favour", "benefit"] if entry.has("ben") else []
    return names


CHANGES = {
    "passive": passive,
    "victim": victim,
    "causative": causative,
    "favour": favour,
    "benefit": benefit,
}
