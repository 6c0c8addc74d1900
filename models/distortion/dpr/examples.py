"""The phrase pairs of a corpus as a classification problem: features, distances, clusters."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.words.word_classes import N_CLASSES, WordClasses
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.models.distortion.dpr.alrajeh_features import AlrajehFeatures
from hyperbaton.models.distortion.dpr.feature_set import DescribedPlaces, FeatureSet, Layers
from hyperbaton.models.distortion.dpr.ni_features import NiFeatures
from hyperbaton.models.distortion.dpr.samples import MAX_LENGTH, Samples, collect_samples
from hyperbaton.models.phrases.trie import SpanIds, number_spans

DEFAULT_WINDOW = -1  # the one of the paper
FEATURE_SETS = (NiFeatures.name, AlrajehFeatures.name)


def make_features(name: str, window: int = DEFAULT_WINDOW, order: int = 3) -> FeatureSet:
    """A set of features by name: ni or alrajeh. The order is that of n-grams, which only ni has."""
    if name not in FEATURE_SETS:
        raise SettingError(
            f"there is no set of features {name!r}", expected=nearest(name, list(FEATURE_SETS))
        )
    own: dict[str, Any] = {} if window == DEFAULT_WINDOW else {"window": window}
    features: FeatureSet
    features = NiFeatures(order=order, **own) if name == "ni" else AlrajehFeatures(**own)
    features.check()
    return features


@dataclass(frozen=True, eq=False)
class Examples:
    """Every phrase pair of a corpus in its place."""

    samples: Samples
    described: DescribedPlaces
    cluster: Int64Array  # (n,) number of the source phrase, as in `phrases`
    pair: Int64Array  # (n,) the same number for the same phrase pair
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
    """The examples of a corpus whose sides have word classes; the features learn their columns."""
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
    """The corpus with word classes on both sides, made if there are none, and the classes."""
    source, source_classes = _classified(corpus.source, n_classes)
    target, target_classes = _classified(corpus.target, n_classes)
    return replace(corpus, source=source, target=target), source_classes, target_classes


def _classified(side: Side, n_classes: int) -> tuple[Side, WordClasses]:
    if side.classes is not None:
        return side, _classes_of_layer(side, side.classes)
    classes = WordClasses.fit(side.words, side.vocabulary, n_classes)
    return replace(side, classes=classes.layer(side.words)), classes


def _classes_of_layer(side: Side, layer: Ragged) -> WordClasses:
    """The classes that a layer gives to words; unseen words are treated as in `WordClasses.fit`."""
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
