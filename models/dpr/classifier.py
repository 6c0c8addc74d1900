"""A trained classifier of phrase moves, as the decoder uses it.

One sub-model for every source phrase with enough examples, a pooled one for the others (Ni et al.
2011, section 3.2). For a sentence the features of the spans are looked up once, since they are the
same for all translations of a span, and those of the translations are added: w_o·φ is a sum.
What a translation adds is the same in all sentences and is remembered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array, Ragged
from models.distortion.interface import OptionTable
from models.dpr.features import (
    SOURCE,
    TRANSLATION,
    FeatureSet,
    Layers,
    Places,
)
from models.hashing import EMPTY
from models.learning.cluster_model import POOLED, ClusterModel, cluster_decision
from models.phrases.table import PhraseTable
from models.phrases.trie import ROOT, Trie, child
from models.vocabulary import Vocabulary
from models.word_classes import WordClasses

FloatArray = NDArray[np.float64]
NOTHING = 1e-300  # a score of 0 that is known


class TranslationScores:
    """What each entry of a phrase table adds to the scores of the classes.

    It is the same in every sentence and is worked out when an entry is first met. Threads may share
    it: a score is 0 until it is known, and all threads write the same numbers.
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
    number: Int32Array  # (raw columns,) features that are used
    trie: Trie  # of source phrases with a sub-model
    cluster_of_node: Int32Array  # number of the sub-model, or POOLED
    model: ClusterModel
    source: WordClasses
    target: WordClasses

    def probabilities(
        self, words: tuple[str, ...], options: OptionTable, memo: "TranslationScores"
    ) -> FloatArray:
        """For every option, (N, classes). A copied word has the features of its surroundings
        only."""
        ids = self.source.vocabulary.encode(words)
        source = self.features.source_text(self._layers(self.source, _one_row(ids)))
        start, end, span_of_option = _spans(options.start, options.end, len(ids))
        cluster = _clusters(self.trie, self.cluster_of_node, ids, start, end)
        nowhere = np.zeros(len(start), np.int64)
        places = Places(
            nowhere, nowhere + len(ids), start, end, nowhere, nowhere, nowhere.view(np.uint64)
        )
        of_spans = self._decision(source, self._no_text, places, SOURCE, cluster)
        new = _missing(memo.scores, options.entry)
        if len(new):
            self._remember(memo, options, new, source, len(ids), cluster[span_of_option[new]])
        return _combined(of_spans, span_of_option, memo.scores, options.entry)  # type: ignore[no-any-return]

    def _remember(
        self,
        memo: "TranslationScores",
        options: OptionTable,
        new: Int64Array,
        source: Any,
        n_words: int,
        cluster: Int64Array,
    ) -> None:
        """Works out what the translations of some options add to the scores."""
        entry, phrases = options.entry[new], options.phrases
        row, table = phrases.target[entry], phrases.target_phrases
        begin = table.offsets[row]
        words = Ragged.gather(table.values, begin, table.offsets[row + 1] - begin)
        translations = Ragged(memo.target_ids[words.values], words.offsets)
        target = self.features.target_text(self._layers(self.target, translations))
        nowhere = np.zeros(len(new), np.int64)
        places = Places(
            nowhere,
            nowhere + n_words,
            options.start[new].astype(np.int64),
            options.end[new].astype(np.int64),
            translations.offsets[:-1],
            translations.offsets[1:],
            phrases.inner[entry],
        )
        scores = self._decision(source, target, places, TRANSLATION, cluster)
        memo.scores[entry] = np.where(scores == 0.0, NOTHING, scores)

    @cached_property
    def _no_text(self) -> Any:
        return self.features.target_text(self._layers(self.target, _one_row(np.empty(0, np.int32))))

    def _decision(
        self, source: Any, target: Any, places: Places, parts: int, cluster: Int64Array
    ) -> FloatArray:
        rows = self.features.rows(source, target, places, self.number, parts)
        scores = np.empty((len(places.inner), self.model.pooled.shape[1]))
        cluster_decision(self.model, cluster, *rows, scores)
        return scores

    @staticmethod
    def _layers(classes: WordClasses, words: Ragged) -> Layers:
        return Layers(words, classes.layer(words))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What `save` of the model writes, but for the vocabularies."""
        return {
            "number": self.number,
            "trie_keys": self.trie.keys,
            "trie_nodes": self.trie.nodes,
            "cluster_of_node": self.cluster_of_node,
            "source_classes": self.source.of_word,
            "target_classes": self.target.of_word,
            **{f"model_{name}": values for name, values in self.model._asdict().items()},
            **{f"features_{name}": values for name, values in self.features.arrays().items()},
        }

    @classmethod
    def from_arrays(
        cls,
        features: FeatureSet,
        arrays: Mapping[str, NDArray[Any]],
        source: Vocabulary,
        target: Vocabulary,
    ) -> "PhraseClassifier":
        prefix = "features_"
        own = {
            name.removeprefix(prefix): values
            for name, values in arrays.items()
            if name.startswith(prefix)
        }
        model = ClusterModel(**{name: arrays[f"model_{name}"] for name in ClusterModel._fields})
        sides = [
            WordClasses(int(of_word.max(initial=0)) + 1, of_word, vocabulary)
            for of_word, vocabulary in (
                (arrays["source_classes"], source),
                (arrays["target_classes"], target),
            )
        ]
        return cls(
            features.restore(own),
            arrays["number"],
            Trie(arrays["trie_keys"], arrays["trie_nodes"]),
            arrays["cluster_of_node"],
            model,
            *sides,
        )


def _one_row(ids: Int32Array) -> Ragged:
    return Ragged(ids, np.array([0, len(ids)]))


@njit(cache=True, nogil=True)
def _spans(start, end, n_words):
    """Start and end of the distinct spans of options, and the number of each option's span."""
    number = np.full((n_words + 1, n_words + 1), -1, np.int32)
    starts, ends = np.empty(len(start), np.int64), np.empty(len(start), np.int64)
    span_of_option = np.empty(len(start), np.int64)
    n_spans = 0
    for option in range(len(start)):
        first, last = start[option], end[option]
        if number[first, last] < 0:
            number[first, last] = n_spans
            starts[n_spans], ends[n_spans] = first, last
            n_spans += 1
        span_of_option[option] = number[first, last]
    return starts[:n_spans].copy(), ends[:n_spans].copy(), span_of_option


@njit(cache=True, nogil=True)
def _missing(scores, entry):
    """Options whose entries have a score that is not known."""
    new = np.empty(len(entry), np.int64)
    n_new = 0
    for option in range(len(entry)):
        if entry[option] < 0:
            continue
        for o in range(scores.shape[1]):
            if scores[entry[option], o] == 0.0:
                new[n_new] = option
                n_new += 1
                break
    return new[:n_new].copy()


@njit(cache=True, nogil=True)
def _combined(of_spans, span_of_option, scores, entry):
    """p(o) = exp(w_o·φ) / Σ exp(w_o'·φ), eq. (3), of the summed scores of each option."""
    n_classes = of_spans.shape[1]
    result = np.empty((len(entry), n_classes))
    for option in range(len(entry)):
        highest = -np.inf
        for o in range(n_classes):
            value = of_spans[span_of_option[option], o]
            if entry[option] >= 0:
                value += scores[entry[option], o]
            result[option, o] = value
            highest = max(highest, value)
        total = 0.0
        for o in range(n_classes):
            result[option, o] = np.exp(result[option, o] - highest)
            total += result[option, o]
        for o in range(n_classes):
            result[option, o] /= total
    return result


@njit(cache=True, nogil=True)
def _clusters(trie, cluster_of_node, words, start, end):
    """The sub-model of each span's source phrase."""
    clusters = np.full(len(start), POOLED, np.int64)
    for span in range(len(start)):
        node = np.int32(ROOT)
        for at in range(start[span], end[span]):
            node = child(trie, node, words[at])
            if node == EMPTY:
                break
        if node != EMPTY:
            clusters[span] = cluster_of_node[node]
    return clusters
