"""Runs a comparison: trains what is missing, tunes and translates every cell, scores, tests."""

import shutil
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from itertools import groupby, product
from pathlib import Path

from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.words.unknown_words import UnknownWords
from hyperbaton.foundation.progress import SILENT, Reporter, duration
from hyperbaton.foundation.work.processes import Processes
from hyperbaton.foundation.work.workers import Workers, run_jobs
from hyperbaton.models.system.folder import load_phrases, load_text
from hyperbaton.models.system.stages import locked
from hyperbaton.tuning.comparison.cells import AverageJob, Job, read_outputs, read_replica, run_job
from hyperbaton.tuning.comparison.configuration import Configuration
from hyperbaton.tuning.comparison.data import cut_out
from hyperbaton.tuning.comparison.judging import judge
from hyperbaton.tuning.comparison.requirements import (
    check_data,
    check_layers,
    check_lent_weights,
    check_methods,
    check_models,
    exact_models,
    missing_layers,
)
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
    """Fills the folder; earlier results whose inputs have not changed are reused.

    Without `workers`, as many processes as threads do the work.
    """
    check_models(configuration)
    check_methods(configuration)
    with locked(folder):
        whole, configuration = configuration, cut_out(configuration, folder / "data")
        # before training, for checks: capital letters are still to be learned
        dev, *tests = _load(configuration, TextPipelines.of(configuration.text))
        check_data(configuration, dev, tests)
        for warning in missing_layers(configuration):
            reporter.talk(warning)
        trained = train(configuration, folder, threads, reporter, workers)
        dev, *tests = _load(configuration, load_text(trained))
        check_lent_weights(configuration, trained)
        for notice in check_layers(configuration, trained, [dev, *tests]):
            reporter.talk(notice)
        dev, *tests = _with_unknown_words([dev, *tests], trained)
        for data in filter(lambda data: data.unknown, [dev, *tests]):
            reporter.talk(f"{data.name}: {data.unknown}")
        jobs = grid(configuration, folder)
        averages = average_jobs(jobs) if configuration.tune.protocol == AVERAGE else []
        borrowing = [job for job in jobs if job.needs]
        tuned = [job for job in jobs if not job.needs]
        with nullcontext(workers) if workers else Processes(threads) as crew:
            for batch in (tuned, borrowing, averages):  # the weights of others must be there
                _run(batch, crew, reporter)
        with suppress(OSError):
            jobs[0].state.parent.rmdir()  # unless something is kept for another configuration
        objective = make_objective(configuration.tune.metric, dev.references)
        cells = _cells(jobs, averages, higher_is_better=objective.shown_sign > 0)
        costs = stage_costs(folder, configuration)
        return judge(whole, tests, cells, costs, reporter.progress)


def _load(configuration: Configuration, text: TextPipelines | None) -> list[Sentences]:
    """The development set, then the test sets."""
    tests = (load(test, text, tested=True) for test in configuration.test)
    return [load(configuration.dev, text), *tests]


def _with_unknown_words(data: Sequence[Sentences], trained: Path) -> list[Sentences]:
    vocabulary = load_phrases(trained).source_vocabulary
    return [
        replace(own, unknown=str(UnknownWords(vocabulary, (one.words for one in own.sources))))
        for own in data
    ]


def grid(configuration: Configuration, folder: Path) -> list[Job]:
    """All replicas of all cells, systems in their order, limits inside, replicas innermost."""
    tune = configuration.tune
    n_replicas = tune.replicas if tune.method != UNTUNED else 1
    systems = [
        replace(system, distortion=exact_models(configuration, system))
        for system in configuration.system
    ]
    jobs = {
        (system.name, limit, replica): Job(
            configuration, folder, folder / SYSTEM, system, limit, tune.seed + replica
        )
        for system, limit, replica in product(systems, configuration.limits, range(n_replicas))
    }
    for (name, limit, replica), job in jobs.items():
        if job.system.weights:
            lender = jobs[job.system.weights, limit, replica]
            jobs[name, limit, replica] = _with_weights_of(job, (lender,))
    return list(jobs.values())


def _with_weights_of(job: Job, others: tuple[Job, ...]) -> AverageJob:
    own = {item.name: getattr(job, item.name) for item in fields(Job)}
    return AverageJob(**own, replicas=others)


def average_jobs(jobs: Sequence[Job]) -> list[Job]:
    """A job for each cell with several replicas."""
    return [_with_weights_of(own[0], tuple(own)) for own in _by_cell(jobs) if len(own) > 1]


def _by_cell(jobs: Sequence[Job]) -> list[list[Job]]:
    """The replicas of each cell, which lie side by side in the grid."""
    groups = groupby(jobs, key=lambda job: (job.system.name, job.limit))
    return [list(own) for _, own in groups]


def _run(jobs: Sequence[Job], workers: Workers, reporter: Reporter) -> None:
    open_jobs = []
    for job in jobs:
        if job.is_done():
            shutil.rmtree(job.state, ignore_errors=True)  # of a run that was killed at the end
        else:
            open_jobs.append(job)
    if len(open_jobs) < len(jobs):
        reporter.talk(f"{len(jobs) - len(open_jobs)} of {len(jobs)} runs are done already")
    for job in open_jobs:
        workers.serve(reads=[*job.files, *job.needs], writes=[*job.parts, job.state])
    board = _Board(open_jobs, reporter)
    run_jobs(workers, open_jobs, run_job, board.progress, board.done)


@dataclass
class _Board:
    """Shows the progress of the jobs."""

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
        shutil.rmtree(job.state, ignore_errors=True)  # its result is there
        self.reporter.talk(f"{job.name}: done; {self.n_done} of {n}{self._left()}")

    def _left(self) -> str:
        n_left = len(self.jobs) - self.n_done
        if not self.n_done or not n_left:
            return ""
        seconds = (time.monotonic() - self.began) / self.n_done * n_left
        return f", about {duration(seconds)} left"


def _cells(jobs: Sequence[Job], averages: Sequence[Job], *, higher_is_better: bool) -> list[Cell]:
    """`higher_is_better` is that of the metric that was tuned."""
    cells = []
    for number, own in enumerate(_by_cell(jobs)):
        replicas = [read_replica(job) for job in own]
        choices = [replica.choice_score for replica in replicas]
        chosen = best_of(choices, higher_is_better=higher_is_better)
        mean = None
        if averages:
            mean = replace(read_replica(averages[number]), outputs=read_outputs(averages[number]))
        else:
            replicas[chosen] = replace(replicas[chosen], outputs=read_outputs(own[chosen]))
        cells.append(Cell(own[0].system.name, own[0].limit, replicas, chosen, mean))
    return cells
