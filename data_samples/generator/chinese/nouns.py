"""Noun phrases: determiners with measure words, adjectives, genitives, places, coordination.

Chinese puts every modifier before the noun; English scatters them on both sides. The genitive is
(NP (DNP (NP ...) (DEG de)) (NP ...)), the relative clause (NP (CP (IP ...) (DEC de)) (NP ...)).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from hyperbaton.data_samples.generator.chinese.determiners import Determiner, determiner
from hyperbaton.data_samples.generator.chinese.words import (
    LEXICON,
    NOWHERE,
    Modifier,
    Nominal,
    Scope,
    Words,
    accepts,
    belongs,
    insert,
    link,
    noun_words,
    phrase,
    pick_noun,
    plain,
    possessive_mark,
    pronoun,
    pronoun_for,
    sense,
    wording,
)
from hyperbaton.data_samples.generator.english import Agreement
from hyperbaton.data_samples.generator.lexicon import Entry
from hyperbaton.data_samples.generator.synchronous import Chooser, Leaf, Tree

MODIFIERS = [("none", 10.0), ("adjective", 5.0), ("genitive", 3.0), ("place", 0.5)]
KNOWN = 0.12  # share of the bare objects that English takes for known
RELATIVE_WEIGHT = {2: 4.2, 1: 1.5}  # by the depth still allowed


def noun_phrase(
    choose: Chooser, listed: str, scope: Scope, article: str = "a", *, avoid: str = ""
) -> Nominal:
    """A noun phrase of one of the classes; now and then two of them joined."""
    entry = pick_noun(choose, listed)
    while entry.forms[0] == avoid:
        entry = pick_noun(choose, listed)
    first = nominal(choose, entry, scope, article)
    if entry.category in ("pro", "body", "bare") or not choose.source.chance(0.08):
        return first
    other = pick_noun(choose, entry.category)
    if other.english == entry.english or other.has("counted"):
        return first
    return coordinate(choose, first, nominal(choose, other, replace(scope, depth=0), article))


def coordinate(choose: Chooser, first: Nominal, second: Nominal) -> Nominal:
    """laoshi he xuesheng → the teacher and the student; huozhe → or"""
    assert first.source
    assert second.source
    word, english = choose.source.among(("he", "and"), ("he", "and"), ("huozhe", "or"))
    conjunction = Leaf("CC", word)
    middle = link(english, "CC", conjunction)
    agreement = Agreement(3, True) if english == "and" else second.agreement
    return Nominal(
        Tree("NP", (first.source, conjunction, second.source)),
        first.words + middle + second.words,
        first.subject + middle + second.subject,
        first.subject + middle + second.possessive,
        agreement,
        first.entry,
        pronoun_for(first.entry, many=agreement.plural),
    )


def nominal(choose: Chooser, entry: Entry, scope: Scope, article: str = "a") -> Nominal:
    """The phrase of one noun, pronoun or name."""
    special = {"pro": _pronoun, "kin": _kin, "title": _titled, "given": _given, "city": _given}
    if entry.category in special:
        return special[entry.category](choose, entry)
    return _common(choose, entry, scope, article)


def _pronoun(_choose: Chooser, entry: Entry) -> Nominal:
    return pronoun(entry.forms[0], entry.english, entry)


def _given(choose: Chooser, entry: Entry) -> Nominal:
    """xiaoming → xiaoming, beijing → beijing"""
    tree, leaf = phrase("NP", "NR", entry.forms[0])
    return plain(tree, noun_words(choose, entry.english, entry, leaf, many=False), entry)


def _titled(choose: Chooser, entry: Entry) -> Nominal:
    """wang xiansheng → mr. wang: the title changes sides"""
    surname = LEXICON.pick(choose, "surname")
    family, title = Leaf("NR", surname.forms[0]), Leaf("NN", entry.forms[0])
    words = link(wording(choose, entry.english), "NNP", title)
    return plain(Tree("NP", (family, title)), words + link(surname.english, "NNP", family), entry)


def _kin(choose: Chooser, entry: Entry) -> Nominal:
    """wo mama → my mother; mama alone is one's own; xiaoming de mama → xiaoming 's mother"""
    tree, leaf = phrase("NP", "NN", entry.forms[0])
    words = noun_words(choose, entry.english, entry, leaf, many=False)
    how = choose.source.weighted([("pronoun", 5.0), ("alone", 1.5), ("owner", 2.0)])
    if how == "alone":
        return plain(tree, link("my", "PRP$", leaf) + words, entry)
    persons = "pro.wo,pro.ta,pro.ni" if entry.has("one") else "pro"
    kind = persons if how == "pronoun" else "title,given"
    owner = nominal(choose, pick_noun(choose, kind), NOWHERE)
    assert owner.source
    if how == "pronoun":
        return plain(Tree("NP", (owner.source, tree)), owner.possessive + words, entry)
    de = Leaf("DEG", "de")
    genitive = Tree("DNP", (owner.source, de))
    possessive = possessive_mark(owner.words, many=False, leaves=(de,))
    return plain(Tree("NP", (genitive, tree)), possessive + words, entry)


def _common(choose: Chooser, entry: Entry, scope: Scope, article: str) -> Nominal:
    """A common noun: determiner, then modifier, then which of the two comes first."""
    quantity = determiner(choose, entry, new=article == "new")
    many = _many(entry, quantity, article)
    modifier = _modifier(choose, entry, scope, quantity, Agreement(3, many), article)
    if modifier and article == "new" and modifier.definite:
        modifier = replace(modifier, definite=False)
    leaf = Leaf("NN", entry.forms[0])
    outer = [quantity.source] if quantity.source else []
    inner: list[Tree] = []
    if modifier and quantity.source and _determiner_inside(choose, modifier):
        outer, inner = inner, outer
    middle = [modifier.source] if modifier else []
    source = (*outer, *middle, *inner, Tree("NP", (leaf,)))
    owned = modifier is not None and bool(modifier.determiner)
    text = entry.features.get("of", entry.english) if owned else entry.english
    plural_noun = entry.has("pl") or entry.has("plural") if quantity.measured else many
    words = noun_words(choose, text, entry, leaf, many=plural_noun and not entry.has("mass"))
    if article == "a" and choose.target.chance(KNOWN):
        article = "the"
    start = _start(entry, quantity, modifier, article, many)
    if modifier:
        words = (*modifier.before, *words, *modifier.after)
    tree = Tree("NP", source) if len(source) > 1 else source[0]
    return plain(tree, (*start, *quantity.words, *words), entry, many=many)


def _determiner_inside(choose: Chooser, modifier: Modifier) -> bool:
    """wo de san ben shu always; mai shu de na ge ren against na ge mai shu de ren by chance"""
    if modifier.source.label == "DNP":
        return True
    return modifier.source.label == "CP" and bool(modifier.after) and choose.source.chance(0.4)


def _many(entry: Entry, quantity: Determiner, article: str) -> bool:
    if entry.has("plural"):
        return not quantity.measured or quantity.many
    if quantity.source or entry.has("mass"):
        return quantity.many
    generic = article == "generic" and not (entry.has("the") or entry.has("bare"))
    return entry.has("pl") or generic


def _start(
    entry: Entry, quantity: Determiner, modifier: Modifier | None, article: str, many: bool
) -> Words:
    """The article, which Chinese lacks, or what stands for it."""
    if modifier and modifier.determiner:
        return modifier.determiner
    if quantity.source and not (quantity.definite or (modifier and modifier.definite)):
        return ()
    if quantity.source and quantity.words and quantity.words[0].tag == "DT":
        return ()
    if entry.has("bare"):
        return ()
    definite = (
        quantity.definite
        or article == "the"
        or (entry.has("the") and article != "new")
        or bool(modifier and modifier.definite)
    )
    if definite and not (entry.category == "topic" and entry.has("mass") and not modifier):
        return insert("the", "DT")
    if many or entry.has("mass") or entry.has("plural"):
        return ()
    return insert("a", "DT")


def _modifier(
    choose: Chooser,
    entry: Entry,
    scope: Scope,
    quantity: Determiner,
    agreement: Agreement,
    article: str,
) -> Modifier | None:
    """An adjective, a genitive, a place, a relative clause, or nothing."""
    if entry.category == "attr":  # a name or a price belongs to something
        return genitive(choose, entry)
    weights = list(MODIFIERS)
    if entry.has("bare") or entry.category == "fee":
        return None
    if scope.depth > 0 and not quantity.definite:
        weights.append(("relative", RELATIVE_WEIGHT[min(scope.depth, 2)]))
    name = choose.source.weighted(weights)
    if article == "new" and name in ("genitive", "place"):
        return None
    if name == "adjective":
        return adjective(choose, entry)
    if name == "genitive" and (not quantity.source or quantity.words[0].tag == "CD"):
        return genitive(choose, entry)
    if name == "place" and belongs(entry, "goods,doc,animal,build,plant"):
        return _placed(choose)
    if name == "relative":
        made = scope.relative(choose, entry, agreement, scope)
        return replace(made, definite=quantity.source is None)
    return None


def adjective(choose: Chooser, entry: Entry) -> Modifier | None:
    """xin shu → new book; piaoliang de guniang → pretty girl, de only after some adjectives"""
    found = pick_adjective(choose, entry, lambda adj: not adj.has("pred"))
    if not found:
        return None
    text = wording(choose, sense(found, "of", entry))
    if found.has("mono"):
        tree, leaf = phrase("ADJP", "JJ", found.forms[0])
        return Modifier(tree, before=link(text, "JJ", leaf))
    leaf, de = Leaf("VA", found.forms[0]), Leaf("DEC", "de")
    children: tuple[Tree | Leaf, ...] = (leaf,)
    words = link(text, "JJ", leaf)
    if choose.source.chance(0.3):
        degree, adverb = phrase("ADVP", "AD", choose.source.among("hen", "feichang"))
        children = (degree, Tree("VP", (leaf,)))
        words = link("very", "RB", adverb) + words
    clause = Tree("IP", (Tree("VP", children),))
    return Modifier(Tree("CP", (clause, de)), before=words)


def pick_adjective(
    choose: Chooser, entry: Entry, wanted: Callable[[Entry], bool] = lambda _: True
) -> Entry | None:
    """An adjective that goes with the noun, if there is one."""

    said = set(entry.english.replace("|", " ").split())  # no young young woman

    def fits(adj: Entry) -> bool:
        if not (accepts(adj, "of", entry) and wanted(adj)):
            return False
        return said.isdisjoint(sense(adj, "of", entry).split("|"))

    if not any(fits(adj) and not adj.unseen for adj in LEXICON.entries("adj")):
        return None
    return LEXICON.pick(choose, "adj", fits)


# Head of a genitive: the classes of its owner and how English joins them.
GENITIVES = [
    ("attr", "doc,show,build,place,goods,clothes", "of"),
    ("doc", "subject", "compound"),
    ("person.job", "place.org,org", "either"),
    ("person.zhuren", "place", "of"),
    ("topic", "human,place.org,city,org", "owner"),
    ("place", "city,place.org", "either"),
    ("person,animal,doc,goods,clothes,vehicle,build,worn,shoes,body", "human", "'s"),
]


def genitive(choose: Chooser, entry: Entry) -> Modifier | None:
    """wo de shu → my book, chengshi de zhongxin → the center of the city, lishi de shu → history
    book: the kinds of both nouns decide"""
    rule = next((rule for rule in GENITIVES if belongs(entry, rule[0])), None)
    if not rule or entry.has("counted"):
        return None
    _, owners, how = rule
    owner = nominal(choose, pick_noun(choose, owners), NOWHERE, "the")
    assert owner.source
    de = Leaf("DEG", "de")
    source = Tree("DNP", (owner.source, de))
    human = belongs(owner.entry, "human")
    if how == "owner":
        how = "'s" if human else "of"
    if how == "either":  # both are fine, the usual one more often
        how = "of" if choose.target.chance(0.75) else "'s"
    if how == "compound":
        return Modifier(source, before=owner.words)
    if how == "of":
        return Modifier(source, after=link("of", "IN", de) + owner.words, definite=True)
    if owner.entry.category == "pro":
        return Modifier(source, determiner=owner.possessive)
    many = owner.agreement.plural
    return Modifier(source, determiner=possessive_mark(owner.words, many=many, leaves=(de,)))


def _placed(choose: Chooser) -> Modifier:
    """zhuozi shang de shu → the book on the table"""
    spot = located(choose, NOWHERE, "furn,place,build,plant.tree")
    de = Leaf("DEG", "de")
    return Modifier(Tree("DNP", (spot.source, de)), after=spot.words, definite=True)


@dataclass(frozen=True)
class Place:
    """Where something is: an LCP or a name of a place, and the English with its preposition."""

    source: Tree
    words: Words
    entry: Entry


def located(choose: Chooser, scope: Scope, listed: str, *extra: Leaf) -> Place:
    """zhuozi shang → on the table, men qianmian → in front of the door; `extra` is zai"""
    entry = pick_noun(choose, listed)
    while entry.has("noto"):  # jia: English has no "in home"
        entry = pick_noun(choose, listed)
    noun = nominal(choose, entry, scope, "the")
    assert noun.source
    localiser = LEXICON.pick(choose, "loc", lambda loc: accepts(loc, "of", noun.entry))
    leaf = Leaf("LC", localiser.forms[0])
    text = wording(choose, sense(localiser, "of", noun.entry))
    words = link(text, "IN", *extra, leaf) + noun.words
    return Place(Tree("LCP", (noun.source, leaf)), words, noun.entry)


def at_place(choose: Chooser, scope: Scope, listed: str = "place,place,city") -> Place:
    """zai xuexiao → at school, zai zhuozi shang → on the table: the noun decides the preposition"""
    zai = Leaf("P", "zai")
    if choose.source.chance(0.3):
        spot = located(choose, scope, "place,build,plant.tree", zai)
        return Place(Tree("PP", (zai, spot.source)), spot.words, spot.entry)
    noun = noun_phrase(choose, listed, scope, "the")
    assert noun.source
    words = link(wording(choose, noun.entry.features["at"]), "IN", zai) + noun.words
    return Place(Tree("PP", (zai, noun.source)), words, noun.entry)
