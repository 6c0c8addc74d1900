"""English forms for the target side: verb groups, plurals, agreement. Lower case throughout."""

from dataclasses import dataclass

IRREGULAR_VERBS = {
    line.split()[0]: (line.split()[1], line.split()[2])
    for line in """
be was been
beat beat beaten
become became become
begin began begun
bite bit bitten
blow blew blown
break broke broken
bring brought brought
build built built
buy bought bought
catch caught caught
choose chose chosen
come came come
cut cut cut
do did done
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feel felt felt
fight fought fought
find found found
flee fled fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
get got gotten
give gave given
go went gone
grow grew grown
hang hung hung
have had had
hear heard heard
hide hid hidden
hit hit hit
hold held held
keep kept kept
know knew known
lead led led
leave left left
lend lent lent
let let let
lie lay lain
light lit lit
lose lost lost
make made made
mean meant meant
meet met met
mistake mistook mistaken
pay paid paid
put put put
quit quit quit
read read read
ride rode ridden
ring rang rung
rise rose risen
run ran run
say said said
see saw seen
sell sold sold
send sent sent
set set set
shake shook shaken
show showed shown
shut shut shut
sing sang sung
sit sat sat
sleep slept slept
speak spoke spoken
spend spent spent
spread spread spread
stand stood stood
steal stole stolen
stick stuck stuck
sweep swept swept
swim swam swum
take took taken
teach taught taught
tear tore torn
tell told told
think thought thought
throw threw thrown
understand understood understood
wake woke woken
wear wore worn
win won won
write wrote written
""".strip().splitlines()
}
IRREGULAR_PLURALS = {
    "child": "children",
    "man": "men",
    "woman": "women",
    "policeman": "policemen",
    "fisherman": "fishermen",
    "person": "people",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "fish": "fish",
    "thesis": "theses",
    "scarf": "scarves",
    "bookshelf": "bookshelves",
    "deer": "deer",
    "goldfish": "goldfish",
    "craftsman": "craftsmen",
    "thief": "thieves",
    "sheep": "sheep",
    "knife": "knives",
    "wife": "wives",
    "leaf": "leaves",
    "life": "lives",
    "shelf": "shelves",
    "wolf": "wolves",
    "half": "halves",
    "piano": "pianos",
    "photo": "photos",
    "radio": "radios",
    "kimono": "kimonos",
    "phenomenon": "phenomena",
    "series": "series",
    "serviceman": "servicemen",
    "businessman": "businessmen",
    "chairman": "chairmen",
    "gentleman": "gentlemen",
}
BE = {"present": ("am", "is", "are"), "past": ("was", "was", "were")}
NOT_DOUBLED = {"open", "listen", "answer", "visit", "remember", "enter", "gather", "deliver",
               "water", "offer", "wonder", "suffer", "discover", "order", "cover", "happen",
               "consider", "follow", "borrow", "edit", "wander", "limit", "develop", "whisper",
               "cater", "repair", "exhibit", "sharpen", "explain", "paint", "train", "lower",
               "conquer", "examine", "swallow", "show", "draw", "bow", "throw", "allow", "know",
               "grow", "sew", "encounter", "surrender"}  # fmt: skip


@dataclass(frozen=True)
class Agreement:
    """What a finite verb must know of its subject."""

    person: int = 3
    plural: bool = False


def plural(noun: str) -> str:
    """The plural of a noun; of a compound, that of its last word."""
    *modifiers, head = noun.split()
    return " ".join([*modifiers, _plural_word(head)])


def _plural_word(noun: str) -> str:
    if noun in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[noun]
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
    if lemma in IRREGULAR_VERBS:
        return IRREGULAR_VERBS[lemma][form == "part"]
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ied"
    return (lemma + lemma[-1] if _doubles(lemma) else lemma) + "ed"


def _doubles(lemma: str) -> bool:
    """plan → planned: consonant, vowel, consonant at the end of a stressed syllable."""
    if len(lemma) < 3 or lemma in NOT_DOUBLED:
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


def verb_group(
    lemma: str,
    *,
    tense: str = "past",
    subject: Agreement = Agreement(),
    negative: bool = False,
    progressive: bool = False,
    passive: bool = False,
    modal: str = "",
    inverted: bool = False,
) -> list[tuple[str, str]]:
    """Auxiliaries and main verb as (word, tag), the main verb last.

    `tense` is past, present or future; a `modal` ("can", "must") takes the place of the tense.
    With `inverted`, a question's auxiliary comes first even where a statement has none ("did go"),
    so that the caller may put the subject behind the first word.

    >>> verb_group("buy", negative=True)
    [('did', 'VBD'), ('not', 'RB'), ('buy', 'VB')]
    >>> verb_group("see", tense="future", passive=True)
    [('will', 'MD'), ('be', 'VB'), ('seen', 'VBN')]
    >>> verb_group("run", tense="present", progressive=True, subject=Agreement(1))
    [('am', 'VBP'), ('running', 'VBG')]
    """
    chain = [lemma]  # main verb first, each auxiliary's form decided by the next element out
    forms = []
    if passive:
        forms.append((verb(lemma, "part"), "VBN"))
        chain.append("be")
    elif progressive:
        forms.append((verb(lemma, "ing"), "VBG"))
        chain.append("be")
    top = chain[-1]
    if not modal and tense == "future":
        modal = "will"
    if modal:
        head = [(modal, "MD")]
        rest = [(top, "VB")]
    elif (negative or inverted) and top != "be":
        head = [finite("do", tense, subject)]
        rest = [(top, "VB")]
    else:
        head = [finite(top, tense, subject)]
        rest = []
    return head + ([("not", "RB")] if negative else []) + rest + forms
