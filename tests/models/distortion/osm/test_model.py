"""The operation sequence model: its laws, its features, its files."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hyperbaton.corpus.sentences.markup import Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.distortion.conformance import check_model, random_derivations
from hyperbaton.models.distortion.derivations import derivation_features, walk
from hyperbaton.models.distortion.osm.model import OperationSequence
from hyperbaton.models.distortion.osm.texts import UNSEEN
from hyperbaton.models.system.folder import default_weights
from tests.decoder.systems import find_options, make_system
from tests.models.distortion.osm.slow_operations import SlowModel
from tests.models.distortion.osm.test_operations import text_of
from tests.models.phrases.corpora import corpus_of

WORDS = "abcdefgh"
PRUNE = (0, 0, 1)


def random_corpus(seed=0, n=30):
    """Pairs whose target words are the source words in capitals, in another order, with words that
    have no links, words with several, and one word that is copied once."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        size = int(random.integers(3, 8))
        source = random.choice(list(WORDS), size).tolist()
        order = random.permutation(size) if random.random() < 0.5 else np.arange(size)
        target = [source[place].upper() for place in order]
        links = {(int(place), number) for number, place in enumerate(order)}
        links = {link for link in links if random.random() < 0.85}
        links |= {tuple(random.integers(size, size=2).tolist()) for _ in range(random.integers(2))}
        pairs.append((source, target, sorted(links)))
    whole = ["c", "d", "e"], ["CDE"], [(0, 0), (2, 0)]  # a cept with a gap
    return [*pairs, whole, whole, (["a", "Kyoto"], ["A", "Kyoto"], [(0, 0), (1, 1)])]


PAIRS = random_corpus()
SENTENCE = ["a", "b", "never", "Kyoto", "c", "d", "e"]


@cache
def corpus():
    made = corpus_of(PAIRS)
    source = WordClasses.fit(made.source.words, made.source.vocabulary, 4)
    target = WordClasses.fit(made.target.words, made.target.vocabulary, 4)
    with_classes = replace(
        made,
        source=replace(made.source, classes=source.layer(made.source.words)),
        target=replace(made.target, classes=target.layer(made.target.words)),
    )
    return with_classes, source, target


def sentence(words=tuple(SENTENCE)):
    return Sentence(tuple(words), classes=corpus()[1].of(words))


@cache
def options():
    return find_options(SENTENCE, *make_system(PAIRS), 4)


@cache
def fitted(**settings):
    return OperationSequence(**settings).fit(corpus()[0])


def phrases_of(words, options, path):
    """The phrases of a derivation as plain values."""
    vocabulary = options.phrases.target_vocabulary
    for option in path:
        start, end = int(options.start[option]), int(options.end[option])
        is_unknown = options.entry[option] < 0
        target = [words[start]] if is_unknown else vocabulary.decode(options.target_words[option])
        bits = int(options.inner[option])
        links = [(bit % 8, bit // 8) for bit in range(64) if bits >> bit & 1]
        yield start, list(words[start:end]), target, links, is_unknown


@cache
def slow_model(units):
    if units == "words":
        return SlowModel(PAIRS, 5, PRUNE)
    _, source, target = corpus()
    pairs = [
        ([f"c{n}" for n in source.of(f)], [f"C{n}" for n in target.of(e)], links)
        for f, e, links in PAIRS
    ]
    return SlowModel(pairs, 5, PRUNE)


def slow_features(units):
    def features(model, given, options, path):  # noqa: ARG001
        phrases = list(phrases_of(given.words, options, path))
        if units == "classes":
            _, source, target = corpus()
            phrases = [
                (start, [f"c{n}" for n in source.of(f)], [f"C{n}" for n in target.of(e)], links,
                 False)
                for start, f, e, links, _ in phrases
            ]  # fmt: skip
        return np.array(slow_model(units).features(phrases)[0])

    return features


@pytest.mark.parametrize("units", ["words", "classes"])
def test_the_laws(units):
    found = check_model(
        lambda: OperationSequence(units=units),
        sentence(),
        options(),
        corpus=corpus()[0],
        reference=slow_features(units),
    )
    assert found["states"] > 5
    assert found["reference"] == 10


def test_features_of_derivations_with_everything_in_them():
    slow, given = slow_model("words"), sentence()
    scorer, seen = fitted().prepare(given, options()), Counter()
    paths = list(random_derivations(options(), 400, seed=3))
    ragged = Ragged(np.concatenate(paths).astype(np.int32), np.cumsum([0, *map(len, paths)]))
    found = derivation_features(scorer, options(), ragged)
    for path, values in zip(paths, found, strict=True):
        expected, story = slow.features(phrases_of(given.words, options(), path))
        np.testing.assert_allclose(values, expected, atol=1e-4)
        seen.update(kind for kind, *_ in story.operations)
        seen["far back"] += any(kind == "BACK" and k[0] > 1 for kind, *k in story.operations)
        seen["unseen"] += not slow.seen.issuperset(story.operations)
    kinds = {"TRANS", "INS", "DEL", "GAP", "BACK", "FORWARD", "CONTINUE", "SELF"}
    assert seen.keys() == kinds | {"far back", "unseen"}
    assert min(seen.values()) > 5, seen


def test_steps_list_their_operations():
    slow, decoded = slow_model("words"), make_decoder(fitted()).decode(sentence())
    table, [scorer] = decoded.options.table, decoded.scorers
    phrases = phrases_of(SENTENCE, table, decoded.chosen[0].tolist())
    expected, story = slow.features(phrases)
    listed = [
        event
        for _, steps, _ in walk(scorer, table, decoded.chosen)
        for event in scorer.events(steps)[0]
    ]
    texts = [text_of(one) if one in slow.seen else UNSEEN for one in story.operations]
    assert [text for text, _ in listed] == texts
    assert sum(score for _, score in listed) == pytest.approx(expected[0], abs=1e-4)


def make_decoder(*models, reward=1.0, **settings):
    """With weights above 0, times a reward."""
    table, lm = make_system(PAIRS)
    weights = default_weights("") | {"linear": 0.1}
    for number, model in enumerate(models):
        values = reward * np.random.default_rng(number).uniform(0.05, 0.3, len(model.feature_names))
        weights |= dict(zip(model.feature_names, values.tolist(), strict=True))
    return Decoder(table, lm, models, weights, SearchSettings(options=4, **settings))


def test_a_given_translation_is_copied_as_a_whole():
    decoder = make_decoder(fitted(), distortion_limit=-1)
    term = Term(0, 2, {"two words": 1.0}, "exclusive")
    marked = replace(sentence(), markup=Markup((term,)))
    decoded = decoder.decode(marked)
    table, [scorer] = decoded.options.table, decoded.scorers
    option = int(np.flatnonzero(table.entry <= -2)[0])
    model = scorer.automaton
    events = model.events[model.begin[option] : model.begin[option + 1]]
    assert events.tolist() == [(0, 6), (1, 5)]  # SELF, CONTINUE
    assert model.here[option + 1] == 2


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("jumps", lambda values: values + 10**6, "jumps.npy: has numbers from"),
        ("slots", np.zeros_like, "slots.npy: is not a hash table of"),
        ("slots", lambda values: values[:-1], "slots.npy: is not a hash table of"),
        ("begin", lambda values: values[::-1].copy(), "begin.npy: does not increase"),
        ("begin", lambda values: np.maximum(values - 1, 0), "begin.npy: does not increase"),
        ("begin", lambda values: np.delete(values, 1), "values.npy: does not begin with"),
    ],
)
def test_files_with_wrong_numbers_are_refused(tmp_path, name, change, message):
    fitted().save(tmp_path)
    path = tmp_path / f"{name}.npy"
    wrong = change(np.load(path))
    header = json.loads((tmp_path / "header.json").read_text())
    header["arrays"][name] = header["arrays"][name].replace(
        str(np.load(path).shape), str(wrong.shape)
    )
    (tmp_path / "header.json").write_text(json.dumps(header))
    np.save(path, wrong)
    with pytest.raises(DataError, match=message):
        OperationSequence().load(tmp_path)


@pytest.mark.parametrize(
    ("settings", "named"),
    [({"units": "tags"}, "units"), ({"order": 9}, "order 9"), ({"prune": "1 0"}, "pruning")],
)
def test_impossible_settings(settings, named):
    with pytest.raises(SettingError, match=named):
        OperationSequence(**settings).fit(corpus()[0])


def test_classes_are_needed_for_classes():
    plain = corpus_of(PAIRS)
    with pytest.raises(DataError, match="needs word classes"):
        OperationSequence(units="classes").fit(plain)
