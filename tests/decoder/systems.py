"""Small random translation systems."""

import numpy as np
from hypothesis import strategies as st

from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.options import OptionFinder
from hyperbaton.decoder.ranking.entry_memo import EntryWeights
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import default_weights
from tests.models.phrases.corpora import corpus_of, small_corpora

TYPES = [
    "",
    "wbe-msd-bidirectional-fe",
    "wbe-msd-backward-fe",
    "phrase-mslr-forward-fe",
    "wbe-leftright-bidirectional-f",
    "wbe-monotonicity-bidirectional-fe",
]
HAND = [
    (["hon", "o", "katta"], ["bought", "a", "book"], [(0, 2), (2, 0)]),
    (["kare", "wa", "hon", "o", "yonda"], ["he", "read", "a", "book"], [(0, 0), (2, 3), (4, 1)]),
]
weights = st.floats(-1.0, 1.0).map(lambda value: round(value, 2))


def make_system(sentences, reordering_type=""):
    """A phrase table and a language model from word-aligned sentences."""
    corpus = corpus_of(sentences)
    settings = PhraseSettings(max_length=3, reordering=reordering_type or "none")
    lm = LanguageModel.from_ngrams(estimate(corpus.target.words, corpus.target.vocabulary, order=3))
    return train_phrases(corpus, settings), lm


@st.composite
def systems(draw, max_words=4):
    """A system, weights for all its features, and a sentence with known and unknown words."""
    kind = draw(st.sampled_from(TYPES))
    table, lm = make_system(draw(small_corpora), kind)
    own = {name: draw(weights) for name in default_weights(kind)} | {"unknown": 1.0}
    words = draw(st.lists(st.sampled_from("abcz"), min_size=1, max_size=max_words))
    return table, lm, kind, own, words


def hand_translator(*models, search=SearchSettings(), **weights):
    """A system of two sentences, with linear distortion unless it gets other models."""
    own = default_weights("") | weights
    return Translator(*make_system(HAND), list(models or [Linear()]), own, search)


def find_options(words, table, lm, *limit):
    """The options of a sentence under some weights."""
    weights = EntryWeights(np.full(4, 0.2), 0.2, -1.0, 0.5, 1.0)
    numbers = lm.encode(table.target_vocabulary.words)
    finder = OptionFinder(table, numbers, lm.speaker(np.array([0.5])), weights, *limit)
    return finder.find(table.source_vocabulary.encode(words)).table
