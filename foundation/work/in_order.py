"""Processes a stream of items in chunks, in parallel; results come in order.

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
Result = TypeVar("Result")
# Takes the number of a chunk's first item, from 0, and the chunk; returns results and seconds
ChunkWork: TypeAlias = Callable[[Workplace, int, list[Item]], tuple[list[Result], float]]


@dataclass(frozen=True)
class Pace:
    """The size of chunks, and the number of chunks read ahead."""

    first: int  # items of the first chunks, so that all workers soon have work
    most: int
    seconds: float  # intended time per chunk
    ahead: int  # chunks in the queue per worker

    def size(self, last: int, n_items: int, seconds: float) -> int:
        """The size of the next chunk. Grows at most twofold: the first timings are noisy."""
        fitting = int(n_items * self.seconds / max(seconds, 1e-9))
        return max(self.first, min(fitting, 2 * last, self.most))


ONE_BY_ONE = Pace(1, 1, 0.0, 0)
IN_THREADS = Pace(1, 8, 0.05, 4)
FAR_AWAY = Pace(4, 1000, 1.0, 2)  # sending a chunk and its results takes some milliseconds


def in_order(
    workers: Workers, work: ChunkWork[Item, Result], items: Iterator[Item], pace: Pace
) -> Generator[Result, None, None]:
    """Yields the result of each item, in order, as it is ready."""
    waiting: deque[tuple[int, Future[tuple[list[Result], float]]]] = deque()
    number, size = 0, pace.first

    def next_results() -> list[Result]:
        nonlocal size
        n_items, future = waiting.popleft()
        results, seconds = future.result()
        size = pace.size(size, n_items, seconds)
        return results

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
    """The next `size` items; fewer if they arrive slowly, so that results are not delayed."""
    chunk, began = list[Item](), monotonic()
    for item in items:
        chunk.append(item)
        if len(chunk) >= size or monotonic() - began > seconds:
            break
    return chunk
