"""English morphology for the target side: plurals, degrees, agreement, verb groups; in lower
case."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """The agreement features of a subject."""

    person: int = 3
    plural: bool = False


PRONOUNS = {  # subject: object, possessive, agreement
    "i": ("me", "my", Agreement(1)),
    "you": ("you", "your", Agreement(2, True)),
    "he": ("him", "his", Agreement()),
    "she": ("her", "her", Agreement()),
    "it": ("it", "its", Agreement()),
    "we": ("us", "our", Agreement(1, True)),
    "they": ("them", "their", Agreement(3, True)),
}
IRREGULAR_VERBS = """
be was been, beat beat beaten, become became become, begin began begun, bite bit bitten,
blow blew blown, break broke broken, bring brought brought, build built built, buy bought bought,
catch caught caught, choose chose chosen, come came come, cut cut cut, do did done,
draw drew drawn, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen,
feel felt felt, fight fought fought, find found found, flee fled fled, fly flew flown,
forbid forbade forbidden, forget forgot forgotten, get got gotten, give gave given, go went gone,
grow grew grown, hang hung hung, have had had, hear heard heard, hide hid hidden, hit hit hit,
hold held held, keep kept kept, know knew known, lead led led, leave left left, lend lent lent,
let let let, lie lay lain, light lit lit, lose lost lost, make made made, meet met met,
mistake mistook mistaken, pay paid paid, put put put, quit quit quit, read read read,
ride rode ridden, ring rang rung, rise rose risen, run ran run, say said said, see saw seen,
sell sold sold, send sent sent, set set set, shake shook shaken, show showed shown,
shut shut shut, sing sang sung, sit sat sat, sleep slept slept, speak spoke spoken,
spend spent spent, spread spread spread, stand stood stood, steal stole stolen,
stick stuck stuck, sweep swept swept, swim swam swum, take took taken, teach taught taught,
tell told told, think thought thought, throw threw thrown, understand understood understood,
wake woke woken, wear wore worn, win won won, write wrote written
"""
IRREGULAR_PLURALS = """
child children, man men, woman women, policeman policemen, fisherman fishermen, person people,
foot feet, tooth teeth, mouse mice, fish fish, thesis theses, scarf scarves,
bookshelf bookshelves, deer deer, goldfish goldfish, craftsman craftsmen, thief thieves,
sheep sheep, knife knives, wife wives, leaf leaves, life lives, shelf shelves, wolf wolves,
piano pianos, photo photos, radio radios, kimono kimonos, phenomenon phenomena, series series,
serviceman servicemen, businessman businessmen, chairman chairmen, gentleman gentlemen
"""
NOT_DOUBLED = """
allow answer borrow bow consider develop discover draw encounter enter explain follow grow
happen know listen lower offer open order paint remember repair show surrender swallow throw
train visit water whisper wonder
"""
DEGREES = {"good": ("better", "best"), "bad": ("worse", "worst"), "little": ("smaller", "smallest")}
BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
VERBS = {base: forms for base, *forms in map(str.split, IRREGULAR_VERBS.split(","))}
PLURALS = dict(pair.split() for pair in IRREGULAR_PLURALS.split(","))
STRESSED_EARLY = set(NOT_DOUBLED.split())
TAGS = {"part": "VBN", "ing": "VBG", "base": "VB"}
Role = tuple[str, str, str]


def plural(noun: str) -> str:
    """The plural of a noun; in a compound, of its last word."""
    *modifiers, head = noun.split()
    return " ".join([*modifiers, _plural_word(head)])


def _plural_word(noun: str) -> str:
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith(("s", "x", "z", "ch", "sh")) or (
        noun.endswith("o") and noun[-2] not in "aeiou"
    ):
        return noun + "es"
    return noun + "s"


def verb(lemma: str, form: str) -> str:
    """One word: `form` is base, s, past, part or ing."""
    if form == "base":
        return lemma
    if form == "s":
        return {"be": "is", "have": "has"}.get(lemma) or _plural_word(lemma)
    if form == "ing":
        if lemma.endswith("ie"):
            return lemma[:-2] + "ying"
        if lemma.endswith("e") and not lemma.endswith("ee") and lemma != "be":
            return lemma[:-1] + "ing"
        return (lemma + lemma[-1] if _doubles(lemma) else lemma) + "ing"
    if lemma in VERBS:
        return VERBS[lemma][form == "part"]
    return _stem(lemma) + "ed"


def _stem(word: str) -> str:
    """The stem before -ed, -er and -est: plann, carri, lik."""
    if word.endswith("e"):
        return word[:-1]
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word + word[-1] if _doubles(word) else word


def _doubles(lemma: str) -> bool:
    """Whether the last consonant doubles, as in plan → planned: a stressed syllable that ends in
    consonant, vowel, consonant."""
    if len(lemma) < 3 or lemma in STRESSED_EARLY:
        return False
    before, vowel, last = tuple(lemma[-3:])
    return before not in "aeiou" and vowel in "aeiou" and last not in "aeiouwxy"


def finite(lemma: str, tense: str, subject: Agreement) -> tuple[str, str]:
    """A finite form with its tag."""
    if lemma == "be":
        which = 2 if subject.plural or subject.person == 2 else 0 if subject.person == 1 else 1
        return BE[tense][which], "VBD" if tense == "past" else "VBZ" if which == 1 else "VBP"
    if tense == "past":
        return verb(lemma, "past"), "VBD"
    if subject.person == 3 and not subject.plural:
        return verb(lemma, "s"), "VBZ"
    return lemma, "VBP"


def possessive_mark(text: str, many: bool) -> str:
    """The 's of the doctor 's house, the ' of the doctors ' house."""
    return "'" if many and text.endswith("s") else "'s"


def verb_group(
    lemma: str,
    subject: Agreement,
    *,
    tense: str = "present",
    negation: str = "",
    modal: str = "",
    auxiliaries: tuple[Role, ...] = (),
    inverted: bool = False,
) -> list[Role]:
    """The finite verb group, each word with its tag and role: aux, not or verb.

    `auxiliaries` are (word, form that it asks of the next word, role). `modal` may be "be going
    to". A question (`inverted`) has an auxiliary even where a statement has none.

    >>> perfect, passive = ("have", "part", "aux"), ("be", "part", "bei")
    >>> [text for text, _, _ in verb_group("see", Agreement(), negation="not", modal="will")]
    ['will', 'not', 'see']
    >>> group = verb_group("see", Agreement(), negation="not", auxiliaries=(perfect, passive))
    >>> [text for text, _, _ in group]
    ['has', 'not', 'been', 'seen']
    >>> verb_group("buy", Agreement(), tense="past", inverted=True)
    [('did', 'VBD', 'aux'), ('buy', 'VB', 'verb')]
    """
    words: list[Role] = []
    form = "finite"
    if modal:
        first, *others = modal.split()
        words.append((*(finite("be", tense, subject) if first == "be" else (first, "MD")), "aux"))
        words += [(word, "TO" if word == "to" else "VBG", "aux") for word in others]
        form = "base"
    elif (negation or inverted) and not auxiliaries and lemma != "be":
        words.append((*finite("do", tense, subject), "aux"))
        form = "base"
    for word, following, role in (*auxiliaries, (lemma, "", "verb")):
        inner = (verb(word, form), TAGS[form]) if form != "finite" else finite(word, tense, subject)
        words.append((*inner, role))
        form = following
    if negation:
        words.insert(1, (negation, "RB", "not"))
    return words


def degrees(adjective: str, short: bool) -> tuple[str, str]:
    """Comparative and superlative: `short` adjectives take -er and -est, others more and most.

    >>> degrees("big", True), degrees("happy", True), degrees("strict", True)
    (('bigger', 'biggest'), ('happier', 'happiest'), ('stricter', 'strictest'))
    """
    if adjective in DEGREES:
        return DEGREES[adjective]
    if not short:
        return f"more {adjective}", f"most {adjective}"
    return _stem(adjective) + "er", _stem(adjective) + "est"
