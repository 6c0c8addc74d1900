"""`mmr`: maximum margin regression (Ni et al. 2011, §2.2.2 and Appendix B).

    min_W  ½ ‖W‖² + C Σ_n max(0, 1 − ⟨φ(o_n), W φ_n⟩)

Every class has a vector φ(o), and W maps the features of an example towards the vector of its
class. The dual has one variable per example, whatever the number of classes:

    max_α  Σ_n α_n − ½ Σ_n Σ_m α_n α_m ⟨φ(o_n), φ(o_m)⟩ ⟨φ_n, φ_m⟩,     0 ≤ α_n ≤ C

In the paper φ(o) is the indicator of the class: W's row of a class then learns only from the
examples of that class, and nothing sets it apart from the others. `centred` subtracts the mean of
all indicators, so that vectors of different classes point away from each other, and every example
changes all rows. The score of a class is its row of W times φ either way, as the centred rows sum
to zero.

The margin is an inner product that stands for a distance (the paper's eq. 11), which requires
vectors of the same length. The φ(o) have the same length; with `normalise` the φ of examples are
scaled to length 1 for training, so that many features alone do not make a margin.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.models.learning.box_dual import HingeLearner
from hyperbaton.models.learning.interface import Solution
from hyperbaton.models.learning.problem import Problem, generator
from hyperbaton.models.learning.unit_rows import with_unit_rows

EMBEDDINGS = ["indicator", "centred"]


@dataclass(eq=False, kw_only=True)
class MarginRegression(HingeLearner):
    name: ClassVar[str] = "mmr"

    penalty: float = 0.03  # C
    embedding: str = "indicator"
    normalise: bool = True  # ‖φ‖ = 1 in training

    def check_settings(self) -> None:
        super().check_settings()
        self._check_choice("embedding", EMBEDDINGS)

    def solve(self, problem: Problem, seed: int) -> Solution:
        embedding = self.class_vectors(problem.n_classes)
        if self.normalise:
            problem = with_unit_rows(problem)
        return self.minimise(problem, embedding, generator(seed))

    def class_vectors(self, n_classes: int) -> FloatArray:
        """φ(o) of every class, (K, K)."""
        indicator = np.eye(n_classes)
        return indicator if self.embedding == "indicator" else indicator - 1.0 / n_classes
