"""Against all derivations of small systems, of which the constraint is read off by eye."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Beginning, Exactly, Following, differences
from hyperbaton.decoder.constraints.target_words import BeginsWith, parts_of
from hyperbaton.decoder.decode import Decoder, NotFound, SearchSettings, Stopped
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.system.folder import default_models, default_weights
from tests.decoder.oracles import everything
from tests.decoder.systems import HAND, make_system, systems
from tests.strategies import examples

ALL = 10_000


def decoder_of(system, limit=-1):
    table, lm, kind, weights, _ = system
    search = SearchSettings(pop_limit=0, stack_size=0, distortion_limit=limit)
    return Decoder(table, lm, default_models(kind), weights, search)


def check(decoded, expected):
    """The derivations are the expected ones, best first."""
    scores = sorted((score for score, *_ in expected), reverse=True)
    assert decoded.scores == pytest.approx(scores[: len(decoded)], abs=1e-4)
    known = {(" ".join(text), tuple(spans)) for _, text, spans in expected}
    for number in range(len(decoded)):
        spans = tuple(span[:2] for span in decoded.spans(number))
        assert (" ".join(decoded.words(number)), spans) in known


def distance(said, wanted):
    """Words that must be put in or taken out, by trying everything."""
    if not said or not wanted:
        return len(said) + len(wanted)
    if said[0] == wanted[0]:
        return distance(said[1:], wanted[1:])
    return 1 + min(distance(said[1:], wanted), distance(said, wanted[1:]))


@given(systems(max_words=3), st.data(), st.sampled_from([-1, 1]))
def test_a_translation_has_all_its_derivations_and_no_others(system, data, limit):
    every = everything(system, limit)
    wanted = data.draw(st.sampled_from([text for _, text, _ in every]))
    expected = [one for one in every if one[1] == wanted]
    sentence = Sentence(tuple(system[-1]))
    decoded = Exactly(tuple(wanted)).decode(
        decoder_of(system, limit), sentence, ALL, distinct=False
    )
    assert len(decoded) == len(expected)
    check(decoded, expected)
    weights = np.array([system[3][name] for name in decoded.feature_names])
    assert decoded.features() @ weights == pytest.approx(decoded.scores, abs=1e-4)


@given(systems(max_words=3), st.lists(st.sampled_from([*"xyzv", "other"]), max_size=4))
def test_what_cannot_be_said_is_said_as_nearly_as_possible(system, wanted):
    every = everything(system)
    nearest = min(distance(text, wanted) for _, text, _ in every)
    assume(nearest > 0)
    expected = [one for one in every if distance(one[1], wanted) == nearest]
    sentence = Sentence(tuple(system[-1]))
    decoded = Exactly(tuple(wanted)).decode(decoder_of(system), sentence, 1, distinct=False)
    check(decoded, expected)
    assert len(decoded.lacks) + len(decoded.adds) == nearest


@given(systems(max_words=3), st.data())
def test_the_best_translation_with_a_beginning(system, data):
    every = everything(system)
    text = data.draw(st.sampled_from([text for _, text, _ in every]))
    n = data.draw(st.integers(0, len(text)))
    expected = [one for one in every if one[1][:n] == text[:n]]
    sentence = Sentence(tuple(system[-1]))
    decoded = Beginning(tuple(text[:n])).decode(decoder_of(system), sentence, 5, distinct=False)
    check(decoded, expected)


@examples(0.8)
@given(systems(max_words=3), st.data())
def test_distinct_translations_keep_to_the_constraint_as_well(system, data):
    every = everything(system)
    text = data.draw(st.sampled_from([text for _, text, _ in every]))
    best = {}
    for score, said, _ in every:
        if said[:1] == text[:1]:
            best[" ".join(said)] = max(score, best.get(" ".join(said), score))
    sentence, decoder = Sentence(tuple(system[-1])), decoder_of(system)
    decoded = Beginning(tuple(text[:1])).decode(decoder, sentence, ALL, distinct=True)
    found = {
        " ".join(decoded.words(number)): decoded.scores[number] for number in range(len(decoded))
    }
    assert len(decoded) == len(best)
    assert found == pytest.approx(best, abs=1e-4)
    decoded = Exactly(tuple(text)).decode(decoder, sentence, ALL, distinct=True)
    assert [decoded.words(number) for number in range(len(decoded))] == [text]


@given(systems(max_words=4), st.data())
def test_the_best_translation_in_an_order(system, data):
    words = system[-1]
    cuts = data.draw(st.lists(st.integers(0, len(words)), max_size=4, unique=True).map(sorted))
    parts = [*zip([0, *cuts], [*cuts, len(words)], strict=True)]
    parts = [part for part in parts if part[0] < part[1]]
    spans = data.draw(st.lists(st.sampled_from(parts), unique=True))

    def obeys(path):
        """As a list of what is left: a phrase may touch a span only when those before are gone,
        or go with it."""
        left = [set(range(*span)) for span in spans]
        for start, end in path:
            phrase = set(range(start, end))
            touched = [number for number, words in enumerate(left) if words & phrase]
            left = [words - phrase for words in left]
            if touched and any(left[: max(touched)]):
                return False
        return True

    expected = [one for one in everything(system) if obeys(one[2])]
    request = Following(tuple(spans))
    sentence = Sentence(tuple(words))
    if expected:
        check(request.decode(decoder_of(system), sentence, 5, distinct=False), expected)
    else:
        with pytest.raises(NotFound):
            request.decode(decoder_of(system), sentence, 5, distinct=False)


@given(systems(max_words=2))
@examples(0.2)
def test_impossible_requests_are_told(system):
    sentence, decoder = Sentence(tuple(system[-1])), decoder_of(system)
    with pytest.raises(NotFound):
        Beginning(("never", "said")).decode(decoder, sentence, 1, distinct=False)
    for spans, message in [
        (((0, 9),), r"the span 0-8 is outside the sentence of \d words"),
        (((0, 1), (0, 1)), "the span 0-0 overlaps another span"),
    ]:
        with pytest.raises(DataError, match=message):
            Following(spans).decode(decoder, sentence, 1, distinct=False)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=1, max_size=6),
    st.lists(st.integers(-1, 3), min_size=1, max_size=5),
    st.booleans(),
)
def test_which_phrases_are_parts_of_what_is_required(phrases, required, goes_on):
    lengths = list(map(len, phrases))
    rows = Ragged(np.concatenate(phrases).astype(np.int32), np.cumsum([0, *lengths]))
    expected = [
        any(
            row == required[at : at + len(row)]
            or (goes_on and row[: len(required) - at] == required[at:])
            for at in range(len(required))
        )
        for row in phrases
    ]
    found = parts_of(rows, np.array(required, np.int32), goes_on=goes_on)
    assert found.tolist() == expected


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3), min_size=1, max_size=5),
    st.lists(st.integers(0, 2), min_size=1, max_size=6),
)
def test_useful_options_are_those_of_some_way_to_say_it(phrases, required):
    """All ways are written out."""

    def ways(at):
        if at == len(required):
            yield set()
        for option, phrase in enumerate(phrases):
            if required[at : at + len(phrase)] == phrase:
                yield from ({option, *rest} for rest in ways(at + len(phrase)))

    expected = set().union(*ways(0))
    rows = Ragged(np.concatenate(phrases).astype(np.int32), np.cumsum([0, *map(len, phrases)]))
    words, possible = np.array(required, np.int32), np.ones(len(phrases), bool)
    found = BeginsWith(rows, words, possible, exact=True).useful()
    assert set(np.flatnonzero(found).tolist()) == expected


@pytest.fixture
def hand():
    return decoder_of((*make_system(HAND), "", default_weights(""), []))


def test_what_the_table_cannot_say_is_not_searched_for(hand):
    decoder, sentence = hand, Sentence(("hon", "o", "katta"))
    said = tuple(decoder.decode(sentence).words())
    Exactly(said, nearest=False).decode(decoder, sentence, 1, distinct=False)
    for words in ((*said, "never"), said[1:], (*said, *said)):
        with pytest.raises(NotFound):
            Exactly(words, nearest=False).decode(decoder, sentence, 1, distinct=False)
    with pytest.raises(NotFound, match="the phrase table cannot produce this"):
        Exactly((*said, "never"), nearest=False).decode(decoder, sentence, 1, distinct=False)


def test_of_an_empty_sentence_nothing_can_be_said(hand):
    decoder, nothing = hand, Sentence(())
    assert Exactly(()).decode(decoder, nothing, 1, distinct=False).lacks == ()
    assert Exactly(("a",)).decode(decoder, nothing, 1, distinct=False).lacks == ("a",)
    assert Beginning(()).decode(decoder, nothing, 1, distinct=False).words() == []
    for request in (Exactly(("a",), nearest=False), Beginning(("a",))):
        with pytest.raises(NotFound, match="an empty sentence has only the empty translation"):
            request.decode(decoder, nothing, 1, distinct=False)


@pytest.mark.parametrize("narrow", [{"stack_size": 1}, {"pop_limit": 1}])
def test_what_is_required_is_found_behind_what_looks_better(narrow):
    """Only b can begin with x if a ends with y, and a looks far better as x, b as z."""
    examples = {("a", "x"): 5, ("a", "y"): 1, ("b", "z"): 5, ("b", "x"): 1}
    pairs = [([s], [t], [(0, 0)]) for (s, t), n in examples.items() for _ in range(n)]
    settings = SearchSettings(**{"stack_size": 0, "pop_limit": 0, **narrow}, distortion_limit=-1)
    decoder = Decoder(*make_system(pairs), default_models(""), default_weights(""), settings)
    sentence = Sentence(("a", "b"))
    assert set(decoder.decode(sentence).words()) == {"x", "z"}
    found = Exactly(("x", "y"), nearest=False).decode(decoder, sentence, 1, distinct=False)
    assert (found.words(), found.links()) == (["x", "y"], [(0, 1), (1, 0)])


@pytest.mark.parametrize("request_", [Exactly(("book",)), Exactly(("no",)), Beginning(("book",))])
def test_a_search_for_a_request_is_stopped_like_any_other(hand, request_):
    hand.is_stopped = lambda: True
    with pytest.raises(Stopped):
        request_.decode(hand, Sentence(("hon", "o")), 1, distinct=False)


def test_differences_are_named_in_order():
    said, wanted = (
        ["he", "bought", "a", "red", "book", "."],
        ["she", "bought", "the", "book", "yesterday", "."],
    )
    assert differences(said, wanted) == (("she", "the", "yesterday"), ("he", "a", "red"))
    assert differences([], ["a"]) == (("a",), ())
    assert differences(["a"], []) == ((), ("a",))
