"""Times of the optimisers on a pool of 500 × 1,000 hypotheses.

    python -m tools.benchmarks.tune [SENTENCES] [HYPOTHESES]

Hypotheses are random, with features correlated like real ones. Line search is compared with numpy
sorting the slopes of all sentences, which is the minimum work of any exact method.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.optimisers.interface import Optimiser, Start
from hyperbaton.tuning.optimisers.line_search import find_thresholds, make_room
from hyperbaton.tuning.optimisers.mert import Mert
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.optimisers.objective import Objective, Term
from hyperbaton.tuning.optimisers.pool import Pool, scale_pool
from hyperbaton.tuning.optimisers.pro import Pro

N_FEATURES = 14


def main(n_sentences: int, size: int) -> None:
    objective = Objective([Term(1.0, Bleu())])
    pool, weights = random_pool(n_sentences, size)
    tuned = np.ones(N_FEATURES, dtype=bool)
    small, _ = random_pool(20, 20)
    start, seed = Start(weights, tuned), np.random.SeedSequence(1)
    for optimiser in (Mert(), Pro(), Mira()):
        optimiser.improve(small, objective, start, seed)  # compiles
    print(f"{n_sentences:,} × {size:,} hypotheses, {N_FEATURES} features, BLEU\n")
    one_line(pool, weights, tuned)
    print(f"\n{'':<22}{'seconds':>8}{'CPU s':>8}{'BLEU':>8}{'':>4}(before: ", end="")
    print(f"{pool.score(objective, weights):.2f})")
    runs: list[tuple[Optimiser, int]] = [(Mert(), 1), (Mert(), 2), (Mira(), 1)]
    for optimiser, threads in [*runs, (Pro(interpolation=1.0), 1)]:
        name = f"{optimiser.name}, {threads} threads"
        began, cpu = time.perf_counter(), time.process_time()
        found = optimiser.improve(
            pool, objective, replace(start, threads=threads), np.random.SeedSequence(1)
        )
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        print(f"{name:<22}{seconds:>8.1f}{cpu:>8.1f}{pool.score(objective, found):>8.2f}")


def one_line(pool: Pool, weights: np.ndarray, tuned: np.ndarray) -> None:
    """Finding the thresholds along one feature, compared with sorting its slopes."""
    scaled = scale_pool(pool, weights, tuned)
    point = scaled.point(weights)
    a, b = scaled.scores(point), scaled.features[0]
    reach, room = float(np.abs(point).sum()), make_room(pool.offsets)
    matrix = b.reshape(pool.n_sentences, -1)

    def envelope() -> None:
        find_thresholds(a, b, pool.offsets, reach, room)

    ours = min(timed(envelope) for _ in range(5))
    sorting = min(timed(lambda: np.argsort(matrix, axis=1)) for _ in range(5))
    n = len(find_thresholds(a, b, pool.offsets, reach, room).x)
    print(f"one line: {n:,} thresholds in {1000 * ours:.1f} ms CPU; ", end="")
    print(f"sorting the slopes alone: {sorting / ours:.0f} times as long")


def timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def random_pool(n_sentences: int, size: int) -> tuple[Pool, np.ndarray]:
    """Random hypotheses whose quality depends roughly on a mixture of the features."""
    draw = np.random.default_rng(1)
    n = n_sentences * size
    mixing = draw.normal(size=(N_FEATURES, N_FEATURES)) / np.sqrt(N_FEATURES)
    features = draw.normal(size=(n, N_FEATURES)) @ mixing
    quality = features @ draw.normal(size=N_FEATURES) + 2 * draw.normal(size=n)
    lengths = np.repeat(draw.integers(8, 20, size=n_sentences), size)
    shown = lengths + draw.integers(-2, 3, size=n)
    share = 1 / (1 + np.exp(-quality / 2))
    totals = shown[:, None] - np.arange(4)
    matches = np.floor(totals * share[:, None] ** np.arange(1, 5))
    statistics = np.column_stack([shown, lengths, matches, totals]).astype(np.float64)
    offsets = np.arange(n_sentences + 1) * size
    pool = Pool(features, statistics, np.arange(n).astype(np.uint64), offsets)
    return pool, np.full(N_FEATURES, 1 / N_FEATURES)


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    main(*(numbers or [500, 1000]))
