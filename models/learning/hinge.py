"""`svm` and `mmr`: hinge losses with one boxed variable per example, by dual coordinate ascent.

    max_α  Σ_n α_n − ½ ‖W‖²,      W = Σ_n α_n ψ(o_n) φ_nᵀ,      0 ≤ α_n ≤ C

is the dual of min_W ½ ‖W‖² + C Σ_n max(0, 1 − ψ(o_n)ᵀ W φ_n), where ψ gives every class a vector.
One variable is solved for exactly while the others are fixed (Hsieh et al. 2008):

    α_n ← min(C, max(0, α_n + (1 − ψ(o_n)ᵀ W φ_n) / (‖ψ(o_n)‖² ‖φ_n‖²)))

Many variables soon reach a bound and stay there. A variable at a bound is skipped in the following
rounds if its gradient is larger than that of any free variable in the previous round (shrinking, in
the same paper). When the margins of the remaining examples are within the tolerance, all return;
training ends with a round over all examples in which all margins are within the tolerance.

`svm` (Ni et al. 2011, §2.2.1) is one machine for each class against all others: ψ is 1 for the
class and −1 for the others. Its objective is the sum over the classes. An absent class also has a
model, with all examples as negatives.

`mmr`, maximum margin regression (§2.2.2 and Appendix B), maps the features of an example towards
the vector of its class; the dual has one variable per example for any number of classes. In the
paper ψ(o) is the indicator of the class: the row of W of a class then learns only from the examples
of that class, and is not separated from the others. `centred` subtracts the mean of all indicators,
so that the angles between vectors of different classes are obtuse, and every example changes all
rows. The score of a class is its row of W times φ in both cases, because the centred rows sum to
zero.

The margin is an inner product in place of a distance (the paper's eq. 11), which requires vectors
of equal length. The ψ(o) have equal length; with `normalise`, the φ of examples are scaled to
length 1 for training, so that many features alone do not make a margin.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, UInt64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.problem import Problem, generator, shuffle, with_unit_rows

EMBEDDINGS = ["indicator", "centred"]


@dataclass(eq=False, kw_only=True)
class HingeLearner(Learner):
    """A learner that minimises hinge losses."""

    penalty: float = 0.02  # C: weight of the losses against the regulariser
    tolerance: float = 0.1  # largest error of a margin at the end
    max_rounds: int = 1000  # maximum number of rounds over the examples

    def check_settings(self) -> None:
        self._check_positive("penalty", "tolerance", "max_rounds")

    def minimise(self, problem: Problem, embedding: FloatArray, state: UInt64Array) -> Solution:
        """W, (F, D), for ψ of every class, (K, D)."""
        weights = np.zeros((problem.n_features, embedding.shape[1]))
        dual = np.zeros(self.max_rounds)
        n_rounds, converged = maximise(
            problem, embedding, self.penalty, self.tolerance, state, weights, dual
        )
        objective = hinge_objective(problem, embedding, self.penalty, weights)
        return Solution(weights, n_rounds, objective, converged, {"dual": dual[:n_rounds].copy()})


@dataclass(eq=False, kw_only=True)
class SupportVectors(HingeLearner):
    """Support vector machines, one for each class against all others (Ni et al. 2011)."""

    name: ClassVar[str] = "svm"

    def solve(self, problem: Problem, seed: int) -> Solution:
        classes, state = np.arange(problem.n_classes), generator(seed)
        parts = [
            self.minimise(problem, np.where(classes == o, 1.0, -1.0)[:, None], state)
            for o in classes
        ]
        n_rounds = max(part.n_iterations for part in parts)
        duals = [
            np.pad(part.trace["dual"], (0, n_rounds - part.n_iterations), "edge") for part in parts
        ]
        return Solution(
            np.hstack([part.weights for part in parts]),
            n_rounds,
            sum(part.objective for part in parts),
            all(part.converged for part in parts),
            {"dual": np.sum(duals, axis=0)},
        )


@dataclass(eq=False, kw_only=True)
class MarginRegression(HingeLearner):
    """Maximum margin regression (Ni et al. 2011)."""

    name: ClassVar[str] = "mmr"

    penalty: float = 0.03  # C: weight of the losses against the regulariser
    # vectors of the classes: `indicator`, or `centred` around their mean
    embedding: str = "indicator"
    normalise: bool = True  # scale the features of each example to length 1

    def check_settings(self) -> None:
        super().check_settings()
        self._check_choice("embedding", EMBEDDINGS)

    def solve(self, problem: Problem, seed: int) -> Solution:
        embedding = np.eye(problem.n_classes)  # ψ(o) of every class
        if self.embedding == "centred":
            embedding -= 1.0 / problem.n_classes
        if self.normalise:
            problem = with_unit_rows(problem)
        return self.minimise(problem, embedding, generator(seed))


def hinge_objective(
    problem: Problem, embedding: FloatArray, penalty: float, weights: FloatArray
) -> float:
    """½ ‖W‖² + C Σ_n max(0, 1 − ψ(o_n)ᵀ W φ_n)."""
    products = problem.data[:, None] * weights[problem.indices]  # (entries, D)
    products *= np.repeat(embedding[problem.labels], np.diff(problem.indptr), axis=0)
    rows = np.repeat(np.arange(len(problem.labels)), np.diff(problem.indptr))
    margins = np.bincount(rows, products.sum(axis=1), minlength=len(problem.labels))
    return float(0.5 * (weights**2).sum() + penalty * np.maximum(0.0, 1.0 - margins).sum())


@kernel
def maximise(problem, embedding, penalty, tolerance, state, weights, dual):
    """Fills `weights`, (F, D), from zeros; `embedding` is ψ, (K, D).

    Also fills `dual`, whose length is the largest number of rounds, with the dual objective after
    each round. Returns the number of rounds and whether the last one found no violation.
    """
    n_rows, n_numbers = len(problem.labels), embedding.shape[1]
    alpha, curvature = np.zeros(n_rows), np.zeros(n_rows)
    for row in range(n_rows):
        for entry in range(problem.indptr[row], problem.indptr[row + 1]):
            curvature[row] += problem.data[entry] ** 2
        curvature[row] *= np.sum(embedding[problem.labels[row]] ** 2)
    active = np.arange(n_rows)
    n_active = n_rows
    highest_before, lowest_before = np.inf, -np.inf
    value = 0.0
    for number in range(len(dual)):
        n_left = 0
        highest, lowest = 0.0, 0.0  # gradients of variables that could move that way
        shuffle(active, n_active, state)
        for place in range(n_active):
            row = active[place]
            psi = embedding[problem.labels[row]]
            margin = 0.0
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                feature = problem.indices[entry]
                for d in range(n_numbers):
                    if psi[d] != 0.0:
                        margin += problem.data[entry] * psi[d] * weights[feature, d]
            ascent = 1.0 - margin
            if alpha[row] == 0.0 and ascent < lowest_before:
                continue
            if alpha[row] == penalty and ascent > highest_before:
                continue
            active[n_left] = row
            n_left += 1
            if curvature[row] > 0.0:
                new = min(penalty, max(0.0, alpha[row] + ascent / curvature[row]))
            else:
                new = penalty  # without features the margin is always 0
            step = new - alpha[row]
            if step == 0.0:
                continue
            highest, lowest = max(highest, ascent), min(lowest, ascent)
            alpha[row] = new
            value += step * ascent - 0.5 * step * step * curvature[row]
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                feature = problem.indices[entry]
                for d in range(n_numbers):
                    if psi[d] != 0.0:
                        weights[feature, d] += step * problem.data[entry] * psi[d]
        dual[number] = value
        if max(highest, -lowest) <= tolerance:
            if n_active == n_rows:
                return number + 1, True
            n_active = n_rows
            for row in range(n_rows):
                active[row] = row
            highest_before, lowest_before = np.inf, -np.inf
        else:
            n_active = n_left
            highest_before = highest if highest > 0.0 else np.inf
            lowest_before = lowest if lowest < 0.0 else -np.inf
    return len(dual), False
