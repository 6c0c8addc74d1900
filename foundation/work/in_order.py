"""A long stream of items: whoever works takes a chunk at a time, and results come in order.

    items ──▶ chunk ──work──▶ results ──▶ in the order of the items
              chunk ──work──▶ results ──┘

Memory does not grow with the input: only a few chunks are read ahead.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias, TypeVar

from hyperbaton.foundation.work.workers import Workers
from hyperbaton.foundation.work.workplace import Workplace

Item = TypeVar("Item")
Made = TypeVar("Made")
# From the number of a chunk's first item, from 0, and the chunk: results, and their seconds
ChunkWork: TypeAlias = Callable[[Workplace, int, list[Item]], tuple[list[Made], float]]


@dataclass(frozen=True)
class Pace:
    """How many items make a chunk, and how many chunks are read ahead."""

    first: int  # items, so that all soon have work
    most: int
    seconds: float  # that a chunk should take
    ahead: int  # chunks that may be waiting for each worker

    def size(self, last: int, n_items: int, seconds: float) -> int:
        """Of the next chunk, after one that took so long. A slow start says little, a quick one
        too."""
        fitting = int(n_items * self.seconds / max(seconds, 1e-9))
        return max(self.first, min(fitting, 2 * last, self.most))


ONE_BY_ONE = Pace(1, 1, 0.0, 0)
IN_THREADS = Pace(1, 8, 0.05, 4)
FAR_AWAY = Pace(4, 1000, 1.0, 2)  # to send a chunk and its results takes some milliseconds


def in_order(
    workers: Workers, work: ChunkWork[Item, Made], items: Iterator[Item], pace: Pace
) -> Generator[Made, None, None]:
    """What is made of each item, in order, as it is ready."""
    waiting: deque[tuple[int, Future[tuple[list[Made], float]]]] = deque()
    number, size = 0, pace.first

    def next_results() -> list[Made]:
        nonlocal size
        n_items, future = waiting.popleft()
        made, seconds = future.result()
        size = pace.size(size, n_items, seconds)
        return made

    try:
        while chunk := _next_chunk(items, size, pace.seconds):
            waiting.append((len(chunk), workers.submit(work, number, chunk)))
            number += len(chunk)
            while waiting and (waiting[0][1].done() or len(waiting) > pace.ahead * workers.n):
                yield from next_results()
        while waiting:
            yield from next_results()
    finally:
        for _, future in waiting:
            future.cancel()


def _next_chunk(items: Iterator[Item], size: int, seconds: float) -> list[Item]:
    """So many items; fewer if they come slowly, because somebody waits for results."""
    chunk, began = list[Item](), monotonic()
    for item in items:
        chunk.append(item)
        if len(chunk) >= size or monotonic() - began > seconds:
            break
    return chunk
