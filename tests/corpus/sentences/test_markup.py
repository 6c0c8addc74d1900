from hyperbaton.corpus.sentences.markup import MOST_TRANSLATIONS, Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from tests.refusals import refusals

WORDS = tuple("abcdef")
TOO_MANY = MOST_TRANSLATIONS + 1


def term(start, end, text="x", share=1.0, mode="exclusive"):
    return Term(start, end, {text: share}, mode)


@refusals(
    (lambda: Markup(zones=((0, 7),)), "the zone 0:7 is outside the sentence of 6 words"),
    (lambda: Markup(zones=((2, 2),)), "the zone 2:2 is outside the sentence of 6 words"),
    (lambda: Markup((term(-1, 2),)), "the term -1:2 is outside the sentence of 6 words"),
    (lambda: Markup(zones=((0, 3), (2, 4))), "the zone 2:4 crosses the zone 0:3"),
    (lambda: Markup((term(1, 3),), ((2, 4),)), "the zone 2:4 crosses the term 1:3"),
    (lambda: Markup((term(1, 4),), ((2, 4),)), "the zone 2:4 is inside the term 1:4"),
    (lambda: Markup((term(1, 4), term(3, 4))), "the term 3:4 is inside the term 1:4"),
    (lambda: Markup((term(1, 3),), walls=(2,)), "the wall 2 is inside a term"),
    (lambda: Markup(walls=(7,)), "the wall 7 is outside the sentence of 6 words"),
    (lambda: Term(0, 1, {}), "a term has 0 translations"),
    (lambda: Term(0, 1, dict.fromkeys(map(str, range(TOO_MANY)), 1.0)), f"has {TOO_MANY} transl"),
    (lambda: term(0, 1, " "), "a translation of a term has no words"),
    (lambda: term(0, 1, share=0.0), "0.0 is not a valid probability for the translation 'x'"),
    (lambda: term(0, 1, share=1.1), "1.1 is not a valid probability for the translation 'x'"),
    (lambda: term(0, 1, share=float("nan")), "nan is not a valid probability"),
    (lambda: term(0, 1, "a </s>"), "the word </s> is reserved"),
    (lambda: term(0, 1, mode="excusive"), "did you mean exclusive"),
)
def test_impossible_marks_and_terms(markup):
    Sentence(WORDS, markup=markup())


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
