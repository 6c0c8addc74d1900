"""Runs requests in threads, with limits on their number and time.

The event loop never computes. A search polls whether its request is over (timed out or cancelled)
and then stops. Work that does not poll is abandoned: the client gets an error, but the request
still counts as running until its thread returns, so that abandoned work cannot pile up.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from hyperbaton.serving.answer_bounds import too_slow
from hyperbaton.serving.answers import BUSY, Refused
from hyperbaton.serving.limits import RequestLimits

GRACE = 1.0  # seconds for a search to notice that its request is over
Result = TypeVar("Result")


class Deadline:
    """Ends a request after some seconds, or when it is cancelled."""

    def __init__(self, seconds: float) -> None:
        self._ends = time.monotonic() + seconds
        self._is_cancelled = False

    @property
    def seconds_left(self) -> float:
        return max(self._ends - time.monotonic(), 0.0)

    def cancel(self) -> None:
        self._is_cancelled = True

    def is_over(self) -> bool:
        return self._is_cancelled or time.monotonic() >= self._ends


class RequestThreads:
    def __init__(self, threads: int, limits: RequestLimits) -> None:
        self.threads, self._limits = threads, limits
        self._pool = ThreadPoolExecutor(threads, "translating")
        self.n_requests = 0  # running
        self.n_given_up = 0  # threads still running for abandoned requests

    @contextmanager
    def admitted(self) -> Iterator[Deadline]:
        """Admits a request; raises if too many are running."""
        if self.n_requests + self.n_given_up >= self._limits.requests:
            raise Refused(
                BUSY,
                f"the server is busy with {self._limits.requests:,} requests",
                advice="try again in a second",
            )
        self.n_requests += 1
        deadline = Deadline(self._limits.seconds)
        try:
            yield deadline
        finally:
            deadline.cancel()
            self.n_requests -= 1

    async def run(self, deadline: Deadline, job: Callable[[], Result]) -> Result:
        """Runs a job in a thread; raises when its time is up."""
        future = self._pool.submit(self._unless_over, deadline, job)
        result = asyncio.wrap_future(future)
        try:
            return await asyncio.wait_for(asyncio.shield(result), deadline.seconds_left + GRACE)
        except TimeoutError:
            raise too_slow(self._limits) from None
        finally:
            if not future.done() and not future.cancel():
                self._give_up(future)

    def _unless_over(self, deadline: Deadline, job: Callable[[], Result]) -> Result:
        if deadline.is_over():  # it waited too long in the queue
            raise too_slow(self._limits)
        return job()

    def _give_up(self, future: "Future[Result]") -> None:
        """Counts a thread as abandoned until it returns."""
        loop = asyncio.get_running_loop()
        self.n_given_up += 1

        def returned(_: "Future[Result]") -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._returned)

        future.add_done_callback(returned)

    def _returned(self) -> None:
        self.n_given_up -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
