"""Verb frames: which particles a verb asks for and how English orders its complements.

The lexicon writes a frame as `args=ni:person,o:thing en=o,to+ni`. In an English order, `*` is the
place of the main verb below "make" or "have".
"""

from dataclasses import replace
from functools import cache

from hyperbaton.data_samples.generator.english import plural
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Leaf, Phrase, Word, Words


@cache
def frame_of(entry: Entry) -> Phrase:
    """The frame of a verb as the lexicon writes it."""
    slots = [slot(*text.partition(":")[::2]) for text in entry.args.split(",")]
    order = [item.replace("_", " ").rpartition("+")[::2] for item in entry.en.split(",")]
    return Phrase(entry=entry, subject=entry.subj or "person", slots=slots, order=order, voice="")


def slot(particles: str, kinds: str, role: str = "") -> Phrase:
    """`particles` are any of several, "ni/e"; optional if they end in "?"."""
    names = particles.rstrip("?").split("/")
    optional = particles.endswith("?")
    return Phrase(role=role or names[0], particles=names, kinds=kinds, optional=optional)


def slot_of(frame: Phrase, role: str) -> Phrase | None:
    return next((slot for slot in frame.slots if slot.role == role), None)


def first_object(frame: Phrase) -> list[str]:
    """The first of two English objects, which stays in its place: taught *them* english"""
    bare = [role for preposition, role in frame.order if not preposition]
    return bare[:1] if len(bare) > 1 else []


@cache
def described(noun: Entry) -> Entry:
    """Names and pronouns are described like people."""
    return replace(noun, category="person") if noun.category in ("name", "pro") else noun


def noun_words(text: str, entry: Entry, leaves: tuple[Leaf, ...], many: bool) -> Words:
    """The English noun with all its words linked, plural if `many`."""
    tag = "NNP" if entry.proper else "NNS" if many or entry.plural else "NN"
    words = (plural(text) if many and not (entry.plural or entry.mass) else text).split()
    tags = ["NN" if tag == "NNS" else tag] * (len(words) - 1) + [tag]
    return tuple(Word(word, tag, leaves) for word, tag in zip(words, tags, strict=True))


def pronoun_for(entry: Entry, many: bool) -> str:
    if many or entry.plural:
        return "they"
    if entry.category in ("person", "name"):
        return "she" if entry.f else "he"
    return "it"
