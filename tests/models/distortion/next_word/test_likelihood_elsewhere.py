"""Likelihoods by workers elsewhere are those by threads, to the last bit."""

import numpy as np
import pytest

from hyperbaton.foundation.work.workers import Crew
from hyperbaton.models.distortion.next_word import blocks
from hyperbaton.models.distortion.next_word.fitting import Means, WordPairSettings, train_word_pairs
from hyperbaton.models.distortion.next_word.lanes import LANES
from hyperbaton.models.distortion.next_word.likelihood import Likelihood
from hyperbaton.models.distortion.next_word.scores import PAIR, SEQUENCE
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from tests.far_threads import FarThreads
from tests.models.distortion.next_word.corpora import tagged_corpus
from tests.models.distortion.next_word.test_fitting import EXAMPLES
from tests.models.distortion.next_word.test_likelihood import setup


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 40)


@pytest.fixture
def far(tmp_path):
    with FarThreads(2) as workers:
        yield Crew(workers, tmp_path)


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
@pytest.mark.parametrize("memory", [0, 1 << 30])
def test_lanes_elsewhere_add_up_to_the_same(far, labels, memory):
    near, weights, _ = setup(EXAMPLES * 3, labels)
    elsewhere = Likelihood(near._lanes, far, memory)
    assert near.n_blocks > LANES
    for _ in range(2):  # the second pass finds what the first has kept
        assert elsewhere.value(weights) == near.value(weights)
        value, gradient = elsewhere.value_and_gradient(weights)
        expected, expected_gradient = near.value_and_gradient(weights)
        assert value == expected
        np.testing.assert_array_equal(gradient, expected_gradient, strict=True)
        np.testing.assert_array_equal(elsewhere.curvature(weights), near.curvature(weights))
        weights = weights / 2
    np.testing.assert_array_equal(elsewhere.n_visits(), near.n_visits(), strict=True)


def test_lanes_elsewhere_take_the_same_steps(far):
    near, weights, _ = setup(EXAMPLES * 3, SEQUENCE)
    share, order = np.full(len(weights), 0.1), np.random.default_rng(1).permutation(near.n_blocks)
    found = []
    for likelihood in (near, Likelihood(near._lanes, far, 0)):
        squares = [np.full(weights.shape, 1.0 + lane, np.float32) for lane in range(LANES)]
        lanes = [weights]
        for _ in range(2):
            lanes = list(likelihood.descend(lanes[0], squares, share, 0.1, order))
        found.append([*lanes, *squares])
    for own, other in zip(*found, strict=True):
        np.testing.assert_array_equal(own, other, strict=True)
    assert not np.array_equal(found[0][0], weights.astype(np.float32))


def test_training_does_not_depend_on_who_does_it(far):
    corpus = tagged_corpus(EXAMPLES * 3)
    settings = WordPairSettings(passes=4, start_passes=1)
    given = corpus, SymbolCoder.of(corpus), PAIR, settings
    near, elsewhere = train_word_pairs(*given), train_word_pairs(*given, Means(crew=far))
    np.testing.assert_array_equal(near.weights, elsewhere.weights)
    assert near.trials == elsewhere.trials != []


def test_files_of_passes_that_are_over_are_gone(far):
    near, weights, _ = setup(EXAMPLES, PAIR)
    likelihood = Likelihood(near._lanes, far, 0)
    for _ in range(4):
        likelihood.value_and_gradient(weights)
    (folder,) = far.folder.iterdir()
    assert [path.name for path in folder.iterdir()] == ["text"]
