"""P(NP | CP) by a network that reads the whole sentence: what `sequence` (Goto et al. 2013) learns
about the words around and between two places, the network learns about all words.

Learning needs words and alignment only; word classes or tags help with rare words. The learned
network is a few plain arrays. For each sentence it fills one table, like the other models of the
next word.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int32Array
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.next_word.attention.network import (
    CLASSES,
    HEADS,
    NARROWER,
    REACH,
    WIDER,
    Network,
    forward,
)
from hyperbaton.models.distortion.next_word.attention.places import (
    BEGIN_ROW,
    END_ROW,
    FIRST_ROW,
    Places,
    coded,
    rows_of_words,
    with_ends,
)
from hyperbaton.models.distortion.next_word.attention.training import (
    TrainingSettings,
    train_network,
)
from hyperbaton.models.distortion.next_word.events import ORDERS, find_events
from hyperbaton.models.distortion.next_word.fitting import split_held_out
from hyperbaton.models.distortion.next_word.model import NextWordModel
from hyperbaton.models.distortion.next_word.scores import log_probabilities
from hyperbaton.models.distortion.next_word.templates import BEGIN, END, PAD

VISITS = 600_000  # of sentences in training, if the number of passes allows
FEWEST_PASSES, MOST_PASSES = 3, 6
_BLAS = ThreadpoolController()  # limited to one thread: a sentence is too small for several


@dataclass(eq=False, kw_only=True)
class Attention(NextWordModel):
    """P(next source word | last one), read off the whole sentence by a small network."""

    name: ClassVar[str] = "attention"
    FORMAT: ClassVar[int] = 2  # 1 had no sums over passed places

    size: int = 192  # of the vectors of places; a multiple of 4
    layers: int = 2  # of self-attention
    # over the sentences, the best on held-out sentences is kept; 0: by the number of sentences
    passes: int = 0
    rate: float = 0.003  # step size at the beginning
    dropout: float = 0.2  # share of the values that are dropped in each step
    forget: float = 0.05  # share of the words that are replaced by the unknown word in each step
    min_count: int = 3  # words that occur less often are unknown

    max_sentences: int = 0  # train on the first sentences only; 0: all
    max_length: int = 80  # skip source sentences with more words; 0: keep all

    @property
    def feature_names(self) -> tuple[str, ...]:
        variant = [self.order] if self.order != ORDERS[0] else []
        return (".".join([self.name, *variant, "logp"]),)

    def check_settings(self) -> None:
        super().check_settings()
        self._check_at_least(0, "passes")
        self._check_at_least(1, "layers", "min_count")
        is_size = self.size >= HEADS and self.size % HEADS == 0
        self._check("size", is_size, f"expected a multiple of {HEADS}")
        self._check_positive("rate")
        for key in ("dropout", "forget"):
            self._check(key, 0 <= getattr(self, key) < 1, "expected a number from 0 to below 1")

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        seed: int = 0,
        threads: int = 2,
        progress: Progress = silent,
    ) -> Self:
        corpus, coder = self.usable(corpus)
        symbols = coder.corpus(corpus)
        known = symbols.words[symbols.words >= 0]
        self.row_of_word_ = rows_of_words(
            np.bincount(known, minlength=len(coder.vocabulary)), self.min_count
        )
        words, second = coded(symbols, self.row_of_word_)
        n_rows = max(FIRST_ROW, int(self.row_of_word_.max(initial=0)) + 1)
        n_symbols = int(second.max(initial=END)) + 1
        events = find_events(corpus, self.order, self.left_out)
        places = Places(words, second, corpus.source.words.offsets, n_rows, n_symbols, events)
        rows, held_out = split_held_out(len(corpus))
        names = ("size", "layers", "rate", "dropout", "forget")
        settings = TrainingSettings(
            **{name: getattr(self, name) for name in names},
            passes=self.passes or usual_passes(len(rows)),
            seed=seed,
        )
        self.network_, self.tests_ = train_network(
            places, rows, held_out, settings, threads, progress
        )
        self.coder_ = coder
        return self

    def scores(self, sentence: Sentence) -> FloatArray:
        """Scores of all candidates, (CP, NP − 1)."""
        words, symbols = coded(self.coder_.sentence(sentence), self.row_of_word_)
        # tags that training did not see
        symbols = np.where(symbols < len(self.network_.symbols), symbols, PAD)
        rows = with_ends(words[None], BEGIN_ROW, END_ROW), with_ends(symbols[None], BEGIN, END)
        with _BLAS.limit(limits=1, user_api="blas"):
            scores, _ = forward(self.network_, *rows)
        return scores[0, :-1, 1:].astype(np.float64)

    def table(self, sentence: Sentence) -> FloatArray:
        log_p: FloatArray = log_probabilities(self.scores(sentence))
        return log_p[:, :, None]

    def save(self, directory: Path) -> None:
        arrays: dict[str, NDArray[np.float32] | Int32Array] = {
            "row_of_word": self.row_of_word_,
            **self.network_._asdict(),
        }
        self.save_with_words(directory, {}, arrays)

    def laws(self, arrays: CheckedArrays) -> None:
        n, size, wide = self.layers, self.size, WIDER * self.size
        n_rows = len(arrays.floats("words", np.float32, (None, size)))
        arrays.that("words", n_rows >= FIRST_ROW, "lacks the rows of unknown words and of ends")
        n_symbols = len(arrays.floats("symbols", np.float32, (None, size)))
        arrays.that("symbols", n_symbols > END, "lacks the rows of ends")
        shapes = {
            "attend": (n, size, 3 * size),
            "near": (n, HEADS, 2 * REACH + 1),
            "mix": (n, size, size),
            "widen": (n, size, wide),
            "bias": (n, wide),
            "narrow": (n, wide, size),
            "gains": (2 * n + 1, size),
            "query": (size, size),
            "key": (size, size),
            "leave": (size, 2 * CLASSES),
            "enter": (size, 2 * CLASSES),
            "far": (2 * REACH + 1,),
            "between": (4, size, size // NARROWER),
        }
        for name, shape in shapes.items():
            arrays.floats(name, np.float32, shape)
        n_words = arrays.words("words")
        arrays.indices("row_of_word", np.int32, (n_words,), below=n_rows)

    def load(self, directory: Path) -> Self:
        _, arrays = self.load_with_words(directory)
        self.row_of_word_ = arrays.pop("row_of_word")
        self.network_ = Network(**arrays)
        return self


def usual_passes(n_sentences: int) -> int:
    return min(max(VISITS // n_sentences, FEWEST_PASSES), MOST_PASSES)
