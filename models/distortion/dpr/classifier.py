"""A trained classifier of phrase moves, for the decoder.

There is one sub-model for every source phrase with enough examples, and a pooled one for the others
(Ni et al. 2011, section 3.2). w_o·φ is a sum over the left edge of a span, its right edge, and the
translation. The features of every edge are looked up once per sentence, and so are their weights in
the pooled model. The sum over a translation is the same in all sentences and is cached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.words.word_classes import WordClasses, classes_of_words
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.array_files import restored, saved
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.distortion.dpr.feature_set import (
    DROPPED,
    FEATURES,
    TRANSLATION,
    FeatureSet,
    Layers,
)
from hyperbaton.models.distortion.dpr.samples import PairPlaces
from hyperbaton.models.distortion.interface import OptionTable
from hyperbaton.models.learning.clusters import POOLED, ClusterModel, cluster_decision
from hyperbaton.models.learning.losses import to_probabilities
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.phrases.trie import ROOT, Trie, child, trie_laws

KNOWN_ZERO = 1e-300  # stored for a computed score of 0
MODEL = "model_"  # prefix of saved arrays with weights


class TranslationScores:
    """A cache of the contribution of each phrase table entry to the scores of the classes.

    It is computed at the first use of an entry. Threads may share it: a score is 0 until it is
    computed, and all threads write the same numbers.
    """

    def __init__(self, phrases: PhraseTable, classifier: "PhraseClassifier") -> None:
        self.phrases = phrases
        words = phrases.target_vocabulary.words
        self.target_ids = classifier.target.vocabulary.encode(words)
        self.scores = np.zeros((len(phrases), classifier.model.pooled.shape[1]))


@dataclass(frozen=True, eq=False)
class PhraseClassifier:
    """p(class of the move | source phrase in its sentence, translation)."""

    features: FeatureSet
    number: Int32Array  # (raw columns,) feature numbers, or DROPPED
    trie: Trie  # of source phrases with a sub-model
    cluster_of_node: Int32Array  # number of the sub-model, or POOLED
    model: ClusterModel
    source: WordClasses
    target: WordClasses

    def log_probabilities(
        self, words: tuple[str, ...], options: OptionTable, memo: "TranslationScores"
    ) -> FloatArray:
        """log p(class) of every option, (N, classes). A copied word has only the features of its
        context."""
        ids = self.source.vocabulary.encode(words)
        columns = self.features.edge_columns(
            ids, self.source.layer(_one_row(ids)).values, self.number
        )
        scores, cluster, new = _score_spans(
            self.model, self.trie, self.cluster_of_node, ids, columns,
            options.start, options.end, options.entry, memo.scores,
        )  # fmt: skip
        if len(new):
            self._remember(memo, options, new, ids, cluster[new])
        _to_log_probabilities(scores, memo.scores, options.entry)
        return scores  # type: ignore[no-any-return]

    def _remember(
        self,
        memo: "TranslationScores",
        options: OptionTable,
        new: Int64Array,
        ids: Int32Array,
        cluster: Int64Array,
    ) -> None:
        """Computes and caches the contribution of the translations of some options."""
        entry, phrases = options.entry[new], options.phrases
        row, table = phrases.target[entry], phrases.target_sides
        begin = table.offsets[row]
        words = Ragged.gather(table.values, begin, table.offsets[row + 1] - begin)
        translations = Ragged(memo.target_ids[words.values], words.offsets)
        source = self.features.text(_layers(self.source, _one_row(ids)), target=False)
        target = self.features.text(_layers(self.target, translations), target=True)
        nowhere = np.zeros(len(new), np.int64)
        places = PairPlaces(
            nowhere,
            nowhere + len(ids),
            options.start[new].astype(np.int64),
            options.end[new].astype(np.int64),
            translations.offsets[:-1],
            translations.offsets[1:],
            phrases.inner_of(entry),
        )
        rows = self.features.rows(source, target, places, self.number, TRANSLATION)
        scores = np.empty((len(new), self.model.pooled.shape[1]))
        cluster_decision(self.model, cluster, *rows, scores)
        memo.scores[entry] = np.where(scores == 0.0, KNOWN_ZERO, scores)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays to save, without the vocabularies."""
        return {
            "number": self.number,
            **saved(self.trie, "trie_"),
            "cluster_of_node": self.cluster_of_node,
            "source_classes": self.source.of_word,
            "target_classes": self.target.of_word,
            **saved(self.model, MODEL),
            **{f"{FEATURES}{name}": values for name, values in self.features.arrays().items()},
        }

    @classmethod
    def from_arrays(
        cls,
        features: FeatureSet,
        arrays: Mapping[str, NDArray[Any]],
        source: Vocabulary,
        target: Vocabulary,
    ) -> "PhraseClassifier":
        def side(of_word: Int32Array, vocabulary: Vocabulary) -> WordClasses:
            return WordClasses(int(of_word.max(initial=0)) + 1, of_word, vocabulary)

        names = [key for key in arrays if key.startswith(FEATURES)]
        of_features = {key.removeprefix(FEATURES): arrays[key] for key in names}
        return cls(
            features.restore(of_features),
            arrays["number"],
            restored(Trie, arrays, "trie_"),
            arrays["cluster_of_node"],
            restored(ClusterModel, arrays, MODEL),
            side(arrays["source_classes"], source),
            side(arrays["target_classes"], target),
        )


def classifier_laws(
    arrays: CheckedArrays, features: FeatureSet, n_classes: int, others: Sequence[str] = ()
) -> None:
    """Checks a classifier on disk, and `others` that differ only in their weights."""
    n_columns = features.laws(arrays)
    n_used, n_models = _weights_laws(arrays, MODEL, n_classes)
    for prefix in others:
        sizes = _weights_laws(arrays, prefix, n_classes)
        arrays.that(f"{prefix}pooled", sizes == (n_used, n_models), "is of another classifier")
    arrays.indices("number", np.int32, (n_columns,), low=DROPPED, below=n_used)
    nodes = arrays.indices("cluster_of_node", np.int32, (None,), low=POOLED, below=n_models)
    trie_laws(arrays, "trie_keys", "trie_nodes", len(nodes))
    for side in ("source", "target"):
        classes_of_words(arrays, f"{side}_classes", side)


def _weights_laws(arrays: CheckedArrays, prefix: str, n_classes: int) -> tuple[int, int]:
    """Checks weights; returns the numbers of features and sub-models."""
    n_used = len(arrays.floats(f"{prefix}pooled", np.float32, (None, n_classes)))
    features = arrays.indices(f"{prefix}features", np.int32, (None,), below=n_used)
    arrays.floats(f"{prefix}weights", np.float32, (len(features), n_classes))
    ids = arrays.array(f"{prefix}ids", np.int64, (None,))
    arrays.rises(f"{prefix}ids", ids)
    arrays.ranges(f"{prefix}offsets", np.int64, len(features), rows=len(ids))
    return n_used, len(ids)


def _layers(classes: WordClasses, words: Ragged) -> Layers:
    return Layers(words, classes.layer(words))


def _one_row(ids: Int32Array) -> Ragged:
    return Ragged(ids, np.array([0, len(ids)]))


@kernel
def _score_spans(model, trie, cluster_of_node, words, columns, start, end, entry, known):
    """The contribution of each option's span to the scores, (N, K); the sub-model of its source
    phrase; and the options whose translations are not cached yet.

    Options of one span need not be adjacent, but each span is looked up only once.
    """
    n_options, n_classes, n_words = len(start), model.pooled.shape[1], len(words)
    pooled = np.zeros((2, n_words + 1, n_classes))
    for edge in range(2):
        for place in range(n_words + 1):
            for column in columns[edge, place]:
                if column != DROPPED:
                    for o in range(n_classes):
                        pooled[edge, place, o] += model.pooled[column, o]
    scores = np.empty((n_options, n_classes))
    clusters = np.empty(n_options, np.int64)
    new = np.empty(n_options, np.int64)
    n_new = 0
    first = np.full((n_words + 1, n_words + 1), -1, np.int32)  # the first option of each span
    for option in range(n_options):
        before, behind = start[option], end[option]
        same = first[before, behind]
        if same >= 0:
            clusters[option] = clusters[same]
            for o in range(n_classes):
                scores[option, o] = scores[same, o]
        else:
            first[before, behind] = option
            cluster = _cluster(trie, cluster_of_node, words, before, behind)
            clusters[option] = cluster
            if cluster == POOLED:
                for o in range(n_classes):
                    scores[option, o] = pooled[0, before, o] + pooled[1, behind, o]
            else:
                scores[option] = 0.0
                _add_weights(model, cluster, columns[0, before], scores[option])
                _add_weights(model, cluster, columns[1, behind], scores[option])
        if entry[option] >= 0:
            for o in range(n_classes):
                if known[entry[option], o] == 0.0:
                    new[n_new] = option
                    n_new += 1
                    break
    return scores, clusters, new[:n_new].copy()


@inner
def _cluster(trie, cluster_of_node, words, start, end):
    """The sub-model of a source phrase, or POOLED."""
    node = np.int32(ROOT)
    for at in range(start, end):
        node = child(trie, node, words[at])
        if node == EMPTY:
            return np.int32(POOLED)
    return cluster_of_node[node]


@inner
def _add_weights(model, cluster, columns, scores):
    """Adds a sub-model's weights of the columns to the scores."""
    begin, end = model.offsets[cluster], model.offsets[cluster + 1]
    at, last = begin, np.int32(DROPPED)
    for column in columns:
        if column == DROPPED:
            continue
        # columns mostly increase: search each after the previous one
        at = lower_bound(model.features, at if column >= last else begin, end, column)
        last = column
        if at < end and model.features[at] == column:
            for o in range(len(scores)):
                scores[o] += model.weights[at, o]


@kernel
def _to_log_probabilities(scores, of_entries, entry):
    """p(o) = exp(w_o·φ) / Σ exp(w_o'·φ), eq. (3): adds the contribution of each option's
    translation to the scores, and replaces them by log p."""
    n_classes = scores.shape[1]
    p = np.empty(n_classes)
    for option in range(len(entry)):
        for o in range(n_classes):
            if entry[option] >= 0:
                scores[option, o] += of_entries[entry[option], o]
            p[o] = scores[option, o]
        log_total = to_probabilities(p)
        for o in range(n_classes):
            scores[option, o] -= log_total
