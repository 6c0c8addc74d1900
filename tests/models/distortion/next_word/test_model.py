"""The models of the next source word in the decoder."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError, NotFitted, SettingError
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.distortion.conformance import check_model, random_derivations
from hyperbaton.models.distortion.interface import Steps
from hyperbaton.models.distortion.next_word.events import find_events
from hyperbaton.models.distortion.next_word.held_out import (
    DistanceBaseline,
    compare,
    predict,
    uniform,
)
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import starting_weights
from tests.decoder.systems import find_options
from tests.refusals import refusals, refused
from tests.samples import sample

VARIANTS = [
    ("pair", {}),
    ("sequence", {}),
    ("sequence", {"candidates": "open"}),
    ("pair", {"candidates": "open", "leave_out": "wa o ga a the"}),
    ("sequence", {"order": "asc", "leave_out": "wa o ga a the"}),
    ("nine-class", {}),
    ("nine-class", {"outbound": False, "bins": "green"}),
]
QUICK = {"prior": 8.0, "passes": 6}


@cache
def corpus():
    return sample("ja-en", first=300)


@cache
def system():
    words = corpus().target.words, corpus().target.vocabulary
    lm = LanguageModel.from_ngrams(estimate(*words, order=3))
    return train_phrases(corpus(), PhraseSettings(max_length=4, reordering="none")), lm


@cache
def fitted(name, **settings):
    return make_model(name, **QUICK, **settings).fit(corpus())


def sentence(number=0):
    return corpus().source.sentence(number)


@cache
def short_sentence():
    lengths = corpus().source.words.lengths
    return sentence(int(np.flatnonzero(lengths == 7)[0]))


def options_for(given):
    return find_options(given.words, *system(), 3)


@pytest.mark.parametrize(("name", "settings"), VARIANTS)
def test_the_laws(name, settings):
    given = short_sentence()
    few = corpus().take(np.arange(100))
    unknown = Sentence(("never", *given.words), ("NN", *(given.tags or ())))
    for one in (given, unknown):
        found = check_model(
            lambda: make_model(name, **QUICK, **settings), one, options_for(one), corpus=few
        )
        assert "layers" in found
        assert ("probabilities" in found) == (settings.get("candidates") != "open")


def ends_of(options, number):
    """Places where an option is entered and left, from its links one by one."""
    start, bits = int(options.start[number]), int(options.inner[number])
    first = {}
    for target in range(8):
        for source in range(8):
            if bits >> (8 * target + source) & 1:
                first.setdefault(source, target)
    order = sorted(first, key=lambda source: (first[source], source))
    if not order:
        return start + 1, int(options.end[number])
    return start + order[0] + 1, start + order[-1] + 1


@pytest.mark.parametrize("name", ["pair", "sequence", "nine-class"])
def test_a_derivation_is_a_walk_through_the_table(name):
    given = short_sentence()
    model, options = fitted(name), options_for(given)
    scorer, table = model.prepare(given, options), model.table(given)
    for path in random_derivations(options, 5, seed=1):
        expected, place = np.zeros(table.shape[2]), 0
        state, previous = np.array([scorer.initial_state]), np.array([-1], np.int32)
        values = np.zeros(table.shape[2])
        for option in path:
            entered, left = ends_of(options, option)
            expected += table[place, entered - 1]
            place = left
            steps = Steps(
                previous, np.array([option], np.int32), np.zeros((1, 1), np.uint64), state
            )
            values += scorer.features(steps)[0]
            state, previous = scorer.advance(steps), steps.option
        expected += table[place, len(given)]
        values += scorer.finish(state)[0]
        assert values == pytest.approx(expected)


def test_open_places_share_the_probability():
    given = short_sentence()
    model, options = fitted("sequence", candidates="open"), options_for(given)
    scorer, scores = model.prepare(given, options), model.scores(given)
    path = next(random_derivations(options, 1, seed=2))
    covered, place, previous, state = [False] * len(given), 0, -1, scorer.initial_state
    for option in path:
        entered, left = ends_of(options, option)
        open_places = [k + 1 for k, is_covered in enumerate(covered) if not is_covered]
        candidates = [*(k for k in open_places if k != place), len(given) + 1]
        z = sum(np.exp(scores[place, k - 1]) for k in candidates)
        bits = sum(1 << k for k, is_covered in enumerate(covered) if is_covered)
        steps = Steps(np.array([previous], np.int32), np.array([option], np.int32),
                      np.array([[bits]], np.uint64), np.array([state]))  # fmt: skip
        value = scorer.features(steps)[0, 0]
        assert value == pytest.approx(scores[place, entered - 1] - np.log(z))
        covered[options.start[option] : options.end[option]] = [True] * int(
            options.end[option] - options.start[option]
        )
        place, previous, state = left, option, scorer.advance(steps)[0]
    assert scorer.finish(np.array([state])).tolist() == [[0.0]]


@pytest.mark.parametrize(("name", "settings"), VARIANTS)
def test_the_decoder_adds_up_what_the_model_says(name, settings):
    model = fitted(name, **settings)
    phrases, lm = system()
    weights = starting_weights([model])
    search = SearchSettings(distortion_limit=-1, pop_limit=50, stack_size=20)
    translator = Translator(phrases, lm, [model], weights, search)
    decoded = translator.decode(sentence(3), 20)
    totals = decoded.features() @ [weights[name] for name in translator.feature_names]
    assert totals == pytest.approx(decoded.scores)
    assert len(decoded) == 20


@pytest.mark.parametrize(("name", "settings"), VARIANTS)
def test_estimates_are_never_worse_than_a_step(name, settings):
    given = short_sentence()
    options = options_for(given)
    scorer = fitted(name, **settings).prepare(given, options)
    estimate_ = scorer.option_estimate(len(options))
    if settings.get("candidates") == "open":
        assert not estimate_.any()
        return
    every = np.arange(len(options), dtype=np.int32)
    for previous in range(-1, len(options)):
        apart = (
            (options.end[previous] <= options.start) | (options.start[previous] >= options.end)
            if previous >= 0
            else np.ones(len(options), bool)
        )
        steps = Steps(
            np.full(len(options), previous), every, np.zeros((len(options), 1), np.uint64), every
        )
        assert (scorer.features(steps)[apart] <= estimate_[apart] + 1e-12).all()


@pytest.mark.parametrize("name", ["pair", "sequence", "nine-class"])
def test_estimates_of_options_are_those_of_their_best_predecessors(name):
    given = short_sentence()
    model, options = fitted(name), options_for(given)
    table, expected = model.table(given), []
    for number in range(len(options)):
        entered, _ = ends_of(options, number)
        others = [place for place in range(len(given) + 1) if place != entered]
        expected.append(table[others, entered - 1].max(axis=0))
    found = model.prepare(given, options).option_estimate(len(options))
    np.testing.assert_allclose(found, expected)
    assert (found < 0).all()


@pytest.mark.parametrize("name", ["pair", "sequence", "nine-class"])
def test_jumps_between_single_words_cost_what_is_estimated(name):
    given = short_sentence()
    options = options_for(given)
    scorer = fitted(name).prepare(given, options)
    weights = np.linspace(0.3, 0.9, scorer.n_features)
    jumps = scorer.jump_estimate(weights)
    words = np.flatnonzero(options.end - options.start == 1).astype(np.int32)
    assert len(words) > 1
    for previous in words:
        after = words[options.start[words] != options.start[previous]]
        unused = np.zeros((len(after), 1), np.uint64)
        steps = Steps(np.full(len(after), previous, np.int32), after, unused, after)
        expected = jumps[options.end[previous], options.start[after]]
        np.testing.assert_allclose(scorer.features(steps) @ weights, expected)


def test_heat_maps_show_probabilities():
    given = short_sentence()
    for name, settings in VARIANTS[:3]:
        (drawn,) = fitted(name, **settings).prepare(given, options_for(given)).heat_maps()
        assert drawn.rows == ("<s>", *given.words)
        assert drawn.columns == (*given.words, "</s>")
        assert drawn.values.sum(axis=1) == pytest.approx(1.0)
        assert "P(next word | current word)" in drawn.title
    drawn = fitted("nine-class").prepare(given, options_for(given)).heat_maps()
    assert [heat.title for heat in drawn] == [
        "nine-class.outbound: P(class of distance | current word)",
        "nine-class.inbound: P(class of distance | next word)",
    ]
    assert {(heat.row_title, heat.column_title) for heat in drawn} == {
        ("current word", "next word")
    }
    # distances 2 and 3, column − row, are one class, seen from the row or from the column
    outbound, inbound = (heat.values for heat in drawn)
    assert outbound[0, 2] == outbound[0, 3] > 0
    assert inbound[0, 3] == inbound[1, 3] > 0


def test_feature_names_tell_variants_apart():
    names = [make_model(name, **settings).feature_names for name, settings in VARIANTS]
    assert names == [
        ("pair.logp",),
        ("sequence.logp",),
        ("sequence.open.logp",),
        ("pair.open.logp",),
        ("sequence.asc.logp",),
        ("nine-class.outbound", "nine-class.inbound"),
        ("nine-class.green.inbound",),
    ]


def test_the_second_layer_is_remembered(tmp_path):
    side = corpus().source
    classes = Ragged((side.words.values % 5).astype(np.int32), side.words.offsets)
    with_classes = replace(corpus(), source=replace(side, tags=None, classes=classes))
    plain = replace(corpus(), source=replace(side, tags=None))
    for number, (given, layers) in enumerate(
        [(corpus(), {"tags"}), (with_classes, {"classes"}), (plain, set())]
    ):
        for name in ("pair", "nine-class"):
            model = make_model(name, **QUICK)
            assert model.requires == frozenset()  # nothing is known before
            assert model.fit(given.take(np.arange(40))).requires == layers
            model.save(tmp_path / f"{name}{number}")
            loaded = make_model(name, **QUICK).load(tmp_path / f"{name}{number}")
            assert loaded.requires == layers
            one = given.source.sentence(0)
            assert np.array_equal(loaded.table(one), model.table(one))


@pytest.mark.parametrize("name", ["pair", "sequence", "nine-class"])
def test_a_model_that_was_not_trained_says_so(name, tmp_path):
    facts = f"{name} is not fitted … call fit or load"
    refused(facts, lambda: make_model(name).table(sentence()), NotFitted)
    refused(facts, lambda: make_model(name).save(tmp_path), NotFitted)


@refusals(
    ("pair", {"order": "spn"}, "'spn' … did you mean span?"),
    ("sequence", {"candidates": "any"}, "sequence.candidates: 'any' … known: all, open"),
    ("nine-class", {"bins": "ten"}, "'ten'"),
    ("nine-class", {"passes": 0}, "nine-class.passes: 0 … 1 or more"),
    (
        "nine-class",
        {"outbound": False, "inbound": False},
        "the model nine-class has no features … one of outbound and inbound must be true",
    ),
    error=SettingError,
)
def test_settings_that_cannot_be(name, settings):
    make_model(name, **settings).fit(corpus())


def test_a_corpus_without_links_is_refused():
    links = Ragged(np.empty((0, 2), np.uint16), np.zeros(len(corpus()) + 1, np.int64))
    for name in ("pair", "nine-class"):
        with pytest.raises(DataError, match=f"the model {name} has nothing to learn from"):
            make_model(name).fit(replace(corpus(), links=links))


def test_the_order_of_the_models_on_held_out_sentences():
    # pair > nine-class > distance > uniform in log P, beyond the 95% intervals; sequence needs more
    # data to be better than pair for sure
    train = sample("ja-en", first=600)
    test = sample("ja-en", "dev")
    events = find_events(test)
    models = [
        make_model("nine-class", prior=4.0, passes=10),
        make_model("pair", prior=2.0, passes=10),
        make_model("sequence", prior=32.0, passes=10),
    ]
    scores = [uniform, DistanceBaseline(find_events(train))]
    scores += [model.fit(train).scores for model in models]
    found = [predict(one, test, events) for one in scores]
    gains = [compare(b.log_p, a.log_p, b.sentence) for a, b in pairwise(found)]
    assert all(gain.low > 0 for gain in gains[:-1])
    assert gains[-1].high > 0
