"""The log likelihood of events, computed by workers: one task for each lane.

Inputs and results of tasks are on a shelf. For threads it is in memory, and nothing is copied. For
remote workers it is in files: sentences and features are sent once; the worker of a lane keeps its
blocks from pass to pass, receives the weights, and returns the gradient. Lanes are summed in order,
so the result does not depend on the workers.

A pass of L-BFGS over the events is one step. With much data, a few passes of AdaGrad (Duchi et al.
2011) lead as far as dozens of these: a pass has one step for each block of sentences, scaled by the
previous gradients of each weight:

    G ← G + g²,      w ← w − η g / √(δ + G),      g: gradient of a block with its share of the prior

η decreases from pass to pass. The longer the sentences, the smaller it must be: a score of the
sequence model sums up the features of all places between two words, so that the steps of many
weights add up.

Blocks are distributed over a fixed number of lanes that run in parallel, each with separate
weights. After every pass the weights are averaged, weighted by the lanes' G (parameter mixing,
McDonald et al. 2010). The order of blocks depends only on their number. So the result is the same
for any number of threads.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.files.array_files import restored, saved
from hyperbaton.foundation.progress import silent
from hyperbaton.foundation.work.shelf import Arrays, Shelf, owned
from hyperbaton.foundation.work.workers import Crew
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.next_word.blocks import Blocks
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.lanes import (
    CURVATURE,
    GRADIENT,
    LANES,
    VALUE_ONLY,
    Lanes,
)
from hyperbaton.models.distortion.next_word.scores import PAIR, SEQUENCE
from hyperbaton.models.distortion.next_word.selection import restored_index, saved_index
from hyperbaton.models.distortion.next_word.templates import Symbols
from hyperbaton.models.learning.l_bfgs import summed

TEXT = "text"  # the item with sentences and features
LANE_VECTORS = 4  # of the length of the weights, in the memory of a remote worker
STEP_SIZES = {PAIR: 2.0, SEQUENCE: 0.5}  # η of the first pass, times the mean length of sentences
SMOOTHING = 1.0  # δ: keeps the first steps of rare features short
ORDER_SEED = 0
_numbers = count()  # for a unique folder of each likelihood of a process


@dataclass(frozen=True)
class SentLanes:
    """A description from which a remote worker makes the lanes."""

    shelf: Shelf
    labels: int
    open_only: bool
    memory: int

    def at(self, here: Workplace, lane: int) -> Lanes:
        lanes = here.remembered(self, lambda: self._load(self.shelf.at(here).common(TEXT)))
        lanes.keep(lane)
        return lanes

    def _load(self, text: Arrays) -> Lanes:
        index = restored_index(text)
        room = self.memory - LANE_VECTORS * 8 * self.labels * (index.n_features + 1)
        symbols = restored(Symbols, text, "symbols_")
        events = restored(NextWordEvents, text, "events_")
        blocks = Blocks(symbols, events, index, kept_bytes=max(room, 0))
        return Lanes(blocks, self.labels, open_only=self.open_only)


class Likelihood:
    """The objective of training on some sentences."""

    def __init__(self, lanes: Lanes, crew: Crew, memory: int) -> None:
        """Each remote worker may use `memory` bytes."""
        self.blocks, self.labels, self.shape = lanes.blocks, lanes.labels, lanes.shape
        self._lanes, self._crew, self._memory = lanes, crew, memory
        self._name, self._passes = f"likelihood-{next(_numbers)}", count()
        if not crew.workers.is_far:
            self.blocks.keep(range(len(self.blocks)), crew.workers.n)

    @property
    def n_events(self) -> int:
        return len(self.blocks.events.current)

    @property
    def mean_length(self) -> float:
        """Of the source sentences, in words."""
        return float(self.blocks.events.lengths.mean())

    @property
    def n_blocks(self) -> int:
        return len(self.blocks)

    def value(self, weights: FloatArray) -> float:
        """Minus the log likelihood of all events."""
        return self._sum(weights, VALUE_ONLY)[0]

    def value_and_gradient(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """Minus the log likelihood, and its gradient, (n_features + 1, labels); the last row is
        meaningless."""
        return self._sum(weights, GRADIENT)

    def curvature(self, weights: FloatArray) -> FloatArray:
        """The approximate second derivative by each weight, as if no two pairs shared a feature."""
        return self._sum(weights, CURVATURE)[1]

    def _sum(self, weights: FloatArray, wanted: int) -> tuple[float, FloatArray]:
        def parts() -> Iterator[tuple[float, FloatArray]]:
            for value, result in self._each_lane(add_up, {"weights": weights}, {}, wanted):
                yield value, owned(result["gradient"])
                del result  # frees a long gradient before the next one

        return summed(parts())

    def n_visits(self) -> Int32Array:
        """The number of blocks with each feature, (n_features + 1,)."""
        visits = np.zeros(self.shape[0], np.int32)
        for _, result in self._each_lane(count_visits, {}, {}):
            visits += result["visits"]
        return visits

    def descend(
        self,
        weights: FloatArray,
        squares: Sequence[Float32Array],
        share: FloatArray,
        step: float,
        order: Int64Array,
    ) -> Iterator[Float32Array]:
        """Each lane visits its blocks in the given order, with a step after each, from the given
        weights. Yields its weights, and updates its squares, δ + G."""
        states = {lane: {"squares": of_lane} for lane, of_lane in enumerate(squares)}
        given = {"weights": weights, "share": share, "order": order}
        remaining = iter(squares)
        for _, result in self._each_lane(descend, given, states, step):
            next(remaining)[:] = result["squares"]
            yield result["weights"]
            del result  # frees long weights before the next ones

    @cached_property
    def _shelf(self) -> Shelf:
        """The shelf with the inputs of tasks, filled at first use."""
        shelf, blocks = self._crew.shelf(self._name), self.blocks
        if self._crew.workers.is_far:
            symbols, events = saved(blocks.symbols, "symbols_"), saved(blocks.events, "events_")
            shelf.put(TEXT, saved_index(blocks.index) | symbols | events)
        return shelf

    @cached_property
    def _sent(self) -> Lanes | SentLanes:
        """The lanes in the form that is sent to tasks."""
        if not self._crew.workers.is_far:
            return self._lanes
        return SentLanes(self._shelf, self.labels, self._lanes.open_only, self._memory)

    def _each_lane(
        self,
        task: Callable[..., float],
        given: dict[str, Any],
        states: dict[int, dict[str, Any]],
        *values: Any,
    ) -> Iterator[tuple[float, Arrays]]:
        """Yields the returned value and the arrays of the tasks of all lanes, in order. Each task
        gets `given` and the state of its lane. No more tasks run at a time than there are workers,
        because gradients are long."""
        shelf, workers, number = self._shelf, self._crew.workers, next(self._passes)
        shelf.put(f"given-{number}", given)

        def start(lane: int) -> Future[float]:
            shelf.put(f"state-{number}-{lane}", states.get(lane, {}))
            near = self._name, lane
            return workers.submit(task, self._sent, shelf, number, lane, *values, near=near)

        futures = deque(start(lane) for lane in range(min(workers.n, LANES)))
        for lane in range(LANES):
            yield futures.popleft().result(), shelf.get(f"made-{number}-{lane}")
            shelf.drop(f"state-{number}-{lane}")
            shelf.drop(f"made-{number}-{lane}")
            following = lane + 1 + len(futures)
            if following < LANES:
                futures.append(start(following))
        shelf.drop(f"given-{number}")


def add_up(
    here: Workplace, sent: Lanes | SentLanes, shelf: Shelf, number: int, lane: int, wanted: int
) -> float:
    """The task of a pass: returns the value and puts the gradient on the shelf."""
    shelf, lanes = shelf.at(here), sent.at(here, lane)
    gradient = np.zeros(lanes.shape if wanted else (0, lanes.labels))
    value = lanes.add_up(lane, shelf.get(f"given-{number}")["weights"], wanted, gradient)
    shelf.put(f"made-{number}-{lane}", {"gradient": gradient})
    return value


def count_visits(
    here: Workplace, sent: Lanes | SentLanes, shelf: Shelf, number: int, lane: int
) -> float:
    visits = sent.at(here, lane).n_visits(lane)
    shelf.at(here).put(f"made-{number}-{lane}", {"visits": visits})
    return 0.0


def descend(
    here: Workplace, sent: Lanes | SentLanes, shelf: Shelf, number: int, lane: int, step: float
) -> float:
    """The task of a pass of AdaGrad."""
    shelf, lanes = shelf.at(here), sent.at(here, lane)
    given, squares = shelf.get(f"given-{number}"), shelf.get(f"state-{number}-{lane}")["squares"]
    squares = owned(squares)
    weights = given["weights"].astype(np.float32)
    lanes.descend(lane, weights, squares, given["share"], step, given["order"])
    shelf.put(f"made-{number}-{lane}", {"weights": weights, "squares": squares})
    return 0.0


def adagrad(
    likelihood: Likelihood,
    start: FloatArray,
    prior: float,
    passes: int,
    report: Callable[[int], None] = silent,
) -> FloatArray:
    """The weights after some passes over all blocks; the last row, of missing features, stays 0.
    η decreases linearly.

    After each pass, weights become the mean of those of the lanes, weighted by G, if it is not 0.
    """
    weights = start.copy()
    squares = [np.full(start.shape, SMOOTHING, np.float32) for _ in range(LANES)]
    share = prior / np.maximum(likelihood.n_visits(), 1)
    order = np.random.default_rng(ORDER_SEED)
    first_step = STEP_SIZES[likelihood.labels] / likelihood.mean_length
    for number in range(passes):
        step = first_step * (1 - number / passes)
        places = order.permutation(likelihood.n_blocks)
        total, learned = np.zeros_like(start), np.zeros_like(start)
        lanes = likelihood.descend(weights, squares, share, step, places)
        for lane in range(LANES):
            of_lane = next(lanes)
            part = squares[lane] - np.float32(SMOOTHING)
            learned += part
            total += part * of_lane
            del of_lane
        np.divide(total, learned, out=weights, where=learned > 0.0)
        report(number + 1)
    return weights
