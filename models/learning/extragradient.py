"""`mms-extragradient`: Ni et al. (2011), eq. 6, by the extra-gradient method (Taskar et al. 2006).

    min_{‖w_o‖ ≤ R} max_{z ∈ Z} Σ_n max(0, Σ_o z_o^n (Δ(o_n, o) + w_o·φ_n))

where z_{o_n}^n = −1 and the other z_o^n ≥ 0 sum to one. The outer maximum with 0 is taken into the
inner one by leaving part of that mass on o_n itself, where Δ = 0 and the terms cancel: with
p^n in the simplex over all classes and z_o^n = p_o^n − [o = o_n],

    L(w, p) = Σ_n Σ_o (p_o^n − [o = o_n]) w_o·φ_n + p_o^n Δ(o_n, o)

is bilinear, and a step of the method is a projected gradient step to a trial point, followed by one
from the old point along the gradients of the trial point:

    w' = Π(w − τ ∇_w L(w, p))         w ← Π(w − τ ∇_w L(w', p'))
    p' = Π(p + σ ∇_p L(w, p))         p ← Π(p + σ ∇_p L(w', p'))

It converges if τσ is below 1 / (largest singular value of X)². The ratio of τ and σ balances the
sizes of the two domains, R against √n. Both players' best replies are known, and with them a bound
on the distance from the optimum: the gap max_p L(w, ·) − min_w L(·, p), which ends training.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.learning.interface import Learner, Solution
from hyperbaton.models.learning.losses import DISTANCES
from hyperbaton.models.learning.problem import Problem, score

SAFETY = 0.8  # of the largest possible step: the singular value is estimated from below
N_POWERS = 30  # of XᵀX in the estimate of its largest eigenvalue


@dataclass(eq=False, kw_only=True)
class ExtraGradient(Learner):
    name: ClassVar[str] = "mms-extragradient"

    radius: float = 5.0  # R
    tolerance: float = 1e-3  # gap between the players, per example
    max_iterations: int = 2000
    distance: str = "tree"  # Δ

    def check_settings(self) -> None:
        self._check_positive("radius", "tolerance", "max_iterations")
        self._check_choice("distance", list(DISTANCES))

    def solve(self, problem: Problem, seed: int) -> Solution:  # noqa: ARG002
        weights = np.zeros((problem.n_features, problem.n_classes))
        primal, dual = np.empty(self.max_iterations), np.empty(self.max_iterations)
        n_iterations = find_saddle(
            problem,
            DISTANCES[self.distance](problem.n_classes),
            self.radius,
            self.tolerance * len(problem.labels),
            weights,
            primal,
            dual,
        )
        trace = {"objective": primal[:n_iterations].copy(), "dual": dual[:n_iterations].copy()}
        value, bound = (float(values[-1]) for values in trace.values())
        converged = value - bound <= self.tolerance * len(problem.labels)
        return Solution(weights, n_iterations, value, converged, trace)


@kernel
def find_saddle(problem, distance, radius, tolerance, weights, primal, dual):
    """Improves the weights until the gap is closed; the values of both players at the beginning of
    each iteration go into `primal` and `dual`. Returns the number of iterations."""
    n_rows, n_features, n_classes = len(problem.labels), problem.n_features, problem.n_classes
    norm = max(largest_singular_value(problem), 1e-12)
    balance = radius * np.sqrt(2.0 * n_classes / n_rows)
    weight_step = SAFETY * balance / norm
    mass_step = SAFETY / (balance * norm)
    mass = np.zeros((n_rows, n_classes))
    for row in range(n_rows):
        mass[row, problem.labels[row]] = 1.0
    trial_weights = np.empty((n_features, n_classes))
    trial_mass = np.empty((n_rows, n_classes))
    gradient = np.empty((n_features, n_classes))
    scratch = np.empty((2, n_classes))
    for iteration in range(len(primal)):
        # at (w, p): gradients, values, and the trial point
        loss, margin = _half_step(
            problem, distance, weights, mass, mass, mass_step, gradient, trial_mass, scratch
        )
        primal[iteration] = loss
        dual[iteration] = margin
        for o in range(n_classes):
            square = 0.0
            for feature in range(n_features):
                square += gradient[feature, o] ** 2
            dual[iteration] -= radius * np.sqrt(square)
        if primal[iteration] - dual[iteration] <= tolerance or iteration == len(primal) - 1:
            return iteration + 1
        _move(weights, gradient, weight_step, radius, trial_weights)
        # at the trial point: the same, starting from (w, p)
        _half_step(
            problem, distance, trial_weights, trial_mass, mass, mass_step, gradient, mass, scratch
        )
        _move(weights, gradient, weight_step, radius, weights)
    return len(primal)


@inner
def _half_step(problem, distance, weights, mass, origin, step, gradient, moved, scratch):
    """∇_w L at (weights, mass), and `moved` = Π(origin + step · ∇_p L). Also the two sums
    max_p L(weights, p) and Σ p Δ. `moved` may be `origin` itself, but not `mass`."""
    n_classes = problem.n_classes
    scores, wanted = scratch[0], scratch[1]
    gradient[:] = 0.0
    loss = 0.0
    margin = 0.0
    for row in range(len(problem.labels)):
        label = problem.labels[row]
        score(problem, row, weights, scores)
        highest = scores[label]
        for o in range(n_classes):
            value = scores[o] + distance[label, o]
            highest = max(highest, value)
            margin += mass[row, o] * distance[label, o]
            wanted[o] = origin[row, o] + step * value
        loss += highest - scores[label]
        for entry in range(problem.indptr[row], problem.indptr[row + 1]):
            value = problem.data[entry]
            feature = problem.indices[entry]
            for o in range(n_classes):
                gradient[feature, o] += value * mass[row, o]
            gradient[feature, label] -= value
        project_on_simplex(wanted, scores, moved[row])
    return loss, margin


@inner
def project_on_simplex(point, scratch, out):
    """The nearest point whose coordinates are not negative and sum to one: all coordinates are
    lowered by the same amount and cut off at 0."""
    n = len(point)
    for i in range(n):  # insertion sort, descending: there are few classes
        at = i
        while at > 0 and scratch[at - 1] < point[i]:
            scratch[at] = scratch[at - 1]
            at -= 1
        scratch[at] = point[i]
    total = 0.0
    lower = 0.0
    for i in range(n):
        total += scratch[i]
        if scratch[i] > (total - 1.0) / (i + 1):
            lower = (total - 1.0) / (i + 1)
    for i in range(n):
        out[i] = max(0.0, point[i] - lower)


@inner
def _move(origin, gradient, step, radius, out):
    """out = Π(origin − step · gradient), each class into the ball of the radius."""
    n_features, n_classes = origin.shape
    for o in range(n_classes):
        square = 0.0
        for feature in range(n_features):
            out[feature, o] = origin[feature, o] - step * gradient[feature, o]
            square += out[feature, o] ** 2
        if square > radius * radius:
            factor = radius / np.sqrt(square)
            for feature in range(n_features):
                out[feature, o] *= factor


@inner
def largest_singular_value(problem):
    """Of the matrix of examples, by powers of XᵀX; from below."""
    vector = np.ones(problem.n_features)
    image = np.empty(problem.n_features)
    value = 0.0
    for _ in range(N_POWERS):
        image[:] = 0.0
        for row in range(len(problem.labels)):
            product = 0.0
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                product += problem.data[entry] * vector[problem.indices[entry]]
            for entry in range(problem.indptr[row], problem.indptr[row + 1]):
                image[problem.indices[entry]] += product * problem.data[entry]
        old, new = np.sqrt(np.sum(vector**2)), np.sqrt(np.sum(image**2))
        if new == 0.0:
            break
        value = np.sqrt(new / old)
        vector, image = image / new, vector
    return value
