"""The common part of the models of the next source word in the decoder (Goto et al. 2013, §2).

A step leaves the previous option at CP, the source word of its last aligned target word, and enters
the next one at NP, the source word of its first aligned target word (`events.py` has the rules for
several links and for none). The last step goes to EOS. The scores of all pairs (CP, NP) of a
sentence are one table; its rows are the states for recombination.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.coverage import is_covered
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.interface import (
    DistortionModel,
    HeatMap,
    OptionTable,
    SentenceScorer,
    Steps,
)
from hyperbaton.models.distortion.next_word.events import (
    check_order,
    marked,
    option_ends,
    usable_sentences,
    words_left_out,
)
from hyperbaton.models.distortion.next_word.fitting import (
    Means,
    MoveSettings,
    NextWordSettings,
)
from hyperbaton.models.distortion.next_word.scores import log_probabilities
from hyperbaton.models.distortion.next_word.symbols import CLASSES, TAGS, SymbolCoder
from hyperbaton.models.distortion.tables import Table, TableScorer, weighted_sum


class TopFeature(NamedTuple):
    part: str  # labels or class of the weight
    feature: str
    weight: float


def largest(
    weights: NDArray[Any],
    n: int,
    keys: Int64Array,
    parts: Sequence[str],
    text: Callable[[int], str],
) -> list[TopFeature]:
    """The n weights of largest absolute value; rows are features, with keys that `text` describes,
    and columns are parts."""
    flat = np.abs(weights).reshape(-1)
    first = np.argsort(-flat, kind="stable")[:n]
    rows, columns = np.divmod(first, weights.shape[1])
    return [
        TopFeature(parts[column], text(int(keys[row])), float(weights[row, column]))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


class NextWordModel(MoveSettings, DistortionModel):
    """A model whose features are functions of CP and NP."""

    coder_: SymbolCoder

    @property
    def requires(self) -> frozenset[str]:
        return self.coder_.requires if self.learned() else frozenset()

    @property
    def uses(self) -> frozenset[str]:
        return frozenset({TAGS, CLASSES})  # classes if there are no tags

    def check_settings(self) -> None:
        check_order(self.order)
        self._check_at_least(0, "max_sentences", "max_length")

    def usable(self, corpus: AlignedCorpus) -> tuple[AlignedCorpus, SymbolCoder]:
        """The sentences to learn from, and their coder; checks the settings."""
        self.check_settings()
        corpus = usable_sentences(corpus, self.max_sentences, self.max_length, self.name)
        return corpus, SymbolCoder.of(corpus)

    @abstractmethod
    def table(self, sentence: Sentence) -> FloatArray:
        """Log probabilities of all moves, (CP, NP − 1, F): (n + 1, n + 1, F)."""

    def scores(self, sentence: Sentence) -> FloatArray:
        """Scores of all candidates, (CP, NP − 1); the sum of a model's features."""
        table = self.table(sentence)
        total: FloatArray = np.where(np.isneginf(table), 0.0, table).sum(axis=2)
        return total

    def distributions(self, sentence: Sentence) -> list[FloatArray]:
        """The distributions over next places for each current place, (n + 1, n + 1)."""
        return [np.exp(self.table(sentence)[:, :, 0])]

    @property
    def meanings(self) -> tuple[str, ...]:
        """The probabilities behind the features."""
        return ("P(next word | current word)",)

    def prepare(self, sentence: Sentence, options: OptionTable) -> SentenceScorer:
        return NextWordScorer(self, sentence, options, self.table(sentence))

    def ends(self, sentence: Sentence, options: OptionTable) -> tuple[Int32Array, Int32Array]:
        """The places where options are entered, and where they are left; the latter begins with
        BOS."""
        source_out = np.zeros(options.n_words, np.bool_)
        target_out = np.zeros(len(options), np.uint8)
        if self.left_out:
            source_out[:] = [word in self.left_out for word in sentence.words]
            mark = marked(options.phrases.target_vocabulary, self.left_out)
            target_out = words_left_out(options.target_words, mark)
        entered, left = option_ends(
            options.start, options.end, options.inner, source_out, target_out,
            check_order(self.order),
        )  # fmt: skip
        return entered, np.concatenate([np.zeros(1, np.int32), left])

    def save_with_words(
        self, directory: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Writes the learned arrays, and the vocabularies of the features' symbols."""
        words = {"words": self.coder_.vocabulary, "tags": self.coder_.tag_vocabulary}
        save_arrays(directory, self.FORMAT, {"layer": self.coder_.layer, **header}, arrays, words)

    def load_with_words(self, directory: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Reads header and arrays; sets the symbol coder."""
        header, arrays, words = load_arrays(directory, self.FORMAT, self.laws, self.settings())
        self.coder_ = SymbolCoder(words["words"], header["layer"], words["tags"])
        return header, arrays


class LogLinearModel(NextWordSettings, NextWordModel):
    """A model with a weight for each feature."""

    def check_settings(self) -> None:
        super().check_settings()
        self._check_at_least(0, "prior")
        self._check_at_least(1, "min_count", "passes")

    def fit_with(self, corpus: AlignedCorpus, means: Means) -> Self:
        corpus, coder = self.usable(corpus)
        self.learn(corpus, coder, means)
        self.coder_ = coder
        return self

    @abstractmethod
    def learn(self, corpus: AlignedCorpus, coder: SymbolCoder, means: Means) -> None:
        """Learns from checked sentences."""

    @abstractmethod
    def top_features(self, n: int) -> list[TopFeature]:
        """The features with the largest weights."""


class NextWordScorer(TableScorer):
    """The table of a sentence; ending it is a move to EOS."""

    # Chosen on 500 sentences of jaen and the Japanese sample's development set
    jump_share: ClassVar[float] = 0.3

    def __init__(
        self, model: NextWordModel, sentence: Sentence, options: OptionTable, table: FloatArray
    ) -> None:
        entered, left = model.ends(sentence, options)
        self._model, self._sentence, self._log_p = model, sentence, table
        # there are no moves from a place to itself, but 0 · −∞ would be NaN
        values = np.where(np.isneginf(table), 0.0, table)
        super().__init__(table.shape[2], [Table(left, entered - 1, values)])
        # only the place counts, so options with equal ends have the same state
        self.finish_values = values[left, -1]
        self._entered = entered

    def option_estimate(self, n_options: int) -> FloatArray:  # noqa: ARG002
        """The best score of entering an option, from any place."""
        best: FloatArray = self._log_p.max(axis=0)[self._entered - 1]
        return best

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        """As if phrases were entered at their first word and left at their last."""
        return weighted_sum(self.tables[0].values[:, :-1], weights)

    def heat_maps(self) -> Sequence[HeatMap]:
        return [
            heat_map(f"{name}: {meaning}", self._sentence, self._log_p[:, :, feature])
            for feature, (name, meaning) in enumerate(
                zip(self._model.feature_names, self._model.meanings, strict=True)
            )
        ]

    def distributions(self) -> Sequence[FloatArray]:
        return self._model.distributions(self._sentence)


def heat_map(title: str, sentence: Sentence, log_p: FloatArray) -> HeatMap:
    words = sentence.words
    sides = ("<s>", *words), (*words, "</s>")
    return HeatMap(title, *sides, np.exp(log_p), "current word", "next word")


class OpenPlacesScorer(SentenceScorer):
    """Probabilities among the uncovered places and EOS, which depend on the coverage."""

    n_features = 1

    def __init__(
        self, model: NextWordModel, sentence: Sentence, options: OptionTable, scores: FloatArray
    ) -> None:
        self._entered, self._left = model.ends(sentence, options)
        self._scores, self._sentence, self._model = scores, sentence, model

    def features(self, steps: Steps) -> FloatArray:
        values: FloatArray = _open_log_probabilities(
            self._scores,
            steps.coverage,
            self._left[steps.previous + 1],
            self._entered[steps.option] - 1,
        )
        return values.reshape(-1, 1)

    def advance(self, steps: Steps) -> Int64Array:
        return self._left[steps.option + 1].astype(np.int64)

    # at the end only EOS remains: its probability is 1, and `finish` gives 0

    def heat_maps(self) -> Sequence[HeatMap]:
        title = f"{self._model.feature_names[0]}, all places open: {self._model.meanings[0]}"
        return [heat_map(title, self._sentence, log_probabilities(self._scores))]


@kernel
def _open_log_probabilities(scores, coverage, rows, columns):
    """log P of each step's column among the uncovered columns and EOS."""
    n_words = len(scores) - 1
    result = np.empty(len(rows))
    log_z = 0.0
    for step in range(len(rows)):
        # most steps have the same Z as the previous step
        is_same = step > 0 and rows[step] == rows[step - 1]
        for number in range(coverage.shape[1]):
            is_same = is_same and coverage[step, number] == coverage[step - 1, number]
        if not is_same:
            log_z = _log_z(scores[rows[step]], coverage[step], rows[step] - 1, n_words)
        result[step] = scores[rows[step], columns[step]] - log_z
    return result


@inner
def _log_z(scores, coverage, current, n_words):
    """Log of the sum over the uncovered words except `current`, and EOS."""
    highest = scores[n_words]
    for word in range(n_words):
        if word != current and not is_covered(coverage, word):
            highest = max(highest, scores[word])
    z = np.exp(scores[n_words] - highest)
    for word in range(n_words):
        if word != current and not is_covered(coverage, word):
            z += np.exp(scores[word] - highest)
    return highest + np.log(z)
