"""The classification experiments of Ni et al. (2011, section 4.1) and of Alrajeh and Niranjan
(2014, section 4.1) on any corpus: learners × class setups × training sizes × repetitions.

A repetition draws test sentences and training sentences at random; smaller training sets are the
beginnings of larger ones. Test examples are the phrase pairs of the test sentences whose source
phrase occurs in training: others never reach a classifier, as no phrase table has them (the paper's
test sets grow with the training sets for the same reason, Table 4). Moves over more than 15 words
are left out. All learners see the same examples and features; word classes come from the training
sentences.

`lr` is the baseline that counts phrase pairs; all other names are learners, with settings if wanted
(`me:sigma=0.5`). Training time is the processor's for the learner alone, without the features and
without the search for the perceptron's number of rounds, which the paper made once for all
experiments. Learners stop by their own rules, so the error on the training examples that they stop
at is given as well, and if wanted the time that each takes to the same error, on the largest
training set of the first repetition (classification_tolerance.py).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from models.arrays import BoolArray, Int64Array
from models.data.corpus import AlignedCorpus
from models.data.word_classes import N_CLASSES, WordClasses
from models.distortion.dpr.examples import Examples, make_examples, make_features
from models.distortion.dpr.feature_set import number_columns, renumbered
from models.distortion.dpr.fitting import MIN_EXAMPLES
from models.distortion.dpr.orientations import Orientations, orientations
from models.distortion.dpr.relative_frequency import RelativeFrequency
from models.errors import DataError, SettingError
from models.learning.catalogue import make_learner, parse_learner
from models.learning.clusters import ClusteredExamples, ClusteredLearner
from models.learning.early_stopping import choose_settings
from models.progress import Progress
from tuning.reproduction.classification import (
    FARTHEST,
    BinPrecision,
    Classification,
    judge,
    precision_by_distance,
)
from tuning.reproduction.classification_tolerance import ToleranceTime, goals_of, times_to_goals

BASELINE = RelativeFrequency.name
SIZES = (200, 400, 800)
POOLED_ONLY = 1 << 60  # examples that a source phrase needs for a model of its own


@dataclass(frozen=True)
class ExperimentSettings:
    learners: tuple[str, ...] = (BASELINE, "mms", "mmr", "svm", "me", "mlr-dual")
    classes: tuple[int, ...] = (3, 5)
    sizes: tuple[int, ...] = ()  # training sentences; none: as many of SIZES as there are
    repeats: int = 3
    test_size: int = 0  # test sentences; 0: a tenth of the corpus, at most 1000
    features: str = "ni"
    window: int = -1
    order: int = 3
    min_examples: int = MIN_EXAMPLES
    min_count: int = 1
    max_distance: int = FARTHEST
    word_classes: int = N_CLASSES
    seed: int = 1
    threads: int = 2
    tolerance_times: bool = False  # train again to see how long the same error takes


@dataclass(frozen=True, eq=False)
class Run:
    """One learner, trained once and tested once."""

    learner: str
    n_classes: int
    size: int  # training sentences
    repeat: int
    n_train: int  # phrase pairs
    n_features: int
    seconds: float  # of training, on the processor
    train_error: float
    result: Classification
    by_distance: tuple[BinPrecision, ...]
    right: BoolArray = field(repr=False)  # (n_test,) of each test example
    active: NDArray[np.float64] | None = (
        None  # share of active examples by iteration, if it shrinks
    )
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the learner, as it was trained


@dataclass(frozen=True, eq=False)
class JudgedPhrases:
    """Test examples of the largest training set, by source phrase (Figure 13)."""

    cluster: Int64Array  # (n_test,) number of the source phrase
    n_examples: Int64Array  # (n_test,) training examples of the source phrase
    n_translations: Int64Array  # (n_test,) its different translations in training


@dataclass(frozen=True, eq=False)
class Experiment:
    settings: ExperimentSettings  # with sizes filled in
    runs: tuple[Run, ...]
    clusters: JudgedPhrases  # of the last repetition
    tolerance: tuple[ToleranceTime, ...] = ()

    @property
    def goals(self) -> list[tuple[int, float]]:
        """Classes and training errors that times are given for."""
        return list(dict.fromkeys((each.n_classes, each.goal) for each in self.tolerance))

    def of(self, learner: str, n_classes: int, size: int) -> list[Run]:
        """The repetitions of one experiment."""
        return [
            run
            for run in self.runs
            if (run.learner, run.n_classes, run.size) == (learner, n_classes, size)
        ]

    def results(self, n_classes: int, sizes: Sequence[int]) -> dict[str, list[Classification]]:
        """Of every learner, over the repetitions of these sizes."""
        return {
            name: [run.result for size in sizes for run in self.of(name, n_classes, size)]
            for name in self.settings.learners
        }

    def moving_gains(self, learner: str, other: str, n_classes: int, size: int) -> list[float]:
        """How much better a learner's F1 on moves is than another's, as a share of the latter
        (Figure 12), in each repetition."""
        pairs = zip(self.of(learner, n_classes, size), self.of(other, n_classes, size), strict=True)
        return [a.result.moving_f1 / max(b.result.moving_f1, 1e-9) - 1 for a, b in pairs]


def run_experiment(
    corpus: AlignedCorpus, settings: ExperimentSettings, progress: Progress | None = None
) -> Experiment:
    """Trains and tests everything."""
    settings = _completed(settings, len(corpus))
    for learner in settings.learners:
        _warm_up(learner, settings)
    runs: list[Run] = []
    times: list[ToleranceTime] = []
    for repeat in range(settings.repeats):
        data = _Repetition(corpus, settings, repeat)
        for size in settings.sizes:
            part = data.part(size)
            for n_classes in settings.classes:
                for learner in settings.learners:
                    if progress:
                        progress(f"{learner}, {n_classes} classes, {size:,} sentences", 0)
                    runs.append(_run(part, learner, n_classes, settings, repeat))
        if repeat == 0 and settings.tolerance_times:
            times = _tolerance_times(part, runs, settings, progress)
    return Experiment(settings, tuple(runs), data.clusters(settings.sizes[-1]), tuple(times))


def _tolerance_times(
    part: "_Part", runs: Sequence[Run], settings: ExperimentSettings, progress: Progress | None
) -> list[ToleranceTime]:
    times: list[ToleranceTime] = []
    for n_classes in settings.classes:
        examples = part.labelled(n_classes)
        done = [
            run
            for run in runs
            if (run.n_classes, run.size) == (n_classes, part.size) and run.learner != BASELINE
        ]
        for run in done:
            if progress:
                progress(f"{run.learner}, {n_classes} classes, to the same error", 0)
            times += times_to_goals(
                run.learner, parse_learner(run.learner)[0], run.settings, examples,
                settings.min_examples,
                goals_of({each.learner: each.train_error for each in done}),
                seed=settings.seed, threads=settings.threads,
            )  # fmt: skip
    return times


def _warm_up(learner: str, settings: ExperimentSettings) -> None:
    """Has the learner's kernels compiled, or loaded, before anything is timed."""
    if learner == BASELINE:
        return
    name, own = parse_learner(learner)
    examples = csr_matrix(np.eye(4, dtype=np.float32)[[0, 1, 2, 3] * 3])
    cluster = np.repeat([0, 1], 6)
    ClusteredLearner(make_learner(name, **own), min_examples=2).fit(
        ClusteredExamples(examples, np.arange(12) % 3, 3, cluster), threads=settings.threads
    )


def check_experiment(settings: ExperimentSettings) -> None:
    """Refuses what can be known to be wrong before a corpus is read."""
    for name in settings.learners:
        if name != BASELINE:
            parse_learner(name)
    for n_classes in settings.classes:
        orientations(n_classes)
    make_features(settings.features, settings.window, settings.order)


def _completed(settings: ExperimentSettings, n_pairs: int) -> ExperimentSettings:
    """Checks the settings before any work, and fills in the sizes."""
    check_experiment(settings)
    test_size = settings.test_size or min(1000, n_pairs // 10)
    left = n_pairs - test_size
    if test_size < 1 or left < 1:
        raise DataError(
            f"{n_pairs} sentence pairs are too few", expected="both test and training need some"
        )
    sizes = settings.sizes or tuple(sorted({min(size, left) for size in SIZES}))
    for size in sizes:
        if not 1 <= size <= left:
            raise SettingError(
                f"{size} training sentences are not possible",
                expected=f"{n_pairs:,} pairs without {test_size:,} for testing are {left:,}",
            )
    return replace(settings, sizes=tuple(sorted(sizes)), test_size=test_size)


@dataclass(frozen=True, eq=False)
class _Part:
    """Training and test examples for one training size."""

    size: int
    train: csr_matrix
    test: csr_matrix
    train_rows: Int64Array
    test_rows: Int64Array
    examples: Examples

    def labelled(self, n_classes: int) -> ClusteredExamples:
        """The training examples with their classes."""
        y = orientations(n_classes).of(self.examples.samples.distance[self.train_rows])
        cluster = self.examples.cluster[self.train_rows]
        return ClusteredExamples(self.train, y, n_classes, cluster)


class _Repetition:
    """The examples of one draw of sentences: the largest training set first, then the test set."""

    def __init__(self, corpus: AlignedCorpus, settings: ExperimentSettings, repeat: int) -> None:
        random = np.random.default_rng([settings.seed, repeat])
        order = random.permutation(len(corpus))
        self._n_train = settings.sizes[-1]
        test, train = order[: settings.test_size], order[settings.test_size :][: self._n_train]
        drawn = corpus.take(np.concatenate([train, test]))
        seen = corpus.take(train)
        for name in ("source", "target"):
            side = getattr(drawn, name)
            classes = WordClasses.fit(
                getattr(seen, name).words, side.vocabulary, settings.word_classes
            )
            layered = replace(side, classes=classes.layer(side.words))
            drawn = replace(drawn, **{name: layered})
        features = make_features(settings.features, settings.window, settings.order)
        self._examples = make_examples(drawn, features, settings.threads)
        self._near = np.abs(self._examples.samples.distance) <= settings.max_distance
        self._min_count = settings.min_count

    def part(self, size: int) -> _Part:
        train_rows, test_rows = self._rows(size)
        if not len(train_rows) or not len(test_rows):
            raise DataError(
                f"{size} training sentences give {len(train_rows)} training and "
                f"{len(test_rows)} test examples",
                expected="test examples have a source phrase that occurs in training",
                advice="take more sentences",
            )
        examples = self._examples
        begin, columns, _ = examples.rows
        used = np.zeros(len(examples.samples), bool)
        used[train_rows] = True
        in_training = columns[np.repeat(used, np.diff(begin))]
        number = number_columns(in_training, examples.n_columns, self._min_count)
        matrix = renumbered(examples.rows, number)
        return _Part(size, matrix[train_rows], matrix[test_rows], train_rows, test_rows, examples)

    def _rows(self, size: int) -> tuple[Int64Array, Int64Array]:
        """Training examples, and test examples whose source phrase is among them."""
        sentence, cluster = self._examples.samples.sentence, self._examples.cluster
        train = self._near & (sentence < size)
        known = np.zeros(int(cluster.max(initial=0)) + 1, bool)
        known[cluster[train]] = True
        test = self._near & (sentence >= self._n_train) & known[cluster]
        return np.flatnonzero(train), np.flatnonzero(test)

    def clusters(self, size: int) -> JudgedPhrases:
        train, test = self._rows(size)
        cluster, pair = self._examples.cluster, self._examples.pair
        n_clusters = int(cluster.max(initial=0)) + 1
        n_examples = np.bincount(cluster[train], minlength=n_clusters)
        n_translations = np.bincount(np.unique(pair[train]) >> 32, minlength=n_clusters)
        own = cluster[test]
        return JudgedPhrases(own, n_examples[own], n_translations[own])


def _run(
    part: _Part, learner: str, n_classes: int, settings: ExperimentSettings, repeat: int
) -> Run:
    setup = orientations(n_classes)
    examples = part.labelled(n_classes)
    active = None
    own: dict[str, Any] = {}
    if learner == BASELINE:
        began = time.process_time()
        model = RelativeFrequency().fit(part.examples.pair[part.train_rows], examples.y, n_classes)
        seconds = time.process_time() - began
        scores = model.probabilities(part.examples.pair[part.test_rows])
        on_train = model.probabilities(part.examples.pair[part.train_rows])
    else:
        name, own = parse_learner(learner)
        sentence = part.examples.samples.sentence[part.train_rows]
        seed, threads = settings.seed, settings.threads
        own = choose_settings(
            name, own, examples, sentence, settings.min_examples, seed=seed, threads=threads
        )
        chosen = ClusteredLearner(make_learner(name, **own), settings.min_examples)
        began = time.process_time()
        trained = chosen.fit(examples, seed=seed, threads=threads)
        seconds = time.process_time() - began
        scores = trained.decision(part.test, part.examples.cluster[part.test_rows])
        on_train = trained.decision(examples.X, examples.cluster)
        active = trained.trace_.get("active")
    return _judged(part, learner, setup, repeat, seconds, examples.y, scores, on_train, active, own)


def _judged(
    part: _Part,
    learner: str,
    setup: Orientations,
    repeat: int,
    seconds: float,
    y: Int64Array,
    scores: NDArray[np.float64],
    on_train: NDArray[np.float64],
    active: NDArray[np.float64] | None,
    own: Mapping[str, Any],
) -> Run:
    distance = part.examples.samples.distance[part.test_rows]
    true, predicted = setup.of(distance), scores.argmax(axis=1)
    return Run(
        learner,
        len(setup),
        part.size,
        repeat,
        len(y),
        part.train.shape[1],
        seconds,
        float(np.mean(on_train.argmax(axis=1) != y)),
        judge(true, predicted, setup.names),
        precision_by_distance(true, predicted, distance),
        true == predicted,
        active,
        own,
    )


def learner_names(text: str) -> tuple[str, ...]:
    """From `lr,mms,me:sigma=0.5`."""
    names: Sequence[str] = [name.strip() for name in text.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))
