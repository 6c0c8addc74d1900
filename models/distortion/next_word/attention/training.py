"""Learns a network from the moves of an aligned corpus, by AdamW (Loshchilov and Hutter 2019).

A step takes the sentences of a few batches, each with sentences of one length. The batches are
computed in parallel lanes, and their gradients summed in order, so the result does not depend on
the number of threads. The rate grows for some steps and then falls along a cosine to 0. After each
pass the network is tested on held-out sentences, and the best one is kept.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import cos, pi, sqrt

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from hyperbaton.foundation.arrays import Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.next_word.attention.gradients import (
    Moves,
    add_rows,
    log_probability,
    loss_and_gradient,
)
from hyperbaton.models.distortion.next_word.attention.network import (
    Dropout,
    Network,
    new_network,
)
from hyperbaton.models.distortion.next_word.attention.places import UNKNOWN_ROW, Places

LANES = 4
LARGEST, SMALLEST = 2000, 250  # places of the sentences of a batch
STEPS = 150  # wanted in a pass over few sentences
WARM_UP = 300  # steps, at most a tenth of all
FIRST_RATE, SECOND_RATE = 0.9, 0.98  # decay of the averages of gradients and of their squares
SMOOTHING = 1e-8
DECAY = 0.02  # of matrices, times the rate
LONGEST_GRADIENT = 1.0  # of the mean loss of a move


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    size: int
    layers: int
    passes: int
    rate: float
    dropout: float
    forget: float  # share of the words that are replaced by the unknown word
    seed: int


def train_network(
    places: Places,
    rows: Int64Array,  # sentences to learn from
    held_out: Int64Array,
    settings: TrainingSettings,
    threads: int = 2,
    progress: Progress = silent,
) -> tuple[Network, list[float]]:
    """The network, and the mean log P of held-out moves after each pass."""
    random = np.random.default_rng(settings.seed)
    sizes = places.n_rows, places.n_symbols
    network = new_network(*sizes, settings.size, settings.layers, random)
    steps, best, tests = _Steps(network), network, list[float]()
    n_steps = settings.passes * -(-len(_batches(places, rows, random)) // LANES)
    what, number, n_done = "learning, sentences", 0, 0
    with ThreadPoolExecutor(threads) as pool, threadpool_limits(1, "blas"):
        for _ in range(settings.passes):
            for batches in _in_lanes(_batches(places, rows, random), random):
                seeds = np.random.SeedSequence((settings.seed, number)).spawn(LANES)
                jobs = [(places, batch, seed) for batch, seed in zip(batches, seeds, strict=False)]
                results = list(pool.map(lambda job: _lane(steps.network, settings, *job), jobs))
                steps.take(results, settings.rate * _rate(number, n_steps))
                number, n_done = number + 1, n_done + sum(map(len, batches))
                progress(what, n_done)
            if not len(held_out):
                best = steps.network
                continue
            tests.append(held_out_log_p(steps.network, places, held_out, pool))
            if tests[-1] == max(tests):
                best = Network(*(part.copy() for part in steps.network))
            what = f"learning, log P of held-out moves {max(tests):.3f}, sentences"
    return best, tests


def held_out_log_p(
    network: Network, places: Places, rows: Int64Array, pool: ThreadPoolExecutor
) -> float:
    """Mean log P of the moves of some sentences."""
    batches = _batches(places, rows, np.random.default_rng(0))
    sums = pool.map(lambda batch: log_probability(network, places.moves(batch)), batches)
    return sum(sums) / places.n_moves(rows)


def _rate(number: int, n_steps: int) -> float:
    """The share of the full rate at a step."""
    warm_up = min(WARM_UP, -(-n_steps // 10))
    return min(1.0, (number + 1) / warm_up) * (1 + cos(pi * number / n_steps)) / 2


def _batches(places: Places, rows: Int64Array, random: np.random.Generator) -> list[Int64Array]:
    """Sentences of equal length, in random order."""
    wanted = int(places.lengths[rows].sum()) // (LANES * STEPS)
    most = min(max(wanted, SMALLEST), LARGEST)
    rows = rows[random.permutation(len(rows))]
    lengths = places.lengths[rows]
    rows = rows[np.argsort(lengths, kind="stable")]
    starts = np.flatnonzero(np.diff(places.lengths[rows], prepend=-1))
    batches = []
    for run in np.split(rows, starts[1:]):
        size = max(1, most // int(places.lengths[run[0]] + 2))
        batches += np.split(run, range(size, len(run), size))
    return batches


def _in_lanes(batches: list[Int64Array], random: np.random.Generator) -> Iterator[list[Int64Array]]:
    order = random.permutation(len(batches)).tolist()
    for first in range(0, len(order), LANES):
        yield [batches[number] for number in order[first : first + LANES]]


def _lane(
    network: Network,
    settings: TrainingSettings,
    places: Places,
    batch: Int64Array,
    seed: np.random.SeedSequence,
) -> tuple[Moves, Network]:
    random = np.random.default_rng(seed)
    moves = places.moves(batch)
    if settings.forget:
        is_forgotten = random.random(moves.words.shape, np.float32) < settings.forget
        is_forgotten[:, [0, -1]] = False  # the ends of the sentence
        moves.words[is_forgotten] = UNKNOWN_ROW
    return moves, loss_and_gradient(network, moves, Dropout(settings.dropout, random))[1]


class _Steps:
    """The network, and averages of its gradients."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.first, self.second = (
            Network(*(np.zeros_like(part) for part in network)) for _ in range(2)
        )
        self.n = 0

    def take(self, results: list[tuple[Moves, Network]], rate: float) -> None:
        """A step by the sum of the lanes' gradients."""
        self.n += 1
        n_moves = sum(float(moves.counts.sum()) for moves, _ in results)
        words = np.concatenate([moves.words.ravel() for moves, _ in results])
        rows, row_of_place = np.unique(words, return_inverse=True)
        by_rows = np.zeros((len(rows), self.network.words.shape[1]), np.float32)
        by_place = np.concatenate([gradient.words for _, gradient in results])
        add_rows(by_place, row_of_place, by_rows)
        gradients = [by_rows] + [
            sum(parts[1:], parts[0])
            for parts in zip(*(gradient[1:] for _, gradient in results), strict=True)
        ]
        length = sqrt(sum(float(np.vdot(part, part)) for part in gradients)) / n_moves
        scale = min(1.0, LONGEST_GRADIENT / max(length, SMOOTHING)) / n_moves
        rate *= sqrt(1 - SECOND_RATE**self.n) / (1 - FIRST_RATE**self.n)
        for field, gradient in zip(Network._fields, gradients, strict=True):
            parts = [getattr(part, field) for part in (self.network, self.first, self.second)]
            flat = [part.reshape(len(part), -1) for part in (*parts, gradient)]
            chosen = rows if field == "words" else np.arange(len(gradient))
            decay = DECAY if parts[0].ndim > 1 and field not in ("gains", "bias", "near") else 0.0
            _update(*flat, chosen, np.float32(scale), np.float32(rate), np.float32(rate * decay))


@kernel(fastmath=True)
def _update(weights, first, second, gradient, rows, scale, rate, decay):
    """AdamW for some rows. Averages of other rows keep their values."""
    one = np.float32(1.0)
    keep_first, keep_second = np.float32(FIRST_RATE), np.float32(SECOND_RATE)
    for number in range(len(rows)):
        row = rows[number]
        for column in range(weights.shape[1]):
            slope = gradient[number, column] * scale
            mean = keep_first * first[row, column] + (one - keep_first) * slope
            square = keep_second * second[row, column] + (one - keep_second) * slope * slope
            first[row, column], second[row, column] = mean, square
            change = rate * mean / (np.sqrt(square) + np.float32(SMOOTHING))
            weights[row, column] -= change + decay * weights[row, column]
