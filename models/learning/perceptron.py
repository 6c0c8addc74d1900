"""`mms`: max-margin structure learning by the perceptron of Ni et al. (2011), Table 2 (PSL).

Minimises the structured margin loss of their eq. 5 without a regulariser (eq. 4 with λ = 0),

    ρ(n) = max(0, max_{o ≠ o_n} [Δ(o_n, o) + w_o·φ_n] − w_{o_n}·φ_n),

by steps on single examples: with o* = argmax_o Δ(o_n, o) + w_o·φ_n, and if that is more than
w_{o_n}·φ_n,

    w_{o_n} ← w_{o_n} + η φ_n,        w_{o*} ← w_{o*} − η φ_n.

A round visits every example once in a random order, where the table draws them one by one. With
`average`, as by default, the model is the mean of the weights after every visit (Collins 2002)
instead of the last ones, which on noisy examples depend on those that happened to come last.

Against over-fitting the paper stops early: a share of the examples is held out, the number of
rounds is the one with the fewest errors on them, and the model is then trained on everything for so
many rounds. Those held out are the last ones as they are given, because phrases of one sentence lie
inside each other and share their features, so that random ones would not be new. Examples must not
be sorted by class then; with `hold=random` their order does not matter. Among many clusters the
number of rounds is chosen for all together, as in the paper, because a few held-out examples of one
cluster say little. Without a held-out share it runs until nothing is learned in a round, or for
`max_rounds`.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray
from models.kernels import kernel
from models.learning.class_distances import DISTANCES
from models.learning.cluster_rows import ClusterRows, copy_part, part_size, ranges
from models.learning.cluster_solving import Advance
from models.learning.interface import Learner, Solution
from models.learning.problem import Problem, entries, score
from models.learning.random_order import generator, own_seed, shuffle

HOLDS = ["last", "random"]


@dataclass(eq=False, kw_only=True)
class Perceptron(Learner):
    name: ClassVar[str] = "mms"

    learning_rate: float = 0.05  # η
    max_rounds: int = 10
    held_out: float = 0.1  # share of the examples that decides about the number of rounds
    hold: str = "last"  # which of them: the last ones, or "random"
    patience: int = 3  # rounds without fewer held-out errors before it gives up
    distance: str = "tree"  # Δ
    average: bool = True

    def check_settings(self) -> None:
        self._check_positive("learning_rate", "max_rounds", "patience")
        self._check("held_out", 0 <= self.held_out <= 0.5, "a share from 0 to 0.5")
        self._check_choice("hold", HOLDS)
        self._check_choice("distance", list(DISTANCES))

    def solve(self, problem: Problem, seed: int) -> Solution:
        distance = DISTANCES[self.distance](problem.n_classes)
        n_rounds, trace = self.max_rounds, {}
        if int(self.held_out * len(problem.labels)):
            errors = self.held_out_errors(problem, distance, seed)
            n_rounds, trace = int(errors.argmin()) + 1, {"held-out error": errors}
        training = _Training(self, problem, distance, seed)
        updates: list[int] = []
        while len(updates) < n_rounds and 0 not in updates:
            updates.append(training.visit(len(problem.labels)))
        weights = training.model()
        return Solution(
            weights,
            len(updates),
            structured_loss(problem, distance, weights) / len(problem.labels),
            0 in updates or len(updates) < self.max_rounds,
            {"updates": np.array(updates) / len(problem.labels), **trace},
        )

    def held_out_errors(self, problem: Problem, distance: FloatArray, seed: int) -> FloatArray:
        """The share of wrong held-out examples after each round of training on the others."""
        training = _Training(self, problem, distance, seed)
        if self.hold == "random":
            shuffle(training.order, len(training.order), training.state)
        n_held_out = int(self.held_out * len(training.order))
        held_out = training.order[-n_held_out:].copy()
        errors: list[float] = []
        while len(errors) < self.max_rounds:
            updates = training.visit(len(training.order) - n_held_out)
            errors.append(count_errors(problem, held_out, training.model()) / n_held_out)
            if not updates or len(errors) - int(np.argmin(errors)) > self.patience:
                break
        return np.array(errors)

    def solve_clusters(
        self, problem: Problem, clusters: ClusterRows, seed: int, pool: Executor, advance: Advance
    ) -> tuple[NDArray[np.float32], Mapping[str, FloatArray]]:
        """All clusters inside one compiled call for each range of them."""
        distance = DISTANCES[self.distance](problem.n_classes)
        weights = np.zeros((len(clusters.features), problem.n_classes), np.float32)

        def train(held_out: float, n_rounds: int) -> NDArray[np.int64]:
            """Held-out errors after each round, and behind them how many were held out."""

            def work(part: tuple[int, int]) -> NDArray[np.int64]:
                errors = np.zeros(n_rounds + 1, np.int64)
                step = distance, self.learning_rate, self.average
                split = held_out, self.hold == "random", n_rounds
                _train_clusters(problem, clusters, *part, *step, *split, seed, weights, errors)
                if not held_out:
                    advance(part[1] - part[0])
                return errors

            found = list(pool.map(work, ranges(clusters.row_offsets)))
            return sum(found, np.zeros(n_rounds + 1, np.int64))

        n_rounds, trace = self.max_rounds, {}
        if self.held_out:
            *wrong, n_held_out = train(self.held_out, self.max_rounds)
            if n_held_out:
                n_rounds = int(np.argmin(wrong)) + 1
                trace = {"held-out error": np.array(wrong) / n_held_out}
        train(0.0, n_rounds)
        return weights, trace


class _Training:
    """The state of one training."""

    def __init__(
        self, learner: Perceptron, problem: Problem, distance: FloatArray, seed: int
    ) -> None:
        self._problem, self._distance, self._rate = problem, distance, learner.learning_rate
        self.order = np.arange(len(problem.labels))
        self.state = generator(seed)
        self._weights = np.zeros((problem.n_features, problem.n_classes))
        self._lag = np.zeros_like(self._weights) if learner.average else np.empty((0, 0))
        self._n_visits = 0

    def visit(self, n_train: int) -> int:
        """A round over the first examples of the order; the number of updates."""
        n_updates: int = visit(
            self._problem,
            self.order,
            n_train,
            self._distance,
            self._rate,
            self.state,
            self._n_visits,
            self._weights,
            self._lag,
        )
        self._n_visits += n_train
        return n_updates

    def model(self) -> FloatArray:
        """The weights so far, or their mean."""
        if not len(self._lag):
            return self._weights
        mean: FloatArray = self._weights - self._lag / self._n_visits
        return mean


@kernel
def visit(problem, order, n_train, distance, learning_rate, state, n_visits, weights, lag):
    """One round of Table 2 over the examples order[:n_train]; the number of updates.

    A step at time t is part of all weights but the first t: adding t times the step to `lag` makes
    `weights − lag / T` the mean after T visits. An empty `lag` stays so.
    """
    n_classes = problem.n_classes
    scores = np.empty(n_classes)
    shuffle(order, n_train, state)
    n_updates = 0
    for place in range(n_train):
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


@kernel
def count_errors(problem, rows, weights):
    """How many of the examples have another class as their best one (of equals the first)."""
    scores = np.empty(problem.n_classes)
    n_errors = 0
    for row in rows:
        score(problem, row, weights, scores)
        n_errors += np.argmax(scores) != problem.labels[row]
    return n_errors


@kernel
def structured_loss(problem, distance, weights):
    """Σ_n ρ(n), eq. 5."""
    scores = np.empty(problem.n_classes)
    loss = 0.0
    for row in range(len(problem.labels)):
        label = problem.labels[row]
        score(problem, row, weights, scores)
        highest = scores[label]
        for o in range(problem.n_classes):
            highest = max(highest, scores[o] + distance[label, o])
        loss += highest - scores[label]
    return loss


@kernel
def _train_clusters(
    problem,
    clusters,
    first,
    last,
    distance,
    learning_rate,
    average,
    held_out,
    hold_random,
    n_rounds,
    seed,
    weights,  # (total, K), written for clusters first..last
    errors,  # (n_rounds + 1,) held-out errors after each round, and how many are held out
):
    """Trains the sub-models of clusters first..last, or counts the errors on held-out examples."""
    most_rows, most_entries, most_features = 0, 0, 0
    for cluster in range(first, last):
        n_rows, n_entries, n_features = part_size(problem, clusters, cluster, cluster + 1)
        most_rows = max(most_rows, n_rows)
        most_entries = max(most_entries, n_entries)
        most_features = max(most_features, n_features)
    indptr = np.empty(most_rows + 1, np.int64)
    indices = np.empty(most_entries, np.int32)
    data = np.empty(most_entries, problem.data.dtype)
    labels = np.empty(most_rows, np.int32)
    order = np.empty(most_rows, np.int64)
    scratch = np.empty((3, most_features, problem.n_classes))
    state = np.empty(1, np.uint64)
    for cluster in range(first, last):
        begin = clusters.feature_offsets[cluster]
        end = clusters.feature_offsets[cluster + 1]
        n_rows = clusters.row_offsets[cluster + 1] - clusters.row_offsets[cluster]
        part = Problem(indptr, indices, data, labels[:n_rows], end - begin, problem.n_classes)
        copy_part(problem, clusters, cluster, cluster + 1, part)
        own, mean = scratch[0, : end - begin], scratch[1, : end - begin]
        lag = scratch[2, : end - begin if average else 0]
        own[:] = 0.0
        lag[:] = 0.0
        for row in range(n_rows):
            order[row] = row
        state[0] = np.uint64(own_seed(seed, clusters.ids[cluster]))
        n_held_out = np.int64(held_out * n_rows)
        n_train = n_rows - n_held_out
        if held_out > 0.0:
            if n_held_out == 0:
                continue  # it has no say
            if hold_random:
                shuffle(order, n_rows, state)
        errors[n_rounds] += n_held_out
        for number in range(n_rounds):
            n_visits = number * n_train
            n_updates = visit(
                part, order, n_train, distance, learning_rate, state, n_visits, own, lag
            )
            mean[:] = own
            for feature in range(len(lag)):
                for o in range(problem.n_classes):
                    mean[feature, o] -= lag[feature, o] / (n_visits + n_train)
            n_wrong = count_errors(part, order[n_train:n_rows], mean)
            errors[number] += n_wrong
            if n_updates == 0:  # nor will there be any
                errors[number + 1 : n_rounds] += n_wrong
                break
        if n_held_out == 0:
            weights[begin:end] = mean
