"""`mlr-primal`: multinomial logistic regression by stochastic gradient descent (Alrajeh and
Niranjan 2014, eq. 8).

    w_k ← w_k − η_t (λ w_k + (p(k | φ_i) − [k = o_i]) φ_i),     λ = 1/(σ² N)

on one example at a time, whose sum over the examples is the gradient of P(w) (losses.py). The
rate falls as η_t = η_0 / (1 + η_0 λ t) (Bottou 2010). A round visits every example once in a random
order. The shrinking by λ is kept in one common factor of all weights, so that a step touches only
the features of its example.

Training ends when the progressive likelihood, taken with the weights before each step, changes from
one round to the next by less than the tolerance, relative to itself.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.losses import penalised_likelihood, to_probabilities
from hyperbaton.models.learning.problem import Problem, entries, generator, score, shuffle

SMALLEST_FACTOR = 1e-6


@dataclass(eq=False, kw_only=True)
class LogisticPrimal(Learner):
    name: ClassVar[str] = "mlr-primal"

    sigma: float = 0.3
    learning_rate: float = 0.1  # η_0
    tolerance: float = 1e-3
    max_rounds: int = 100

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
    """Fills `weights`, (F, K), from zeros; the progressive objective of each round goes into
    `objective`. Returns the number of rounds and whether it changed little in the last one."""
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
                own = weights[np.uint64(problem.indices[entry])]
                for o in range(n_classes):
                    old = own[np.uint64(o)]
                    new = old - step * scores[o]
                    own[np.uint64(o)] = new
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
