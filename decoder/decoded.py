"""The result of a search: the derivations of one sentence, best first.

Both searches implement this interface, and everything that uses their results knows nothing else:
tuning, metrics, output and pictures.
"""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged


class Decoded(ABC):
    sentence: Sentence
    scores: FloatArray  # (derivations,)
    feature_names: tuple[str, ...]
    # difference from a requested translation that the search could not produce
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.scores)

    @property
    @abstractmethod
    def statistics(self) -> SearchStatistics: ...

    @property
    def n_pieces(self) -> int:
        """The number of separately translated pieces."""
        return 1

    @abstractmethod
    def words(self, number: int = 0) -> list[str]:
        """The translation; unknown words are copied."""

    @abstractmethod
    def spans(self, number: int = 0) -> list[tuple[int, int, int, int]]:
        """Source start and end, target start and end of every phrase, in target order. Phrases are
        the parts that a derivation puts one after the other."""

    @abstractmethod
    def links(self, number: int = 0) -> list[tuple[int, int]]:
        """Word alignment, sorted."""

    @abstractmethod
    def unknown(self, number: int = 0) -> tuple[int, ...]:
        """The numbers of the spans that copy or drop an unknown word."""

    @abstractmethod
    def features(self) -> FloatArray:
        """(derivations, features), in the order of `feature_names`."""

    @abstractmethod
    def all_words(self) -> Ragged:
        """The words of all derivations as ids of the target vocabulary; a copied word is −1 − (its
        source position)."""

    @abstractmethod
    def all_links(self) -> Ragged:
        """The word alignments of all derivations; 16 bits per position."""

    @abstractmethod
    def take(self, numbers: Int64Array) -> Self:
        """The chosen derivations."""

    def copied(self, number: int = 0) -> list[str]:
        """The source words without a translation."""
        unknown = self.unknown(number)
        spans = self.spans(number) if unknown else []
        places = [spans[step][:2] for step in unknown]
        return [word for start, end in places for word in self.sentence.words[start:end]]

    def first_of_each_translation(self) -> Int64Array:
        """The numbers of the best derivations of each distinct translation."""
        seen: dict[tuple[str, ...], int] = {}
        for number in range(len(self)):
            seen.setdefault(tuple(self.words(number)), number)
        return np.array(list(seen.values()), dtype=np.int64)
