"""`mms`: max-margin structure learning by the perceptron of Ni et al. (2011), Table 2 (PSL).

It minimises the structured margin loss of their eq. 5 without a regulariser (eq. 4 with λ = 0),

    ρ(n) = max(0, max_{o ≠ o_n} [Δ(o_n, o) + w_o·φ_n] − w_{o_n}·φ_n),

by steps on single examples: with o* = argmax_o Δ(o_n, o) + w_o·φ_n, and if that is more than
w_{o_n}·φ_n,

    w_{o_n} ← w_{o_n} + η φ_n,        w_{o*} ← w_{o*} − η φ_n.

A round visits every example once in a random order; the table draws examples one by one. With
`average`, the default, the model is the mean of the weights after every visit (Collins 2002). The
last weights, which Table 2 returns (`average=false`), depend on the noise of the last examples.

With `normalise`, the φ of examples are scaled to length 1 for training: examples with many features
then make no larger steps than others, and Δ is the same margin for all examples.

Against over-fitting the paper stops early: the number of rounds and the size of the steps are
chosen on held-out examples (`early_stopping.py`). The perceptron runs `max_rounds`, or stops after
a round without updates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.losses import DISTANCES, structured_loss
from hyperbaton.models.learning.problem import (
    Problem,
    entries,
    generator,
    score,
    shuffle,
    with_unit_rows,
)


@dataclass(eq=False, kw_only=True)
class Perceptron(Learner):
    """Max-margin structure learning by a perceptron (Ni et al. 2011)."""

    name: ClassVar[str] = "mms"
    searched: ClassVar[Mapping[str, tuple[float, ...]]] = {
        "learning_rate": (0.01, 0.03),  # small compared with the margins Δ
        "max_rounds": (2, 4, 8, 16),
    }

    # η: size of the steps; chosen on unseen examples if you do not give it
    learning_rate: float = 0.01
    max_rounds: int = 8  # rounds over the examples; chosen in the same way
    distance: str = "tree"  # Δ, the cost of confusing two classes: `tree`, `neighbours` or `flat`
    average: bool = True  # use the mean of the weights after every example, not the last weights
    normalise: bool = False  # scale the features of each example to length 1

    def check_settings(self) -> None:
        self._check_positive("learning_rate", "max_rounds")
        self._check_choice("distance", list(DISTANCES))

    def solve(self, problem: Problem, seed: int) -> Solution:
        distance = DISTANCES[self.distance](problem.n_classes)
        if self.normalise:
            problem = with_unit_rows(problem)
        n_rows = len(problem.labels)
        order, state = np.arange(n_rows), generator(seed)
        weights = np.zeros((problem.n_features, problem.n_classes))
        lag = np.zeros_like(weights) if self.average else np.empty((0, 0))
        updates: list[int] = []
        while len(updates) < self.max_rounds and 0 not in updates:
            n_visits = len(updates) * n_rows
            updates.append(
                visit(problem, order, distance, self.learning_rate, state, n_visits, weights, lag)
            )
        if self.average:
            weights = weights - lag / (len(updates) * n_rows)
        return Solution(
            weights,
            len(updates),
            structured_loss(problem, distance, weights) / n_rows,
            0 in updates,
            {"updates": np.array(updates) / n_rows},
        )


@kernel
def visit(problem, order, distance, learning_rate, state, n_visits, weights, lag):
    """One round of Table 2 over the examples, in a new random order; returns the number of updates.

    A step at time t is part of all weights except the first t: with t times every step added to
    `lag`, the mean after T visits is `weights − lag / T`. An empty `lag` is not used.
    """
    n_classes = problem.n_classes
    scores = np.empty(n_classes)
    shuffle(order, len(order), state)
    n_updates = 0
    for place in range(len(order)):
        row = order[place]
        label = problem.labels[row]
        score(problem, row, weights, scores)
        worst = label
        highest = scores[label]
        for o in range(n_classes):
            value = scores[o] + distance[label, o]
            if value > highest:
                highest = value
                worst = o
        if worst != label:
            n_updates += 1
            up, down = np.uint64(label), np.uint64(worst)
            for entry in entries(problem, row):
                step = learning_rate * problem.data[entry]
                feature = np.uint64(problem.indices[entry])
                weights[feature, up] += step
                weights[feature, down] -= step
                if len(lag):
                    lag[feature, up] += (n_visits + place) * step
                    lag[feature, down] -= (n_visits + place) * step
    return n_updates
