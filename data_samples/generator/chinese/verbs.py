"""What Chinese marks by words around the verb, English by auxiliaries: links between the two."""

from typing import Any

from hyperbaton.data_samples.generator.english import Agreement, verb_group
from hyperbaton.data_samples.generator.synchronous import Leaf, Phrase, Tree, Word, Words

# The order of English adjuncts after the verb and its objects, whatever the Chinese order.
MANNER, BENEFIT, INSTRUMENT, COMPANION, PLACE, DURATION, FREQUENCY, TIME, CLAUSE = range(9)
SHIFTED = {"will": "would", "can": "could", "may": "might"}
WORD_TAGS = {"to": "TO", "a": "DT", "an": "DT", "the": "DT"}
WORD_TAGS |= dict.fromkeys(("about", "for", "of", "at", "on", "in", "after", "with", "like"), "IN")
WORD_TAGS |= dict.fromkeys(("up", "off", "out", "down", "back", "over", "along", "away"), "RP")


def marks_of(mood: Phrase) -> Phrase:
    """The leaves of a mood, by what of the English they express, and its adverbs."""
    aspect = (Leaf("AS", mood.aspect),) if mood.aspect else ()
    leaves: list[Leaf] = []
    roles: dict[str, list[Leaf]] = {"aux": list(aspect) if mood.aspect == "guo" else [], "not": []}
    adverbs: list[Word] = []
    for item in filter(None, mood.marks.split(",")):
        tag, word, role, *adverb = item.split(".")
        leaf = Leaf(tag, word)
        leaves.append(leaf)
        for name in filter(None, role.split("+")):
            roles[name].insert(0, leaf)
        adverbs += [Word(text, "RB", (leaf,)) for text in adverb]
    middle, last = ([], adverbs) if mood.late else (adverbs, [])
    return Phrase(leaves=leaves, aspect=aspect, roles=roles, middle=middle, last=last)


def under_marks(leaves: list[Leaf], before: Any, inner: Tree) -> Tree:
    """Adverbs stand beside the verb phrase, (VP (ADVP (AD mei)) (VP ...)); modals take one."""
    children: list[Tree] = []
    for position, leaf in enumerate(leaves):
        if leaf.tag == "VV":
            modal = Tree("VP", (leaf, under_marks(leaves[position + 1 :], before, inner)))
            return Tree("VP", (*children, modal)) if children else modal
        children.append(Tree("ADVP", (leaf,)))
    children.extend(before)
    return Tree("VP", (*children, inner)) if children else inner


def finite_verb(
    core: Phrase, mood: Phrase, marks: Phrase, subject: Agreement, middle: Words, inverted: bool
) -> tuple[Words, Words]:
    """Auxiliaries, adverbs in the middle, main verb (has already bought, is also busy), cut where a
    question puts the subject. Each auxiliary is linked to the mark that it translates, otherwise to
    bei or the verb."""
    lemma = core.lemma.split()[0]
    chain = [("have", "part", "aux")] if mood.perfect else []
    chain += [("be", "ing", "aux")] if mood.progressive else []
    chain += [("be", "part", "bei")] if core.bei else []
    group = verb_group(
        lemma,
        subject,
        tense="past" if mood.tense == "past" else "present",
        negation=mood.negation,
        modal=mood.modal,
        auxiliaries=tuple(chain),
        inverted=inverted,
    )
    links = {"verb": core.heads, "bei": core.bei, **marks.roles}
    words = [Word(text, tag, tuple(links[r] or core.bei or core.heads)) for text, tag, r in group]
    adverbs = (*middle, *marks.middle)
    cut = 2 if mood.negation else 1
    if len(words) == 1 and lemma != "be":
        return (), (*adverbs, *words)
    if mood.negation and not inverted:  # actually does not know
        return tuple(middle), (*words[:cut], *marks.middle, *words[cut:])
    if inverted:
        return tuple(words[:1]), (*words[1:cut], *adverbs, *words[cut:])
    return tuple(words[:cut]), (*adverbs, *words[cut:])


def tail(core: Phrase) -> list[Any]:
    """The English after the verb group: the rest of a verb of several words, (be) interested,
    (look) at; objects; adjuncts by their rank."""
    first, *rest = core.lemma.split()
    words: list[Any] = []
    for text in rest:
        default = "VBG" if text.endswith("ing") else "JJ" if first == "be" else "NN"
        words.append(Word(text, WORD_TAGS.get(text, default), tuple(core.heads)))
    ranked = [*core.late, *((a.rank, a.words) for a in core.adjuncts if not a.front)]
    return [*words, core.words, *(more for _, more in sorted(ranked, key=lambda pair: pair[0]))]
