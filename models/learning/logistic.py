"""`mlr-primal` and `mlr-dual`: multinomial logistic regression (Alrajeh and Niranjan 2014).

`mlr-primal` is stochastic gradient descent (eq. 8),

    w_k ← w_k − η_t (λ w_k + (p(k | φ_i) − [k = o_i]) φ_i),     λ = 1/(σ² N)

on one example at a time, whose sum over the examples is the gradient of P(w) (losses.py). The
rate decreases as η_t = η_0 / (1 + η_0 λ t) (Bottou 2010). A round visits every example once in a
random order. The shrinking by λ is a common factor of all weights, so that a step touches only the
features of its example.

Training ends when the relative change of the progressive likelihood, computed with the weights
before each step, from one round to the next is below the tolerance.

`mlr-dual` is the dual, with shrinking (eqs. 9–16 and Algorithm 1). Every example has a distribution
α_i over the classes, and the weights follow from them:

    min_α  D(α) = 1/(2σ²) Σ_k ‖w_k(α)‖² + Σ_i Σ_k α_ik log α_ik                          (9)
    w_k(α) = σ² Σ_i ([k = o_i] − α_ik) φ_i                                              (10)

which is the negative of the best P(w) (losses.py). An example's distribution moves by an
exponentiated gradient step (11) with η = ½, halved until D does not grow (13), and the weights with
it (14). If its gradients (12) are equal for all classes up to ε, the example is optimal (16) and is
removed from training: a larger ε is faster and less exact. The paper calls two small numbers ε;
here that of (15), the initial mass of an example's wrong classes, is `initial_mass`.

Later steps may make a removed example suboptimal. With `recheck`, all examples return when none
remains, until a round over all of them changes nothing; then (16) holds for every example.

We store log α instead of α, because it stays exact near 0. D is flat at the optimum, and the
smallest α hardly change it: a change below the rounding error counts as 0. For the same reason
an ε below 1e-6 is unreliable.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.losses import penalised_likelihood, to_probabilities
from hyperbaton.models.learning.problem import Problem, entries, generator, score, shuffle

SMALLEST_FACTOR = 1e-6
ROUNDING = 1e-14  # of differences of D


@dataclass(eq=False, kw_only=True)
class LogisticPrimal(Learner):
    """Multinomial logistic regression by gradient descent (Alrajeh and Niranjan 2014)."""

    name: ClassVar[str] = "mlr-primal"

    sigma: float = 0.3  # σ: standard deviation of the Gaussian prior
    learning_rate: float = 0.1  # η_0: size of the first step
    tolerance: float = 1e-3  # stop when a round changes the likelihood by a smaller share
    max_rounds: int = 100  # maximum number of rounds over the examples

    def check_settings(self) -> None:
        self._check_positive("sigma", "learning_rate", "tolerance", "max_rounds")

    def solve(self, problem: Problem, seed: int) -> Solution:
        weights = np.zeros((problem.n_features, problem.n_classes))
        objective = np.empty(self.max_rounds)
        n_rounds, converged = descend(
            problem,
            self.sigma,
            self.learning_rate,
            self.tolerance,
            generator(seed),
            weights,
            objective,
        )
        return Solution(
            weights,
            n_rounds,
            penalised_likelihood(problem, weights, self.sigma),
            bool(converged),
            {"objective": objective[:n_rounds].copy()},
        )


@kernel
def descend(problem, sigma, learning_rate, tolerance, state, weights, objective):
    """Fills `weights`, (F, K), from zeros, and `objective` with the progressive objective of each
    round. Returns the number of rounds and whether the last one was within the tolerance."""
    n_rows, n_classes = len(problem.labels), problem.n_classes
    decay = 1.0 / (sigma * sigma * n_rows)
    order = np.arange(n_rows)
    scores = np.empty(n_classes)
    factor = 1.0
    square = 0.0  # ‖w‖² / factor²
    time = 0
    for number in range(len(objective)):
        shuffle(order, n_rows, state)
        loss = 0.0
        for place in range(n_rows):
            row = order[place]
            label = problem.labels[row]
            rate = learning_rate / (1.0 + learning_rate * decay * time)
            time += 1
            score(problem, row, weights, scores)
            for o in range(n_classes):
                scores[o] *= factor
            loss += 0.5 * decay * square * factor * factor - scores[label]
            loss += to_probabilities(scores)
            scores[label] -= 1.0
            factor *= 1.0 - min(0.9, rate * decay)
            for entry in entries(problem, row):
                step = rate * problem.data[entry] / factor
                of_feature = weights[np.uint64(problem.indices[entry])]
                for o in range(n_classes):
                    old = of_feature[np.uint64(o)]
                    new = old - step * scores[o]
                    of_feature[np.uint64(o)] = new
                    square += new**2 - old**2
            if factor < SMALLEST_FACTOR:
                weights *= factor
                square *= factor * factor
                factor = 1.0
        objective[number] = loss
        if number > 0 and abs(objective[number - 1] - loss) <= tolerance * abs(loss):
            weights *= factor
            return number + 1, True
    weights *= factor
    return len(objective), False


@dataclass(eq=False, kw_only=True)
class LogisticDual(Learner):
    """Multinomial logistic regression in the dual, with shrinking (Alrajeh and Niranjan 2014)."""

    name: ClassVar[str] = "mlr-dual"

    sigma: float = 0.3  # σ: standard deviation of the Gaussian prior
    epsilon: float = 0.1  # ε of Algorithm 1: a larger value is faster and less exact
    max_rounds: int = 100  # maximum number of rounds over the examples
    max_trials: int = 10  # maximum number of halvings of a step
    initial_mass: float = 0.01  # ε of eq. 15: initial probability of the wrong classes
    recheck: bool = False  # examine dropped examples again until all have converged

    def check_settings(self) -> None:
        self._check_positive("sigma", "epsilon", "max_rounds", "max_trials")
        self._check("initial_mass", 0 < self.initial_mass < 1, "expected a number between 0 and 1")

    def solve(self, problem: Problem, seed: int) -> Solution:
        shape = len(problem.labels), problem.n_classes
        weights = np.zeros((problem.n_features, problem.n_classes))
        if problem.n_classes == 1:  # the only class is certain
            return Solution(weights, 0, 0.0, True)
        log_alpha = np.full(shape, np.log(self.initial_mass / (problem.n_classes - 1)))
        log_alpha[np.arange(shape[0]), problem.labels] = np.log1p(-self.initial_mass)
        dual, active = np.empty(self.max_rounds), np.empty(self.max_rounds)
        n_rounds, converged = ascend(
            problem,
            self.sigma,
            self.epsilon,
            self.max_trials,
            self.recheck,
            generator(seed),
            log_alpha,
            weights,
            dual,
            active,
        )
        trace = {
            "dual": dual[:n_rounds].copy(),  # −D, which increases to the optimum of P
            "active": active[:n_rounds].copy(),  # share of the examples at the end of a round
        }
        objective = penalised_likelihood(problem, weights, self.sigma)
        return Solution(weights, n_rounds, objective, bool(converged), trace)


@kernel
def ascend(
    problem, sigma, epsilon, max_trials, recheck, state, log_alpha, weights, dual, active_share
):
    """Algorithm 1. Changes `log_alpha`, (n, K), and fills `weights`, (F, K), from zeros, and the
    last two arrays with −D and the share of active examples after each round. Returns the number of
    rounds and whether all examples became optimal."""
    n_rows, n_classes = len(problem.labels), problem.n_classes
    variance = sigma * sigma
    square = np.zeros(n_rows)
    value = initialise(problem, variance, log_alpha, weights, square)
    scores, new = np.empty(n_classes), np.empty(n_classes)
    alpha, other = np.empty(n_classes), np.empty(n_classes)
    active = np.arange(n_rows)
    n_active = n_rows
    for number in range(len(dual)):
        n_left = 0
        shuffle(active, n_active, state)
        for place in range(n_active):
            row = active[place]
            old = log_alpha[row]
            score(problem, row, weights, scores)
            # (12) up to a constant over all classes
            highest, lowest = -np.inf, np.inf
            for o in range(n_classes):
                highest = max(highest, old[o] - scores[o])
                lowest = min(lowest, old[o] - scores[o])
            if highest - lowest <= epsilon:
                continue
            active[n_left] = row
            n_left += 1
            for o in range(n_classes):
                alpha[o] = np.exp(old[o])
            rate = 0.5
            for _ in range(max_trials):
                exponentiated_step(old, scores, rate, new, other)
                change = 0.0  # (13)
                for o in range(n_classes):
                    step = other[o] - alpha[o]
                    change += other[o] * new[o] - alpha[o] * old[o] - step * scores[o]
                    change += 0.5 * variance * square[row] * step * step
                if change <= ROUNDING:
                    value += change
                    for o in range(n_classes):
                        scores[o] = -variance * (other[o] - alpha[o])
                        old[o] = new[o]
                    for entry in entries(problem, row):  # (14)
                        feature = np.uint64(problem.indices[entry])
                        for o in range(n_classes):
                            weights[feature, np.uint64(o)] += scores[o] * problem.data[entry]
                    break
                rate *= 0.5
        dual[number] = -value
        active_share[number] = n_left / n_rows
        if n_left == 0 and (not recheck or n_active == n_rows):
            return number + 1, True
        n_active = n_left
        if n_left == 0:
            n_active = n_rows
            for row in range(n_rows):
                active[row] = row
    return len(dual), False


@inner
def initialise(problem, variance, log_alpha, weights, square):
    """w(α) by (10), ‖φ‖² of every example, and D(α) by (9)."""
    value = 0.0
    share = np.empty(problem.n_classes)
    for row in range(len(problem.labels)):
        for o in range(problem.n_classes):
            alpha = np.exp(log_alpha[row, o])
            value += alpha * log_alpha[row, o]
            share[o] = variance * ((1.0 if o == problem.labels[row] else 0.0) - alpha)
        for entry in entries(problem, row):
            feature = np.uint64(problem.indices[entry])
            square[row] += problem.data[entry] ** 2
            for o in range(problem.n_classes):
                weights[feature, np.uint64(o)] += share[o] * problem.data[entry]
    return value + np.sum(weights**2) / (2.0 * variance)


@inner
def exponentiated_step(log_alpha, scores, rate, new, alpha):
    """(11) in logarithms: log α' = log α − η (log α − w·φ), normalised, into `new`; and α'."""
    for o in range(len(new)):
        new[o] = log_alpha[o] - rate * (log_alpha[o] - scores[o])
        alpha[o] = new[o]
    log_total = to_probabilities(alpha)
    for o in range(len(new)):
        new[o] -= log_total
