"""Against all derivations of small systems, of which the rule is read off word by word."""

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.markup import Markup
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Beginning, Exactly, Following
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.explanation import explain
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.folder import default_models, default_weights
from tests.decoder.markups import obeys, zones
from tests.decoder.oracles import everything
from tests.decoder.systems import HAND, make_system, systems
from tests.decoder.test_constrained_search import ALL, check, decoder_of
from tests.strategies import examples

LIMITS = [-1, 0, 1, 2, 3]


@examples(1.6)
@given(systems(max_words=5), st.data(), st.sampled_from(LIMITS))
def test_derivations_are_all_those_that_obey(system, data, limit):
    words = system[-1]
    markup = data.draw(zones(len(words)))
    expected = [one for one in everything(system, limit) if obeys(markup, len(words), one[2])]
    sentence = Sentence(tuple(words), markup=markup)
    decoded = decoder_of(system, limit).decode(sentence, ALL)
    assert len(decoded) == len(expected)
    check(decoded, expected)
    weights = np.array([system[3][name] for name in decoded.feature_names])
    assert decoded.features() @ weights == pytest.approx(decoded.scores, abs=1e-4)


@cache
def phrases_everywhere(limit):
    """A system with phrases on many spans of a sentence, and all derivations."""
    system = *make_system(HAND), "", default_weights(""), ["kare", "wa", "hon", "o", "yonda"]
    return system, everything(system, limit)


@examples(4)
@given(zones(5), st.sampled_from(LIMITS))
def test_phrases_may_cross_the_edges_of_zones_only_where_the_order_of_words_allows(markup, limit):
    system, every = phrases_everywhere(limit)
    expected = [one for one in every if obeys(markup, 5, one[2])]
    decoded = decoder_of(system, limit).decode(Sentence(tuple(system[-1]), markup=markup), ALL)
    assert len(decoded) == len(expected)
    check(decoded, expected)


@examples(4)
@given(st.sampled_from([3, 5, 8, 10, 12, 70]), st.data(), st.integers(-1, 6))
def test_the_search_never_gets_stuck(n_words, data, limit):
    """Not even with a single hypothesis in each stack."""
    markup = data.draw(zones(n_words))
    table, lm = make_system(HAND)
    narrow = SearchSettings(pop_limit=1, stack_size=1, distortion_limit=limit)
    weights = default_weights("") | {"linear": -1.0}  # which would like to jump about
    decoder = Decoder(table, lm, default_models(""), weights, narrow)
    word = st.sampled_from(["kare", "wa", "hon", "o", "yonda"])
    words = data.draw(st.lists(word, min_size=n_words, max_size=n_words))
    decoded = decoder.decode(Sentence(tuple(words), markup=markup))
    spans = [span[:2] for span in decoded.spans()]
    assert sum(end - start for start, end in spans) == n_words
    assert obeys(markup, n_words, spans)


@given(systems(max_words=4), st.data())
def test_zones_go_together_with_requests(system, data):
    words = system[-1]
    markup = data.draw(zones(len(words)))
    every = [one for one in everything(system) if obeys(markup, len(words), one[2])]
    text = data.draw(st.sampled_from([text for _, text, _ in every]))
    sentence, decoder = Sentence(tuple(words), markup=markup), decoder_of(system)
    decoded = Exactly(tuple(text)).decode(decoder, sentence, ALL, distinct=False)
    expected = [one for one in every if one[1] == text]
    assert len(decoded) == len(expected)
    check(decoded, expected)
    decoded = Beginning(tuple(text[:1])).decode(decoder, sentence, 5, distinct=False)
    check(decoded, [one for one in every if one[1][:1] == text[:1]])
    last = (len(words) - 1, len(words))
    expected = [one for one in every if one[2][0][1] == len(words)]
    assume(expected)
    decoded = Following((last, (0, last[0])) if last[0] else (last,)).decode(
        decoder, sentence, 5, distinct=False
    )
    check(decoded, expected)


def test_an_explanation_offers_what_can_be_finished():
    table, lm = make_system(HAND)
    words = ["kare", "wa", "hon", "o", "katta"]
    weights, markup = default_weights(""), Markup(zones=((0, 2), (2, 5)), walls=(4,))
    limited = SearchSettings(distortion_limit=3)
    translator = Translator(table, lm, default_models(""), weights, limited)
    sentence = Sentence(tuple(words), markup=markup)
    explained = explain(translator, translator.decode(sentence), n_alternatives=100)
    every = everything((table, lm, "", weights, words), 3)
    orders = [spans for *_, spans in every if obeys(markup, len(words), spans)]
    done = []
    for number, step in enumerate(explained.steps):
        possible = {spans[number] for spans in orders if spans[:number] == done}
        assert {alternative.source for alternative in step.alternatives} == possible
        done.append(step.source)
