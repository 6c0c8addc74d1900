"""Operations of sentence pairs: by hand, against a slow twin, and back to the sentences."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.models.distortion.osm.fitting import operation_corpus
from hyperbaton.models.distortion.osm.moses_names import moses_name
from hyperbaton.models.distortion.osm.texts import OperationTexts
from tests.models.distortion.osm.slow_operations import cepts_of, perform, sentence_story
from tests.models.phrases.corpora import corpus_of


def operations_of(*examples, moses=False):
    """The texts of the operations of sentence pairs."""
    corpus = corpus_of(examples)
    source, target = corpus.source, corpus.target
    same = source.vocabulary.encode(target.vocabulary.words)
    same[same < 3] = -1
    found = operation_corpus(corpus, source.words, target.words, same)
    words = source.vocabulary.decode, target.vocabulary.decode
    texts = OperationTexts(found.operations, *words)
    text = partial(moses_name, texts) if moses else texts.text
    return [list(map(text, row.tolist())) for row in found.sequences]


def text_of(operation):
    """The text of a slow operation."""
    kind, *words = operation
    if kind == "TRANS":
        return f"TRANS {' '.join(words[0])} → {' '.join(words[1])}"
    return " ".join([kind, *map(str, words)])


@pytest.mark.parametrize(
    ("source", "target", "links", "expected"),
    [
        # the verb of the second position is the last word (Durrani, Schmid and Fraser 2011)
        (
            "sie würden gegen Sie stimmen",
            "they would vote against you",
            [(0, 0), (1, 1), (2, 3), (3, 4), (4, 2)],
            "TRANS sie → they, TRANS würden → would, GAP, TRANS stimmen → vote, BACK 1, "
            "TRANS gegen → against, TRANS Sie → you",
        ),
        # a cept with a gap
        (
            "er hat ein buch gelesen",
            "he read a book",
            [(0, 0), (1, 1), (4, 1), (2, 2), (3, 3)],
            "TRANS er → he, TRANS hat gelesen → read, GAP, CONTINUE, BACK 1, TRANS ein → a, "
            "TRANS buch → book",
        ),
        # words without links, and forward again
        (
            "kare wa hon o katta 。",
            "he bought a book .",
            [(0, 0), (4, 1), (2, 3), (5, 4)],
            "TRANS kare → he, INS wa, GAP, TRANS katta → bought, DEL a, BACK 1, TRANS hon → book, "
            "INS o, FORWARD, TRANS 。 → .",
        ),
        # the second gap from the right, and a gap within a gap
        (
            "a b c d e",
            "E C A D B",
            [(4, 0), (2, 1), (0, 2), (3, 3), (1, 4)],
            "GAP, TRANS e → E, BACK 1, GAP, TRANS c → C, GAP, BACK 2, TRANS a → A, GAP, FORWARD, "
            "BACK 1, TRANS d → D, BACK 1, TRANS b → B",
        ),
        # nothing is linked: the source first
        ("a b", "A", [], "INS a, INS b, DEL A"),
        # a cept with words between on the target side is generated at its first one
        ("a b", "A B C", [(0, 0), (0, 2), (1, 1)], "TRANS a → A C, TRANS b → B"),
    ],
)
def test_operations_by_hand(source, target, links, expected):
    [found] = operations_of((source.split(), target.split(), links))
    assert ", ".join(found) == expected


def test_names_of_moses():
    pair = (["a", "b", "c", "d"], ["D", "x", "A", "C"], [(3, 0), (0, 2), (2, 3), (1, 3)])
    [found] = operations_of(pair, moses=True)
    assert " ".join(found) == (
        "_INS_GAP_ _TRANS_D_TO_d _DEL_x _JMP_BCK_1 _TRANS_A_TO_a _TRANS_C_TO_b^_^c _CONT_CEPT_"
    )


def test_a_word_with_one_link_to_the_same_word_is_copied():
    once, again = (["x", "a"], ["x", "A"], [(0, 0), (1, 1)]), (["a"], ["A"], [(0, 0)])
    assert operations_of(once, again)[0] == ["SELF", "TRANS a → A"]
    # twice, or with another link, it is a word like others
    twice = (["x"], ["x"], [(0, 0)])
    assert operations_of(once, twice)[1] == ["TRANS x → x"]
    linked = (["x"], ["x", "A"], [(0, 0), (0, 1)])
    assert operations_of(linked) == [["TRANS x → x A"]]


@st.composite
def long_pairs(draw, most=9):
    """A sentence pair with distinct words, so that places can be recognised."""
    n_source, n_target = draw(st.integers(1, most)), draw(st.integers(1, most))
    source, target = [f"f{n}" for n in range(n_source)], [f"e{n}" for n in range(n_target)]
    link = st.tuples(st.integers(0, n_source - 1), st.integers(0, n_target - 1))
    return source, target, draw(st.lists(link, max_size=most, unique=True))


@given(long_pairs())
def test_operations_are_those_of_the_slow_twin(pair):
    source, target, links = pair
    expected = [
        text_of(operation) for operation in sentence_story(source, target, links).operations
    ]
    assert operations_of((source, target, links)) == [expected]


def random_pair(random):
    """Words that are all different, and links, most of them one-to-one but in any order."""
    n = int(random.integers(1, 12))
    links = set(zip(range(n), random.permutation(n).tolist(), strict=True))
    links = {link for link in links if random.random() < 0.8}
    links |= {tuple(random.integers(n, size=2).tolist()) for _ in range(random.integers(3))}
    return [f"f{k}" for k in range(n)], [f"e{k}" for k in range(n)], sorted(links)


def test_operations_generate_the_sentences_and_their_alignment():
    random, seen = np.random.default_rng(1), Counter()
    for _ in range(300):
        source, target, links = random_pair(random)
        operations = sentence_story(source, target, links).operations
        cepts = cepts_of(links)
        # the words of a cept are generated together, at the place of the first one
        linked = {place for _, targets in cepts for place in targets}
        together = {min(targets): sorted(targets) for _, targets in cepts}
        order = []
        for place in range(len(target)):
            order += together.get(place, [] if place in linked else [place])
        said = {place: number for number, place in enumerate(order)}
        connected = [(f, said[e]) for sources, targets in cepts for f in sources for e in targets]
        expected = source, [target[place] for place in order], sorted(connected)
        assert perform(operations) == expected
        seen.update(kind for kind, *_ in operations)
        seen["far back"] += any(kind == "BACK" and k[0] > 2 for kind, *k in operations)
        seen["apart"] += order != sorted(order)
    assert min(seen.values()) > 10, seen
    kinds = {"TRANS", "INS", "DEL", "GAP", "BACK", "FORWARD", "CONTINUE"}
    assert seen.keys() == kinds | {"far back", "apart"}
