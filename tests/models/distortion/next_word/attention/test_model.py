"""The attention model: laws, files, unknown words."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.distortion.conformance import check_model
from hyperbaton.models.distortion.next_word.attention.model import Attention, usual_passes
from hyperbaton.models.distortion.next_word.events import find_events
from hyperbaton.models.distortion.next_word.held_out import DistanceBaseline, predict
from tests.models.distortion.next_word.test_model import (
    corpus,
    options_for,
    sentence,
    short_sentence,
)
from tests.refusals import refusals

QUICK = {"size": 16, "layers": 1, "passes": 3, "rate": 0.01}


@cache
def fitted(**settings):
    return Attention(**(QUICK | settings)).fit(corpus().take(np.arange(250)))


@pytest.mark.parametrize("settings", [{}, {"order": "span", "leave_out": "wa o ga a the"}])
def test_the_laws(settings):
    given = short_sentence()
    unknown = Sentence(("never", *given.words), ("NN", *(given.tags or ())))
    few = corpus().take(np.arange(60))
    check_model(lambda: Attention(**QUICK, **settings), unknown, options_for(unknown), corpus=few)


def test_it_predicts_better_than_distance():
    test = corpus().take(np.arange(250, 300))
    events = find_events(test)
    model, baseline = fitted(passes=12), DistanceBaseline(find_events(corpus()))
    by_model, by_distance = (predict(scores, test, events) for scores in (model.scores, baseline))
    assert by_model.log_p.mean() > by_distance.log_p.mean() + 0.3


def test_rare_and_unseen_words_are_alike():
    model = fitted(min_count=5)
    counts = np.bincount(corpus().take(np.arange(250)).source.words.values)
    rare = corpus().source.vocabulary.words[int(np.flatnonzero(counts == 4)[0])]
    given = short_sentence()
    with_rare, with_unseen = (
        model.table(replace(given, words=(word, *given.words[1:]))) for word in (rare, "never")
    )
    assert np.array_equal(with_rare, with_unseen)
    with_known = model.table(given)
    assert not np.array_equal(with_known, with_unseen)


def test_tags_that_training_did_not_see():
    given = short_sentence()
    assert given.tags is not None
    strange = replace(given, tags=("NEVER", *given.tags[1:]))
    assert np.isfinite(fitted().table(strange)[0]).all()


def test_long_sentences_and_short_ones():
    given = sentence(0)
    assert given.tags is not None
    long = Sentence(given.words * 30, given.tags * 30)
    assert np.allclose(np.exp(fitted().table(long)).sum(axis=1), 1)
    one = Sentence(given.words[:1], given.tags[:1])
    assert fitted().table(one)[:, :, 0].tolist()[1] == [-np.inf, 0.0]  # from the word to EOS


def test_few_sentences_have_more_passes():
    passes = [usual_passes(n) for n in (1, 20_000, 100_000, 150_000, 200_000, 1_000_000)]
    assert passes == [6, 6, 6, 4, 3, 3]


@pytest.mark.parametrize("name", ["attend", "near", "gains", "leave", "row_of_word", "symbols"])
def test_damaged_arrays_are_refused(name, tmp_path):
    model = fitted()
    model.save(tmp_path)
    path = tmp_path / f"{name}.npy"
    np.save(path, np.load(path)[:-1])
    with pytest.raises(DataError):
        Attention(**QUICK).load(tmp_path)


def test_wrong_values_are_refused(tmp_path):
    fitted().save(tmp_path)
    rows = np.load(tmp_path / "row_of_word.npy")
    rows[0] = 10_000
    np.save(tmp_path / "row_of_word.npy", rows)
    with pytest.raises(DataError, match="row_of_word"):
        Attention(**QUICK).load(tmp_path)


@refusals(
    ("size", 6, "attention.size … 6 is not possible … expected a multiple of 4"),
    ("layers", 0, "attention.layers … 0 is not possible … expected 1 or more"),
    (
        "dropout",
        1.0,
        "attention.dropout … 1.0 is not possible … expected a number from 0 to below 1",
    ),
    ("forget", -0.1, "attention.forget … -0.1 is not possible … expected a number from 0"),
    ("rate", 0.0, "attention.rate … 0.0 is not possible … expected a number above 0"),
    error=SettingError,
)
def test_impossible_settings(key, value):
    Attention(**{key: value}).fit(corpus().take(np.arange(5)))
