"""The log likelihood of events by workers elsewhere: a task for each lane.

Sentences and features travel once. The worker of a lane keeps its blocks from pass to pass, gets
the weights, and brings home the gradient. Lanes are added up in their order, as threads do it, so
the result is the same.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.work.shelf import Arrays, FarShelf, Shelf
from hyperbaton.foundation.work.workers import FarWork
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.next_word.blocks import Blocks
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.gaussian_prior import Descent
from hyperbaton.models.distortion.next_word.likelihood import LANES, Lanes, Likelihood
from hyperbaton.models.distortion.next_word.pair_index import PairIndex
from hyperbaton.models.distortion.next_word.selection import FeatureIndex
from hyperbaton.models.distortion.next_word.templates import Symbols

TEXT_ITEM = "text"  # the item with sentences and features
WORKER_VECTORS = 4  # as long as the weights, that a worker needs at once
_numbers = count()  # no two likelihoods of a process have the same folder


@dataclass(frozen=True)
class LanesElsewhere:
    """How a worker makes them."""

    folder: Path
    labels: int
    open_only: bool
    memory: int

    def at(self, here: Workplace, lane: int) -> Lanes:
        lanes = here.remembered(
            self, lambda: self._load(FarShelf(here, self.folder).common(TEXT_ITEM))
        )
        lanes.keep(lane)
        return lanes

    def _load(self, text: Arrays) -> Lanes:
        index = _unpacked(text)
        room = self.memory - WORKER_VECTORS * 8 * self.labels * (index.n_features + 1)
        symbols, events = _tuple(Symbols, text), _tuple(NextWordEvents, text)
        blocks = Blocks(symbols, events, index, kept_bytes=max(room, 0))
        return Lanes(blocks, self.labels, open_only=self.open_only)


class FarLikelihood(Likelihood):
    """What the workers of a lane make is added up here."""

    def __init__(self, lanes: Lanes, far: FarWork, memory: int) -> None:
        super().__init__(lanes)
        self._workers, self._numbers = far.workers, count()
        self._folder = (far.folder / f"likelihood-{next(_numbers)}").absolute()
        self._memory = memory

    @cached_property
    def _shelf(self) -> Shelf:
        """With everything that workers need; made when there is work for them."""
        shelf = Shelf(self._folder)
        symbols, events = self.blocks.symbols, self.blocks.events
        shelf.put(TEXT_ITEM, _packed(self.blocks.index) | _named(symbols) | _named(events))
        self._workers.serve(reads=[], writes=[self._folder])
        return shelf

    def sum(self, weights: FloatArray, wanted: int) -> tuple[float, FloatArray]:
        given = {"weights": weights}
        total, value = np.empty((0, self.labels)), 0.0
        for own, made in self._each_lane(add_up, given, [{}] * LANES, wanted):
            value += own
            if wanted:
                gradient = made["gradient"]
                if len(total):
                    total += gradient
                else:
                    total = np.array(gradient)
        return value, total

    def n_visits(self) -> Int32Array:
        made = [made["visits"] for _, made in self._each_lane(count_visits, {}, [{}] * LANES)]
        visits: Int32Array = np.sum(made, axis=0, dtype=np.int32)
        return visits

    def descend(
        self, lanes: Sequence[Descent], share: FloatArray, step: float, order: Int64Array
    ) -> None:
        given = {"weights": lanes[0].weights, "share": share, "order": order}
        own = [{"squares": lane.squares} for lane in lanes]
        for lane, (_, made) in zip(lanes, self._each_lane(descend, given, own, step), strict=True):
            lane.weights[:], lane.squares[:] = made["weights"], made["squares"]

    def _each_lane(
        self,
        task: Callable[..., float],
        given: dict[str, Any],
        own: Sequence[dict[str, Any]],
        *values: Any,
    ) -> list[tuple[float, Arrays]]:
        """What the tasks of all lanes return, and what they have made, which is mapped."""
        shelf, number = self._shelf, next(self._numbers)
        recipe = LanesElsewhere(self._folder, self.labels, self.lanes.open_only, self._memory)
        shelf.drop(f"given-{number - 1}")
        shelf.put(f"given-{number}", given)
        futures: list[Future[float]] = []
        for lane in range(LANES):
            shelf.drop(f"own-{number - 1}-{lane}")
            shelf.drop(f"made-{number - 1}-{lane}")
            shelf.put(f"own-{number}-{lane}", own[lane])
            near = self._folder, lane
            futures.append(self._workers.submit(task, recipe, number, lane, *values, near=near))
        return [
            (future.result(), shelf.get(f"made-{number}-{lane}"))
            for lane, future in enumerate(futures)
        ]


def add_up(here: Workplace, far: LanesElsewhere, number: int, lane: int, wanted: int) -> float:
    """The task of a pass: the value; the gradient is put on the shelf."""
    shelf, lanes = FarShelf(here, far.folder), far.at(here, lane)
    gradient = np.zeros(lanes.shape if wanted else (0, far.labels))
    value = lanes.add_up(lane, shelf.get(f"given-{number}")["weights"], wanted, gradient)
    shelf.put(f"made-{number}-{lane}", {"gradient": gradient})
    return value


def count_visits(here: Workplace, far: LanesElsewhere, number: int, lane: int) -> float:
    visits = far.at(here, lane).n_visits(lane)
    FarShelf(here, far.folder).put(f"made-{number}-{lane}", {"visits": visits})
    return 0.0


def descend(here: Workplace, far: LanesElsewhere, number: int, lane: int, step: float) -> float:
    """The task of a pass of AdaGrad."""
    shelf, lanes = FarShelf(here, far.folder), far.at(here, lane)
    given, own = shelf.get(f"given-{number}"), shelf.get(f"own-{number}-{lane}")
    state = Descent(given["weights"], own["squares"])
    lanes.descend(lane, state, given["share"], step, given["order"])
    shelf.put(f"made-{number}-{lane}", state._asdict())
    return 0.0


def _packed(index: PairIndex) -> dict[str, Any]:
    """An index as arrays."""
    arrays = index._asdict() | {f"others_{name}": x for name, x in index.others._asdict().items()}
    del arrays["others"]
    return {f"index_{name}": np.atleast_1d(values) for name, values in arrays.items()}


def _unpacked(arrays: Arrays) -> PairIndex:
    found = {name: arrays[f"index_{name}"] for name in PairIndex._fields[1:-1]}
    others = {name: arrays[f"index_others_{name}"] for name in FeatureIndex._fields[:-1]}
    n_features, n_others = (int(arrays[f"index_{which}n_features"][0]) for which in ("", "others_"))
    return PairIndex(FeatureIndex(**others, n_features=n_others), **found, n_features=n_features)


def _named(values: Symbols | NextWordEvents) -> dict[str, Any]:
    """Named arrays, with the name of their kind before each, since kinds have names in common."""
    kind = type(values).__name__
    return {f"{kind}_{name}": value for name, value in values._asdict().items()}


def _tuple(kind: Any, arrays: Arrays) -> Any:
    return kind(*(arrays[f"{kind.__name__}_{name}"] for name in kind._fields))
