"""`svm`: one support vector machine for each class against all others (Ni et al. 2011, §2.2.1).

    min_{w_o}  ½ ‖w_o‖² + C Σ_n max(0, 1 − φ(o_n, o) w_o·φ_n),     φ(o_n, o) = 1 if o_n = o, else −1

for each class o alone, by dual coordinate ascent (box_dual.py). The objective is the sum over the
classes. A class that never occurs has a model as well: all examples count against it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.models.learning.box_dual import HingeLearner
from hyperbaton.models.learning.interface import Solution
from hyperbaton.models.learning.problem import Problem, generator


@dataclass(eq=False, kw_only=True)
class SupportVectors(HingeLearner):
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
