"""One model per cluster equals a learner that sees nothing but that cluster."""

import numpy as np
import pytest
from scipy import sparse

from hyperbaton.foundation.errors import NotFitted, SettingError
from hyperbaton.models.learning import clusters
from hyperbaton.models.learning.catalogue import LEARNERS, make_learner
from hyperbaton.models.learning.clusters import POOLED, ClusteredExamples, ClusteredLearner, ranges
from hyperbaton.models.learning.perceptron import Perceptron
from hyperbaton.models.learning.problem import own_seed
from tests.models.learning.examples import make_examples
from tests.refusals import refused

# what makes the solvers exact enough to be compared
EXACT = {
    "me": {"tolerance": 1e-6},
    "me-gis": {"sigma": 0.3, "tolerance": 1e-4},  # a strong prior: it is slow
}


def make_clusters(seed, n=120, n_features=30):
    """Examples of five clusters of quite different sizes, in no order."""
    examples, labels = make_examples(seed, n=n, n_features=n_features)
    numbers = np.random.default_rng(seed).choice(
        [3, 8, 40, 41, 7], n, p=[0.4, 0.3, 0.2, 0.07, 0.03]
    )
    return examples, labels, numbers


def slow_decision(model, examples, numbers):
    """The scores by looking weights up in a dictionary."""
    own = {}
    for c, number in enumerate(model.ids):
        begin, end = model.offsets[c : c + 2]
        own[number] = dict(zip(model.features[begin:end], model.weights[begin:end], strict=True))
    pooled = dict(enumerate(model.pooled))
    zero = np.zeros(model.pooled.shape[1])
    dense = examples.toarray()
    return np.array(
        [
            sum((dense[i, f] * own.get(number, pooled).get(f, zero) for f in range(dense.shape[1])),
                zero)
            for i, number in enumerate(numbers)
        ]
    )  # fmt: skip


@pytest.mark.parametrize("name", list(LEARNERS))
def test_every_cluster_is_learned_as_if_it_were_alone(name):
    examples, labels, numbers = make_clusters(0)
    settings = EXACT.get(name, {})
    learner = ClusteredLearner(make_learner(name, **settings), 15)
    assert learner.fit(ClusteredExamples(examples, labels, 3, numbers), seed=5) is learner
    sizes = {number: (numbers == number).sum() for number in np.unique(numbers)}
    large = [number for number in sizes if sizes[number] >= 15]
    assert learner.model_.ids.tolist() == large == [3, 8, 40]
    found = learner.decision(examples, numbers)
    for number in large:
        rows = numbers == number
        part = examples[rows]
        used = np.flatnonzero(part.toarray().any(axis=0))
        alone = make_learner(name, **settings)
        alone.fit(part[:, used].tocsr(), labels[rows], 3, seed=own_seed(5, number))
        assert np.allclose(found[rows], alone.decision(part[:, used].tocsr()), atol=2e-4)
    rare = ~np.isin(numbers, large)
    pooled = make_learner(name, **settings).fit(examples[rare], labels[rare], 3, seed=5)
    assert np.allclose(found[rare], pooled.decision(examples[rare]), atol=1e-5)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_threads_and_the_size_of_their_pieces_do_not_matter(name, monkeypatch):
    examples, labels, numbers = make_clusters(1, n=200)
    found = []
    for threads, size in [(1, 20), (2, 20), (5, 20), (2, 1000)]:
        monkeypatch.setattr(clusters, "ROWS_PER_RANGE", size)
        learner = ClusteredLearner(make_learner(name, **EXACT.get(name, {})), 5)
        learner.fit(ClusteredExamples(examples, labels, 3, numbers), threads=threads)
        found.append(learner.model_._asdict())
    for other in found[1:3]:
        for key, values in found[0].items():
            assert np.array_equal(values, other[key])
    # of those that solve many clusters as one problem the optimum is the same, not every digit
    assert np.allclose(found[0]["weights"], found[3]["weights"], atol=1e-4)
    if not name.startswith("me"):
        assert np.array_equal(found[0]["weights"], found[3]["weights"])


def test_scores_equal_those_of_a_slow_twin_and_zeros_are_not_stored():
    examples, labels, numbers = make_clusters(2)
    learner = ClusteredLearner(Perceptron(max_rounds=1), 15)
    learner.fit(ClusteredExamples(examples, labels, 3, numbers))
    model = learner.model_
    numbers = np.where(
        np.arange(120) % 5 == 0, np.array([POOLED, 999])[np.arange(120) % 2], numbers
    )
    expected = slow_decision(model, examples, numbers)
    assert np.allclose(learner.decision(examples, numbers), expected, atol=1e-12)
    assert model.weights.any(axis=1).all()
    for c in range(len(model.ids)):
        assert np.all(np.diff(model.features[model.offsets[c] : model.offsets[c + 1]]) > 0)


def test_the_pooled_model_sees_rare_clusters_or_all_examples_if_none_is_rare():
    examples, labels, numbers = make_clusters(4)
    numbers[:3] = POOLED

    def weights(rows):
        return make_learner("me").fit(examples[rows], labels[rows], 3).weights_.T

    def pooled(min_examples, which=numbers):
        learner = ClusteredLearner(make_learner("me"), min_examples)
        return learner.fit(ClusteredExamples(examples, labels, 3, which)).model_.pooled

    rare = np.isin(numbers, [41, 7, POOLED])
    everything = np.full(120, True)
    assert np.allclose(pooled(15), weights(rare), atol=1e-6)
    none_is_rare = np.where(numbers < 0, 3, numbers)
    assert np.allclose(pooled(1, none_is_rare), weights(everything), atol=1e-6)
    assert np.allclose(pooled(1000), weights(everything), atol=1e-6)  # all are rare


def test_a_cluster_with_just_enough_examples_has_a_model_of_its_own():
    examples, labels = make_examples(0, n=9)
    clusters = ClusteredExamples(examples, labels, 3, np.repeat([5, 6, 7], [4, 3, 2]))
    assert ClusteredLearner(Perceptron(), 3).fit(clusters).model_.ids.tolist() == [5, 6]


def test_without_a_pooled_model_every_cluster_is_on_its_own():
    examples, labels, numbers = make_clusters(4)
    learner = ClusteredLearner(make_learner("me", tolerance=1e-7), 0)
    learner.fit(ClusteredExamples(examples, labels, 3, numbers))
    assert set(learner.model_.ids) == set(numbers)
    for cluster in np.unique(numbers):
        own = numbers == cluster
        alone = make_learner("me", tolerance=1e-7).fit(examples[own], labels[own], 3)
        found = learner.decision(examples[own], numbers[own])
        assert found == pytest.approx(alone.decision(examples[own]), abs=1e-4)
    assert not learner.decision(examples, np.full(120, 999)).any()  # of a new cluster


@pytest.mark.parametrize(("name", "tolerance"), [("mms", 0), ("mlr-dual", 0), ("me", 1e-4)])
def test_without_a_pooled_model_others_can_be_left_out(name, tolerance):
    """Ni et al. train only the sub-models that the test set asks for: these are the same if all are
    trained."""
    examples, labels, numbers = make_clusters(4)
    asked = np.isin(numbers, [3, 41])
    learner = ClusteredLearner(make_learner(name, **EXACT.get(name, {})), 0)
    everything = ClusteredExamples(examples, labels, 3, numbers)
    whole, part = (
        learner.fit(own, seed=5).decision(examples[asked], numbers[asked])
        for own in (everything, everything.take(asked))
    )
    assert whole.any()
    assert part == pytest.approx(whole, abs=tolerance)


def test_clusters_whose_examples_have_no_features_are_harmless():
    examples, labels, numbers = make_clusters(5)
    both = sparse.vstack([examples, sparse.csr_array((20, 30))]).tocsr()
    for name in ("mms", "svm", "me"):
        learner = ClusteredLearner(make_learner(name), 15).fit(
            ClusteredExamples(
                both, np.append(labels, np.zeros(20, int)), 3, np.append(numbers, np.full(20, 100))
            )
        )
        assert learner.model_.ids[-1] == 100
        assert np.all(learner.decision(both, np.full(140, 100)) == 0)


def test_progress_counts_clusters():
    examples, labels, numbers = make_clusters(0)
    for name in ("mms", "svm", "me"):
        told = []
        ClusteredLearner(make_learner(name), 15).fit(
            ClusteredExamples(examples, labels, 3, numbers),
            progress=lambda *what, told=told: told.append(what),
        )
        assert told[0] == ("clusters", 0)
        assert told[-1] == ("clusters", 3)


def test_ranges_cut_between_clusters(monkeypatch):
    monkeypatch.setattr(clusters, "ROWS_PER_RANGE", 10)
    assert ranges(np.array([0, 4, 8, 12, 50, 51])) == [(0, 3), (3, 4), (4, 5)]
    assert ranges(np.array([0])) == []


def test_bad_clusters_and_settings_are_refused():
    examples, labels, numbers = make_clusters(0)

    def fit(numbers, min_examples=15):
        learner = ClusteredLearner(make_learner("mms"), min_examples)
        return learner.fit(ClusteredExamples(examples, labels, 3, numbers))

    untrained = ClusteredLearner(make_learner("mms"), 15)
    refused("clusters … call fit", lambda: untrained.decision(examples, numbers), NotFitted)
    refused("clusters have the shape (119,)", lambda: fit(numbers[:-1]))
    refused("clusters are of type float64", lambda: fit(numbers / 2))
    refused("expected 30, as in training", lambda: fit(numbers).decision(examples[:, :4], numbers))
    refused("min_examples: -1 … 0 or more", lambda: fit(numbers, -1), SettingError)
