"""Runs a comparison: trains missing models, tunes and translates every cell, scores, tests."""

import shutil
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, product
from pathlib import Path

from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.words.unknown_words import UnknownWords
from hyperbaton.foundation.progress import SILENT, Reporter, duration
from hyperbaton.foundation.work.processes import Processes
from hyperbaton.foundation.work.workers import Workers, run_jobs
from hyperbaton.models.system.folder import load_table, load_text
from hyperbaton.models.system.stages import locked
from hyperbaton.tuning.comparison import requirements
from hyperbaton.tuning.comparison.cells import Job, read_outputs, read_replica, run_job
from hyperbaton.tuning.comparison.configuration import Configuration
from hyperbaton.tuning.comparison.data import cut_out
from hyperbaton.tuning.comparison.judging import judge
from hyperbaton.tuning.comparison.results import Cell, Comparison
from hyperbaton.tuning.comparison.systems import SYSTEM, stage_costs, train
from hyperbaton.tuning.evaluation.data_sets import Sentences, load
from hyperbaton.tuning.optimisers.objective import make_objective
from hyperbaton.tuning.weights.protocol import best_of
from hyperbaton.tuning.weights.settings import AVERAGE, UNTUNED


def compare(
    configuration: Configuration,
    folder: Path,
    threads: int = 2,
    reporter: Reporter = SILENT,
    workers: Workers | None = None,
) -> Comparison:
    """Runs a comparison in a folder; results in it whose inputs have not changed are reused.

    Without `workers`, starts `threads` processes.
    """
    requirements.check_models(configuration)
    requirements.check_methods(configuration)
    with locked(folder):
        whole, configuration = configuration, cut_out(configuration, folder / "data")
        # for checks before training; the truecaser is not trained yet
        dev, *tests = _load(configuration, TextPipelines.of(configuration.text))
        requirements.check_data(configuration, dev, tests)
        for warning in requirements.missing_layers(configuration):
            reporter.talk(warning)
        trained = train(configuration, folder, threads, reporter, workers)
        dev, *tests = _load(configuration, load_text(trained))
        requirements.check_lent_weights(configuration, trained)
        for notice in requirements.check_layers(configuration, trained, [dev, *tests]):
            reporter.talk(notice)
        dev, *tests = _with_unknown_words([dev, *tests], trained)
        for data in filter(lambda data: data.unknown, [dev, *tests]):
            reporter.talk(f"{data.name}: {data.unknown}")
        sources = chain.from_iterable(data.sources for data in (dev, *tests))
        jobs = grid(configuration, folder, max(map(len, sources)))
        averages = average_jobs(jobs) if configuration.tune.protocol == AVERAGE else []
        borrowing = [job for job in jobs if job.needs]
        tuned = [job for job in jobs if not job.needs]
        with nullcontext(workers) if workers else Processes(threads) as crew:
            for batch in (tuned, borrowing, averages):  # later ones need weights of earlier ones
                _run(batch, crew, reporter)
        with suppress(OSError):
            jobs[0].state.parent.rmdir()  # unless it has the state of another configuration
        objective = make_objective(configuration.tune.metric, dev.references)
        cells = _cells(jobs, averages, higher_is_better=objective.shown_sign > 0)
        costs = stage_costs(folder, configuration)
        return judge(whole, tests, cells, costs, reporter.progress)


def _load(configuration: Configuration, text: TextPipelines | None) -> list[Sentences]:
    """The development set, then the test sets."""
    tests = (load(test, text, tested=True) for test in configuration.test)
    return [load(configuration.dev, text), *tests]


def _with_unknown_words(data: Sequence[Sentences], trained: Path) -> list[Sentences]:
    vocabulary = load_table(trained).source_vocabulary
    return [
        replace(
            sentences,
            unknown=str(UnknownWords(vocabulary, (source.words for source in sentences.sources))),
        )
        for sentences in data
    ]


def grid(configuration: Configuration, folder: Path, longest: int) -> list[Job]:
    """All replicas of all cells, by system, then limit, then replica; `longest`: words of a
    sentence."""
    tune = configuration.tune
    n_replicas = tune.replicas if tune.method != UNTUNED else 1
    systems = [
        replace(system, distortion=requirements.exact_models(configuration, system))
        for system in configuration.system
    ]
    jobs = {
        (system.name, limit, replica): Job(
            configuration, folder, folder / SYSTEM, system, limit, tune.seed + replica, longest
        )
        for system, limit, replica in product(systems, configuration.limits, range(n_replicas))
    }
    for (name, limit, replica), job in jobs.items():
        if job.system.weights:
            lender = jobs[job.system.weights, limit, replica]
            jobs[name, limit, replica] = replace(job, lenders=(lender,))
    return list(jobs.values())


def average_jobs(jobs: Sequence[Job]) -> list[Job]:
    cells = [cell for cell in _by_cell(jobs) if len(cell) > 1]
    return [replace(replicas[0], lenders=tuple(replicas)) for replicas in cells]


def _by_cell(jobs: Sequence[Job]) -> list[list[Job]]:
    """The replicas of each cell, which are adjacent in the grid."""
    groups = groupby(jobs, key=lambda job: (job.system.name, job.limit))
    return [list(replicas) for _, replicas in groups]


def _run(jobs: Sequence[Job], workers: Workers, reporter: Reporter) -> None:
    open_jobs = []
    for job in jobs:
        if job.is_done():
            shutil.rmtree(job.state, ignore_errors=True)  # left over if the run was killed
        else:
            open_jobs.append(job)
    if len(open_jobs) < len(jobs):
        reporter.talk(f"{len(jobs) - len(open_jobs)} of {len(jobs)} runs are already done")
    different = {job.tuned_key: job for job in reversed(open_jobs)}
    open_jobs = list(reversed(different.values()))  # equal searches are run once
    for job in open_jobs:
        workers.serve(reads=[*job.files, *job.needs], writes=[*job.parts, job.state])
    board = _Board(open_jobs, reporter)
    run_jobs(workers, open_jobs, run_job, board.progress, board.done)


@dataclass
class _Board:
    jobs: Sequence[Job]
    reporter: Reporter
    n_done: int = 0
    running: dict[int, str] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def progress(self, number: int, what: str, count: int) -> None:
        self.running[number] = f"{self.jobs[number].name}: {what}" + (f" {count}" if count else "")
        state = " | ".join(self.running.values())
        done = f"{self.n_done} of {len(self.jobs)} runs{self._left()}"
        self.reporter.progress(f"{done} | {state}", 0)

    def done(self, number: int) -> None:
        self.n_done += 1
        self.running.pop(number, None)
        job, n = self.jobs[number], len(self.jobs)
        shutil.rmtree(job.state, ignore_errors=True)  # not needed any more
        self.reporter.talk(f"{job.name}: done; {self.n_done} of {n}{self._left()}")

    def _left(self) -> str:
        n_left = len(self.jobs) - self.n_done
        if not self.n_done or not n_left:
            return ""
        seconds = (time.monotonic() - self.began) / self.n_done * n_left
        return f", about {duration(seconds)} left"


def _cells(jobs: Sequence[Job], averages: Sequence[Job], *, higher_is_better: bool) -> list[Cell]:
    """Reads the results of all cells; `higher_is_better` is that of the tuning metric."""
    cells = []
    for number, cell_jobs in enumerate(_by_cell(jobs)):
        replicas = [read_replica(job) for job in cell_jobs]
        choices = [replica.choice_score for replica in replicas]
        chosen = best_of(choices, higher_is_better=higher_is_better)
        mean = None
        if averages:
            mean = replace(read_replica(averages[number]), outputs=read_outputs(averages[number]))
        else:
            replicas[chosen] = replace(replicas[chosen], outputs=read_outputs(cell_jobs[chosen]))
        first = cell_jobs[0]
        cells.append(Cell(first.system.name, first.limit, replicas, chosen, mean))
    return cells
