"""A verb with its arguments before tense and subject, and how it becomes a verb phrase."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.verbs import (
    Marks,
    Mood,
    complement,
    link_group,
    verb_group,
    wrap_marks,
)
from hyperbaton.data_samples.generator.chinese.words import Words, insert, link
from hyperbaton.data_samples.generator.english import Agreement, verb
from hyperbaton.data_samples.generator.synchronous import Leaf, Tree, Word

# The order of English adjuncts after the verb and its objects, whatever the Chinese order.
MANNER, BENEFIT, INSTRUMENT, COMPANION, PLACE, DURATION, FREQUENCY, TIME, CLAUSE = range(9)


@dataclass(frozen=True)
class Adjunct:
    """A phrase that no verb asks for; `outer` ones stand before adverbs, negation and modals."""

    source: Tree
    words: Words
    rank: int
    front: bool = False  # at the beginning of the English clause
    outer: bool = False


def _itself(tree: Tree) -> Tree:
    return tree


@dataclass(frozen=True)
class Core:
    """`heads` are the leaves of the English verb, `words` what follows it in English.

    In Chinese `pre` precedes and `post` follows the verb, whose phrase `wrap` may enclose (ba,
    bei). `kind` names the moods that it admits.
    """

    lemma: str
    verb: Tree | Leaf
    heads: tuple[Leaf, ...]
    words: Words = ()
    pre: tuple[Tree, ...] = ()
    post: tuple[Tree | Leaf, ...] = ()
    wrap: Callable[[Tree], Tree] = _itself
    kind: str = "event"
    bei: tuple[Leaf, ...] = ()
    asked: Words = ()
    adjuncts: tuple[Adjunct, ...] = ()
    late: tuple[tuple[int, Words], ...] = ()  # rank and English of complements within `post`
    roomy: bool = True  # may take a place, a companion, an adverb of manner
    durable: bool = False

    @property
    def busy(self) -> bool:
        """Whether a phrase precedes the verb already."""
        return bool(self.pre or self.adjuncts)


def verb_phrase(core: Core, marks: Marks | None = None, outer: tuple[Tree, ...] = ()) -> Tree:
    """The Chinese verb phrase: outer adjuncts, marks, inner adjuncts, arguments, verb."""
    aspect = (marks.aspect,) if marks and marks.aspect else ()
    inner = Tree("VP", (core.verb, *aspect, *core.post))
    inner = core.wrap(inner)
    before = (*(a.source for a in core.adjuncts if not a.outer), *core.pre)
    if marks is None:
        whole = Tree("VP", (*before, inner)) if before else inner
    else:
        whole = wrap_marks(marks.leaves, before, inner)
    return Tree("VP", (*outer, whole)) if outer else whole


def tail(core: Core) -> Words:
    """The English after the verb group: complement, objects, adjuncts by their rank."""
    words = complement(core.lemma, core.heads) + core.words
    ranked = [*core.late, *((a.rank, a.words) for a in core.adjuncts if not a.front)]
    for _, more in sorted(ranked, key=lambda pair: pair[0]):
        words += more
    return words


def non_finite(core: Core, form: str) -> Words:
    """The English without a subject: to go, going, go."""
    lemma = core.lemma.split()[0]
    start = insert("to", "TO") if form == "to" else ()
    if form == "from":
        start = insert("from", "IN")
    shape = "ing" if form in ("ing", "from") else "base"
    tag = "VBG" if shape == "ing" else "VB"
    if core.bei:
        participle = Word(verb(lemma, "part"), "VBN", core.heads)
        return (*start, *link(verb("be", shape), tag, *core.bei), participle, *tail(core))
    return (*start, *link(verb(lemma, shape), tag, *core.heads), *tail(core))


@dataclass(frozen=True)
class Finite:
    """The English verb group cut where a question puts the subject."""

    first: Words
    rest: Words

    def all(self, *between: Word) -> Words:
        return (*self.first, *between, *self.rest)


def finite_verb(
    core: Core, mood: Mood, marks: Marks, subject: Agreement, middle: Words, *, inverted: bool
) -> Finite:
    """Auxiliaries, adverbs in the middle, main verb: has already bought, is also busy."""
    group = verb_group(
        core.lemma.split()[0], mood, subject, passive=bool(core.bei), inverted=inverted
    )
    words = link_group(group, marks, core.heads, core.bei)
    adverbs = (*middle, *marks.adverbs(last=False))
    cut = 2 if mood.negation else 1
    if len(words) == 1 and core.lemma.split()[0] != "be":
        return Finite((), (*adverbs, *words))
    if mood.negation and not inverted:  # actually does not know
        return Finite(tuple(middle), (*words[:cut], *marks.adverbs(last=False), *words[cut:]))
    if inverted:
        return Finite(words[:1], (*words[1:cut], *adverbs, *words[cut:]))
    return Finite(words[:cut], (*adverbs, *words[cut:]))


def with_adjuncts(core: Core, *adjuncts: Adjunct) -> Core:
    return replace(core, adjuncts=(*adjuncts, *core.adjuncts))
