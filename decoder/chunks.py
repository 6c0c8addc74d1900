"""Many sentences: whoever works takes a chunk at a time, and results come in order.

    sentences ──▶ chunk ──▶ decoded ──finish──▶ results ──▶ in the order of the sentences
                  chunk ──▶ decoded ──finish──▶ results ──┘

What a search finds refers to the whole system and stays where it was made. A function, `finish`,
turns it into what the caller wants; on another machine, that must be small values.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Request
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.foundation.work.workers import Workers
from hyperbaton.foundation.work.workplace import Workplace, plain

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Failure, Translator

Made = TypeVar("Made")
Task: TypeAlias = tuple[Sentence | HyperbatonError, Request | None]
IsStopped: TypeAlias = Callable[[], bool]
# From the number of a sentence, from 0, and its derivations
Finish: TypeAlias = "Callable[[Translator, int, Decoded | Failure], Made]"


def never() -> bool:
    return False


def as_it_is(_: "Translator", __: int, result: "Decoded | Failure") -> "Decoded | Failure":
    return result


def sendable(task: Task) -> Task:
    """The same in a form that can be sent between processes."""
    sentence, request = task
    return (plain(sentence) if isinstance(sentence, HyperbatonError) else sentence), request


@dataclass(frozen=True)
class Search(Generic[Made]):
    """What is wanted of every sentence."""

    finish: "Finish[Made]"
    n_best: int = 1
    distinct: bool = False


class System(Protocol):
    """A translator, or how to make one."""

    @property
    def is_stopped(self) -> IsStopped: ...

    def translator(self, here: Workplace) -> "Translator": ...


@dataclass(frozen=True, eq=False)
class InMemory:
    """A translator of this process, whose searches can be stopped."""

    own: "Translator"
    is_stopped: IsStopped

    def translator(self, _: Workplace) -> "Translator":
        return self.own


@dataclass(frozen=True)
class Pace:
    """How many sentences make a chunk, and how many chunks are read ahead."""

    first: int  # sentences, so that all soon have work
    most: int
    seconds: float  # that a chunk should take
    ahead: int  # chunks that may be waiting for each worker

    def size(self, last: int, n_sentences: int, seconds: float) -> int:
        """Of the next chunk, after one that took so long. A slow start says little, a quick one
        too."""
        fitting = int(n_sentences * self.seconds / max(seconds, 1e-9))
        return max(self.first, min(fitting, 2 * last, self.most))


AT_ONCE = Pace(1, 1, 0.0, 0)
NEAR = Pace(1, 8, 0.05, 4)
FAR = Pace(4, 1000, 1.0, 2)  # to send a chunk and to receive its results takes some milliseconds


def stream(
    workers: Workers, system: System, tasks: Iterator[Task], search: Search[Made], pace: Pace
) -> Generator[Made, None, None]:
    """What `search.finish` makes of each sentence, in order, as it is ready.

    Memory does not grow with the input: only a few chunks are read ahead.
    """
    waiting: deque[tuple[int, Future[tuple[list[Made], float]]]] = deque()
    number, size = 0, pace.first

    def next_results() -> list[Made]:
        nonlocal size
        n_sentences, future = waiting.popleft()
        made, seconds = future.result()
        size = pace.size(size, n_sentences, seconds)
        return made

    try:
        while chunk := _next_chunk(tasks, size, pace.seconds):
            future = workers.submit(decode_chunk, system, number, chunk, search)
            waiting.append((len(chunk), future))
            number += len(chunk)
            while waiting and (waiting[0][1].done() or len(waiting) > pace.ahead * workers.n):
                yield from next_results()
        while waiting:
            yield from next_results()
    finally:
        for _, future in waiting:
            future.cancel()


def _next_chunk(tasks: Iterator[Task], size: int, seconds: float) -> list[Task]:
    """So many sentences; fewer if they come slowly, because somebody waits for translations."""
    chunk, began = list[Task](), monotonic()
    for task in tasks:
        chunk.append(task)
        if len(chunk) >= size or monotonic() - began > seconds:
            break
    return chunk


def decode_chunk(
    here: Workplace, system: System, first: int, chunk: list[Task], search: Search[Made]
) -> tuple[list[Made], float]:
    """The results of a chunk whose first sentence has this number, and the seconds they took."""
    translator = system.translator(here)
    began = monotonic()
    found = translator.decode_all(
        chunk, search.n_best, distinct=search.distinct, is_stopped=system.is_stopped
    )
    made = [search.finish(translator, number, one) for number, one in enumerate(found, first)]
    return made, monotonic() - began
