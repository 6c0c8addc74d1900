"""`svm-multiclass`: one support vector machine for all classes (Crammer and Singer 2001).

    min_w  ½ Σ_o ‖w_o‖² + C Σ_n max_o (Δ(o_n, o) + w_o·φ_n − w_{o_n}·φ_n)

Up to the scale of C, this is the objective of SVM-Multiclass, with which Ni et al. (2011,
footnote 8) compare; there Δ is 1 for every wrong class (`flat`). With another Δ it is their eq. 4
with the regulariser that the perceptron leaves out, C = 1 / (λ N).

The dual has K numbers per example, w_o = Σ_n α_no φ_n with Σ_o α_no = 0 and α_no ≤ C [o = o_n]:

    min_α  ½ Σ_o ‖w_o‖² + Σ_n Σ_o Δ(o_n, o) α_no

The α of one example are solved for exactly while the others are fixed (Keerthi et al. 2008): with
A = ‖φ_n‖² and B_o = w_o·φ_n + Δ(o_n, o) − A α_no they are min(C [o = o_n], (β − B_o) / A), where β
makes their sum 0. An example cannot move if the gradient holds all its α but one at their bounds;
it is skipped in the following rounds. When the remaining examples are within a tolerance, all
return; the tolerance is coarse at first and becomes finer each time. Training ends with a round
over all examples in which all are within the finest tolerance.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.losses import DISTANCES, structured_loss
from hyperbaton.models.learning.problem import Problem, generator, score, shuffle

COARSEST = 1.0  # first tolerance of margins
FINER = 0.5  # factor to the next tolerance
SMALLEST = 1e-12  # smallest difference of gradients for a step


@dataclass(eq=False, kw_only=True)
class MulticlassSupportVectors(Learner):
    """One support vector machine for all classes (Crammer and Singer 2001)."""

    name: ClassVar[str] = "svm-multiclass"

    penalty: float = 0.02  # C: weight of the losses against the regulariser
    tolerance: float = 0.1  # largest error of a margin at the end
    max_rounds: int = 1000  # maximum number of rounds over the examples
    distance: str = "flat"  # Δ, the cost of confusing two classes: `tree`, `neighbours` or `flat`

    def check_settings(self) -> None:
        self._check_positive("penalty", "tolerance", "max_rounds")
        self._check_choice("distance", list(DISTANCES))

    def solve(self, problem: Problem, seed: int) -> Solution:
        distance = DISTANCES[self.distance](problem.n_classes)
        weights = np.zeros((problem.n_features, problem.n_classes))
        dual = np.zeros(self.max_rounds)
        n_rounds, converged = maximise_multiclass(
            problem, distance, self.penalty, self.tolerance, generator(seed), weights, dual
        )
        loss = structured_loss(problem, distance, weights)
        objective = float(0.5 * (weights**2).sum() + self.penalty * loss)
        return Solution(
            weights, n_rounds, objective, bool(converged), {"dual": dual[:n_rounds].copy()}
        )


@kernel
def maximise_multiclass(problem, distance, penalty, tolerance, state, weights, dual):
    """Fills `weights`, (F, K), from zeros, and `dual` with the negative dual objective after each
    round. Returns the number of rounds and whether the last one found no violation."""
    n_rows, n_classes = len(problem.labels), problem.n_classes
    square = np.zeros(n_rows)
    value = 0.0
    for row in range(n_rows):
        for entry in range(problem.indptr[row], problem.indptr[row + 1]):
            square[row] += problem.data[entry] ** 2
        if square[row] == 0.0:  # its loss is constant
            value += penalty * np.max(distance[problem.labels[row]])
    alpha = np.zeros((n_rows, n_classes))
    scores, new, falling = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    active = np.arange(n_rows)
    n_active = n_rows
    current = max(tolerance, COARSEST)
    for number in range(len(dual)):
        n_left = 0
        furthest = 0.0
        shuffle(active, n_active, state)
        for place in range(n_active):
            row = active[place]
            label = problem.labels[row]
            if square[row] == 0.0:
                continue
            score(problem, row, weights, scores)
            highest, lowest = -np.inf, np.inf
            for o in range(n_classes):
                scores[o] += distance[label, o]  # the gradient of α_no
                highest = max(highest, scores[o])
                if alpha[row, o] < (penalty if o == label else 0.0):
                    lowest = min(lowest, scores[o])
            n_free = 0
            for o in range(n_classes):
                at_bound = alpha[row, o] == (penalty if o == label else 0.0)
                n_free += not (at_bound and scores[o] < lowest)
            if n_free <= 1:
                continue
            active[n_left] = row
            n_left += 1
            furthest = max(furthest, highest - lowest)
            if highest - lowest <= SMALLEST:
                continue
            _solve_example(scores, alpha[row], square[row], label, penalty, falling, new)
            for o in range(n_classes):
                step = new[o] - alpha[row, o]
                value -= step * scores[o] + 0.5 * step * step * square[row]
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                feature = problem.indices[entry]
                for o in range(n_classes):
                    weights[feature, o] += (new[o] - alpha[row, o]) * problem.data[entry]
            alpha[row] = new
        dual[number] = value
        if furthest > current:
            n_active = n_left
            continue
        if n_active == n_rows and furthest <= tolerance:
            return number + 1, True
        n_active = n_rows
        for row in range(n_rows):
            active[row] = row
        current = max(tolerance, FINER * current)
    return len(dual), False


@inner
def _solve_example(gradient, alpha, square, label, penalty, falling, new):
    """Fills `new` with the best α of one example.

    A class is at its bound C_o if β ≥ D_o = B_o + A C_o. The r classes with the highest D are
    free; since all α sum to 0, r β = Σ_free D_o − A C.
    """
    n = len(alpha)
    for o in range(n):
        new[o] = gradient[o] - square * alpha[o]  # B
    for o in range(n):  # insertion sort, descending: there are few classes
        bound = new[o] + (square * penalty if o == label else 0.0)  # D
        at = o
        while at > 0 and falling[at - 1] < bound:
            falling[at] = falling[at - 1]
            at -= 1
        falling[at] = bound
    total = falling[0] - square * penalty
    rank = 1
    while rank < n and total < rank * falling[rank]:
        total += falling[rank]
        rank += 1
    beta = total / rank
    for o in range(n):
        new[o] = min(penalty if o == label else 0.0, (beta - new[o]) / square)
