"""A small grammar of its own shows what each kind of line does."""

import re
import traceback
from collections import Counter
from types import SimpleNamespace

import pytest

from hyperbaton.data_samples.generator import english, generate
from hyperbaton.data_samples.generator.grammar import Grammar
from hyperbaton.data_samples.generator.japanese import verbs
from hyperbaton.data_samples.generator.lexicon import read_lexicon
from hyperbaton.data_samples.generator.rules import BadRule
from hyperbaton.data_samples.generator.synchronous import Chooser, Stream, realise
from tests.refusals import refusals

LEXICON = """# nouns
noun	hon	book|volume	w=1
noun	otoko no ko	boy	kin
	of=person,
	animal
empty	-	-
"""


@pytest.fixture
def grammar(tmp_path):
    def read(rules, lexicon=LEXICON, favourite=1.0, **functions):
        (tmp_path / "words.tsv").write_text(lexicon, encoding="utf-8")
        (tmp_path / "all.rules").write_text(rules, encoding="utf-8")
        return Grammar(tmp_path, ("ja", "en"), favourite, english, SimpleNamespace(**functions))

    return read


@pytest.fixture
def made(grammar):
    """What the rule `sentence` of some rules makes."""

    def make(rules, seed="1", **options):
        tree, words = grammar(rules, **options).sentence(Chooser(seed))
        return realise(tree, words)

    return make


def test_a_pair_is_reordered_and_linked(made):
    example = made("""
sentence(): hon o katta → bought a book
    noun = entries('noun')[0]
    object < (PP (NP (N {noun})) (P o))
    (VP [object] (V katta)) => bought/VBD~katta a/DT {noun}/NN~noun
""")
    assert example.tree == "(VP (PP (NP (N hon)) (P o)) (V katta))"
    assert example.target == ("bought", "a", "book")
    assert example.target_tags == ("VBD", "DT", "NN")
    assert example.links == ((0, 2), (2, 0))


def test_words_link_to_names_leaves_and_whole_phrases(made):
    example = made("""
sentence(): a word for each
    boy = child()
    particle < (P ka)
    all ~ boy,ka
    (S [boy] [particle]) => {'two words'}/X~boy over_there/Y~ka end/Z~all
child(): otoko no ko
    (NP [leaves('N', entries('noun')[1], no='P')]) => boy/NN
""")
    assert example.tree == "(S (NP (N otoko) (P no) (N ko)) (P ka))"
    assert example.target == ("two", "words", "over", "there", "end")
    boy = {(s, t) for s in (0, 1, 2) for t in (0, 1)}
    assert set(example.links) == boy | {(3, 2), (3, 3)} | {(s, 4) for s in range(4)}


def test_what_is_empty_vanishes(made):
    example = made("""
sentence(): neither particle nor adverb
    if noun: adverb < (ADVP (ADV {noun}))
    noun = ''
    (S (NP (N ame)) (PP (P {noun})) [adverb] [noun]) => {noun}/DT rain/NN~ame [adverb]
""")
    assert example.tree == "(S (NP (N ame)))"
    assert example.target == ("rain",)


def test_a_rule_gives_its_names_unless_it_returns(made):
    example = made("""
sentence(): both ways
    first = whole()
    second = part(first)
    if second == 'w': (S (A x)) => {first.tag}/{second} [first.never]
whole(): all names
    tag = 't'
part(phrase): one value
    if phrase.tag == 't': return 'w'
    return 'never'
""")
    assert (example.target, example.target_tags) == (("t",), ("w",))


def test_settings_hold_below_and_end_afterwards(made):
    example = made("""
sentence(depth=0): who sees which depth
    inner = outer(depth=2)
    (S (A x)) => {str(depth)}/X [inner] [last()] [reset()] [reset(depth=4)]
outer(): calls another
    return > [last()] [last(depth=depth + 1)] [last()]
last(): reads the setting
    return > {str(depth)}/X
reset(depth=7): has a default
    return last()
""")
    assert example.target == ("0", "2", "3", "2", "0", "7", "4")


def test_choices_fall_in_the_order_of_the_lines(made):
    rules = """
sentence(): two streams
    style_first = style(0.5)
    number = below(1000)
    letter = among('a', 'b', 'c')
    name = weighted(x=1.0, y=3.0)
    chosen = pick('noun', lambda e: e.word != 'never')
    (S (A x)) => {str(number)}/{letter + name} {chosen}/{str(style_first)}
"""
    for seed in "12345":
        source, target = Stream(f"{seed}:source"), Stream(f"{seed}:target:0")
        style = target.chance(0.5)
        number = str(source.below(1000))
        tag = source.among("a", "b", "c") + source.weighted([("x", 1.0), ("y", 3.0)])
        noun = source.weighted([("book", 1.0), ("boy", 1 / 3)])  # a weight, and the second rank
        example = made(rules, seed)
        assert example.target == (number, noun)
        assert example.target_tags == (tag, str(style))


def test_one_of_several_translations(made):
    rules = "sentence(): hon\n    (S (N x)) => {entries('noun')[0]}/NN big|great|/JJ\n"
    assert made(rules).target == ("book", "big")
    found = {made(rules, str(seed), favourite=0.0).target for seed in range(20)}
    assert found == {("volume", "great"), ("volume",)}


def test_entries_of_the_lexicon(tmp_path):
    (tmp_path / "words.tsv").write_text(LEXICON, encoding="utf-8")
    book, boy = read_lexicon(tmp_path)["noun"]
    assert (book.word, book.english, book.weight) == ("hon", "book|volume", 1.0)
    assert (boy.forms, boy.kin, boy.of, boy.never) == (("otoko no ko",), True, "person,animal", "")
    assert boy.weight == pytest.approx(1 / 3)
    assert boy.is_of("noun.kin")
    assert boy.is_of("noun")
    assert not boy.is_of("noun.pet")
    assert not boy.is_of("kin")
    (empty,) = read_lexicon(tmp_path)["empty"]
    assert (empty.word, empty.english) == ("", "")


def test_find_knows_only_what_training_knows(grammar):
    lines = "".join(f"n\tw{rank}\tw\n" for rank in range(40))
    found = grammar("sentence(): none\n    return ()\n", lexicon=lines)
    assert found.find("n", lambda e: e.rank == 28).word == "w28"
    assert found.find("n", lambda e: e.rank == 29) is None  # every tenth of the tail is unseen
    assert found.find("n", lambda e: e.rank == 9).word == "w9"


def test_classes_and_groups(grammar):
    lexicon = LEXICON + "group\thuman\tnoun.kin,name\n"
    found = grammar("sentence(): none\n    return ()\n", lexicon=lexicon)
    book, boy = found.lexicon["noun"]
    assert found.classes("human,doc:read+food") == ["noun.kin", "name", "doc", "food"]
    assert found.belongs(boy, "human")
    assert not found.belongs(book, "doc,human")
    assert found.belongs(book, "doc:read,noun:buy")


def test_a_cached_rule_runs_once(grammar):
    calls = []
    rules = """
sentence(): twice the same, once another
    first = [kind('a'), kind('a'), kind('b')]
    (S (A x)) => y/Z
cached kind(name): remembers
    return note(name)
"""
    grammar(rules, note=calls.append).sentence(Chooser("1"))
    assert calls == ["a", "b"]


@refusals(
    ("sentence: no brackets\n", "all.rules:1: no header: 'sentence: no brackets'"),
    ("sentence():\n  x = 1\n", "no header: 'sentence():'"),
    ("# first\n\nsentence(): bad\n  x y z\n", "all.rules:4: no rule line: 'x y z'"),
    ("sentence(): bad\n  x < (PP (P de)\n", "all.rules:2: "),
    ("sentence(): bad\n  x > word\n", "cannot read 'word'"),
    ("sentence(): bad\n  x = 1 +\n", "invalid syntax"),
    ("sentence(depth=0): bad\n  y = dept\n", "all.rules:2: … 'dept'; expected depth"),
    ("sentence(first=0): bad\n  x = first\nfirst(): a rule\n", "['first'] are settings"),
    ("  x = 1\n", "all.rules:1: a line outside a rule"),
    error=BadRule,
)
def test_a_rule_that_cannot_be_read_is_refused(grammar, rules):
    grammar(rules)


def test_an_error_shows_the_line_of_the_rule(grammar):
    found = grammar("sentence(): bad\n    x = 1\n\n    y = (x /\n        0)\n")
    with pytest.raises(ZeroDivisionError) as raised:
        found.sentence(Chooser("1"))
    (frame,) = [f for f in traceback.extract_tb(raised.tb) if f.filename.endswith("all.rules")]
    assert (frame.lineno, frame.name) == (4, "rule_sentence")
    assert found.settings == {}


@pytest.mark.parametrize("language", ["japanese", "chinese"])
def test_every_rule_of_the_grammars_is_called(language):
    """By name in another rule or in a list of the lexicon."""
    folder = generate.HERE / language
    rules = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.rules"))
    lists = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.tsv"))
    names = re.findall(r"^(?:cached )?(\w+)\(", rules, re.MULTILINE)
    assert len(names) == len(set(names))
    words = Counter(re.findall(r"\w+", rules + lists))
    assert not [name for name in names if words[name] < 2]


@pytest.mark.parametrize(
    ("word", "kind", "how", "expected"),
    [
        ("yomu", "g", {"past": True}, "yonda/V"),
        ("taberu", "i", {"negative": True}, "tabenai/V"),
        ("suru", "suru", {"past": True, "polite": True}, "shimashita/V"),
        ("kuru", "kuru", {"past": True, "negative": True, "polite": True}, "kimasen/V deshita/COP"),
        ("aru", "aru", {"negative": True}, "nai/V"),
        ("ii", "adj", {"past": True}, "yokatta/ADJI"),
        (
            "takai",
            "adj",
            {"past": True, "negative": True, "polite": True},
            "takaku/ADJI nakatta/AX desu/COP",
        ),
        ("shizuka", "na", {}, "shizuka/ADJN na/COP"),
        ("shizuka", "na", {"negative": True}, "shizuka/ADJN dewa/COP nai/AX"),
        (
            "isha",
            "noun",
            {"past": True, "negative": True, "polite": True},
            "isha/N dewa/COP arimasen/AX deshita/AX",
        ),
    ],
)
def test_japanese_forms(word, kind, how, expected):
    inflection = verbs.Inflection(**{"past": False, **how})
    leaves = generate.GRAMMARS["ja-en"].names["inflect"](word, kind, inflection, "na")
    assert " ".join(f"{leaf.word}/{leaf.tag}" for leaf in leaves) == expected


@pytest.mark.parametrize(
    ("lemma", "options", "expected"),
    [
        ("buy", {"negation": "not"}, "does not buy"),
        ("buy", {"tense": "past", "inverted": True}, "did buy"),
        ("be", {"negation": "not", "tense": "past"}, "was not"),
        ("go", {"modal": "be going to", "negation": "not"}, "is not going to go"),
        (
            "see",
            {"negation": "not", "auxiliaries": (("have", "part", "aux"), ("be", "part", "bei"))},
            "has not been seen",
        ),
    ],
)
def test_english_verb_groups(lemma, options, expected):
    group = english.verb_group(lemma, english.Agreement(), **options)
    assert " ".join(text for text, _, _ in group) == expected
