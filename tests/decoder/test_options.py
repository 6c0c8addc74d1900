"""Options that cannot be among the best are dropped early: those that stay are still the best."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.decoder.options import OptionFinder
from hyperbaton.decoder.ranking.entry_memo import MOST_READ, EntryWeights
from hyperbaton.decoder.terms import _spans
from hyperbaton.models.language_model.several import LanguageModels
from tests.decoder.systems import make_system, systems

ALL = 64


def options_of(table, lm, lm_weights, words, limit):
    speaker = lm.speaker(np.array(lm_weights))
    weights = EntryWeights(np.full(4, 0.2), 0.2, 0.0, speaker.weight, 1.0)
    numbers = lm.encode(table.target_vocabulary.words)
    finder = OptionFinder(table, numbers, speaker, weights, limit)
    return finder.find(table.source_vocabulary.encode(words))


def found(*system):
    """Entries and estimates of all options, span by span."""
    options = options_of(*system)
    rows = list(zip(options.table.entry, options.options["estimate"], strict=True))
    begin = options.spans["option"]
    return [rows[first:last] for first, last in pairwise(begin)]


@pytest.mark.parametrize("several", [False, True])
@given(systems(), st.integers(1, 3), st.sampled_from([(0.5, 0.3), (-0.5, 0.3), (0.3, -2.0)]))
def test_the_best_options_are_the_first_of_all(several, system, limit, lm_weights):
    table, lm, _, _, words = system
    if several:
        lm = LanguageModels({"lm": lm, "lm.2": lm})
    given_weights = lm_weights if several else lm_weights[:1]
    every = found(table, lm, given_weights, words, ALL)
    best = found(table, lm, given_weights, words, limit)
    assert best == [of_span[:limit] for of_span in every]


@given(systems())
def test_the_first_span_of_a_length_from_a_place_on(system):
    """As the search and sentences with required terms look it up."""
    table, lm, _, _, words = system
    options = options_of(table, lm, [0.5], words, ALL)
    spans = [(end - start, start) for start, end, _ in options.spans.tolist()[:-1]]
    for (length, place), first in np.ndenumerate(options.first_span):
        assert first == (length > 0 and sum(span < (length, place) for span in spans))
    again, first_span = _spans(options.table.start, options.table.end, len(words))
    assert again.tolist() == options.spans.tolist()
    assert first_span.tolist() == options.first_span.tolist()


def test_a_bonus_for_words_is_not_taken_for_a_price():
    """With a negative weight, words that come late can still make a translation the best."""
    short = (["a"], ["b"], [(0, 0)])
    long = (["a"], ["b", "c", "d"], [(0, 0), (0, 1), (0, 2)])
    table, lm = make_system([short, short, short, long])
    for weight, expected in ((0.5, ["b"]), (-2.0, ["b", "c", "d"])):
        [[(entry, _)]] = found(table, lm, [weight], ["a"], 1)
        begin, end = table.target_offsets[table.target[entry] :][:2]
        assert table.target_vocabulary.decode(table.target_words[begin:end]) == expected


def test_only_the_most_frequent_translations_compete():
    """Every translation of "a" occurs twice, except the last ones, which occur once. The language
    model prefers one of the latter, after "f"."""
    rare = [(["a"], ["f"], [(0, 0)]), (["a"], ["g"], [(0, 0)])]
    liked = [(["b"], ["f"], [(0, 0)])] * 3000
    for n_often, expected in ((MOST_READ - 2, "f"), (MOST_READ, "e")):
        often = [(["a"], [f"e{n}"], [(0, 0)]) for n in range(n_often)] * 2
        table, lm = make_system([*often, *rare, *liked])
        [[(entry, _)]] = found(table, lm, [5.0], ["a"], 1)
        begin, end = table.target_offsets[table.target[entry] :][:2]
        [word] = table.target_vocabulary.decode(table.target_words[begin:end])
        assert word[0] == expected
