"""`mms` against Table 2 of Ni et al. (2011), worked by hand and by a slow twin."""

import numpy as np
import pytest
from scipy import sparse

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.losses import flat, neighbours, structured_loss, tree
from hyperbaton.models.learning.perceptron import Perceptron, visit
from hyperbaton.models.learning.problem import generator, make_problem, shuffle
from tests.models.learning.examples import make_examples, structured_losses

shuffle = kernel(shuffle)  # compiled, as in use

NONE = np.empty((0, 0))  # no averaging
RATE = 1 / 16  # with features in halves all sums are exact, so that rounding decides no tie


def test_distances_of_classes():
    assert neighbours(3).tolist() == [[0, 0.5, 1], [0.5, 0, 0.5], [1, 0.5, 0]]
    assert neighbours(5)[1].tolist() == [0.5, 0, 0.5, 1, 1]
    assert flat(3).tolist() == tree(3).tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert Perceptron().distance == "tree"
    assert tree(5)[:3].tolist() == [[0, 0.5, 1, 1, 1], [0.5, 0, 1, 1, 1], [1, 1, 0, 1, 1]]


def test_table_2_by_hand():
    # φ₀ = (1, 0) of class 0, φ₁ = (0, 1) of class 1, φ₂ = (1, 1) of class 2; η = ½;
    # Δ = 0, ½, 1 for the same, the next and the other class
    examples = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    problem = make_problem(examples, [0, 1, 2], 3)
    weights = np.zeros((2, 3))  # (F, K)
    steps = [
        # example, then after the step w₀, w₁, w₂
        (0, 1, [0.5, 0], [0, 0], [-0.5, 0]),  # 0, ½, 1: class 2 is the worst
        (1, 1, [0.5, -0.5], [0, 0.5], [-0.5, 0]),  # ½, 0, ½: of equals the first
        (2, 1, [0, -1], [0, 0.5], [0, 0.5]),  # 1 + 0, ½ + ½, 0 − ½
        (0, 1, [0.5, -1], [0, 0.5], [-0.5, 0.5]),  # 0, ½, 1
        (1, 1, [0.5, -1], [0, 1], [-0.5, 0]),  # ½ − 1, ½, ½ + ½
        (2, 1, [0.5, -1], [-0.5, 0.5], [0, 0.5]),  # 1 − ½, ½ + 1, 0 − ½
        (1, 1, [0.5, -1], [-0.5, 1], [0, 0]),  # ½ − 1, ½, ½ + ½
        (1, 0, [0.5, -1], [-0.5, 1], [0, 0]),  # ½ − 1, 1, ½ + 0: its own class wins
    ]
    for example, n_updates, *expected in steps:
        one = np.array([example])
        found = visit(problem, one, neighbours(3), 0.5, generator(0), 0, weights, NONE)
        assert found == n_updates
        assert weights.T.tolist() == expected
    # scores now: φ₀: ½, −½, 0;  φ₁: −1, 1, 0;  φ₂: −½, ½, 0
    # ρ: max(½, 0, 1) − ½ = ½;  max(−½, 1, ½) − 1 = 0;  max(½, 1, 0) − 0 = 1
    assert structured_loss(problem, neighbours(3), weights) == 1.5


def slow_table_2(dense, labels, distance, rate, n_rounds, seed):
    """The weights after every visit, (visits, K, F)."""
    weights = np.zeros((len(distance), dense.shape[1]))
    order, state, visits = np.arange(len(labels)), generator(seed), []
    for _ in range(n_rounds):
        shuffle(order, len(order), state)
        for n in order:
            values = weights @ dense[n] + distance[labels[n]]
            worst = values.argmax()
            if values[labels[n]] < values[worst]:
                weights[labels[n]] += rate * dense[n]
                weights[worst] -= rate * dense[n]
            visits.append(weights.copy())
    return np.array(visits)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("distance", "matrix"), [("neighbours", neighbours), ("tree", tree)])
def test_rounds_equal_those_of_a_slow_twin(seed, distance, matrix):
    examples, labels = make_examples(seed, n=40, n_classes=4, signed=True)
    dense = examples.toarray()
    visits = slow_table_2(dense, labels, matrix(4), RATE, 3, seed)
    for average, expected in ((False, visits[-1]), (True, visits.mean(axis=0))):
        learner = Perceptron(learning_rate=RATE, max_rounds=3, distance=distance, average=average)
        learner.fit(examples, labels, 4, seed=seed)
        assert np.allclose(learner.weights_, expected, atol=1e-12)
        losses = structured_losses(dense, labels, learner.weights_, matrix(4))
        assert learner.objective_ == pytest.approx(losses.mean())


def test_separable_examples_are_learned_until_nothing_changes():
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(60, 5))
    labels = (dense @ rng.normal(size=(5, 3))).argmax(axis=1)
    examples = sparse.csr_array(dense)
    learner = Perceptron(max_rounds=10_000, average=False).fit(examples, labels, 3)
    assert learner.converged_
    assert learner.trace_["updates"][-1] == 0
    assert learner.objective_ == 0  # every margin is at least Δ
    assert (learner.decision(examples).argmax(axis=1) == labels).all()


def test_unit_norm_is_that_of_scaled_examples():
    examples, labels = make_examples(3)
    dense = np.asarray(examples.todense())
    length = np.sqrt((dense**2).sum(axis=1, keepdims=True))
    scaled = sparse.csr_array(dense / np.where(length > 0, length, 1.0))
    found = Perceptron(max_rounds=3, normalise=True).fit(examples, labels, 3, seed=1)
    expected = Perceptron(max_rounds=3).fit(scaled, labels, 3, seed=1)
    assert found.weights_ == pytest.approx(expected.weights_, abs=1e-6)
    assert found.weights_ != pytest.approx(
        Perceptron(max_rounds=3).fit(examples, labels, 3, seed=1).weights_
    )
