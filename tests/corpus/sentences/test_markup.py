import pytest

from hyperbaton.corpus.sentences.markup import MOST_TRANSLATIONS, Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import DataError

WORDS = tuple("abcdef")


@pytest.mark.parametrize(
    ("markup", "message"),
    [
        (Markup(zones=((0, 7),)), "0:7 is no zone of a sentence of 6 words"),
        (Markup(zones=((2, 2),)), "2:2 is no zone of a sentence of 6 words"),
        (Markup((Term(-1, 2, {"x": 1.0}),)), "-1:2 is no term of a sentence of 6 words"),
        (Markup(zones=((0, 3), (2, 4))), "the zone 2:4 crosses the zone 0:3"),
        (Markup((Term(1, 3, {"x": 1.0}),), ((2, 4),)), "the zone 2:4 crosses the term 1:3"),
        (Markup((Term(1, 4, {"x": 1.0}),), ((2, 4),)), "the zone 2:4 is inside of the term 1:4"),
        (
            Markup((Term(1, 4, {"x": 1.0}), Term(3, 4, {"x": 1.0}))),
            "the term 3:4 is inside of the term 1:4",
        ),
        (Markup((Term(1, 3, {"x": 1.0}),), walls=(2,)), "the wall 2 is inside of a term"),
        (Markup(walls=(7,)), "7 is no wall of a sentence of 6 words"),
    ],
)
def test_impossible_marks(markup, message):
    with pytest.raises(DataError, match=message):
        Sentence(WORDS, markup=markup)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        (lambda: Term(0, 1, {}), "a term has 0 translations"),
        (
            lambda: Term(0, 1, {f"x{n}": 1.0 for n in range(MOST_TRANSLATIONS + 1)}),
            f"a term has {MOST_TRANSLATIONS + 1} translations",
        ),
        (lambda: Term(0, 1, {" ": 1.0}), "a translation of a term has no words"),
        (lambda: Term(0, 1, {"x": 0.0}), "0.0 is not a probability of the translation 'x'"),
        (lambda: Term(0, 1, {"x": 1.1}), "1.1 is not a probability of the translation 'x'"),
        (lambda: Term(0, 1, {"x": float("nan")}), "nan is not a probability"),
        (lambda: Term(0, 1, {"a </s>": 1.0}), "the word </s> is reserved"),
        (lambda: Term(0, 1, {"x": 1.0}, "excusive"), "did you mean exclusive"),
    ],
)
def test_impossible_terms(term, message):
    with pytest.raises(DataError, match=message):
        term()


def test_marks_may_touch_and_nest():
    term = Term(1, 3, {"x": 1.0})
    markup = Markup((term, Term(3, 4, {"x": 1.0})), ((0, 6), (1, 3), (1, 5)), (0, 1, 3, 6))
    assert Sentence(WORDS, markup=markup).markup.terms[0] == term


def test_a_wall_concerns_the_innermost_zone_that_goes_on_across_it():
    markup = Markup(zones=((1, 6), (2, 4), (2, 6)), walls=(1, 2, 3, 4, 5))
    scopes = dict(markup.scopes(7))
    assert scopes == {1: (0, 7), 2: (1, 6), 3: (2, 4), 4: (2, 6), 5: (2, 6)}


def test_what_goes_on_across_a_place():
    markup = Markup((Term(4, 6, {"x": 1.0}),), ((0, 4), (1, 3)))
    found = [markup.around(place) for place in range(7)]
    assert found == [(0, 0), (0, 4), (0, 4), (0, 4), (4, 4), (4, 6), (6, 6)]
