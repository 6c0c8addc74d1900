import numpy as np
import pytest

from hyperbaton.models.language_model import LanguageModel, estimate
from tests.mapped_arrays import is_mapped
from tests.models.language_model.small_texts import encoded, skewed_text

FILES = [
    "header.json",
    "states.npy",
    "transitions.npy",
    "unigrams.npy",
    "vocabulary.txt",
]


@pytest.fixture
def model():
    return LanguageModel.from_ngrams(estimate(*encoded(skewed_text(seed=4)), 3))


@pytest.fixture
def folder(tmp_path, model):
    model.save(tmp_path / "lm")
    return tmp_path / "lm"


def test_a_saved_model_is_the_same_when_loaded(model, folder):
    loaded = LanguageModel.load(folder)
    assert sorted(path.name for path in folder.iterdir()) == FILES
    assert loaded.vocabulary == model.vocabulary
    assert (loaded.order, loaded.begin_state) == (3, model.begin_state)
    for mine, theirs in zip(model.automaton[:4], loaded.automaton[:4], strict=True):
        assert mine.dtype == theirs.dtype
        assert np.array_equal(mine, theirs)
    for words in skewed_text(seed=5, n_sentences=5):
        assert loaded.score(words) == model.score(words)


def test_arrays_are_read_only_and_those_of_files_are_mapped(model, folder):
    loaded = LanguageModel.load(folder).automaton
    for automaton in (model.automaton, loaded):
        assert not any(array.flags.writeable for array in automaton[:4])
    assert all(map(is_mapped, loaded[:4]))


def test_words_with_odd_letters_survive(tmp_path):
    odd = ["a\u3000b", "\u0085", "\u2028x", "\r", "é"]
    model = LanguageModel.from_ngrams(estimate(*encoded([odd]), 2))
    model.save(tmp_path)
    assert LanguageModel.load(tmp_path).vocabulary.words[3:] == tuple(odd)


def test_saving_over_a_model_leaves_those_who_use_it_alone(folder):
    loaded = LanguageModel.load(folder)
    before = loaded.automaton.states.copy()
    other = LanguageModel.from_ngrams(estimate(*encoded([["a"]]), 2))
    other.save(folder)
    assert np.array_equal(loaded.automaton.states, before)
    assert LanguageModel.load(folder).vocabulary == other.vocabulary
