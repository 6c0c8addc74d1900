import numpy as np
import pytest
from hypothesis import given
from sklearn.linear_model import LogisticRegression

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.hashing import index_keys, keys_in_order
from hyperbaton.models.distortion.next_word import distance_classes as nine_classes
from hyperbaton.models.distortion.next_word.distance_classes import (
    ClassExamples,
    check_bins,
    class_log_probabilities,
    class_names,
    distance_classes,
    event_places,
    number_features,
    place_keys,
    select_place_features,
)
from hyperbaton.models.distortion.next_word.events import find_events
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.templates import Symbols
from hyperbaton.models.learning.l_bfgs import fit_weights
from tests.models.distortion.next_word.corpora import hard_cases, tagged_corpora, tagged_corpus
from tests.strategies import examples


def test_the_classes_of_footnote_6():
    classes = {
        0: [-40, -9, -8], 1: [-7, -6, -5], 2: [-4, -3], 3: [-2], 4: [0], 5: [1], 6: [2, 3],
        7: [4, 5, 6], 8: [7, 8, 50],
    }  # fmt: skip
    for number, members in classes.items():
        assert distance_classes(np.array(members), "goto").tolist() == [number] * len(members)
    # Green et al.: the same shifted by one below 0, and −1 is a class
    for number, members in classes.items():
        shifted = np.array([member + (member < 0) for member in members])
        assert distance_classes(shifted, "green").tolist() == [number] * len(members)
    assert class_names("goto") == [
        "≤ -8", "-7 to -5", "-4 to -3", "-2", "0", "1", "2 to 3", "4 to 6", "≥ 7"
    ]  # fmt: skip
    assert class_names("green")[:5] == ["≤ -7", "-6 to -4", "-3 to -2", "-1", "0"]
    with pytest.raises(
        SettingError, match="unknown distance classes 'grean'\n  did you mean green"
    ):
        check_bins("grean")


def test_the_features_of_places_by_hand():
    symbols = Symbols(np.array([7, 8, 9, 7, 8, -1], np.int32), np.array([4, 5, 4, 4, 5, 5]))
    keys = place_keys(symbols, np.array([0, 5, 6]))
    assert keys.shape == (5 + 2 + 1 + 2, 10)
    # templates are in the bits above 38, the first symbol above 16
    fields = [[(key >> 38, key >> 16 & 0x3FFFFF, key & 0xFFFF) for key in row] for row in keys]
    assert fields[2] == [  # the second word, 8 with tag 5: BOS 7 [8] 9 7
        (0, 1, 0), (1, 7, 0), (2, 8, 0), (3, 9, 0), (4, 7, 0),
        (5, 5, 0), (6, 4, 5), (7, 5, 4), (8, 8, 5), (9, 1, 0),
    ]  # fmt: skip
    assert keys[0, 9] == -1  # BOS lies in no fifth of the sentence
    assert keys[8, 2] == keys[8, 8] == -1  # an unknown word has only a tag
    assert keys[8, 5] == (5 << 38) + (5 << 16)
    fifths = [keys[place, 9] & 0xFFFFFF for place in range(1, 6)]
    assert [fifth >> 16 for fifth in fifths] == [0, 1, 2, 3, 4]


def examples_of(examples, threads=1):
    corpus = tagged_corpus(examples)
    events = find_events(corpus)
    keys = place_keys(SymbolCoder.of(corpus).corpus(corpus), events.word_offsets)
    own = keys[event_places(events)[0]]
    chosen = select_place_features(own, 2)
    index = index_keys(chosen)
    classes = distance_classes(events.distortions, "goto")
    features = number_features(index, own, len(chosen))
    return ClassExamples(features, classes, threads), index, own


@examples(0.8)
@given(tagged_corpora)
def test_gradients_are_finite_differences(examples):
    made, index, _ = examples_of(examples)
    met = hard_cases(examples, find_events(tagged_corpus(examples)))
    assert min(met["current_twice"], met["several_links"], met["no_links"], met["ties"]) > 0
    random = np.random.default_rng(0)
    weights, direction = random.normal(0, 0.3, (2, len(keys_in_order(index)) + 1, 9))
    _, gradient = made.value_and_gradient(weights)
    step = 1e-5 * direction
    slope = (made.value(weights + step) - made.value(weights - step)) / 2e-5
    assert slope == pytest.approx(float((gradient * direction).sum()), abs=1e-5)


def test_the_optimum_is_that_of_scikit_learn(monkeypatch):
    random = np.random.default_rng(3)
    n_features, classes = 12, random.integers(0, 9, 400)
    features = (classes[:, None] + random.integers(0, 8, (400, 3))).astype(np.int32) % n_features
    prior = 2.0
    monkeypatch.setattr(nine_classes, "EVENTS_AT_ONCE", 16)
    fits = [
        fit_weights(
            ClassExamples(features, classes, threads),
            np.zeros((n_features + 1, 9)), prior, 500, tolerance=1e-13,
        )
        for threads in (1, 3)
    ]  # fmt: skip
    assert np.array_equal(fits[0].weights, fits[1].weights)
    counts = np.zeros((400, n_features))
    np.add.at(counts, (np.arange(400)[:, None], features), 1.0)
    theirs = LogisticRegression(C=1 / prior, fit_intercept=False, tol=1e-8, max_iter=1000)
    theirs.fit(counts, classes)
    ours = fits[0].weights[:-1].T
    assert ours == pytest.approx(theirs.coef_, abs=1e-3)


def test_probabilities_of_classes_sum_to_one():
    made, index, own = examples_of([(list("abab"), list("AB"), [(1, 0), (2, 1)], list("NVNV"))] * 3)
    weights = np.random.default_rng(0).normal(size=(len(keys_in_order(index)) + 1, 9))
    weights[-1] = 0.0
    log_p = class_log_probabilities(own, index, weights)
    assert np.exp(log_p).sum(axis=1) == pytest.approx(1.0)
    assert -log_p[np.arange(len(log_p)), made.classes].sum() == pytest.approx(made.value(weights))
