"""Draws the training and test examples of a learning experiment.

A repetition draws test sentences and training sentences at random; smaller training sets are
prefixes of larger ones. Test examples are the phrase pairs of the test sentences whose source
phrase occurs in training: others never reach a classifier, because they are not in the phrase table
(the test sets of Ni et al. 2011 grow with the training sets for the same reason, Table 4). Word
classes are learned from the training sentences. In the paper's protocol, training examples are
those whose source phrase occurs in the test sentences.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.arrays import BoolArray, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.dpr.fitting import (
    MIN_EXAMPLES,
    Examples,
    make_examples,
    make_features,
)
from hyperbaton.models.distortion.dpr.samples import Orientations
from hyperbaton.models.learning.catalogue import make_learner
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner
from hyperbaton.tuning.reproduction.experiment_settings import PAPER, ExperimentSettings


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Labelled examples, and the settings for training on them."""

    examples: ClusteredExamples  # clusters are the source phrases
    min_examples: int = MIN_EXAMPLES
    seed: int = 0
    threads: int = 2

    def fit(self, name: str, settings: Mapping[str, Any]) -> tuple[ClusteredLearner, float]:
        """Trains a learner; returns it and the CPU seconds."""
        learner = ClusteredLearner(make_learner(name, **settings), self.min_examples)
        began = time.process_time()
        learner.fit(self.examples, seed=self.seed, threads=self.threads)
        return learner, time.process_time() - began

    def error(self, trained: ClusteredLearner) -> float:
        return trained.n_errors(self.examples) / len(self.examples.y)


@dataclass(frozen=True, eq=False)
class DataSplit:
    """Training and test examples for one training size."""

    size: int  # training sentences
    train: csr_matrix
    test: csr_matrix
    train_rows: Int64Array
    test_rows: Int64Array
    examples: Examples

    @property
    def seen(self) -> BoolArray:
        """Whether the phrase pair of each test example occurs in training."""
        pair = self.examples.pair
        return np.isin(pair[self.test_rows], pair[self.train_rows])

    def training_set(self, setup: Orientations, settings: ExperimentSettings) -> TrainingSet:
        classes = setup.label(self.examples.samples)[self.train_rows]
        cluster = self.examples.cluster[self.train_rows]
        examples = ClusteredExamples(self.train, classes, len(setup), cluster)
        return TrainingSet(examples, settings.fewest, settings.seed, settings.threads)


@dataclass(frozen=True, eq=False)
class JudgedPhrases:
    """Statistics by source phrase of the largest training set and its test examples (Ni et al.,
    Figures 8, 13 and 14)."""

    cluster: Int64Array  # (n_test,) number of the source phrase
    n_examples: Int64Array  # (n_test,) training examples of the source phrase
    n_translations: Int64Array  # (n_test,) its distinct translations in training
    text: Sequence[str]  # (n_test,) the source phrase
    n_own_examples: Int64Array  # examples of every source phrase in training
    n_own_features: Int64Array  # distinct features of these examples


class Repetition:
    """The examples of one random draw: those of the largest training set, then those of the test
    set."""

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
        self._source = drawn.source
        self._examples = make_examples(drawn, features, settings.threads)
        self._used = np.abs(self._examples.samples.distance) <= settings.max_distance
        if settings.protocol == PAPER:
            self._used &= self._is_in_test_text(drawn.source.words)
        self._min_count = settings.min_count

    def _is_in_test_text(self, source: Ragged) -> BoolArray:
        """Whether the source phrase of each example occurs in the test sentences."""
        phrases, cluster = self._examples.phrases, self._examples.cluster
        is_in_test = np.zeros(len(phrases.length), bool)
        spans = phrases.ids[:, source.offsets[self._n_train] :]
        is_in_test[spans[spans >= 0]] = True
        occurs: BoolArray = is_in_test[cluster]
        return occurs

    def split(self, size: int) -> DataSplit:
        train_rows, test_rows = self._rows(size)
        if not len(train_rows) or not len(test_rows):
            raise DataError(
                f"{size} training sentences give {len(train_rows)} training and "
                f"{len(test_rows)} test examples",
                expected="the source phrase of a test example must occur in training",
                advice="use more sentences",
            )
        matrix = self._examples.matrix
        train, test = matrix[train_rows], matrix[test_rows]
        often = np.flatnonzero(train.getnnz(axis=0) >= max(1, self._min_count))
        return DataSplit(
            size, train[:, often], test[:, often], train_rows, test_rows, self._examples
        )

    def _rows(self, size: int) -> tuple[Int64Array, Int64Array]:
        """Rows of the training examples, and of test examples whose source phrase is in
        training."""
        sentence, cluster = self._examples.samples.sentence, self._examples.cluster
        train = self._used & (sentence < size)
        known = np.zeros(int(cluster.max(initial=0)) + 1, bool)
        known[cluster[train]] = True
        test = self._used & (sentence >= self._n_train) & known[cluster]
        return np.flatnonzero(train), np.flatnonzero(test)

    def phrases(self, size: int) -> JudgedPhrases:
        train, test = self._rows(size)
        cluster, pair = self._examples.cluster, self._examples.pair
        n_clusters = int(cluster.max(initial=0)) + 1
        n_examples = np.bincount(cluster[train], minlength=n_clusters)
        n_translations = np.bincount(np.unique(pair[train]) >> 32, minlength=n_clusters)
        tested, known = cluster[test], n_examples > 0
        words = self._examples.source_phrases(self._source.words, tested)
        text = [" ".join(self._source.vocabulary.decode(row)) for row in words]
        return JudgedPhrases(
            tested,
            n_examples[tested],
            n_translations[tested],
            text,
            n_examples[known],
            self._n_features(train, n_clusters)[known],
        )

    def _n_features(self, rows: Int64Array, n_clusters: int) -> Int64Array:
        """The number of distinct features of the examples of each source phrase."""
        entries = self._examples.matrix[rows].tocoo()
        n_columns = entries.shape[1]
        place = self._examples.cluster[rows][entries.row] * n_columns + entries.col
        return np.bincount(np.unique(place) // n_columns, minlength=n_clusters)
