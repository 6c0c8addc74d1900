"""Models that the search asks step by step: the same results as for whole stacks, and as by listing
all derivations."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.osm.model import OperationSequence
from hyperbaton.models.distortion.osm.scorer import OperationScorer
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import make_system, weights
from tests.models.distortion.osm.slow_operations import SlowModel
from tests.models.distortion.osm.test_model import (
    SENTENCE,
    fitted,
    make_decoder,
    phrases_of,
    sentence,
    slow_model,
)
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.strategies import examples


@pytest.mark.parametrize(
    ("limit", "others"),
    list(product([2, -1], [[], [Linear()], [Gaps()], ["classes"]])),
)
def test_asking_step_by_step_changes_nothing(limit, others, monkeypatch):
    models = [fitted(units=other) if other == "classes" else other for other in others]
    exhaustive = {"pop_limit": 0, "stack_size": 0, "distortion_limit": limit}
    decoder, given = make_decoder(fitted(), *models, **exhaustive), sentence(SENTENCE[:5])
    lazy = decoder.decode(given, n_best=50)
    monkeypatch.setattr(OperationScorer, "as_automaton", lambda *_: None)
    eager = decoder.decode(given, n_best=50)
    assert len(lazy) == 50
    np.testing.assert_allclose(lazy.scores, eager.scores)
    assert lazy.words() == eager.words()
    own = np.array([decoder.weights[name] for name in decoder.feature_names])
    np.testing.assert_allclose(lazy.features() @ own, lazy.scores, atol=1e-5)


def slow_phrases(path, words, table):
    """The phrases of a derivation of `oracles.derivations`, as plain values."""
    for start, end, entry, target in path:
        links = [(0, 0)]
        if entry is not None:
            bits = int(table.inner_of(entry))
            links = [(bit % 8, bit // 8) for bit in range(64) if bits >> bit & 1]
        yield start, words[start:end], list(target), links, entry is None


@examples(0.3)
@given(
    small_corpora,
    st.lists(st.sampled_from("abcz"), min_size=1, max_size=4),
    st.sampled_from([1, -1]),
    st.lists(weights, min_size=5, max_size=5),
)
def test_exhaustive_search_finds_every_derivation_in_order(pairs, words, limit, osm_weights):
    table, lm = make_system(pairs)
    model = OperationSequence(order=3).fit(corpus_of(pairs))
    slow = SlowModel(pairs, 3, (0, 0, 1))
    own = default_weights("") | dict(zip(model.feature_names, osm_weights, strict=True))
    expected = []
    options = oracles.options_of(words, table, lm, own, 3)
    for path in oracles.derivations(len(words), options, limit):
        values, _ = oracles.features(path, table, lm, "")
        found, _ = slow.features(slow_phrases(path, words, table))
        values |= dict(zip(model.feature_names, found, strict=True))
        expected.append(sum(own[name] * value for name, value in values.items()))
    expected.sort(reverse=True)
    search = SearchSettings(pop_limit=0, stack_size=0, options=3, distortion_limit=limit)
    decoder = Decoder(table, lm, [Linear(), model], own, search)
    decoded = decoder.decode(Sentence(tuple(words)), n_best=len(expected) + 5)
    np.testing.assert_allclose(decoded.scores, expected, atol=1e-4)


@pytest.mark.parametrize("n_words", [65, 130])
def test_long_sentences(n_words):
    words = (SENTENCE * 20)[:n_words]
    decoder = make_decoder(fitted(), reward=-1.0, pop_limit=20, distortion_limit=8)
    decoded = decoder.decode(sentence(words))
    phrases = phrases_of(words, decoded.options.table, decoded.chosen[0].tolist())
    expected, story = slow_model("words").features(phrases)
    np.testing.assert_allclose(decoded.features()[0][-5:], expected, rtol=1e-5)
    assert {"BACK", "FORWARD"} <= {kind for kind, *_ in story.operations}
