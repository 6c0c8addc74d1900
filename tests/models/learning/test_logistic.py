"""`me`, `me-gis`, `mlr-primal` and `mlr-dual` against scikit-learn, scipy and each other."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.entropy import Entropy, IterativeScaling
from hyperbaton.models.learning.logistic import LogisticDual, LogisticPrimal, ascend
from hyperbaton.models.learning.problem import generator, make_problem, shuffle
from tests.models.learning.examples import log_likelihood, logistic_objective, make_examples
from tests.refusals import refused

shuffle = kernel(shuffle)  # compiled, as in use

SIGMAS = [(0, 0.3), (1, 1.0), (2, 3.0)]  # with a seed each


@pytest.mark.parametrize(("seed", "sigma"), SIGMAS)
def test_entropy_is_the_optimum_of_scikit_learn(seed, sigma):
    examples, labels = make_examples(seed, n=60, signed=True)
    # with less than that, the digits of the objective end before the search does
    learner = Entropy(sigma=sigma, tolerance=1e-6).fit(examples, labels, 3)
    their = LogisticRegression(C=sigma**2, fit_intercept=False, tol=1e-10, max_iter=10_000)
    their.fit(examples, labels)
    best = logistic_objective(examples.toarray(), labels, their.coef_, sigma)
    assert learner.converged_
    assert learner.objective_ == pytest.approx(best, rel=1e-10)
    assert learner.trace_["objective"][-1] == learner.objective_
    assert np.allclose(learner.weights_, their.coef_, atol=1e-5)
    assert np.allclose(learner.probabilities(examples), their.predict_proba(examples), atol=1e-5)


def test_entropy_with_a_class_that_never_occurs_is_the_optimum_of_scipy():
    examples, labels = make_examples(0, n_classes=2)
    dense = examples.toarray()
    found = minimize(
        lambda x: logistic_objective(dense, labels, x.reshape(3, 6), 1.0), np.zeros(18), tol=1e-9
    )
    for make in (Entropy, IterativeScaling):
        learner = make(sigma=1.0, tolerance=1e-6).fit(examples, labels, 3)
        assert learner.objective_ == pytest.approx(found.fun, rel=1e-8)
        assert np.allclose(learner.weights_, found.x.reshape(3, 6), atol=1e-4)


def test_expected_counts_meet_observed_ones_to_the_tolerance():
    # the condition of the optimum, feature by feature and class by class
    examples, labels = make_examples(5, n=80)
    for make in (Entropy, IterativeScaling):
        learner = make(sigma=2.0, tolerance=0.01, max_iterations=5000).fit(examples, labels, 3)
        assert learner.converged_
        observed = np.eye(3)[labels].T @ examples.toarray()
        expected = learner.probabilities(examples).T @ examples.toarray()
        assert np.abs(observed - expected - learner.weights_ / 4).max() <= 0.01 + 1e-9


@pytest.mark.parametrize(("seed", "sigma"), SIGMAS)
def test_scaling_and_quasi_newton_meet(seed, sigma):
    examples, labels = make_examples(seed, n=40)
    newton = Entropy(sigma=sigma, tolerance=1e-7).fit(examples, labels, 3)
    scaling = IterativeScaling(sigma=sigma, tolerance=1e-7, max_iterations=20_000)
    scaling.fit(examples, labels, 3)
    assert scaling.converged_
    assert np.allclose(scaling.weights_, newton.weights_, atol=1e-5)
    assert scaling.objective_ == pytest.approx(newton.objective_, rel=1e-10)
    assert np.all(np.diff(scaling.trace_["objective"]) <= 1e-12)  # it never gets worse


def test_first_step_of_scaling_solves_its_equation():
    examples, labels = make_examples(1, n=30)
    dense = examples.toarray()
    learner = IterativeScaling(sigma=1.5, max_iterations=1).fit(examples, labels, 3)
    observed = np.eye(3)[labels].T @ dense
    expected = np.full((3, 30), 1 / 3) @ dense  # all weights are 0 at first
    step = learner.weights_
    remainder = observed - expected * np.exp(dense.sum(axis=1).max() * step) - step / 1.5**2
    assert np.abs(remainder).max() < 1e-9
    assert not learner.converged_


def test_scaling_refuses_negative_features():
    examples = sparse.csr_array(np.array([[1.0, -0.5]]))
    facts = "a feature is -0.5 … train with the learner me"
    refused(facts, lambda: IterativeScaling().fit(examples, [0], 2))


def slow_descent(dense, labels, n_classes, sigma, rate, n_rounds, seed):
    """Eq. 8 with dense vectors, in the order of the compiled one."""
    n = len(labels)
    decay = 1 / (sigma**2 * n)
    weights = np.zeros((n_classes, dense.shape[1]))
    order, state, time, objectives = np.arange(n), generator(seed), 0, []
    for _ in range(n_rounds):
        shuffle(order, n, state)
        met = 0.0
        for i in order:
            met += decay / 2 * (weights**2).sum()
            met -= log_likelihood(dense[i : i + 1], labels[i : i + 1], weights)
            powers = np.exp(weights @ dense[i])
            error = powers / powers.sum() - np.eye(n_classes)[labels[i]]
            now = rate / (1 + rate * decay * time)
            weights = weights - now * (decay * weights + np.outer(error, dense[i]))
            time += 1
        objectives.append(met)
    return weights, objectives


@pytest.mark.parametrize("seed", range(3))
def test_descent_equals_a_slow_twin(seed):
    examples, labels = make_examples(seed, n=30, signed=True)
    learner = LogisticPrimal(sigma=0.7, learning_rate=0.3, max_rounds=4, tolerance=1e-9)
    learner.fit(examples, labels, 3, seed=seed)
    weights, met = slow_descent(examples.toarray(), labels, 3, 0.7, 0.3, 4, seed)
    assert np.allclose(learner.weights_, weights, atol=1e-12)
    assert np.allclose(learner.trace_["objective"], met)
    best = logistic_objective(examples.toarray(), labels, weights, 0.7)
    assert learner.objective_ == pytest.approx(best)


def test_a_strong_prior_makes_the_common_factor_small_many_times():
    examples, labels = make_examples(0, n=5)
    learner = LogisticPrimal(sigma=0.2, learning_rate=0.3, max_rounds=100, tolerance=1e-9)
    learner.fit(examples, labels, 3)
    weights, _ = slow_descent(examples.toarray(), labels, 3, 0.2, 0.3, learner.n_iterations_, 0)
    assert np.allclose(learner.weights_, weights, atol=1e-9)


def test_descent_comes_close_to_the_optimum():
    examples, labels = make_examples(3, n=200)
    best = Entropy(tolerance=1e-6).fit(examples, labels, 3).objective_
    learner = LogisticPrimal(max_rounds=300, tolerance=1e-7).fit(examples, labels, 3)
    assert best <= learner.objective_ <= best * 1.001
    quick = LogisticPrimal(max_rounds=300, tolerance=0.01).fit(examples, labels, 3)
    assert quick.converged_
    met = quick.trace_["objective"]
    assert abs(met[-1] - met[-2]) <= 0.01 * met[-1]
    assert np.all(np.abs(np.diff(met[:-1])) > 0.01 * met[1:-1])


def dual_value(dense, labels, alpha, sigma):
    """D(α) and w(α), eqs. 9 and 10."""
    weights = sigma**2 * (np.eye(alpha.shape[1])[labels] - alpha).T @ dense
    entropy = (alpha * np.log(alpha)).sum()
    return (weights**2).sum() / (2 * sigma**2) + entropy, weights


@pytest.mark.parametrize(("seed", "sigma"), SIGMAS)
def test_dual_optimum_is_the_primal_one_and_eq_16_holds(seed, sigma):
    examples, labels = make_examples(seed, n=40, signed=True)
    dense = examples.toarray()
    best = Entropy(sigma=sigma, tolerance=1e-8).fit(examples, labels, 3)
    log_alpha = np.log(np.where(np.eye(3)[labels] == 1, 0.9, 0.05))
    weights, dual, active = np.zeros((6, 3)), np.empty(5000), np.empty(5000)
    problem = make_problem(examples, labels, 3)
    n_rounds, converged = ascend(
        problem, sigma, 1e-6, 40, True, generator(seed), log_alpha, weights, dual, active
    )
    assert converged
    value, by_definition = dual_value(dense, labels, np.exp(log_alpha), sigma)
    assert np.allclose(weights.T, by_definition, atol=1e-9)  # (14) keeps (10)
    assert dual[n_rounds - 1] == pytest.approx(-value, rel=1e-10)  # (13) keeps (9)
    assert -value == pytest.approx(best.objective_, rel=1e-9)  # strong duality
    assert np.allclose(weights.T, best.weights_, atol=1e-5)
    assert np.all(np.diff(dual[:n_rounds]) >= -1e-12)
    scores = dense @ weights
    gradient = 1 + log_alpha + scores[np.arange(40), labels][:, None] - scores  # (12)
    assert np.ptp(gradient, axis=1).max() <= 1.001e-6  # (16)
    assert np.allclose(np.exp(log_alpha).sum(axis=1), 1)


def slow_algorithm_1(dense, labels, n_classes, sigma, epsilon, initial, n_rounds, seed):
    """Algorithm 1 with dense vectors, D from scratch, in the order of the compiled one."""
    n = len(labels)
    alpha = np.where(np.eye(n_classes)[labels] == 1, 1 - initial, initial / (n_classes - 1))
    state, left, shares = generator(seed), np.arange(n), []
    for _ in range(n_rounds):
        visited = left.copy()
        shuffle(visited, len(visited), state)
        kept = []
        for i in visited:
            value, weights = dual_value(dense, labels, alpha, sigma)
            scores = weights @ dense[i]
            gradient = 1 + np.log(alpha[i]) + scores[labels[i]] - scores
            if gradient.max() - gradient.min() <= epsilon:
                continue
            kept.append(i)
            rate = 0.5
            for _ in range(10):
                trial = alpha.copy()
                trial[i] *= np.exp(-rate * gradient)
                trial[i] /= trial[i].sum()
                if dual_value(dense, labels, trial, sigma)[0] - value <= 0:
                    alpha = trial
                    break
                rate /= 2
        left = np.array(kept, dtype=np.int64)
        shares.append(len(left) / n)
        if not kept:
            break
    return dual_value(dense, labels, alpha, sigma)[1], shares


@pytest.mark.parametrize("seed", range(4))
def test_shrinking_equals_a_slow_twin(seed):
    examples, labels = make_examples(seed, n=25, signed=True)
    learner = LogisticDual(sigma=1.5, epsilon=0.1, initial_mass=0.05, max_rounds=30)
    learner.fit(examples, labels, 3, seed=seed)
    weights, shares = slow_algorithm_1(examples.toarray(), labels, 3, 1.5, 0.1, 0.05, 30, seed)
    assert learner.trace_["active"] == pytest.approx(shares)
    assert shares[-1] == 0  # all examples have left
    assert np.allclose(learner.weights_, weights, atol=1e-9)


def test_steps_are_halved_for_examples_with_large_features():
    # with ‖φ‖² = 400 a step of ½ overshoots; the value must rise all the same
    examples, labels = make_examples(2, n=30)
    examples = examples * 20
    learner = LogisticDual(epsilon=1e-6, max_rounds=2000, max_trials=40, recheck=True)
    learner.fit(examples, labels, 3)
    best = Entropy(tolerance=1e-6, max_iterations=5000).fit(examples, labels, 3).objective_
    assert np.all(np.diff(learner.trace_["dual"]) >= -1e-9)
    assert learner.trace_["dual"][-1] == pytest.approx(best, rel=1e-4)


def test_a_larger_epsilon_ends_sooner_and_further_from_the_optimum():
    examples, labels = make_examples(3, n=300)
    best = Entropy(tolerance=1e-6).fit(examples, labels, 3).objective_
    rough, fine = (
        LogisticDual(epsilon=epsilon, max_rounds=500).fit(examples, labels, 3)
        for epsilon in (0.5, 0.001)
    )
    assert rough.n_iterations_ < fine.n_iterations_
    assert fine.objective_ - best < rough.objective_ - best
    assert fine.objective_ == pytest.approx(best, rel=1e-5)
    for learner in (rough, fine):
        assert np.all(np.diff(learner.trace_["active"]) <= 0)


def test_rechecking_brings_back_those_that_others_have_spoiled():
    examples, labels = make_examples(3, n=100)
    settings = {"epsilon": 0.3, "max_rounds": 1000}
    plain = LogisticDual(**settings).fit(examples, labels, 3)
    checked = LogisticDual(recheck=True, **settings).fit(examples, labels, 3)
    assert plain.trace_["active"][-1] == checked.trace_["active"][-1] == 0
    assert checked.n_iterations_ > plain.n_iterations_
    assert np.any(np.diff(checked.trace_["active"]) > 0)
