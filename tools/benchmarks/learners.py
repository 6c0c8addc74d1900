"""Training times of all learners on one sparse problem, as ratios to scikit-learn's.

    python -m tools.benchmarks.learners [EXAMPLES]

Examples have 20 features each, of 20,000 with Zipf's frequencies, and five classes that follow
hidden weights and noise. Times are CPU seconds of one thread, with warm kernels.

1. Every learner with default settings.
2. Rounds and time until the training error is that of the exact logistic model plus one point (Ni
   et al. 2011, Figure 15); a dash if it is never reached.
3. Logistic regression by its primal and its dual until the objective is within 0.1% of the optimum,
   and to different ε with the share of active examples by round (Alrajeh and Niranjan 2014, Table 2
   and Figure 1).
4. A perceptron for each of many clusters, with one thread and with two.
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from hyperbaton.models.learning.catalogue import LEARNERS, make_learner
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner
from hyperbaton.models.learning.interface import Learner

N_FEATURES, N_ACTIVE, N_CLASSES = 20_000, 20, 5
SIGMA = 0.3  # by default
ROUNDS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
WITHIN = 1.001  # times the optimal objective


def make_problem(n: int) -> tuple[sparse.csr_array, np.ndarray]:
    rng = np.random.default_rng(0)
    frequency = 1 / (np.arange(N_FEATURES) + 5)
    columns = rng.choice(N_FEATURES, (n, N_ACTIVE), p=frequency / frequency.sum())
    offsets = np.arange(0, n * N_ACTIVE + 1, N_ACTIVE)
    examples = sparse.csr_array((np.ones(n * N_ACTIVE), columns.ravel(), offsets), (n, N_FEATURES))
    examples.sum_duplicates()
    examples.data[:] = 1.0
    hidden = rng.normal(size=(N_FEATURES, N_CLASSES))
    scores = examples @ hidden + rng.gumbel(size=(n, N_CLASSES))
    return examples, scores.argmax(axis=1)


class Bench:
    def __init__(self, n: int) -> None:
        examples, labels = make_problem(n + n // 4)
        self.train, self.labels = examples[:n], labels[:n]
        self.test, self.test_labels = examples[n:], labels[n:]
        self.unit = 1.0

    def fit(self, name: str, **settings: object) -> tuple[float, Learner]:
        learner = make_learner(name, **settings)
        learner.fit(self.train[:50], self.labels[:50], N_CLASSES)  # compiles
        began = time.process_time()
        learner.fit(self.train, self.labels, N_CLASSES)
        return time.process_time() - began, learner

    def errors(self, learner: Learner | LogisticRegression) -> tuple[float, float]:
        decide = learner.decision if isinstance(learner, Learner) else learner.decision_function
        train = (decide(self.train).argmax(axis=1) != self.labels).mean()
        test = (decide(self.test).argmax(axis=1) != self.test_labels).mean()
        return 100 * float(train), 100 * float(test)

    def row(
        self, name: str, seconds: float, rounds: int, learner: Learner | LogisticRegression
    ) -> None:
        train, test = self.errors(learner)
        ratio = seconds / self.unit
        print(f"{name:<24} {seconds:>8.2f} {ratio:>8.2f} {rounds:>7} {train:>7.2f} {test:>7.2f}")


def head(title: str) -> None:
    print(f"\n{title}")
    print(f"{'':<24} {'seconds':>8} {'ratio':>8} {'rounds':>7} {'train%':>7} {'test%':>7}")


def show_first(
    bench: Bench, name: str, settings: dict[str, float], good: Callable[[Learner], bool]
) -> None:
    """The first fit, with increasing rounds, that is good enough; a dash if none is."""
    key = "max_iterations" if name in ("me", "me-gis") else "max_rounds"
    for rounds in ROUNDS:
        seconds, learner = bench.fit(name, **{key: rounds}, **settings)
        if good(learner):
            bench.row(name, seconds, rounds, learner)
            return
        if learner.converged_:
            break
    print(f"{name:<24} {'–':>8}")


def main(n: int) -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    bench = Bench(n)
    print(f"{n:,} examples, {N_FEATURES:,} features, {N_ACTIVE} active, {N_CLASSES} classes")

    head("1. as by default")
    began = time.process_time()
    theirs = LogisticRegression(C=SIGMA**2, fit_intercept=False).fit(bench.train, bench.labels)
    bench.unit = time.process_time() - began
    bench.row("scikit-learn logistic", bench.unit, int(theirs.n_iter_[0]), theirs)
    for name in LEARNERS:
        if name != "me-gis":  # takes longer than all others together
            seconds, learner = bench.fit(name)
            bench.row(name, seconds, learner.n_iterations_, learner)

    _, best = bench.fit("me", tolerance=1e-2, max_iterations=1000)
    goal = bench.errors(best)[0] + 1.0
    head(f"2. until the training error is {goal:.2f}%")
    for name in LEARNERS:
        show_first(bench, name, {}, lambda learner: bench.errors(learner)[0] <= goal)

    objective = best.objective_ * WITHIN
    head(f"3. until the objective is {objective:.1f}, the optimum plus 0.1%")
    for name, settings in (
        ("me", {}),
        ("me-gis", {}),
        ("mlr-primal", {"tolerance": 1e-9}),
        ("mlr-dual", {"epsilon": 1e-3}),
    ):
        show_first(bench, name, settings, lambda learner: learner.objective_ <= objective)
    for epsilon in (1.0, 0.1, 0.01):
        seconds, learner = bench.fit("mlr-dual", epsilon=epsilon)
        bench.row(f"mlr-dual, ε = {epsilon}", seconds, learner.n_iterations_, learner)
        shares = " ".join(f"{100 * share:.1f}" for share in learner.trace_["active"][:14])
        print(f"{'':<24} active % by round: {shares}")

    print("\n4. a perceptron for each cluster")
    cluster_of_row = np.random.default_rng(1).zipf(1.3, n).clip(0, 10**6)
    for threads in (1, 2):
        began = time.perf_counter()
        learner = ClusteredLearner(make_learner("mms")).fit(
            ClusteredExamples(bench.train, bench.labels, N_CLASSES, cluster_of_row),
            threads=threads,
        )
        seconds = time.perf_counter() - began
        print(
            f"{threads} threads: {seconds:.2f} s, {n / seconds:,.0f} examples/s, "
            f"{len(learner.model_.ids):,} clusters, {len(learner.model_.features):,} features"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
