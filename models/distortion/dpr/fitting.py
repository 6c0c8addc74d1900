"""Trains a classifier of phrase moves from an aligned corpus: every phrase pair is an example, with
features, a class of moves and a cluster."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.words.word_classes import N_CLASSES, WordClasses
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, SettingError, nearest
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.dpr.alrajeh_features import AlrajehFeatures
from hyperbaton.models.distortion.dpr.classifier import PhraseClassifier
from hyperbaton.models.distortion.dpr.feature_set import DescribedPlaces, FeatureSet, Layers
from hyperbaton.models.distortion.dpr.ni_features import NiFeatures
from hyperbaton.models.distortion.dpr.samples import (
    DISTANCE,
    MAX_LENGTH,
    Samples,
    collect_samples,
    orientations,
)
from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.clusters import (
    POOLED,
    ClusteredExamples,
    ClusteredLearner,
    ClusterModel,
)
from hyperbaton.models.learning.early_stopping import choose_settings
from hyperbaton.models.phrases.trie import SpanIds, build_trie, number_spans

MOST_SENTENCES = 40_000  # each has about a hundred phrase pairs with fifty features
MIN_EXAMPLES = 300  # of a source phrase, for a separate model
DEFAULT_WINDOW = -1  # as in the paper
FEATURE_SETS = (NiFeatures.name, AlrajehFeatures.name)


@dataclass(eq=False, kw_only=True)
class ClassifierSettings:
    """Settings for learning the model `dpr`."""

    classes: int = 3  # classes of distance: 3 or 5
    # what is classified: `distance`, or `msd` (monotone, swap, discontinuous)
    moves: str = DISTANCE
    learner: str = "mms"  # classifier, as `name` or `name:key=value:…`; see the learners below
    features: str = "ni"  # feature set: `ni` or `alrajeh`
    window: int = -1  # source words of context on each side; −1: as in the paper
    order: int = 3  # longest n-gram feature; only for `ni`
    # source phrases with fewer examples share one pooled classifier; 0: no pooled classifier, and
    # these phrases get equal probabilities
    min_examples: int = MIN_EXAMPLES
    min_count: int = 1  # drop features that occur less often
    max_sentences: int = MOST_SENTENCES  # train on a random sample of this many sentences; 0: all
    word_classes: int = 50  # number of word classes to train if the corpus has none


def make_features(name: str, window: int = DEFAULT_WINDOW, order: int = 3) -> FeatureSet:
    """Creates a feature set by name: ni or alrajeh. The order of n-grams applies only to ni."""
    if name not in FEATURE_SETS:
        raise SettingError(
            f"unknown feature set {name!r}", expected=nearest(name, list(FEATURE_SETS))
        )
    given: dict[str, Any] = {} if window == DEFAULT_WINDOW else {"window": window}
    features: FeatureSet
    features = NiFeatures(order=order, **given) if name == "ni" else AlrajehFeatures(**given)
    features.check()
    return features


@dataclass(frozen=True, eq=False)
class Examples:
    """All phrase pairs of a corpus, with their contexts."""

    samples: Samples
    described: DescribedPlaces
    cluster: Int64Array  # (n,) number of the source phrase, as in `phrases`
    pair: Int64Array  # (n,) number of the phrase pair
    phrases: SpanIds  # of the source side

    @cached_property
    def matrix(self) -> csr_matrix:
        """All features that occur, (n, columns)."""
        return self.described.matrix(1)[0]

    def source_phrases(self, source: Ragged, numbers: Int64Array) -> Ragged:
        """The words of source phrases."""
        first, length = self.phrases.first_at[numbers], self.phrases.length[numbers]
        return Ragged.gather(source.values, first, length)


def make_examples(corpus: AlignedCorpus, features: FeatureSet, threads: int = 2) -> Examples:
    """The examples of a corpus with word classes on both sides; fits the features' columns."""
    samples = collect_samples(corpus, threads=threads)
    texts = features.fit(_layers(corpus.source), _layers(corpus.target), corpus.links)
    places = samples.places
    described = DescribedPlaces(features, *texts, places, threads)
    phrases = number_spans(corpus.source.words, MAX_LENGTH)
    cluster = _numbers(phrases, places.source_start, places.source_end)
    translations = number_spans(corpus.target.words, MAX_LENGTH)
    target_phrase = _numbers(translations, places.target_start, places.target_end)
    return Examples(samples, described, cluster, (cluster << 32) | target_phrase, phrases)


def _layers(side: Side) -> Layers:
    if side.classes is None:
        raise ValueError("this side has no word classes")
    return Layers(side.words, side.classes)


def with_classes(
    corpus: AlignedCorpus, n_classes: int = N_CLASSES
) -> tuple[AlignedCorpus, WordClasses, WordClasses]:
    """The corpus with word classes on both sides, learned if there are none, and the classes."""
    source, source_classes = _classified(corpus.source, n_classes)
    target, target_classes = _classified(corpus.target, n_classes)
    return replace(corpus, source=source, target=target), source_classes, target_classes


def _classified(side: Side, n_classes: int) -> tuple[Side, WordClasses]:
    if side.classes is not None:
        return side, _classes_of_layer(side, side.classes)
    classes = WordClasses.fit(side.words, side.vocabulary, n_classes)
    return replace(side, classes=classes.layer(side.words)), classes


def _classes_of_layer(side: Side, layer: Ragged) -> WordClasses:
    """The word classes of a layer; unseen words are treated as in `WordClasses.fit`."""
    words = side.words.values
    counts = np.bincount(words, minlength=len(side.vocabulary))
    of_word = np.zeros(len(side.vocabulary), np.int32)
    of_word[words] = layer.values
    rare = of_word[counts == 1] if (counts == 1).any() else of_word[counts > 0]
    of_word[counts == 0] = np.bincount(rare, minlength=1).argmax()
    return WordClasses(int(layer.values.max(initial=0)) + 1, of_word, side.vocabulary)


def _numbers(spans: SpanIds, start: Int64Array, end: Int64Array) -> Int64Array:
    numbers: Int32Array = spans.ids[end - start - 1, start]
    return numbers.astype(np.int64)


def train_classifier(
    corpus: AlignedCorpus,
    chosen: ClassifierSettings,
    seed: int = 0,
    threads: int = 2,
    progress: Progress = silent,
    *,
    forward: bool = False,
) -> list[PhraseClassifier]:
    """Learns from all phrase pairs of a corpus, or of a sample of its sentences. With `forward`,
    also learns a second classifier, of the orientation towards the next phrase."""
    name, settings = parse_learner(chosen.learner)
    setup = orientations(chosen.classes, chosen.moves)
    feature_set = make_features(chosen.features, chosen.window, chosen.order)
    if chosen.max_sentences and chosen.max_sentences < len(corpus):
        random = np.random.default_rng(seed)
        corpus = corpus.take(np.sort(random.permutation(len(corpus))[: chosen.max_sentences]))
    progress("collecting phrase pairs", 0)
    corpus, source_classes, target_classes = with_classes(corpus, chosen.word_classes)
    examples = make_examples(corpus, feature_set, threads)
    matrix, number = _matrix(examples, chosen.min_count)
    sentence, fewest = examples.samples.sentence, chosen.min_examples

    def learn(labels: Int64Array) -> ClusterModel:
        labelled = ClusteredExamples(matrix, labels, chosen.classes, examples.cluster)
        progress(f"learning from {len(labels):,} phrase pairs", 0)
        best = choose_settings(
            name, settings, labelled, sentence, fewest, seed=seed, threads=threads
        )
        learner = ClusteredLearner(make_learner(name, **best), fewest)
        return learner.fit(labelled, seed=seed, threads=threads, progress=progress).model_

    models = [learn(setup.label(examples.samples))]
    if forward:
        models.append(learn(examples.samples.next_corner))
    ids = models[0].ids  # the same for both
    trie, ends, n_nodes = build_trie(examples.source_phrases(corpus.source.words, ids))
    cluster_of_node = np.full(n_nodes, POOLED, np.int32)
    cluster_of_node[ends] = np.arange(len(ids))
    return [
        PhraseClassifier(
            feature_set,
            number,
            trie,
            cluster_of_node,
            model._replace(ids=np.arange(len(ids))),
            source_classes,
            target_classes,
        )
        for model in models
    ]


def _matrix(examples: Examples, min_count: int) -> tuple[csr_matrix, Int32Array]:
    """The features of all examples, and their numbers; an error if there are none."""
    if not len(examples.samples):
        raise DataError(
            "no phrase pairs can be extracted",
            expected="expected a corpus with word alignments",
            advice="inspect it with hyperbaton corpus",
        )
    matrix, number = examples.described.matrix(min_count)
    if not matrix.shape[1]:
        raise DataError(f"no feature occurs {min_count} times", advice="choose a smaller min_count")
    return matrix, number
