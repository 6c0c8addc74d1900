"""Distance phrase reordering: the laws, and its numbers from scratch."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError, NotFitted, SettingError
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.catalogue import make_model, parse_model
from hyperbaton.models.distortion.conformance import check_model
from hyperbaton.models.distortion.dpr.classifier import PhraseClassifier
from hyperbaton.models.distortion.dpr.feature_set import Layers
from hyperbaton.models.distortion.dpr.model import Dpr
from hyperbaton.models.distortion.dpr.samples import PairPlaces
from hyperbaton.models.distortion.dpr.scorers import Scaling, _scaled
from hyperbaton.models.distortion.interface import START, Steps
from hyperbaton.models.learning.clusters import POOLED
from hyperbaton.models.phrases.trie import child
from tests.decoder.systems import HAND, find_options, make_system
from tests.models.phrases.corpora import corpus_of
from tests.refusals import refusals, refused

child = kernel(child)  # compiled, as in use

SENTENCE = Sentence.parse("kare wa hon o katta nani")
TEXT = [
    *HAND * 4,
    (["kare", "wa", "ringo", "o", "katta"], ["he", "bought", "an", "apple"],
     [(0, 0), (2, 3), (4, 1)]),
    (["hon", "o", "yonda", "hito", "ga", "kita"], ["who", "read", "books", "came"],
     [(0, 2), (2, 1), (5, 3)]),
]  # fmt: skip
VARIANTS = [
    {"classes": 3, "use": "scaled", "min_examples": 3},
    {"classes": 5, "min_examples": 3},
    {"classes": 5, "use": "scaled", "min_examples": 1000},
    {"classes": 3, "use": "direct", "features": "alrajeh", "min_examples": 4},
    {"moves": "msd", "features": "alrajeh", "min_examples": 1000},
    {"moves": "msd", "use": "bidirectional", "features": "alrajeh", "min_examples": 1000},
    {"moves": "msd", "use": "bidirectional", "learner": "me", "min_examples": 3},
    {
        "learner": "me:sigma=0.5",
        "use": "scaled",
        "window": 1,
        "order": 2,
        "min_examples": 5,
        "word_classes": 4,
    },
]


@pytest.fixture(scope="module")
def options():
    return find_options(SENTENCE.words, *make_system(TEXT))


@pytest.fixture(scope="module")
def corpus():
    return corpus_of(TEXT)


@pytest.mark.parametrize("settings", VARIANTS)
def test_the_model_obeys_the_laws(settings, options, corpus):
    found = check_model(lambda: make_model("dpr", **settings), SENTENCE, options, corpus=corpus)
    assert {"tables", "probabilities"} <= set(found)


def sub_model(classifier: PhraseClassifier, words):
    """The number of a source phrase's sub-model, or POOLED."""
    node = 0
    for word in words:
        node = EMPTY if node == EMPTY else child(classifier.trie, node, word)
    return POOLED if node == EMPTY else classifier.cluster_of_node[node]


def probabilities_from_scratch(classifier: PhraseClassifier, options):
    """Softmax of w·φ for each option, all features of one option at once, weights one by one."""
    source_ids = classifier.source.vocabulary.encode(SENTENCE.words)
    n_words = len(source_ids)
    result = []
    for n in range(len(options)):
        start, end = int(options.start[n]), int(options.end[n])
        words = options.target_words[n]
        names = [options.phrases.target_vocabulary.words[word] for word in words if word >= 0]
        target_ids = classifier.target.vocabulary.encode(names)
        texts = [
            Layers(row, classes.layer(row))
            for classes, row in (
                (classifier.source, _row(source_ids)),
                (classifier.target, _row(target_ids)),
            )
        ]
        inner = 0 if options.entry[n] < 0 else int(options.phrases.inner_of(options.entry[n]))
        numbers = [[0], [n_words], [start], [end], [0], [len(names)]]
        place = PairPlaces(*map(np.array, numbers), np.array([inner], np.uint64))
        source = classifier.features.text(texts[0], target=False)
        target = classifier.features.text(texts[1], target=True)
        _, columns, values = classifier.features.rows(source, target, place, classifier.number)
        cluster = sub_model(classifier, source_ids[start:end])
        model = classifier.model
        scores = np.zeros(model.pooled.shape[1])
        for column, value in zip(columns, values, strict=True):
            if cluster == POOLED:
                scores += value * model.pooled[column]
            else:
                here = slice(model.offsets[cluster], model.offsets[cluster + 1])
                own = dict(zip(model.features[here], model.weights[here], strict=True))
                scores += value * own.get(column, 0.0)
        result.append(np.exp(scores) / np.exp(scores).sum())
    return np.array(result)


def _row(ids):
    return Ragged(ids, np.array([0, len(ids)]))


@pytest.mark.parametrize("settings", VARIANTS)
def test_probabilities_are_those_of_single_options(settings, options, corpus):
    model = Dpr(**settings).fit(corpus)
    classifiers = [model.classifier_]
    if model.use == "bidirectional":
        classifiers.append(model.forward_)
    scorer = model.prepare(SENTENCE, options)
    again = model.prepare(SENTENCE, options)  # with what is remembered of the translations
    every = zip(classifiers, scorer.distributions(), again.distributions(), strict=True)
    for classifier, found, remembered in every:
        expected = probabilities_from_scratch(classifier, options)
        assert found == pytest.approx(expected, abs=1e-6)
        assert np.array_equal(remembered, found)
        assert found.sum(axis=1) == pytest.approx(1.0)


def test_some_phrases_have_models_of_their_own_and_others_share_one(corpus):
    classifier = Dpr(min_examples=3).fit(corpus).classifier_
    clusters = classifier.cluster_of_node
    assert (clusters != POOLED).any()
    hon = classifier.source.vocabulary.encode(["hon"])[0]
    assert clusters[child(classifier.trie, 0, hon)] != POOLED
    pooled = Dpr(min_examples=1000).fit(corpus).classifier_
    assert len(pooled.model.ids) == 0


def released_cost(d, p, beta, cap, monotone_penalty):
    """The cost of a move as in the authors' program, with p of the class that it belongs to."""
    if d == 0 and p > 0.5:
        return 0.0
    ratio = min(cap, 1.0 / (beta * p))
    return ratio * (monotone_penalty if d == 0 else abs(d))


@pytest.mark.parametrize("fewest", [0, 3])  # without and with a pooled model
@pytest.mark.parametrize(("classes", "use"), [(3, "scaled"), (5, "direct"), (5, "scaled")])
@pytest.mark.parametrize("rule", [(2.0, 1.5, 0.0), (3.0, 5.0, 1.0), (1.0, 2.0, 0.5)])
def test_the_table_is_that_of_the_moves(classes, use, rule, fewest, options, corpus):
    settings = dict(zip(("beta", "cap", "monotone_penalty"), rule, strict=True))
    settings |= {"classes": classes, "use": use}
    model = Dpr(**settings, min_examples=fewest).fit(corpus)
    scorer, classifier = model.prepare(SENTENCE, options), model.classifier_
    ids = classifier.source.vocabulary.encode(SENTENCE.words)
    n_unknown = 0
    edges = {3: [0, 1], 5: [-4, 0, 1, 5]}[classes]  # where the next class begins
    table = scorer.tables[0]
    for previous_end in range(options.n_words + 1):
        for n in range(len(options)):
            d = previous_end - int(options.start[n])
            p = scorer.distributions()[0][n, sum(d >= edge for edge in edges)]
            expected = log(p) if use == "direct" else -released_cost(d, p, *rule)
            if fewest == 0 and sub_model(classifier, ids[options.start[n] : options.end[n]]) < 0:
                n_unknown += 1
                expected = -log(classes) if use == "direct" else -abs(d)
            assert table.values[previous_end, n, 0] == pytest.approx(expected)
    assert (n_unknown > 0) == (fewest == 0)  # nani has no sub-model
    assert table.rows.tolist() == [0, *options.end]
    ((rows, columns, values),) = scorer.projected(np.array([0.5]))
    assert np.array_equal(values, 0.5 * table.values[:, :, 0])
    assert rows is table.rows
    assert columns is table.columns


def test_prices_worked_by_hand():
    """p = 0.2, 0.5, 0.3 and 0.2, 0.6, 0.2 and ⅓ each, phrases that begin at 1; β = 3, cap 1.5,
    penalty 1."""
    log_p = np.log([[0.2, 0.5, 0.3], [0.2, 0.6, 0.2], [1 / 3, 1 / 3, 1 / 3]])
    moves = np.array([0, 0, 1, 2, 2])  # of d = −2 to 2
    found = _scaled(log_p, np.array([1, 1, 1]), moves, Scaling(3.0, 1.5, 1.0))[:, :, 0]
    # forward over one word: 1/0.6 is capped; going on: 1/1.5, or nothing as p > ½; back: 1/0.9, cap
    # nothing is known of the last phrase: the distance alone
    expected = [[-1.5, -1.5, -1.0], [-2 / 3, 0.0, 0.0], [-10 / 9, -1.5, -1.0]]
    assert found == pytest.approx(np.array(expected))


def test_corners_are_those_of_the_spans(options, corpus):
    scorer = Dpr(moves="msd", min_examples=3).fit(corpus).prepare(SENTENCE, options)
    spans = {START: (-1, 0)} | {
        n: (int(options.start[n]), int(options.end[n])) for n in range(len(options))
    }
    seen = set()
    for previous, before in spans.items():
        for n in range(len(options)):
            class_ = orientation(before, spans[n])
            nothing = np.zeros((1, 1), np.uint64), np.zeros(1, np.int64)
            step = Steps(np.array([previous]), np.array([n]), *nothing)
            expected = log(scorer.distributions()[0][n, class_])
            assert scorer.features(step)[0, 0] == pytest.approx(expected)
            seen.add(class_)
    assert seen == {0, 1, 2}


def orientation(before, after):
    """The class of the move from one span to another; the sentence's beginning is a span."""
    return 0 if after[0] == before[1] else 1 if after[1] == before[0] else 2


def slow_bidirectional(model, sentence, options, path):  # noqa: ARG001
    """log p of the orientations that a derivation has, step by step."""
    backward = np.log(probabilities_from_scratch(model.classifier_, options))
    forward = np.log(probabilities_from_scratch(model.forward_, options))
    total, before, previous = np.zeros(6), (-1, 0), None
    for option in path:
        here = int(options.start[option]), int(options.end[option])
        class_ = orientation(before, here)
        total[class_] += backward[option, class_]
        if previous is not None:
            total[3 + class_] += forward[previous, class_]
        before, previous = here, option
    return total


@pytest.mark.parametrize("fewest", [3, 1000])
def test_both_directions_are_those_of_a_slow_twin(fewest, options, corpus):
    settings = {"moves": "msd", "use": "bidirectional", "learner": "me", "min_examples": fewest}
    found = check_model(
        lambda: make_model("dpr", **settings),
        SENTENCE,
        options,
        corpus=corpus,
        reference=slow_bidirectional,
    )
    assert found["reference"] == 10


def test_both_directions_have_as_many_features_as_the_lexicalised_model():
    model = Dpr(moves="msd", use="bidirectional", learner="mlr-dual", features="alrajeh")
    lexical = make_model("msd", type="wbe-msd-bidirectional-fe").feature_names
    assert model.feature_names == tuple(
        name.replace("msd.", "dpr3.msd.mlr-dual.alrajeh.") for name in lexical
    )
    assert model.initial_weights == (0.3,) * 6


def test_the_second_classifier_learns_how_the_next_phrase_moves():
    """b is always last, and c is translated after a: a is followed by what lies behind b."""
    pair = (["a", "b", "c"], ["A", "C", "B"], [(0, 0), (1, 2), (2, 1)])
    model = Dpr(moves="msd", use="bidirectional", learner="me", min_examples=1)
    model.fit(corpus_of([pair] * 5))
    sentence = Sentence(("a", "b", "c"))
    found = find_options(sentence.words, *make_system([pair] * 5))
    backward, forward = model.prepare(sentence, found).distributions()
    best = {
        (int(start), int(end)): (int(b.argmax()), int(f.argmax()))
        for start, end, b, f in zip(found.start, found.end, backward, forward, strict=True)
    }
    # a: begins the sentence, then c is discontinuous; c: so; then b is swapped with it; b: swapped,
    # and then the sentence does not end where the source ends
    assert best[0, 1] == (0, 2)
    assert best[2, 3] == (2, 1)
    assert best[1, 2] == (1, 2)


def test_saved_classifiers_of_different_examples_do_not_pass_for_one(corpus, tmp_path):
    settings = {"moves": "msd", "use": "bidirectional", "learner": "me"}
    few, many = (Dpr(**settings, min_examples=fewest).fit(corpus) for fewest in (1000, 3))
    many.forward_ = few.forward_
    many.save(tmp_path)
    with pytest.raises(DataError, match=r"forward_pooled\.npy: is of another classifier"):
        Dpr(**settings, min_examples=3).load(tmp_path)


def test_another_phrase_table_is_not_taken_for_the_first(options, corpus):
    model = Dpr(min_examples=3).fit(corpus)
    first = model.prepare(SENTENCE, options).distributions()[0]
    others = find_options(SENTENCE.words, *make_system(HAND))
    found = model.prepare(SENTENCE, others).distributions()[0]
    assert found == pytest.approx(probabilities_from_scratch(model.classifier_, others), abs=1e-6)
    assert np.array_equal(model.prepare(SENTENCE, options).distributions()[0], first)


def test_learning_moves_the_probabilities(options, corpus):
    """In the text hon never follows the phrase before it; katta and yonda always come earlier."""
    scorer = Dpr(classes=3, min_examples=3).fit(corpus).prepare(SENTENCE, options)
    hon = int(np.flatnonzero((options.start == 2) & (options.end == 3))[0])
    forward, straight, back = scorer.distributions()[0][hon]
    assert back > straight
    assert back > forward


def test_a_heat_map_shows_each_span_once(options, corpus):
    (shown,) = Dpr(min_examples=3).fit(corpus).prepare(SENTENCE, options).heat_maps()
    assert shown.rows[0] == "kare"
    assert shown.columns == ("d<0", "d=0", "d>0")
    assert shown.values.shape == (len(shown.rows), 3)
    assert len(shown.rows) == len({*zip(options.start.tolist(), options.end.tolist(), strict=True)})
    assert shown.values.sum(axis=1) == pytest.approx(1.0)


def test_features_tell_variants_apart():
    names = [
        Dpr(**settings).feature_names[0]
        for settings in (
            {},
            {"classes": 5},
            {"use": "scaled"},
            {"learner": "me:sigma=2", "use": "scaled"},
            {"classes": 5, "features": "alrajeh", "learner": "mlr-dual"},
            {"moves": "msd"},
        )
    ]
    assert names == [
        "dpr3.logp", "dpr5.logp", "dpr3.scaled", "dpr3.me.scaled", "dpr5.mlr-dual.alrajeh.logp",
        "dpr3.msd.logp",
    ]  # fmt: skip


def test_tuning_starts_lower_where_values_are_larger():
    assert Dpr(use="direct").initial_weights == (0.3,)
    assert Dpr(use="scaled", beta=2.0).initial_weights == (0.1,)


def test_fewer_sentences_can_be_learned_from(corpus):
    few = Dpr(max_sentences=3, min_examples=3).fit(corpus, seed=1).classifier_
    again = Dpr(max_sentences=3, min_examples=3).fit(corpus, seed=1, threads=1).classifier_
    everything = Dpr(min_examples=3).fit(corpus).classifier_
    assert (few.number >= 0).sum() < (everything.number >= 0).sum()
    assert np.array_equal(few.model.pooled, again.model.pooled)


def test_sentences_to_learn_from_are_drawn_at_random():
    corpus = corpus_of([([f"s{n}"], [f"t{n}"], [(0, 0)]) for n in range(12)])
    words = corpus.source.vocabulary.encode([f"s{n}" for n in range(12)])

    def learned(seed):
        made = Dpr(max_sentences=3, min_examples=1).fit(corpus, seed=seed).classifier_
        return frozenset(n for n in range(12) if child(made.trie, 0, words[n]) != EMPTY)

    drawn = [learned(seed) for seed in range(4)]
    assert {len(numbers) for numbers in drawn} == {3}
    assert len(set(drawn)) == 4
    assert learned(2) == drawn[2]


def test_word_classes_of_the_corpus_are_used(corpus):
    sides = [
        replace(side, classes=WordClasses.fit(side.words, side.vocabulary, 2).layer(side.words))
        for side in (corpus.source, corpus.target)
    ]
    classifier = (
        Dpr(min_examples=3).fit(replace(corpus, source=sides[0], target=sides[1])).classifier_
    )
    seen = corpus.source.words.values
    assert np.array_equal(classifier.source.of_word[seen], sides[0].classes.values)
    assert classifier.source.n_classes == 2


def test_what_cannot_be_learned_from_or_used(options, corpus):
    refused("dpr … call fit", lambda: Dpr().prepare(SENTENCE, options), NotFitted)
    refused("no phrase pairs can be extracted", lambda: Dpr().fit(corpus_of([(["a"], ["A"], [])])))
    facts = "no feature occurs 100000 times … choose a smaller"
    refused(facts, lambda: Dpr(min_count=100_000).fit(corpus))


@refusals(
    ("dpr,classes=4", "4 orientation classes of distance"),
    ("dpr,moves=mds", "'mds' … did you mean msd?"),
    ("dpr,moves=msd,classes=5", "5 orientation classes of msd are not possible … 3"),
    ("dpr,moves=msd,use=scaled", "dpr.use: 'scaled' … classes of msd have no distances to scale"),
    ("dpr,use=bidirectional", "dpr.use: 'bidirectional' … needs moves=msd"),
    ("dpr,use=both", "dpr.use: 'both' … known: bidirectional, direct, scaled"),
    ("dpr,learner=mmd", "'mmd'"),
    ("dpr,learner=me:sigma", "'sigma' has no value … name:key=value:…"),
    ("dpr,learner=me:sigmar=1", "has no setting 'sigmar' … did you mean sigma?"),
    ("dpr,learner=me:sigma=big", "me.sigma cannot be 'big' … expected a number"),
    ("dpr,features=nil", "'nil' … did you mean ni?"),
    ("dpr,window=-3", "ni.window: -3 … 0 to 20"),
    ("dpr,beta=0", "dpr.beta: 0.0 … a number above 0"),
    ("dpr,cap=0", "dpr.cap: 0.0 … a number above 0"),
    ("dpr,monotone_penalty=-1", "dpr.monotone_penalty: -1.0 … 0 or more"),
    ("dpr,max_sentences=-1", "dpr.max_sentences: -1 … 0 or more"),
    ("dpr,min_examples=-1", "-1 is not possible"),
    ("dpr,word_classes=0", "0 word classes are not possible"),
    error=SettingError,
)
def test_impossible_settings_are_refused(corpus, text):
    model = parse_model(text)
    model.fit(corpus)
