"""Executors of tasks, with the interface of `concurrent.futures`.

    with Threads(2) as workers:
        future = workers.submit(work, argument, progress=listener)
        future.result()

calls `work(here, argument)`, where `here` is the `Workplace` of the task. Threads run any function;
processes (`processes.py`) and clusters (`cluster/`) run module-level functions with small,
picklable arguments. Leaving the context with an error stops all work.
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
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")
Work = Callable[Concatenate[Workplace, Arguments], Result]


@dataclass(frozen=True)
class Task(Generic[Result]):
    work: Callable[..., Result]
    arguments: tuple[Any, ...]
    progress: Progress
    near: Hashable


class Workers(Executor):
    """An executor that runs several tasks at once."""

    is_far = False  # whether tasks run on other machines and must fetch files

    @property
    @abstractmethod
    def n(self) -> int:
        """The number of simultaneous tasks."""

    def serve(self, reads: Iterable[Path], writes: Iterable[Path]) -> None:
        """Allows tasks to read and to write these files and folders of this machine."""

    def submit(  # type: ignore[override]
        self,
        work: Callable[..., Result],
        /,
        *arguments: Any,
        progress: Progress = silent,
        near: Hashable = None,
    ) -> Future[Result]:
        """Calls `work(here, *arguments)`; progress may be reported from other threads. Tasks with
        the same `near` go to the same worker if possible, which may have cached their data."""
        return self.start(Task(work, arguments, progress, near))

    @abstractmethod
    def start(self, task: Task[Result]) -> Future[Result]:
        """Starts a task (see `submit`)."""


class Threads(Workers):
    """Threads of this process, for kernels, which release the GIL."""

    def __init__(self, n: int) -> None:
        self._n, self._pool = n, ThreadPoolExecutor(n)

    @property
    def n(self) -> int:
        return self._n

    def start(self, task: Task[Result]) -> Future[Result]:
        return self._pool.submit(task.work, Workplace(task.progress), *task.arguments)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


class Crew(NamedTuple):
    """Workers with a folder for intermediate files."""

    workers: Workers
    folder: Path = Path()  # unused if all shelves are in memory

    def shelf(self, name: str = "", *, in_memory: bool = True) -> Shelf:
        """A shelf that all tasks can use; in memory only if they run in this process."""
        if in_memory and not self.workers.is_far:
            return Shelf()
        folder = (self.folder / name).absolute()
        make_folder(folder)
        self.workers.serve(reads=[], writes=[folder])
        return FileShelf(folder)


@contextmanager
def crew_of(crew: Crew | None, threads: int) -> Iterator[Crew]:
    """Provides the given crew, or else one of threads."""
    if crew is not None:
        yield crew
        return
    with Threads(threads) as workers:
        yield Crew(workers)


def run_jobs(
    workers: Workers,
    jobs: Sequence[Job],
    work: Callable[[Workplace, Job], Result],
    progress: Callable[[int, str, int], None],
    done: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """The results of all jobs; both callbacks run in this thread, with the number of a job first.

    Raises the first error; the caller must shut down the workers.
    """
    news: SimpleQueue[tuple[int, Any]] = SimpleQueue()

    def report(number: int, what: str, count: int) -> None:
        news.put((number, (what, count)))

    def finish(number: int, future: Future[Result]) -> None:
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
