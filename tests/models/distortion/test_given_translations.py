"""Translations that the user gave are in no phrase table, but every model can score them."""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.markup import Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.distortion.catalogue import MODELS, make_model
from hyperbaton.models.distortion.interface import FIRST_GIVEN, fit_model
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import default_weights
from tests.models.distortion.parse.small import small_corpus

WORDS = [
    "wo",
    "gei",
    "ta",
    "mai",
    "le",
    "shu",
    "na",
    "xie",
    "ren",
    "kan",
    "de",
    "san",
    "ren",
    "shu",
]
LONG = "one two three four five six seven eight nine ten"
TERMS = (
    Term(1, 3, {"for him": 0.5, "to": 0.5}, "inclusive"),
    Term(3, 13, {LONG: 0.5}),  # longer than any phrase of the table
    Term(13, 14, {"books": 1.0}),
)
KINDS = [(name, "wbe-msd-bidirectional-fe") for name in sorted(MODELS)]


@pytest.mark.parametrize(("name", "kind"), [*KINDS, ("msd", "hier-mslr-bidirectional-fe")])
def test_scores_of_the_search_are_those_of_the_features(name, kind):
    corpus = small_corpus()
    table = train_phrases(corpus, PhraseSettings(max_length=3, reordering=kind))
    target = corpus.target
    lm = LanguageModel.from_ngrams(estimate(target.words, target.vocabulary, order=2))
    model = make_model(name, **({"type": kind} if name == "msd" else {}))
    fit_model(model, corpus, phrases=table, seed=0, threads=1)
    own = dict(zip(model.feature_names, model.initial_weights, strict=True))
    weights = default_weights("") | own
    decoder = Decoder(table, lm, [model], weights, SearchSettings(distortion_limit=-1))
    tags = ("NR", "P", "PN", "VV", "AS", "NN", "DT", "M", "NN", "VV", "DEC", "CD", "NN", "NN")
    sentence = Sentence(WORDS, tags, order=tuple(range(14)), markup=Markup(TERMS))
    decoded = decoder.decode(sentence, 200)
    every = np.array([weights[each] for each in decoded.feature_names])
    values = decoded.features()
    assert values @ every == pytest.approx(decoded.scores, abs=1e-6)
    assert np.isfinite(values).all()
    table = decoded.options.table
    chosen = np.unique(decoded.chosen.values).tolist()
    given = [table.given_at(n).words for n in chosen if table.entry[n] <= FIRST_GIVEN]
    assert {("books",), tuple(LONG.split(" "))} <= set(given)
