"""The interface of language models for the decoder."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.stepping import score_words, step


class Speaker:
    """A model for one thread, with the states used so far. State numbers are not valid for other
    speakers of the same model."""

    begin_state: int  # after <s>
    weight: float  # factor of its log probabilities

    def __init__(
        self, lm: Any, begin_state: int, weight: float, gains: FloatArray | None = None
    ) -> None:
        self._lm, self.begin_state, self.weight = lm, begin_state, weight
        self.falls = weight >= 0  # no word has a positive weighted score
        self._gains = gains

    @property
    def lm(self) -> Any:
        """The model for compiled code; may change after each use."""
        return self._lm

    def gains(self, words: Int32Array) -> FloatArray:
        """How much each word gains on average from the word before it (`context_gains`); 0 if the
        model cannot tell."""
        return np.zeros(len(words)) if self._gains is None else self._gains[words]

    def forgets(self) -> bool:
        """Call between sentences: clears the states if there are too many; returns whether it
        did."""
        return False

    def has_grown(self) -> bool:
        """Call after scoring: whether the table of states was full. It has then been enlarged, and
        scoring must be repeated."""
        return False

    def check(self) -> None:
        """Raises an error that occurred in a query."""


class SpeakingModel(ABC):
    """A language model, or several. Thread-safe. Scores are natural logarithms."""

    order: int
    feature_names: tuple[str, ...] = ("lm",)
    _encoded: tuple[Vocabulary | None, Int32Array] = None, np.empty(0, np.int32)

    @abstractmethod
    def encode(self, words: Iterable[str]) -> Int32Array:
        """The ids of words; <unk> for unknown words."""

    def encode_all(self, vocabulary: Vocabulary) -> Int32Array:
        """The ids of all words of a vocabulary, remembered until another one is asked for."""
        last, ids = self._encoded
        if last is not vocabulary or len(ids) != len(vocabulary):
            ids = self.encode(vocabulary.words)
            self._encoded = vocabulary, ids
        return ids

    @abstractmethod
    def speaker(self, weights: FloatArray) -> Speaker:
        """A speaker for one thread, with a weight for each feature."""

    @abstractmethod
    def feature_scores(
        self, sentences: Ragged, *, end: bool = True, after: Sequence[int] = ()
    ) -> FloatArray:
        """log p of sentences of word ids after the words `after`, (sentences, features); includes
        </s> if `end`."""


class SingleModel(SpeakingModel):
    """A single language model."""

    @abstractmethod
    def own_speaker(self) -> AbstractContextManager[Speaker]:
        """Provides a speaker for exclusive use inside the context."""

    def score(self, words: Sequence[str], begin: bool = True, end: bool = True) -> float:
        """log p of a sentence: after <s> if `begin`, with </s> if `end`."""
        return float(self.word_scores(words, begin, end).sum())

    def word_scores(self, words: Sequence[str], begin: bool = True, end: bool = True) -> FloatArray:
        """log p of each word, (words,) or, with `end`, (words + 1,)."""
        ids = self.encode(words)
        with self.own_speaker() as speaker:
            state = speaker.begin_state if begin else EMPTY_STATE
            scores = score_words(speaker.lm, ids, np.array([0, len(ids)]), state, end)
            speaker.check()
        return np.asarray(scores, np.float64)

    def feature_scores(
        self, sentences: Ragged, *, end: bool = True, after: Sequence[int] = ()
    ) -> FloatArray:
        with self.own_speaker() as speaker:
            state = speaker.begin_state
            for word in after:
                _, state = step(speaker.lm, state, word)
            scores = score_words(speaker.lm, sentences.values, sentences.offsets, state, end)
            speaker.check()
        row = np.repeat(np.arange(len(sentences)), sentences.lengths + int(end))
        return np.bincount(row, scores, minlength=len(sentences)).astype(np.float64)[:, None]
