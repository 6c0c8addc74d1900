"""`mmr`: maximum margin regression (Ni et al. 2011, §2.2.2 and Appendix B).

    min_W  ½ ‖W‖² + C Σ_n max(0, 1 − ⟨φ(o_n), W φ_n⟩)

Every class has a vector φ(o), and W maps the features of an example towards the vector of its
class. The dual has one variable per example, whatever the number of classes:

    max_α  Σ_n α_n − ½ Σ_n Σ_m α_n α_m ⟨φ(o_n), φ(o_m)⟩ ⟨φ_n, φ_m⟩,     0 ≤ α_n ≤ C

In the paper φ(o) is the indicator of the class: W's row of a class then knows only the examples of
that class, and nothing tells it from the others. `centred` takes the mean of all indicators off, so
that vectors of different classes point away from each other, and every example speaks to all rows.
The score of a class is its row of W times φ either way, as the rows of the latter sum to zero.

The margin is an inner product that stands for a distance (the paper's eq. 11), which it does if
vectors have the same length. The φ(o) of classes have; with `normalise` the φ of examples are
trained at length 1 as well, so that those with many features do not reach the margin by their
number alone.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from models.arrays import FloatArray
from models.learning.box_dual import hinge_objective, maximise
from models.learning.interface import Learner, Solution
from models.learning.problem import Problem
from models.learning.random_order import generator

EMBEDDINGS = ["indicator", "centred"]


@dataclass(eq=False, kw_only=True)
class MarginRegression(Learner):
    name: ClassVar[str] = "mmr"

    penalty: float = 0.03  # C
    tolerance: float = 0.1  # by which a margin may be wrong
    max_rounds: int = 1000
    embedding: str = "indicator"
    normalise: bool = True  # ‖φ‖ = 1 in training

    def check_settings(self) -> None:
        self._check_positive("penalty", "tolerance", "max_rounds")
        self._check_choice("embedding", EMBEDDINGS)

    def solve(self, problem: Problem, seed: int) -> Solution:
        embedding = self.class_vectors(problem.n_classes)
        if self.normalise:
            problem = with_unit_rows(problem)
        weights = np.zeros((problem.n_features, problem.n_classes))
        dual = np.zeros(self.max_rounds)
        n_rounds, converged = maximise(
            problem,
            embedding,
            self.penalty,
            self.tolerance,
            generator(seed),
            weights,
            np.zeros(len(problem.labels)),
            dual,
        )
        objective = hinge_objective(problem, embedding, self.penalty, weights)
        return Solution(
            weights, n_rounds, objective, bool(converged), {"dual": dual[:n_rounds].copy()}
        )

    def class_vectors(self, n_classes: int) -> FloatArray:
        """φ(o) of every class, (K, K)."""
        indicator = np.eye(n_classes)
        return indicator if self.embedding == "indicator" else indicator - 1.0 / n_classes


def with_unit_rows(problem: Problem) -> Problem:
    """The same with ‖φ‖ = 1 for every example that has features."""
    rows = np.repeat(np.arange(len(problem.labels)), np.diff(problem.indptr))
    square = np.bincount(rows, problem.data.astype(np.float64) ** 2, len(problem.labels))
    norm = np.sqrt(np.where(square > 0, square, 1.0))
    return problem._replace(data=(problem.data / norm[rows]).astype(problem.data.dtype))
