"""The pair and the sequence model (Goto et al. 2013, eqs. 1 and 2): log P(NP | CP).

Both use the words around the current place and around each candidate. The sequence model also uses
all words between them, and so learns the effect of distance from the data. Trained by
`models/distortion/next_word/fitting.py`.
"""

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import VACANT
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.workers import Crew
from hyperbaton.models.distortion.interface import OptionTable, SentenceScorer
from hyperbaton.models.distortion.next_word.events import ORDERS
from hyperbaton.models.distortion.next_word.fitting import (
    FITTING_MEMORY,
    Means,
    WordPairSettings,
    train_word_pairs,
)
from hyperbaton.models.distortion.next_word.model import (
    LogLinearModel,
    OpenPlacesScorer,
    TopFeature,
    largest,
)
from hyperbaton.models.distortion.next_word.scores import (
    PAIR,
    SEQUENCE,
    log_probabilities,
    next_word_scores,
)
from hyperbaton.models.distortion.next_word.selection import (
    keys_in_order,
    restored_index,
    saved_index,
)
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.templates import TAG_PAIR, describe
from hyperbaton.models.learning.l_bfgs import PriorTrial

CANDIDATES = ["all", "open"]
LABEL_NAMES = ("C N", "C I", "I N")  # labels of i and j, see models/distortion/next_word/scores.py
DISTANCE_NAMES = ("1", "2 to 5", "6 or more")
ORIENTATIONS = ("forward", "back")


class WordPairModel(WordPairSettings, LogLinearModel):
    """The common part of both models."""

    FORMAT: ClassVar[int] = 2
    REVISION: ClassVar[int] = 2  # 1 lost gradients of places that are current twice
    labels: ClassVar[int]

    @property
    def feature_names(self) -> tuple[str, ...]:
        usual = ORDERS[0], CANDIDATES[0]
        variant = [value for value in (self.order, self.candidates) if value not in usual]
        return (".".join([self.name, *variant, "logp"]),)

    def check_settings(self) -> None:
        super().check_settings()
        self._check_choice("candidates", CANDIDATES)
        self._check_at_least(-1, "start_passes")

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        threads: int = 2,
        progress: Progress = silent,
        memory: int = FITTING_MEMORY,
        crew: Crew | None = None,
    ) -> Self:
        return self.fit_with(corpus, Means(threads, progress, memory, crew))

    def learn(self, corpus: AlignedCorpus, coder: SymbolCoder, means: Means) -> None:
        fit = train_word_pairs(corpus, coder, self.labels, self, means)
        self.index_ = fit.index
        # half the memory, and the same values as after saving and loading
        self.weights_: NDArray[np.float32] = fit.weights.astype(np.float32)
        self.prior_, self.trials_ = fit.prior, fit.trials
        self.n_events_, self.n_passes_ = fit.n_events, fit.n_passes

    def scores(self, sentence: Sentence) -> FloatArray:
        """Scores of all candidates, (CP, NP − 1)."""
        return next_word_scores(self.coder_.sentence(sentence), self.index_, self.weights_)

    def table(self, sentence: Sentence) -> FloatArray:
        log_p: FloatArray = log_probabilities(self.scores(sentence))
        return log_p[:, :, None]

    def prepare(self, sentence: Sentence, options: OptionTable) -> SentenceScorer:
        if self.candidates == "open":
            return OpenPlacesScorer(self, sentence, options, self.scores(sentence))
        return super().prepare(sentence, options)

    def top_features(self, n: int) -> list[TopFeature]:
        keys, text = keys_in_order(self.index_), lambda key: pair_feature(key, self.coder_)
        labels = LABEL_NAMES if self.labels == SEQUENCE else ("",)
        return largest(self.weights_[:-1], n, keys, labels, text)

    def save(self, directory: Path) -> None:
        header = {
            "prior": self.prior_,
            "trials": [list(trial) for trial in self.trials_],
            "n_events": self.n_events_,
            "n_passes": self.n_passes_,
            "n_features": self.index_.n_features,
            "n_others": int(self.index_.begin[0]),
        }
        arrays: dict[str, NDArray[Any]] = {
            **saved_index(self.index_),
            "weights": self.weights_,
        }
        self.save_with_words(directory, header, arrays)

    def laws(self, arrays: CheckedArrays) -> None:
        n_features, n_others = arrays.number("n_features"), arrays.number("n_others")
        for name in ("prior", "n_events", "n_passes"):
            arrays.number(name, float)
        arrays.hash_table("keys", "numbers", n_others, free=VACANT, by_key=True)
        begin = arrays.ranges("begin", np.int32, n_features, first=n_others)
        arrays.hash_table("pairs", "record", len(begin) - 1, free=VACANT, by_key=True)
        n_of_records = (n_features - n_others,)
        arrays.indices("template", np.uint8, n_of_records, below=TAG_PAIR)
        arrays.floats("weights", np.float32, (n_features + 1, self.labels))

    def load(self, directory: Path) -> Self:
        header, arrays = self.load_with_words(directory)
        self.index_ = restored_index(arrays)
        self.weights_ = arrays["weights"]
        self.prior_ = header["prior"]
        self.trials_ = [PriorTrial(*trial) for trial in header["trials"]]
        self.n_events_, self.n_passes_ = header["n_events"], header["n_passes"]
        return self


class Pair(WordPairModel):
    """P(next source word | last one) from the words around both (Goto et al. 2013, eq. 1)."""

    name: ClassVar[str] = "pair"
    labels = PAIR


class Sequence(WordPairModel):
    """Like pair, but also from all words between them (Goto et al. 2013, eq. 2)."""

    name: ClassVar[str] = "sequence"
    labels = SEQUENCE


def pair_feature(key: int, coder: SymbolCoder) -> str:
    """`back, s[i]=kare, s[j]=katta`: orientation, then words and tags at places around CP (i) and
    NP (j)."""
    names, o, symbols = describe(key)
    parts = [
        f"distance {DISTANCE_NAMES[symbol]}"
        if name == "d"
        else f"{name}={coder.text(name, symbol)}"
        for name, symbol in zip(names, symbols, strict=True)
    ]
    return ", ".join([ORIENTATIONS[o], *parts])
