"""The classification experiments of Ni et al. (2011, section 4.1) and of Alrajeh and Niranjan
(2014, section 4.1) on any corpus: learners × class setups × training sizes × repetitions.

All learners see the same examples and features (`experiment_data.py`). Moves over more than 15
words are left out.

`lr` is the baseline that counts source phrases and phrase pairs; all other names are learners, with
optional settings (`me:sigma=0.5`). Training time is the processor's for the learner alone, without
the features and without the search for the perceptron's number of rounds, which the paper made once
for all experiments. Learners stop by their own rules, so the error on the training examples that
they stop at is given as well, and if wanted the time that each takes to the same error, on the
largest training set of the first repetition (`time_to_error.py`).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import product
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
from hyperbaton.tuning.reproduction.class_predictions import judge, precision_by_distance
from hyperbaton.tuning.reproduction.experiment_data import DataSplit, Repetition, TrainingSet
from hyperbaton.tuning.reproduction.experiment_settings import BASELINE, ExperimentSettings
from hyperbaton.tuning.reproduction.time_to_error import ErrorTime, goals_of, times_to_goals
from hyperbaton.tuning.reproduction.trials import Experiment, Trial


class ExperimentCell(NamedTuple):
    """What one worker does at a time."""

    repeat: int
    size: int
    n_classes: int


class Results(NamedTuple):
    """Of a cell."""

    trials: list[Trial]
    times: list[ErrorTime]


def run_experiment(
    corpus: AlignedCorpus,
    settings: ExperimentSettings,
    progress: Progress = silent,
    workers: Workers | None = None,
) -> Experiment:
    """Trains and tests everything; `workers`, if there are any, each take a cell at a time."""
    settings = settings.completed(len(corpus))
    cells = [
        ExperimentCell(*cell)
        for cell in product(range(settings.repeats), settings.sizes, settings.classes)
    ]
    if workers is None:
        data = Drawn(corpus, settings)
        here = Workplace(progress)
        results = [run_cell(here, data, cell) for cell in cells]
    else:
        results = _run_elsewhere(corpus, settings, cells, progress, workers)
        data = Drawn(corpus, settings)
    trials = tuple(trial for each in results for trial in each.trials)
    times = tuple(time for each in results for time in each.times)
    phrases = data.repetition(settings.repeats - 1).phrases(settings.sizes[-1])
    return Experiment(settings, trials, phrases, times)


class Drawn:
    """A corpus, and the examples that were drawn from it last."""

    def __init__(self, corpus: AlignedCorpus, settings: ExperimentSettings) -> None:
        self.settings = settings
        self.repetition = lru_cache(1)(partial(Repetition, corpus, settings))
        self.split = lru_cache(1)(lambda repeat, size: self.repetition(repeat).split(size))


def run_cell(here: Workplace, data: Drawn, cell: ExperimentCell) -> Results:
    """All learners, and perhaps their times to the same error."""
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
    return Results(trials, times)


def run_far_cell(here: Workplace, job: tuple[Path, ExperimentSettings, ExperimentCell]) -> Results:
    """The same with a corpus from a folder."""
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
    """In the order of the cells; the largest are done first, so that none is waited for long."""
    largest_first = sorted(cells, key=lambda cell: -cell.size)
    own = replace(settings, threads=1)  # results do not depend on it
    with TemporaryDirectory() as name:
        folder = Path(name) / "corpus"
        folder.mkdir()
        save_corpus(corpus, (), folder)
        workers.serve([folder], [])
        found = run_jobs(
            workers,
            [(folder, own, cell) for cell in largest_first],
            run_far_cell,
            lambda _, *news: progress(*news),
        )
    by_cell = dict(zip(largest_first, found, strict=True))
    return [by_cell[cell] for cell in cells]


@cache
def _warm_up(learner: str, threads: int) -> None:
    """Compiles or loads the learner's kernels before anything is timed."""
    examples = csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 2, 3] * 3])
    labelled = ClusteredExamples(examples, np.arange(12) % 3, 3, np.repeat([0, 1], 6))
    TrainingSet(labelled, 2, threads=threads).fit(*parse_learner(learner))


@dataclass(frozen=True, eq=False)
class _Trained:
    """The predictions of a trained learner, and its cost."""

    predicted: Int64Array  # (n_test,)
    train_error: float
    seconds: float
    active: FloatArray | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)


def _trial(
    split: DataSplit, learner: str, n_classes: int, settings: ExperimentSettings, repeat: int
) -> Trial:
    setup = orientations(n_classes, settings.moves)
    training = split.training_set(setup, settings)
    train = _count if learner == BASELINE else _learn
    trained = train(split, training, learner)
    distance = split.examples.samples.distance[split.test_rows]
    true = setup.label(split.examples.samples)[split.test_rows]
    return Trial(
        learner,
        n_classes,
        split.size,
        repeat,
        np.bincount(training.examples.y, minlength=n_classes),
        split.train.shape[1],
        trained.seconds,
        trained.train_error,
        judge(true, trained.predicted, setup.names),
        precision_by_distance(true, trained.predicted, distance),
        true == trained.predicted,
        split.seen,
        trained.active,
        trained.settings,
    )


def _count(split: DataSplit, training: TrainingSet, _: str) -> _Trained:
    examples, classes = split.examples, training.examples.y
    tested, trained = (
        [examples.cluster[rows], examples.pair[rows]]
        for rows in (split.test_rows, split.train_rows)
    )
    began = time.process_time()
    model = RelativeFrequency().fit(trained, classes, training.examples.n_classes)
    seconds = time.process_time() - began
    wrong = model.probabilities(trained).argmax(axis=1) != classes
    return _Trained(model.probabilities(tested).argmax(axis=1), float(wrong.mean()), seconds)


def _learn(split: DataSplit, training: TrainingSet, learner: str) -> _Trained:
    name, own = parse_learner(learner)
    sentence = split.examples.samples.sentence[split.train_rows]
    own = choose_settings(
        name, own, training.examples, sentence, training.min_examples,
        seed=training.seed, threads=training.threads,
    )  # fmt: skip
    model, seconds = training.fit(name, own)
    scores = model.decision(split.test, split.examples.cluster[split.test_rows])
    active = model.trace_.get("active")
    return _Trained(scores.argmax(axis=1), training.error(model), seconds, active, own)


def _times(
    split: DataSplit,
    trials: Sequence[Trial],
    n_classes: int,
    settings: ExperimentSettings,
    here: Workplace,
) -> Iterator[ErrorTime]:
    """How long each learner takes to reach the same errors."""
    done = [trial for trial in trials if trial.learner != BASELINE]
    if not done:
        return
    training = split.training_set(orientations(n_classes, settings.moves), settings)
    goals = goals_of({trial.learner: trial.train_error for trial in done})
    wanted = {trial.learner: trial.settings for trial in done}
    wanted |= {name: parse_learner(name)[1] for name in settings.timed}
    for learner, own in wanted.items():
        here.say(f"{learner}, {n_classes} classes, to the same error", 0)
        yield from times_to_goals(learner, own, training, goals)
