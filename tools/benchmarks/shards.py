"""Cost of training on remote workers: tasks, bytes and memory of every step.

    python -m tools.benchmarks.shards SOURCE TARGET ALIGNMENT [--pairs 100000] [--workers 2]
        [--memory 3GB] [--distortion linear --distortion pair,passes=3]

Starts worker processes without access to the command's files, trains a system with warm kernels,
and prints for every step: the number of tasks, their CPU seconds, the bytes that workers download
and upload, and the peak memory of a task. Files that a machine caches are downloaded by its first
task.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from hyperbaton.corpus.corpora.reading import CorpusFiles, CorpusSettings
from hyperbaton.foundation.progress import Reporter
from hyperbaton.foundation.work.cluster.opening import ClusterSettings, cluster_workers
from hyperbaton.foundation.work.process_usage import begin_peak, peak_megabytes
from hyperbaton.foundation.work.workers import Task, Workers
from hyperbaton.models.system.settings import ResourceSettings, TrainingSettings
from hyperbaton.models.system.training import train_system
from tools.benchmarks.train import first_lines

WARM = 300  # sentence pairs


class Cost(NamedTuple):
    seconds: float
    cpu: float
    fetched: int
    brought: int
    megabytes: float


def measured(here: Any, work: Callable[..., Any], *arguments: Any) -> tuple[Any, Cost]:
    """A task and its cost."""
    begin_peak()
    began, cpu = time.monotonic(), time.process_time()
    ask, fetched, brought = here._ask, 0, 0

    def counted(question: str, **values: Any) -> Any:
        nonlocal fetched, brought
        answer = ask(question, **values)
        if question == "read":
            fetched += len(answer)
        elif question == "pieces":
            fetched += sum(map(len, answer))
        elif question == "write":
            brought += len(values["data"])
        return answer

    here._ask = counted
    made = work(here, *arguments)
    seconds = time.monotonic() - began, time.process_time() - cpu
    return made, Cost(*seconds, fetched, brought, peak_megabytes())


class Measuring(Workers):
    """The workers of a cluster, with a record of their tasks."""

    is_far = True

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self.costs: dict[str, list[Cost]] = defaultdict(list)

    @property
    def n(self) -> int:
        return self._workers.n

    def serve(self, *files: Any, **more: Any) -> None:
        self._workers.serve(*files, **more)

    def start(self, task: Task[Any]) -> Future[Any]:
        given = (task.work, *task.arguments)
        done = self._workers.submit(measured, *given, progress=task.progress, near=task.near)
        made: Future[Any] = Future()

        def pass_on(done: Future[Any]) -> None:
            if error := done.exception():
                made.set_exception(error)
                return
            value, cost = done.result()
            self.costs[step_of(task.work, task.arguments)].append(cost)
            made.set_result(value)

        done.add_done_callback(pass_on)
        return made


def step_of(work: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    name = work.__name__
    if name == "make_part":
        return f"phrases: {arguments[1]}"
    if name == "work_elsewhere":
        return f"whole stage: {arguments[2].__name__}"
    if name in ("count_shard", "merge_part"):
        return f"n-grams: {name.partition('_')[0]}, length {arguments[1]}"
    return f"next word: {name}"


@contextmanager
def measuring(n_workers: int) -> Iterator[Measuring]:
    with cluster_workers(ClusterSettings("local", n_workers, shared=False), print) as workers:
        yield Measuring(workers)


def main(paths: list[Path], n_pairs: int, n_workers: int, settings: TrainingSettings) -> None:
    with tempfile.TemporaryDirectory() as folder, measuring(n_workers) as workers:
        work = Path(folder)
        for n in (WARM, n_pairs):
            workers.costs.clear()
            parts = [first_lines(path, n, work / f"{i}-{n}.gz") for i, path in enumerate(paths)]
            began, cpu = time.monotonic(), time.process_time()
            out, reporter = work / f"model-{n}", Reporter(print)
            train_system(CorpusFiles(*parts), out, settings, (), 1, reporter, workers=workers)
        print(
            f"\n{n_pairs:,} pairs, {n_workers} workers, {time.monotonic() - began:.0f} s; at home "
            f"{time.process_time() - cpu:.0f} CPU s, {peak_megabytes():,.0f} MB"
        )
        print_costs(workers.costs)


def print_costs(costs: dict[str, list[Cost]]) -> None:
    print(
        f"{'step':32} {'tasks':>5} {'CPU s':>8} {'a task':>8} {'longest':>8} "
        f"{'fetched MB':>11} {'brought MB':>11} {'peak MB':>8}"
    )
    for step, own in costs.items():
        cpu = sum(cost.cpu for cost in own)
        print(
            f"{step:32} {len(own):5} {cpu:8.2f} {cpu / len(own):8.3f} "
            f"{max(cost.cpu for cost in own):8.3f} {sum(cost.fetched for cost in own) / 1e6:11.1f} "
            f"{sum(cost.brought for cost in own) / 1e6:11.1f} "
            f"{max(cost.megabytes for cost in own):8.0f}"
        )


def start() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=Path, nargs=3)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="3GB")
    parser.add_argument("--distortion", action="append", default=[])
    given = parser.parse_args()
    main(
        given.paths,
        given.pairs,
        given.workers,
        TrainingSettings(
            corpus=CorpusSettings(skip_bad=True),
            train=ResourceSettings(given.memory),
            distortion=tuple(given.distortion),
        ),
    )


if __name__ == "__main__":
    from tools.benchmarks import shards  # workers import the functions of tasks from a module

    shards.start()
