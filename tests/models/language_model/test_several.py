"""Several language models: what is said together is the weighted sum of what each says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import KenlmModel, LanguageModel, estimate, several
from hyperbaton.models.language_model.class_model import ClassModel
from hyperbaton.models.language_model.parts import load_part
from hyperbaton.models.language_model.several import LanguageModels
from hyperbaton.models.language_model.stepping import score_words
from tests.models.language_model.small_texts import encoded, texts
from tests.models.language_model.test_kenlm_model import KENLM

SENTENCE = ["the", "teacher", "read", "a", "zeppelin"]


def three_models():
    """One from KenLM, and two of different texts and orders."""
    other = LanguageModel.from_ngrams(estimate(*encoded([["a", "zeppelin"], ["the", "a"]]), 2))
    own = LanguageModel.from_arpa(KENLM / "lm.arpa")
    return {"lm": other, "lm.2": KenlmModel(KENLM / "probing.kenlm"), "lm.3": own}


def said(models, weights, words, times=1):
    """log p of the words as a search hears it, which asks again when there was no room."""
    numbers, speaker = models.encode(words), models.speaker(np.array(weights))
    for _ in range(times):
        while True:
            how = np.array([0, len(words)]), speaker.begin_state, True
            scores = score_words(speaker.lm, numbers, *how)
            speaker.check()
            if not speaker.has_grown():
                break
        speaker.forgets()
    return scores * speaker.weight


@pytest.mark.parametrize("names", [("lm", "lm.2"), ("lm", "lm.2", "lm.3")])
def test_scores_are_weighted_sums(names):
    every = three_models()
    models = LanguageModels({name: every[name] for name in names})
    weights = [0.5, -0.25, 2.0][: len(names)]
    columns = np.array([every[name].word_scores(SENTENCE) for name in names])
    assert said(models, weights, SENTENCE) == pytest.approx(weights @ columns)
    sentences = Ragged(models.encode(SENTENCE), np.array([0, 2, 5]))
    parts = [SENTENCE[:2], SENTENCE[2:]]
    expected = [[every[name].score(part) for name in names] for part in parts]
    np.testing.assert_allclose(models.feature_scores(sentences), expected, rtol=1e-6)
    after = models.encode(SENTENCE[:2]).tolist()
    rest = Ragged(models.encode(SENTENCE[2:]), np.array([0, 3]))
    sums = models.feature_scores(rest, end=False, after=after)
    np.testing.assert_allclose(sums[0], columns[:, 2:-1].sum(axis=1), rtol=1e-6)


def test_gains_are_weighted_sums_too():
    every, weights = three_models(), [0.5, -0.25, 2.0]
    models = LanguageModels(every)
    speaker = models.speaker(np.array(weights))
    expected = sum(
        weight * model.speaker(np.ones(1)).gains(model.encode(SENTENCE))
        for weight, model in zip(weights, every.values(), strict=True)
    )
    gains = speaker.gains(models.encode(SENTENCE))
    assert gains == pytest.approx(expected)
    assert np.abs(gains).max() > 0.1
    assert not every["lm.2"].speaker(np.ones(1)).gains(np.arange(5)).any()  # KenLM has no list


def test_room_for_states_grows_and_states_are_forgotten(monkeypatch):
    models = LanguageModels(three_models())
    weights = [1.0, 1.0, 1.0]
    expected = said(models, weights, SENTENCE)
    monkeypatch.setattr(several, "FIRST_ROOM", 2)
    monkeypatch.setattr(several, "MOST_STATES", 3)
    grown = []
    has_grown = several.SumSpeaker.has_grown

    def noted(self):
        grown.append(has_grown(self))
        return grown[-1]

    monkeypatch.setattr(several.SumSpeaker, "has_grown", noted)
    assert said(models, weights, SENTENCE, times=3) == pytest.approx(expected)
    assert any(grown)


def test_a_word_is_known_if_one_model_knows_it():
    models = LanguageModels(three_models())
    numbers = models.encode(["book", "zeppelin", "airship", "a", "book"]).tolist()
    assert numbers == [3, 4, 0, 5, 3]
    assert models.encode(["airship", "zeppelin"]).tolist() == [0, 4]
    assert models.order == 3


@given(texts, st.lists(st.sampled_from("abcdx"), max_size=8), st.integers(1, 3))
def test_a_class_model_scores_classes(tmp_path_factory, text, words, n_classes):
    sentences, vocabulary = encoded(text)
    if not len(sentences.values):
        return
    classes = WordClasses.fit(sentences, vocabulary, n_classes)
    named = Vocabulary(map(str, range(n_classes)))
    of_classes = [[str(one) for one in classes.of(line)] for line in text]
    numbers = [named.encode(line) for line in of_classes]
    ragged = Ragged(np.concatenate(numbers), sentences.offsets)
    plain = LanguageModel.from_ngrams(estimate(ragged, named, 2))
    folder = tmp_path_factory.mktemp("classes")
    ClassModel(plain, classes).save(folder)
    model = load_part(folder)
    assert isinstance(model, ClassModel)
    expected = plain.word_scores([str(one) for one in classes.of(words)])
    assert model.word_scores(words) == pytest.approx(expected)
