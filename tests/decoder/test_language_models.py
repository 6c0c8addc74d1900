"""The search with language models that it asks, and with several at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.markup import Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.stream import decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.language_model import KenlmModel, LanguageModel, estimate, several
from hyperbaton.models.language_model.several import LanguageModels
from hyperbaton.models.system.folder import default_models, default_weights
from tests.decoder.systems import HAND, make_system, systems
from tests.models.language_model.small_texts import encoded
from tests.models.language_model.test_kenlm_model import KENLM, both

EXHAUSTIVE = SearchSettings(pop_limit=0, stack_size=0, distortion_limit=-1)
SENTENCES = ["kare wa hon o katta", "hon o yonda", "kare wa neko o katta", "hon", ""]


def lists(translator, sentences=SENTENCES, n_best=20):
    return [
        [(one.text, pytest.approx(one.score, abs=1e-4)) for one in translator.n_best(text, n_best)]
        for text in sentences
    ]


def hand_system(model, search=EXHAUSTIVE, /, **weights):
    table, _ = make_system(HAND)
    return Translator(table, model, [Linear()], default_weights("") | weights, search)


@pytest.mark.parametrize("kind", ["probing", "trie"])
@pytest.mark.parametrize("search", [EXHAUSTIVE, SearchSettings(pop_limit=5, stack_size=3)])
def test_a_binary_translates_as_its_arpa_file(kind, search):
    ours = hand_system(LanguageModel.from_arpa(KENLM / "lm.arpa"), search)
    theirs = hand_system(KenlmModel(KENLM / f"{kind}.kenlm"), search)
    assert lists(ours) == lists(theirs)


@given(systems(max_words=5))
def test_random_systems_translate_alike(tmp_path_factory, system):
    table, lm, kind, weights, words = system
    _, asked = both(tmp_path_factory.mktemp("kenlm"), lm.ngrams())
    found = []
    for model in (lm, asked):
        translator = Translator(table, model, default_models(kind), weights, EXHAUSTIVE)
        found.append([one.score for one in translator.n_best(" ".join(words), 30)])
    assert found[1] == pytest.approx(found[0], abs=1e-3)


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_model_twice_is_one_with_the_sum_of_the_weights(first, second):
    _, lm = make_system(HAND)
    asked = KenlmModel(KENLM / "probing.kenlm")
    for one in (lm, asked):
        single = hand_system(one, lm=first + second)
        double = hand_system(
            LanguageModels({"lm": one, "lm.2": one}), **{"lm": first, "lm.2": second}
        )
        scores = [[[one[1] for one in group] for group in lists(t)] for t in (single, double)]
        assert scores[0] == scores[1]


def several_models():
    text = [["he", "bought", "a", "cat"], ["a", "book", "he", "read"]]
    return LanguageModels(
        {
            "lm": make_system(HAND)[1],
            "lm.2": KenlmModel(KENLM / "trie.kenlm"),
            "lm.other": LanguageModel.from_ngrams(estimate(*encoded(text), 4)),
        }
    )


WEIGHTS = {"lm": 0.3, "lm.2": 0.7, "lm.other": -0.2}


def test_features_are_what_each_model_says_and_scores_are_their_sums():
    models = several_models()
    translator = hand_system(models, **WEIGHTS)
    assert translator.feature_names[-5:] == ("lm", "lm.2", "lm.other", "unknown", "linear")
    for text in SENTENCES[:4]:
        found = translator.n_best(text, 50)
        for one in found:
            words = [word if word != "neko" else "<unk>" for word in one.words]
            for name, model in zip(models.feature_names, models.models, strict=True):
                assert one.features[name] == pytest.approx(model.score(words), abs=1e-4)
            total = sum(translator.weights[name] * value for name, value in one.features.items())
            assert one.score == pytest.approx(total)
        # nothing is pruned, so the list is sorted by the whole score and its first is the best
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert translator.translate(text).score == pytest.approx(scores[0])


@pytest.mark.parametrize("room", [2, 1 << 16])
def test_little_room_and_many_threads_change_nothing(monkeypatch, room):
    expected = lists(hand_system(several_models(), **WEIGHTS))
    monkeypatch.setattr(several, "FIRST_ROOM", room)
    monkeypatch.setattr(several, "MOST_STATES", 4 * room)
    translator = hand_system(several_models(), **WEIGHTS)
    assert lists(translator) == expected
    sentences = [Sentence.parse(text) for text in 5 * SENTENCES[:4]]
    found = list(decode_all(translator, sentences, threads=3))
    assert [round(one.scores[0], 4) for one in found] == [
        round(translator.translate(sentence).score, 4) for sentence in sentences
    ]


class Impatient(list):
    """Words whose user presses Ctrl-C after some questions."""

    left = 1 << 30

    def __getitem__(self, place):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().__getitem__(place)


@pytest.mark.parametrize("patience", [0, 10, 20, 40])
def test_an_interrupted_search_leaves_nothing_wrong_behind(patience):
    model = KenlmModel(KENLM / "probing.kenlm")
    expected = lists(hand_system(model))
    model._words = words = Impatient(model._words)
    translator = hand_system(model)
    words.left = patience
    with pytest.raises(KeyboardInterrupt):
        translator.decode(SENTENCES[0])
    words.left = 1 << 30
    assert lists(translator) == expected


def test_words_of_terms_that_only_one_model_knows():
    models = several_models()
    translator = hand_system(models, **WEIGHTS)
    words = ("kare", "wa", "hon", "o", "katta")
    markup = Markup((Term(2, 3, {"newspaper": 1.0}),))  # only the one from KenLM
    best = translator.translate(Sentence(words, markup=markup))
    assert "newspaper" in best.words
    for name, model in zip(models.feature_names, models.models, strict=True):
        assert best.features[name] == pytest.approx(model.score(best.words), abs=1e-4)


def test_steps_of_an_explanation_add_up():
    from hyperbaton.decoder.explanation import explain

    translator = hand_system(several_models(), **WEIGHTS)
    decoded = translator.decode(SENTENCES[0])
    explained = explain(translator, decoded)
    assert explained.part_scores.sum() == pytest.approx(explained.score)
    names = [part.name for part in explained.parts]
    assert names[-5:] == ["lm", "lm.2", "lm.other", "unknown", "linear"]
    sums = dict(zip(explained.feature_names, explained.values.sum(axis=0), strict=True))
    for name, value in translator.translate(SENTENCES[0]).features.items():
        assert sums[name] == pytest.approx(value)
    first = translator.lm.models[0].word_scores(explained.target_words, end=False)
    by_word = [score for step in explained.steps for score in step.word_scores]
    np.testing.assert_allclose(by_word, first, rtol=1e-6)
