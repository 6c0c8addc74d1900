"""Runs the classification experiments of Ni et al. (2011, section 4.1) and of Alrajeh and Niranjan
(2014, section 4.1) on any corpus: learners × class setups × training sizes × repetitions.

All learners get the same examples and features (`experiment_data.py`). Moves over more than 15
words are omitted.

`lr` is the baseline that counts source phrases and phrase pairs; all other names are learners, with
optional settings (`me:sigma=0.5`). Training time is CPU time of the learner alone, without feature
extraction and without the search for the perceptron's number of rounds, which the paper did once
for all experiments. Learners have different stopping rules, so the training error at which they
stop is reported too, and optionally the time of each to the same error, on the largest training set
of the first repetition (`time_to_error.py`).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import load_corpus, save_corpus
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.workers import Workers, run_jobs
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.dpr.relative_frequency import RelativeFrequency
from hyperbaton.models.distortion.dpr.samples import orientations
from hyperbaton.models.learning.catalogue import parse_learner
from hyperbaton.models.learning.clusters import ClusteredExamples
from hyperbaton.models.learning.early_stopping import choose_settings
from hyperbaton.tuning.reproduction.experiment_data import DataSplit, Repetition, TrainingSet
from hyperbaton.tuning.reproduction.experiment_settings import BASELINE, ExperimentSettings
from hyperbaton.tuning.reproduction.time_to_error import ErrorTime, goals_of, times_to_goals
from hyperbaton.tuning.reproduction.trials import Experiment, Trial, judge, precision_by_distance

Results = tuple[list[Trial], list[ErrorTime]]  # of a cell
# Predictions (n_test,), error on the training examples, seconds, share of active examples by
# iteration, settings
Trained = tuple[Int64Array, float, float, FloatArray | None, Mapping[str, Any]]


class ExperimentCell(NamedTuple):
    """A unit of work of one worker."""

    repeat: int
    size: int
    n_classes: int


def run_experiment(
    corpus: AlignedCorpus,
    settings: ExperimentSettings,
    progress: Progress = silent,
    workers: Workers | None = None,
) -> Experiment:
    """Trains and tests all learners; `workers`, if given, each take one cell at a time."""
    settings = settings.completed(len(corpus))
    cells = [
        ExperimentCell(*cell)
        for cell in product(range(settings.repeats), settings.sizes, settings.classes)
    ]
    data = Drawn(corpus, settings)
    if workers is None:
        here = Workplace(progress)
        results = [run_cell(here, data, cell) for cell in cells]
    else:
        results = _run_elsewhere(corpus, settings, cells, progress, workers)
    trials, times = (tuple(chain.from_iterable(both)) for both in zip(*results, strict=True))
    phrases = data.repetition(settings.repeats - 1).phrases(settings.sizes[-1])
    return Experiment(settings, trials, phrases, times)


class Drawn:
    """A corpus, with a cache of the last repetition and split drawn from it."""

    def __init__(self, corpus: AlignedCorpus, settings: ExperimentSettings) -> None:
        self.settings = settings
        self.repetition = lru_cache(1)(partial(Repetition, corpus, settings))
        self.split = lru_cache(1)(lambda repeat, size: self.repetition(repeat).split(size))


def run_cell(here: Workplace, data: Drawn, cell: ExperimentCell) -> Results:
    """Runs all learners, and optionally measures their times to the same error."""
    settings = data.settings
    for learner in (*settings.discriminative, *settings.timed):
        _warm_up(learner, settings.threads)
    split = data.split(cell.repeat, cell.size)
    trials = []
    for learner in settings.learners:
        here.say(f"{learner}, {cell.n_classes} classes, {cell.size:,} sentences", 0)
        trials.append(_trial(split, learner, cell.n_classes, settings, cell.repeat))
    are_timed = settings.tolerance_times and (cell.repeat, cell.size) == (0, settings.sizes[-1])
    times = list(_times(split, trials, cell.n_classes, settings, here)) if are_timed else []
    return trials, times


def run_far_cell(here: Workplace, job: tuple[Path, ExperimentSettings, ExperimentCell]) -> Results:
    """Runs a cell with a corpus from a folder."""
    folder, settings, cell = job
    folder = here.get(folder)
    data = here.remembered((folder, settings), lambda: Drawn(load_corpus(folder)[0], settings))
    return run_cell(here, data, cell)


def _run_elsewhere(
    corpus: AlignedCorpus,
    settings: ExperimentSettings,
    cells: Sequence[ExperimentCell],
    progress: Progress,
    workers: Workers,
) -> list[Results]:
    """Runs cells on workers, the largest first to balance the load; returns results in the order of
    the cells."""
    largest_first = sorted(cells, key=lambda cell: -cell.size)
    single = replace(settings, threads=1)  # does not change the results
    with TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        folder.mkdir()
        save_corpus(corpus, (), folder)
        workers.serve([folder], [])
        results = run_jobs(
            workers,
            [(folder, single, cell) for cell in largest_first],
            run_far_cell,
            lambda _, *news: progress(*news),
        )
    by_cell = dict(zip(largest_first, results, strict=True))
    return [by_cell[cell] for cell in cells]


@cache
def _warm_up(learner: str, threads: int) -> None:
    """Compiles or loads the kernels of a learner before it is timed."""
    examples = csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 2, 3] * 3])
    labelled = ClusteredExamples(examples, np.arange(12) % 3, 3, np.repeat([0, 1], 6))
    TrainingSet(labelled, 2, threads=threads).fit(*parse_learner(learner))


def _trial(
    split: DataSplit, learner: str, n_classes: int, settings: ExperimentSettings, repeat: int
) -> Trial:
    setup = orientations(n_classes, settings.moves)
    training = split.training_set(setup, settings)
    train = _count if learner == BASELINE else _learn
    predicted, train_error, seconds, active, chosen = train(split, training, learner)
    distance = split.examples.samples.distance[split.test_rows]
    true = setup.label(split.examples.samples)[split.test_rows]
    return Trial(
        learner,
        n_classes,
        split.size,
        repeat,
        np.bincount(training.examples.y, minlength=n_classes),
        split.train.shape[1],
        seconds,
        train_error,
        judge(true, predicted, setup.names),
        precision_by_distance(true, predicted, distance),
        true == predicted,
        split.seen,
        active,
        chosen,
    )


def _count(split: DataSplit, training: TrainingSet, _: str) -> Trained:
    examples, classes = split.examples, training.examples.y
    tested, trained = (
        [examples.cluster[rows], examples.pair[rows]]
        for rows in (split.test_rows, split.train_rows)
    )
    began = time.process_time()
    model = RelativeFrequency().fit(trained, classes, training.examples.n_classes)
    seconds = time.process_time() - began
    wrong = model.probabilities(trained).argmax(axis=1) != classes
    return model.probabilities(tested).argmax(axis=1), float(wrong.mean()), seconds, None, {}


def _learn(split: DataSplit, training: TrainingSet, learner: str) -> Trained:
    name, given = parse_learner(learner)
    sentence = split.examples.samples.sentence[split.train_rows]
    settings = choose_settings(
        name, given, training.examples, sentence, training.min_examples,
        seed=training.seed, threads=training.threads,
    )  # fmt: skip
    model, seconds = training.fit(name, settings)
    scores = model.decision(split.test, split.examples.cluster[split.test_rows])
    active = model.trace_.get("active")
    return scores.argmax(axis=1), training.error(model), seconds, active, settings


def _times(
    split: DataSplit,
    trials: Sequence[Trial],
    n_classes: int,
    settings: ExperimentSettings,
    here: Workplace,
) -> Iterator[ErrorTime]:
    """Measures the time of each learner to the same training errors."""
    done = [trial for trial in trials if trial.learner != BASELINE]
    if not done:
        return
    training = split.training_set(orientations(n_classes, settings.moves), settings)
    goals = goals_of({trial.learner: trial.train_error for trial in done})
    wanted = {trial.learner: trial.settings for trial in done}
    wanted |= {name: parse_learner(name)[1] for name in settings.timed}
    for learner, learner_settings in wanted.items():
        here.say(f"{learner}, {n_classes} classes, to the same error", 0)
        yield from times_to_goals(learner, learner_settings, training, goals)
