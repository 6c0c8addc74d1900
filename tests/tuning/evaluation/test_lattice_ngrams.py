"""Against all derivations of small systems, listed one by one."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.system.folder import default_models, default_weights
from hyperbaton.tuning.evaluation.lattice_ngrams import ngram_lattice
from tests.decoder.oracles import everything
from tests.decoder.systems import HAND, make_system, systems


def ngrams(words):
    return [tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) + 1 - n)]


def lattice_of(system):
    table, lm, kind, weights, words = system
    search = SearchSettings(pop_limit=0, stack_size=0, distortion_limit=-1, lattice=True)
    decoder = Decoder(table, lm, default_models(kind), weights, search)
    return ngram_lattice(decoder.decode(Sentence(tuple(words)), 1, distinct=False))


def named(lattice):
    """The n-grams of the lattice as words."""
    word = {number: text for text, number in lattice.words.items()}
    return [
        tuple(word[int(key) >> 16 * n & 0xFFFF] for n in reversed(range(4)) if int(key) >> 16 * n)
        for key in lattice.keys
    ]


@given(systems(max_words=3), st.floats(0.2, 3.0))
def test_how_likely_each_ngram_is(system, scale):
    every = everything(system)
    top = max(score for score, *_ in every)
    share = [math.exp(scale * (score - top)) for score, *_ in every]
    expected = Counter()
    for own, (_, text, _) in zip(share, every, strict=True):
        for ngram in set(ngrams(text)):
            expected[ngram] += own / sum(share)
    lattice = lattice_of(system)
    found = dict(zip(named(lattice), lattice.probabilities(scale), strict=True))
    assert found == pytest.approx(dict(expected), abs=1e-4)
    assert lattice.order.tolist() == [len(ngram) for ngram in named(lattice)]


@given(systems(max_words=3), st.integers(0, 2**32 - 1))
def test_the_translation_that_gains_most(system, seed):
    lattice, random = lattice_of(system), np.random.default_rng(seed)
    gain = dict(zip(named(lattice), random.normal(size=len(lattice.keys)), strict=True))
    of_word = float(random.normal())

    def total(text):
        return of_word * len(text) + sum(gain[ngram] for ngram in ngrams(text))

    every = everything(system)
    best = max(total(text) for _, text, _ in every)
    found = lattice.best(of_word, np.array(list(gain.values())))
    assert total(found.words()) == pytest.approx(best)
    scores = [score for score, text, _ in every if text == found.words()]
    assert found.scores[0] == pytest.approx(max(scores), abs=1e-4)


@given(systems(max_words=3), st.lists(st.sampled_from("ABCx"), max_size=6))
def test_ngrams_of_a_text(system, text):
    lattice = lattice_of(system)
    words = list(lattice.words)
    text = [words["ABC".index(word) % len(words)] if word in "ABC" else word for word in text]
    assume(words)
    count = Counter(ngrams(text))
    expected = [count[ngram] for ngram in named(lattice)]
    assert lattice.contains(text).tolist() == expected


def test_an_empty_sentence_has_no_lattice():
    table, lm = make_system(HAND)
    decoder = Decoder(
        table, lm, default_models(""), default_weights(""), SearchSettings(lattice=True)
    )
    assert ngram_lattice(decoder.decode(Sentence(()), 1, distinct=False)) is None
