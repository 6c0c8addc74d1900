"""Terms: against all derivations of small systems whose options were changed by hand."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.markup import MODES, Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Beginning, Exactly
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.options import MOST_OPTIONS
from hyperbaton.decoder.stream import decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.folder import default_models, default_weights
from tests.decoder.markups import obeys, terms, with_terms, zones
from tests.decoder.oracles import everything
from tests.decoder.systems import HAND, make_system, systems
from tests.decoder.test_constrained_search import ALL, check, decoder_of
from tests.strategies import examples

TARGETS = [*"xyv", "new"]  # words of the random systems' translations, and one that they lack


@examples(2.4)
@given(systems(max_words=4), st.data(), st.sampled_from([-1, 0, 2]))
def test_derivations_are_all_those_of_the_changed_options(system, data, limit):
    words = system[-1]
    marked = data.draw(terms(len(words), TARGETS))
    expected = everything(system, limit, with_terms(marked))
    sentence = Sentence(tuple(words), markup=Markup(marked))
    decoded = decoder_of(system, limit).decode(sentence, ALL)
    assert len(decoded) == len(expected)
    check(decoded, expected)
    weights = np.array([system[3][name] for name in decoded.feature_names])
    assert decoded.features() @ weights == pytest.approx(decoded.scores, abs=1e-4)


@given(systems(max_words=3), st.data())
def test_terms_go_together_with_requests(system, data):
    words = system[-1]
    marked = data.draw(terms(len(words), TARGETS))
    every = everything(system, -1, with_terms(marked))
    text = data.draw(st.sampled_from([text for _, text, _ in every]))
    sentence, decoder = Sentence(tuple(words), markup=Markup(marked)), decoder_of(system)
    decoded = Exactly(tuple(text)).decode(decoder, sentence, ALL, distinct=False)
    expected = [one for one in every if one[1] == text]
    assert len(decoded) == len(expected)
    check(decoded, expected)
    decoded = Beginning(tuple(text[:1])).decode(decoder, sentence, 5, distinct=False)
    check(decoded, [one for one in every if one[1][:1] == text[:1]])


@given(systems(max_words=5), st.data(), st.sampled_from([1, 2]))
def test_terms_in_zones(system, data, limit):
    words = system[-1]
    markup = data.draw(zones(len(words)))
    places = data.draw(st.sets(st.integers(0, len(words) - 1), min_size=1))
    marked = tuple(Term(place, place + 1, {"new": 0.5}) for place in sorted(places))
    every = everything(system, limit, with_terms(marked))
    expected = [one for one in every if obeys(markup, len(words), one[2])]
    both = Markup(marked, markup.zones, markup.walls)
    decoded = decoder_of(system, limit).decode(Sentence(tuple(words), markup=both), 20)
    check(decoded, expected)


def translator(**settings):
    table, lm = make_system(HAND, "wbe-msd-bidirectional-fe")
    kind = "wbe-msd-bidirectional-fe"
    chosen = SearchSettings(**settings)
    return Translator(table, lm, default_models(kind), default_weights(kind), chosen)


def test_scores_of_a_given_translation_by_hand():
    sentence = Sentence(("kare", "wa"), markup=Markup((Term(0, 2, {"those two": 0.25}),)))
    system = translator()
    found = system.translate(sentence)
    assert found.text == "those two"
    shares = {f"translation.{name}": log(0.25) / 4 for name in
              ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")}  # fmt: skip
    assert {name: found.features[name] for name in shares} == pytest.approx(shares)
    assert found.features["phrase_penalty"] == 1
    assert found.features["word_penalty"] == -2
    assert found.features["unknown"] == 0
    assert found.features["lm"] == pytest.approx(system.lm.score(["<unk>", "<unk>"]))
    assert not any(value for name, value in found.features.items() if name.startswith("msd"))
    assert found.score == pytest.approx(
        sum(system.weights[name] * value for name, value in found.features.items())
    )
    assert found.unknown == ()
    assert found.alignment == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found.segmentation == [(0, 2, 0, 2)]


def test_a_term_and_its_translation_may_be_longer_than_phrases_of_the_table():
    words = ("kare", "wa", "hon", "o", "katta", "kare", "wa", "hon", "o", "yonda", "hon")
    text = "one two three four five six seven eight nine ten"
    marked = Sentence(words, markup=Markup((Term(0, 10, {text: 1.0}),)))
    found = translator().translate(marked)
    [at] = [span[2] for span in found.segmentation if span[:2] == (0, 10)]
    assert found.text.split()[at : at + 10] == text.split()
    assert {(source, at + target) for source in range(10) for target in range(10)} <= set(
        found.alignment
    )


@pytest.mark.parametrize("mode", MODES)
def test_terms_take_no_room_from_the_options_of_the_table(mode):
    pairs = [(["a"], [f"t{number}"], [(0, 0)]) for number in range(80)]
    table, lm = make_system(pairs)
    search = SearchSettings(options=MOST_OPTIONS)
    decoder = Decoder(table, lm, default_models(""), default_weights(""), search)
    term = Term(0, 1, {f"t{number}": 1.0 for number in range(10)}, mode)
    options = decoder.options(Sentence(("a",), markup=Markup((term,)))).table
    assert (options.entry < -1).sum() == 10
    assert len(options) == {"exclusive": 10, "inclusive": MOST_OPTIONS + 10, "constraint": 20}[mode]


def test_phrases_over_half_of_a_required_term_are_left_out():
    """Even if they say it."""
    table, lm = make_system([(list("abc"), list("xyz"), [(0, 0), (1, 1), (2, 2)])])
    decoder = Decoder(table, lm, default_models(""), default_weights(""))
    term = Term(0, 2, {"y": 1.0}, "constraint")
    options = decoder.options(Sentence(tuple("abc"), markup=Markup((term,)))).table
    spans = zip(options.start.tolist(), options.end.tolist(), strict=True)
    # beside it c, around it "a b" and "a b c", and the given translation
    assert sorted(spans) == [(0, 2), (0, 2), (0, 3), (2, 3)]


def test_long_sentences_are_not_cut_inside_of_terms_and_zones():
    system = translator(max_length=4)
    markup = Markup((Term(3, 5, {"said": 1.0}), Term(8, 9, {"it": 1.0})), ((6, 10),), (1,))
    found = system.decode(Sentence(tuple("hon" for _ in range(11)), markup=markup), 2)
    assert found.n_pieces == 4
    assert [len(part.sentence) for part in found.parts] == [3, 3, 4, 1]
    assert found.parts[0].sentence.markup == Markup(walls=(1,))
    assert found.parts[1].sentence.markup == Markup((Term(0, 2, {"said": 1.0}),))
    assert found.parts[2].sentence.markup.zones == ((0, 4),)
    for number in range(len(found)):
        assert found.words(number).count("said") == found.words(number).count("it") == 1
    best = system.results(found)[0]
    parts = [system.results(part)[0] for part in found.parts]
    assert best.text == " ".join(part.text for part in parts)
    assert best.score == pytest.approx(sum(part.score for part in parts))


def test_a_sentence_that_is_one_long_zone_is_not_cut():
    system = translator(max_length=4)
    words = ("hon", "o", "katta", "hon", "o", "katta")
    found = system.decode(Sentence(words, markup=Markup(zones=((1, 6),))))
    assert [part.sentence.words for part in found.parts] == [words[:1], words[1:]]
    whole = system.decode(Sentence(words, markup=Markup(zones=((0, 6),))))
    assert [part.sentence.words for part in whole.parts] == [words]
    assert whole.words() == translator().decode(Sentence(words)).words()


def test_threads_change_nothing():
    system, sentences = translator(), []
    for number in range(40):
        term = Term(number % 4, number % 4 + 1, {"it": 0.5, "that one": 0.5}, MODES[number % 3])
        markup = Markup((term,), ((1, 3 + number % 3),), (number % 5,))
        markup = markup if number % 5 in (0, term.start, term.end) else Markup((term,))
        sentences.append(Sentence(("kare", "wa", "hon", "o", "katta"), markup=markup))
    texts = [
        [(one.words(), one.scores[0]) for one in decode_all(system, sentences, threads=threads)]
        for threads in (1, 2, 3)
    ]
    assert texts[0] == texts[1] == texts[2]
    assert len({" ".join(words) for words, _ in texts[0]}) > 1
