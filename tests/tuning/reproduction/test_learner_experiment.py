from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.distortion.dpr.samples import collect_samples
from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings, learner_names
from hyperbaton.tuning.reproduction.learner_experiment import run_experiment
from tests.models.phrases.corpora import corpus_of
from tests.refusals import refusals, refused
from tests.samples import sample

SETTINGS = ExperimentSettings(
    learners=("lr", "mms", "mlr-dual:epsilon=0.5"),
    classes=(3, 5),
    sizes=(40, 80),
    repeats=2,
    test_size=20,
    min_examples=20,
    word_classes=8,
    threads=1,
)


@pytest.fixture(scope="module")
def corpus():
    return sample("zh-en", first=120)


@pytest.fixture(scope="module")
def experiment(corpus):
    return run_experiment(corpus, SETTINGS)


def phrases_of(corpus, rows):
    """Source phrase, target phrase and distance of all examples of some sentences."""
    part = corpus.take(rows)
    samples = collect_samples(part)
    places = samples.places
    found = []
    for n in range(len(samples)):
        source = part.source.words.values[places.source_start[n] : places.source_end[n]]
        target = part.target.words.values[places.target_start[n] : places.target_end[n]]
        found.append((tuple(source), tuple(target), int(samples.distance[n])))
    return found


def most_frequent(train):
    """For an example, the direction most often taken by its pair; ties go to that of the source
    phrase, then to that of all examples, as each has less than half a vote more than the next."""
    pairs, phrases, shares = defaultdict(Counter), defaultdict(Counter), Counter()
    for source, target, distance in train:
        for counter in (pairs[source, target], phrases[source], shares):
            counter[np.sign(distance)] += 1

    def direction(example):
        pair, phrase = pairs[example[:2]], phrases[example[0]]
        n_phrase = phrase.total() + 0.5
        back_off = {
            move: (phrase[move] + 0.5 * shares[move] / len(train)) / n_phrase for move in (-1, 0, 1)
        }
        return max(back_off, key=lambda move: pair[move] + 0.5 * back_off[move])

    return direction


def test_every_combination_is_run(experiment):
    expected = [
        (name, n_classes, size, repeat)
        for repeat in range(2)
        for size in (40, 80)
        for n_classes in (3, 5)
        for name in SETTINGS.learners
    ]
    runs = experiment.trials
    assert [(r.learner, r.n_classes, r.size, r.repeat) for r in runs] == expected
    assert [run.repeat for run in experiment.of("mms", 5, 80)] == [0, 1]


def test_examples_and_the_baseline_by_counting(corpus, experiment):
    """The draw is repeated here; then everything is counted with dictionaries."""
    for repeat in range(2):
        order = np.random.default_rng([SETTINGS.seed, repeat]).permutation(120)
        test = [x for x in phrases_of(corpus, order[:20]) if abs(x[2]) <= 15]
        for size in (40, 80):
            train = [x for x in phrases_of(corpus, order[20 : 20 + size]) if abs(x[2]) <= 15]
            known = {source for source, _, _ in train}
            tested = [x for x in test if x[0] in known]
            direction = most_frequent(train)
            right = [x for x in tested if direction(x) == np.sign(x[2])]
            seen = {x[:2] for x in train}
            n_right, n_seen_right = len(right), sum(x[:2] in seen for x in right)
            (run,) = [r for r in experiment.of("lr", 3, size) if r.repeat == repeat]
            assert run.measures["training phrase pairs"] == len(train)
            assert run.result.n_examples == len(tested)
            assert np.trace(run.result.confusion) == n_right
            assert run.right.sum() == n_right
            n_seen = sum(x[:2] in seen for x in tested)
            assert run.measures["seen pairs"] == pytest.approx(n_seen_right / n_seen)
            assert run.measures["unseen pairs"] == pytest.approx(
                (n_right - n_seen_right) / (len(tested) - n_seen)
            )
            assert sum(each.n_examples for each in run.by_distance) == len(tested)
            assert sum(each.n_right for each in run.by_distance) == n_right


def test_the_papers_protocol_by_counting(corpus):
    """Training examples are those of source phrases that the test sentences contain anywhere."""
    settings = replace(SETTINGS, learners=("lr", "mlr-dual"), classes=(3,), sizes=(80,), repeats=1)
    counted, learned = run_experiment(corpus, replace(settings, protocol="paper")).trials
    order = np.random.default_rng([SETTINGS.seed, 0]).permutation(120)
    spans = set()
    for row in order[:20]:
        words = corpus.take([row]).source.words.values.tolist()
        spans |= {
            tuple(words[a:b]) for a in range(len(words)) for b in range(a + 1, len(words) + 1)
        }
    train = [x for x in phrases_of(corpus, order[20:100]) if abs(x[2]) <= 15 and x[0] in spans]
    pooled = run_experiment(corpus, settings).trials[0]
    n_pairs = [run.training.sum() for run in (counted, learned, pooled)]
    assert n_pairs[0] == n_pairs[1] == len(train) < n_pairs[2]
    assert counted.result.n_examples == pooled.result.n_examples
    assert learned.active is None  # there is no pooled model


def test_clusters_are_those_of_the_last_repetition(corpus, experiment):
    order = np.random.default_rng([SETTINGS.seed, 1]).permutation(120)
    train = [x for x in phrases_of(corpus, order[20:100]) if abs(x[2]) <= 15]
    clusters = experiment.phrases
    test = [x for x in phrases_of(corpus, order[:20]) if abs(x[2]) <= 15]
    tested = [x for x in test if any(x[0] == y[0] for y in train)]
    examples = [sum(y[0] == x[0] for y in train) for x in tested]
    translations = [len({y[1] for y in train if y[0] == x[0]}) for x in tested]
    assert clusters.n_examples.tolist() == examples
    assert clusters.n_translations.tolist() == translations
    words = corpus.source.vocabulary.words
    assert clusters.text == [" ".join(words[word] for word in x[0]) for x in tested]
    sizes = Counter(x[0] for x in train)
    assert sorted(clusters.n_own_examples.tolist()) == sorted(sizes.values())
    # one example has at most 16 n-grams of words beside and at the edges of the phrase, as many of
    # classes, and those of its translation
    assert (clusters.n_own_features >= 4).all()


def test_learners_learn_and_the_dual_shrinks(experiment):
    for run in experiment.trials:
        assert 0 <= run.train_error < 0.4
        assert (run.active is None) == (not run.learner.startswith("mlr-dual"))
    assert experiment.trials[-1].active[-1] < experiment.trials[-1].active[0]


def test_learners_beat_the_baseline_on_the_sample():
    corpus = sample("ja-en", first=400)
    settings = ExperimentSettings(
        learners=("lr", "mms:learning_rate=0.05:max_rounds=4", "mlr-dual"), sizes=(150,), repeats=1
    )
    runs = run_experiment(corpus, settings).trials
    for n_classes in (3, 5):
        lr, *others = (run.result.precision for run in runs if run.n_classes == n_classes)
        assert min(others) > lr + 0.05


def test_the_same_seed_gives_the_same_results(corpus, experiment):
    again = run_experiment(corpus, replace(SETTINGS, threads=2))
    for old, new in zip(experiment.trials, again.trials, strict=True):
        assert np.array_equal(old.result.confusion, new.result.confusion)


def test_sizes_and_test_set_are_chosen_for_small_corpora(corpus):
    found = run_experiment(corpus, ExperimentSettings(learners=("lr",), repeats=1)).settings
    assert found.test_size == 12
    assert found.sizes == (108,)


def test_long_moves_can_be_left_out(corpus):
    settings = ExperimentSettings(learners=("lr",), repeats=1, max_distance=2)
    for run in run_experiment(corpus, settings).trials:
        assert all(each.n_examples == 0 or abs(int(each.name)) <= 2 for each in run.by_distance)


def test_learners_as_text():
    assert learner_names("lr, mms,me:sigma=0.5,mms") == ("lr", "mms", "me:sigma=0.5")


@refusals(
    ({"learners": ("mmz",)}, "'mmz'"),
    ({"classes": (4,)}, "4 orientation classes of distance"),
    ({"protocol": "papers"}, "no protocol 'papers' … did you mean paper?"),
    ({"features": "x"}, "'x'"),
    (
        {"sizes": (200,), "test_size": 20},
        "200 training sentences … 120 pairs minus 20 for testing leave 100",
    ),
    ({"test_size": 120}, "120 sentence pairs are too few … training and test", DataError),
    error=SettingError,
)
def test_what_cannot_be_run_is_refused(corpus, changes):
    run_experiment(corpus, ExperimentSettings(**{"learners": ("lr",), **changes}))


def test_a_test_set_without_known_phrases_is_refused():
    corpus = corpus_of([([letter], [letter.upper()], [(0, 0)]) for letter in "abcd"])
    settings = ExperimentSettings(learners=("lr",), test_size=1)
    facts = "3 training sentences give 3 training and 0 test … use more sentences"
    refused(facts, lambda: run_experiment(corpus, settings))
