"""`svm`: one support vector machine for each class against all others (Ni et al. 2011, §2.2.1).

    min_{w_o}  ½ ‖w_o‖² + C Σ_n max(0, 1 − φ(o_n, o) w_o·φ_n),     φ(o_n, o) = 1 if o_n = o, else −1

for each class o alone, by dual coordinate ascent (box_dual.py). The objective is the sum over the
classes. A class that never occurs has a problem as well: all examples are against it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from models.learning.box_dual import hinge_objective, maximise
from models.learning.interface import Learner, Solution
from models.learning.problem import Problem
from models.learning.random_order import generator


@dataclass(eq=False, kw_only=True)
class SupportVectors(Learner):
    name: ClassVar[str] = "svm"

    penalty: float = 0.02  # C
    tolerance: float = 0.1  # by which a margin may be wrong
    max_rounds: int = 1000

    def check_settings(self) -> None:
        self._check_positive("penalty", "tolerance", "max_rounds")

    def solve(self, problem: Problem, seed: int) -> Solution:
        n_rows, n_classes = len(problem.labels), problem.n_classes
        weights = np.zeros((problem.n_features, n_classes))
        duals = np.zeros((n_classes, self.max_rounds))
        state = generator(seed)
        rounds = np.zeros(n_classes, np.int64)
        converged = True
        objective = 0.0
        for o in range(n_classes):
            sign = np.where(np.arange(n_classes) == o, 1.0, -1.0)[:, None]  # (K, 1)
            own = np.zeros((problem.n_features, 1))
            rounds[o], good = maximise(
                problem, sign, self.penalty, self.tolerance, state, own, np.zeros(n_rows), duals[o]
            )
            converged &= bool(good)
            weights[:, o] = own[:, 0]
            duals[o, rounds[o] :] = duals[o, rounds[o] - 1]
            objective += hinge_objective(problem, sign, self.penalty, own)
        n_rounds = int(rounds.max())
        trace = {"dual": duals[:, :n_rounds].sum(axis=0)}
        return Solution(weights, n_rounds, objective, converged, trace)
