"""The interface of metrics: additive statistics of each sentence, and a score of their sum.

One small interface serves scoring (sum over the corpus), significance tests (sums over resampled
sentences) and tuning (sums over chosen hypotheses), so `score` works on arrays of sums at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int64Array

Details: TypeAlias = dict[str, int | float | list[float]]


@dataclass(frozen=True)
class Outputs:
    hypotheses: Sequence[str]  # tokenised, words separated by spaces
    references: Sequence[Sequence[str]]  # one or more per sentence
    # Source positions in the order in which hypothesis and reference translate them, for word
    # order metrics; see `tuning/metrics/visits.py`
    hypothesis_visits: Sequence[Sequence[int]] | None = None
    reference_visits: Sequence[Sequence[int]] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)


class Metric(ABC):
    """A metric with all its options. Objects are read-only after construction."""

    name: str  # as in tables: "BLEU"
    higher_is_better: bool = True
    scale: float = 100.0  # the score of a perfect translation, or the unit of an error rate
    needs_visits: bool = False

    @property
    def heading(self) -> str:
        """The name with the direction that is better: `BLEU ↑`, `TER ↓`."""
        return f"{self.name} {'↑' if self.higher_is_better else '↓'}"

    @property
    @abstractmethod
    def signature(self) -> str:
        """All options on which the score depends, for papers and reports."""

    @abstractmethod
    def statistics(self, outputs: Outputs) -> FloatArray:
        """Additive statistics, (n_sentences, n_statistics)."""

    @abstractmethod
    def score(self, sums: FloatArray) -> FloatArray:
        """Scores of sums of statistics, (..., n_statistics) → (...)."""

    def sentence_scores(self, statistics: FloatArray) -> FloatArray:
        """The score of every sentence, (n_sentences, n_statistics) → (n_sentences,)."""
        return self.score(statistics)

    def smooth_sentence_scores(self, statistics: FloatArray) -> FloatArray:
        """The same, smoothed to rank hypotheses of a sentence even if all are bad."""
        return self.sentence_scores(statistics)

    def details(self, sums: FloatArray) -> Details:  # noqa: ARG002
        """The components of the score of one sum of statistics, by name."""
        return {}

    def corpus_score(self, outputs: Outputs) -> float:
        return float(self.score(self.statistics(outputs).sum(axis=0)))


def ratio(part: FloatArray | Int64Array, whole: FloatArray | Int64Array) -> FloatArray:
    """part / whole, 0 where `whole` is 0."""
    whole = np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)
