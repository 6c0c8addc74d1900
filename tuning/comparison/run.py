"""Runs a comparison: trains what is missing, tunes and translates every cell, scores, tests."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

from models.progress import Progress
from models.system.stages import locked
from tuning.comparison.cells import Job, read_outputs, read_replica, run_job
from tuning.comparison.configuration import UNTUNED, Configuration
from tuning.comparison.data import cut_out, load
from tuning.comparison.judging import judge
from tuning.comparison.requirements import (
    check_data,
    check_layers,
    check_methods,
    check_models,
    exact_models,
    missing_layers,
)
from tuning.comparison.results import Cell, Comparison
from tuning.comparison.systems import SYSTEM, stage_costs, train
from tuning.comparison.workers import run_jobs
from tuning.optimisers.objective import make_objective

Talk = Callable[[str], None]


def compare(
    configuration: Configuration,
    folder: Path,
    threads: int = 2,
    talk: Talk = lambda _: None,
    progress: Progress | None = None,
) -> Comparison:
    """Fills the folder; what is there already and has not changed is used again."""
    check_models(configuration)
    check_methods(configuration)
    with locked(folder):
        whole, configuration = configuration, cut_out(configuration, folder / "data")
        tests = [load(test) for test in configuration.test]
        dev = load(configuration.dev)
        check_data(configuration, dev, tests)
        for warning in missing_layers(configuration):
            talk(warning)
        trained = train(configuration, folder, threads, talk, progress)
        check_layers(configuration, trained, [dev, *tests])
        jobs = grid(configuration, folder)
        _run(jobs, threads, talk, progress)
        objective = make_objective(configuration.tune.metric, dev.references)
        cells = _cells(jobs, objective.shown_sign)
        costs = stage_costs(folder, configuration)
        return judge(whole, tests, cells, costs, progress)


def grid(configuration: Configuration, folder: Path) -> list[Job]:
    """All replicas of all cells, systems in their order, limits inside, replicas innermost."""
    tune = configuration.tune
    n_replicas = tune.replicas if tune.method != UNTUNED else 1
    return [
        Job(
            folder,
            folder / SYSTEM,
            system.name,
            exact_models(configuration, system),
            limit,
            configuration.search,
            tune,
            tune.seed + replica,
            configuration.dev,
            configuration.test,
            configuration.metrics,
        )
        for system, limit, replica in product(
            configuration.system, configuration.limits, range(n_replicas)
        )
    ]


def _run(jobs: Sequence[Job], threads: int, talk: Talk, progress: Progress | None) -> None:
    open_jobs = [job for job in jobs if not job.is_done()]
    if len(open_jobs) < len(jobs):
        talk(f"{len(jobs) - len(open_jobs)} of {len(jobs)} runs are done already")
    began, done = time.monotonic(), 0
    running: dict[int, str] = {}

    def left() -> str:
        if not done or done == len(open_jobs):
            return ""
        seconds = (time.monotonic() - began) / done * (len(open_jobs) - done)
        return f", {_about(seconds)} left"

    def watch(number: int, text: str | None) -> None:
        nonlocal done
        job = open_jobs[number]
        if text is None:
            done += 1
            running.pop(number, None)
            talk(f"{job.name}: done; {done} of {len(open_jobs)}{left()}")
            return
        running[number] = f"{job.name}: {text}"
        if progress:
            state = " | ".join(running.values())
            progress(f"{done} of {len(open_jobs)} runs{left()} | {state}", 0)

    run_jobs(open_jobs, run_job, threads, watch)
    with suppress(OSError):
        jobs[0].state.parent.rmdir()  # unless something is kept for another configuration


def _about(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min" if seconds >= 90 else f"about {seconds:.0f} s"


def _cells(jobs: Sequence[Job], sign: float) -> list[Cell]:
    """`sign` is −1 if less is better in what was tuned."""
    by_cell: dict[tuple[str, int], list[Job]] = {}
    for job in jobs:
        by_cell.setdefault((job.system, job.limit), []).append(job)
    cells = []
    for (system, limit), own in by_cell.items():
        replicas = [read_replica(job) for job in own]
        chosen = best_replica([replica.choice_score for replica in replicas], sign)
        replicas[chosen] = replace(replicas[chosen], outputs=read_outputs(own[chosen]))
        cells.append(Cell(system, limit, replicas, chosen))
    return cells


def best_replica(scores: Sequence[float], sign: float) -> int:
    """Of equal ones the first."""
    return max(range(len(scores)), key=lambda number: sign * scores[number])
