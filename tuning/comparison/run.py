"""Runs a comparison: trains what is missing, tunes and translates every cell, scores, tests."""

import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.progress import Progress
from models.stages import locked
from models.training import TrainingSettings, train_system
from tuning.comparison.cells import Job, read_replica, run_job
from tuning.comparison.configuration import Configuration
from tuning.comparison.data import Sentences, corpus_files, cut_out, load
from tuning.comparison.results import Cell, Comparison, as_outputs
from tuning.comparison.workers import run_jobs
from tuning.evaluation import Score, evaluate
from tuning.metrics.base import FloatArray, Metric
from tuning.metrics.catalogue import make_metrics
from tuning.significance import find_test

PACKAGES = ("hyperbaton", "numpy", "numba", "scipy", "scikit-learn", "sacrebleu", "kenlm")
Talk = Callable[[str], None]


def compare(
    configuration: Configuration,
    folder: Path,
    threads: int = 2,
    talk: Talk = lambda _: None,
    progress: Progress | None = None,
) -> Comparison:
    """Fills the folder; what is there already and has not changed is used again."""
    with locked(folder):
        configuration = cut_out(configuration, folder / "data")
        tests = [load(test) for test in configuration.test]
        load(configuration.dev)  # what is wrong with it should be known before hours of training
        costs = _train(configuration, folder / "system", threads, talk, progress)
        jobs = grid(configuration, folder)
        _run(jobs, threads, talk, progress)
        cells = _cells(configuration, jobs)
        return _judged(configuration, tests, cells, costs, progress)


def grid(configuration: Configuration, folder: Path) -> list[Job]:
    """All replicas of all cells, systems in their order, limits inside, replicas innermost."""
    tune = configuration.tune
    n_replicas = tune.replicas if tune.method != "none" else 1
    return [
        Job(
            folder,
            folder / "system",
            system.name,
            system.distortion,
            limit,
            configuration.search,
            tune,
            tune.seed + replica,
            configuration.dev,
            configuration.test,
        )
        for system, limit, replica in product(
            configuration.system, configuration.limits, range(n_replicas)
        )
    ]


def _train(
    configuration: Configuration,
    out: Path,
    threads: int,
    talk: Talk,
    progress: Progress | None,
) -> dict[str, tuple[float, float]]:
    """One system with the models of all: phrase table and language model are shared."""
    models = dict.fromkeys(m for system in configuration.system for m in system.distortion)
    costs: dict[str, tuple[float, float]] = {}
    train_system(
        corpus_files(configuration.train),
        out,
        TrainingSettings(
            phrases=configuration.phrases,
            lm=configuration.lm,
            classes=configuration.classes,
            distortion=tuple(models),
            seed=configuration.seed,
        ),
        threads=threads,
        talk=talk,
        progress=progress,
        together=False,
    )
    return costs


def _run(jobs: Sequence[Job], threads: int, talk: Talk, progress: Progress | None) -> None:
    open_jobs = [job for job in jobs if not job.is_done()]
    if len(open_jobs) < len(jobs):
        talk(f"{len(jobs) - len(open_jobs)} of {len(jobs)} tuning runs are done already")
    began, done = time.monotonic(), 0
    running: dict[int, str] = {}

    def watch(number: int, text: str | None) -> None:
        nonlocal done
        if text is None:
            done += 1
            running.pop(number, None)
            each = (time.monotonic() - began) / done
            left = each * (len(open_jobs) - done)
            talk(f"{open_jobs[number].name}: done; {done} of {len(open_jobs)}, {_about(left)} left")
        else:
            running[number] = f"{open_jobs[number].name}: {text}"
            if progress:
                progress("; ".join(running.values()), done)

    run_jobs(open_jobs, run_job, threads, watch)


def _about(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min" if seconds >= 90 else f"about {seconds:.0f} s"


def _cells(configuration: Configuration, jobs: Sequence[Job]) -> list[Cell]:
    cells = []
    for system, limit in product(configuration.system, configuration.limits):
        own = [job for job in jobs if (job.system, job.limit) == (system.name, limit)]
        replicas = [read_replica(job) for job in own]
        chosen = int(np.argmax([replica.choice_score for replica in replicas]))
        cells.append(Cell(system.name, limit, replicas, chosen))
    return cells


def _judged(
    configuration: Configuration,
    tests: Sequence[Sentences],
    cells: Sequence[Cell],
    costs: Mapping[str, tuple[float, float]],
    progress: Progress | None,
) -> Comparison:
    metrics: dict[str, list[Metric]] = {}
    scores: dict[str, dict[str, Sequence[Score]]] = {}
    replica_scores: dict[str, dict[str, FloatArray]] = {}
    p_values: dict[str, dict[int, NDArray[np.float64]]] = {}
    for test in tests:
        made = make_metrics(configuration.metrics, test.references)
        own = [m for m in made if test.visits is not None or not m.needs_visits]
        metrics[test.name], scores[test.name], p_values[test.name] = own, {}, {}
        for limit in configuration.limits:
            here = {cell.system: cell for cell in cells if cell.limit == limit}
            evaluation = evaluate(
                {
                    name: as_outputs(test, cell.best.outputs[test.name])
                    for name, cell in here.items()
                },
                own,
                baseline=configuration.baseline_name,
                test=configuration.significance,
                progress=progress,
            )
            for name, cell in here.items():
                scores[test.name][cell.name] = evaluation.scores[name]
            first = [evaluation.statistics[name][0] for name in here]
            p_values[test.name][limit] = _matrix(own[0], first, configuration.significance)
        replica_scores[test.name] = {
            cell.name: np.array(
                [
                    [m.corpus_score(as_outputs(test, r.outputs[test.name])) for m in own]
                    for r in cell.replicas
                ]
            )
            for cell in cells
        }
    versions = {name: version(name) for name in PACKAGES}
    return Comparison(
        configuration, tests, metrics, cells, scores, replica_scores, p_values, costs, versions
    )


def _matrix(metric: Metric, statistics: Sequence[FloatArray], test: str) -> NDArray[np.float64]:
    """p of each pair of systems."""
    compare_two = find_test(test)
    n = len(statistics)
    matrix = np.full((n, n), np.nan)
    for i, j in product(range(n), repeat=2):
        if i != j:
            matrix[i, j] = compare_two(metric, statistics[j], statistics[i]).p_value
    return matrix
