"""What a decoder needs of a language model, or of several."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.stepping import score_words, step


class Speaker:
    """A model as one thread asks it, with the states it has met. Their numbers mean nothing to
    other speakers of the same model."""

    begin_state: int  # after <s>
    weight: float  # by which its log probabilities are to be multiplied

    def __init__(self, lm: Any, begin_state: int, weight: float) -> None:
        self._lm, self.begin_state, self.weight = lm, begin_state, weight

    @property
    def lm(self) -> Any:
        """For compiled code, until the next question."""
        return self._lm

    def forgets(self) -> bool:
        """Between two sentences: whether states have new numbers, because there were too many."""
        return False

    def has_grown(self) -> bool:
        """After questions: whether there was no room for a state. There is now: ask again."""
        return False

    def check(self) -> None:
        """Raises what went wrong in an answer."""


class SpeakingModel(ABC):
    """Read-only; threads may share one. Scores are natural logarithms."""

    order: int
    feature_names: tuple[str, ...] = ("lm",)

    @abstractmethod
    def encode(self, words: Iterable[str]) -> Int32Array:
        """The numbers of words; those that it does not know are <unk>."""

    @abstractmethod
    def speaker(self, weights: FloatArray) -> Speaker:
        """For one thread, with a weight for each feature."""

    @abstractmethod
    def feature_scores(
        self, sentences: Ragged, *, end: bool = True, after: Sequence[int] = ()
    ) -> FloatArray:
        """log p of sentences of word numbers, (sentences, features), if they follow the words
        `after`; with </s> if `end`."""


class SingleModel(SpeakingModel):
    """A model by itself."""

    @abstractmethod
    def own_speaker(self) -> AbstractContextManager[Speaker]:
        """For as long as nobody else needs it."""

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
