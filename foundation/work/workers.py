"""Executors of tasks, with the interface of `concurrent.futures`.

    with Threads(2) as workers:
        future = workers.submit(work, argument, progress=listener)
        future.result()

calls `work(here, argument)`, where `here` is the `Workplace` of the task. Threads do any work;
processes (`processes.py`) and clusters (`cluster/`) that of functions of a module, with arguments
that are small and can be pickled. Leaving the block with an error ends all work.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from hyperbaton.foundation.files.writing import make_folder
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.shelf import FileShelf, Shelf
from hyperbaton.foundation.work.workplace import Workplace

Job = TypeVar("Job")
Made = TypeVar("Made")
Arguments = ParamSpec("Arguments")
Work = Callable[Concatenate[Workplace, Arguments], Made]


@dataclass(frozen=True)
class Task(Generic[Made]):
    work: Callable[..., Made]
    arguments: tuple[Any, ...]
    progress: Progress
    near: Hashable


class Workers(Executor):
    """Whoever does tasks, a few at a time."""

    is_far = False  # whether tasks run on other machines, so that they need files

    @property
    @abstractmethod
    def n(self) -> int:
        """How many tasks run at once."""

    def serve(self, reads: Iterable[Path], writes: Iterable[Path]) -> None:
        """Lets tasks have files and folders of this machine, and bring home others."""

    def submit(  # type: ignore[override]
        self,
        work: Callable[..., Made],
        /,
        *arguments: Any,
        progress: Progress = silent,
        near: Hashable = None,
    ) -> Future[Made]:
        """Calls `work(here, *arguments)`; progress may be reported from other threads. The worker
        that did the last task `near` the same thing does this one, if it can: it may remember what
        both need."""
        return self.start(Task(work, arguments, progress, near))

    @abstractmethod
    def start(self, task: Task[Made]) -> Future[Made]:
        """What `submit` does, in one piece."""


class Threads(Workers):
    """Threads of this process, for kernels, which release Python's lock."""

    def __init__(self, n: int) -> None:
        self._n, self._pool = n, ThreadPoolExecutor(n)

    @property
    def n(self) -> int:
        return self._n

    def start(self, task: Task[Made]) -> Future[Made]:
        return self._pool.submit(task.work, Workplace(task.progress), *task.arguments)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


class Crew(NamedTuple):
    """Who does the tasks of a long work, and where its files lie until it is done."""

    workers: Workers
    folder: Path = Path()  # unused as long as all shelves are in memory

    def shelf(self, name: str = "", *, in_memory: bool = True) -> Shelf:
        """One that all tasks can reach; in memory only if they run in this process."""
        if in_memory and not self.workers.is_far:
            return Shelf()
        folder = (self.folder / name).absolute()
        make_folder(folder)
        self.workers.serve(reads=[], writes=[folder])
        return FileShelf(folder)


@contextmanager
def crew_of(crew: Crew | None, threads: int) -> Iterator[Crew]:
    """The given one, or else threads."""
    if crew is not None:
        yield crew
        return
    with Threads(threads) as workers:
        yield Crew(workers)


def run_jobs(
    workers: Workers,
    jobs: Sequence[Job],
    work: Callable[[Workplace, Job], Made],
    progress: Callable[[int, str, int], None],
    done: Callable[[int], None] = lambda _: None,
) -> list[Made]:
    """The results of all jobs; both callbacks get the number of a job first, in this thread.

    The first error is raised here; whoever made the workers ends them.
    """
    news: SimpleQueue[tuple[int, Any]] = SimpleQueue()

    def report(number: int, what: str, count: int) -> None:
        news.put((number, (what, count)))

    def finish(number: int, future: Future[Made]) -> None:
        news.put((number, future))

    futures = []
    for number, job in enumerate(jobs):
        futures.append(workers.submit(work, job, progress=partial(report, number)))
        futures[-1].add_done_callback(partial(finish, number))
    n_left = len(futures)
    while n_left:
        number, what = news.get()
        if isinstance(what, Future):
            what.result()
            done(number)
            n_left -= 1
        else:
            progress(number, *what)
    return [future.result() for future in futures]
