"""The built-in language model: an automaton with its vocabulary."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.files.vocabulary import BEGIN, Vocabulary
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.arpa import read_arpa
from hyperbaton.models.language_model.automaton import (
    STATE,
    TRANSITION,
    UNIGRAM,
    Automaton,
    build_automaton,
    context_gains,
    list_ngrams,
)
from hyperbaton.models.language_model.ngrams import NGrams
from hyperbaton.models.language_model.speaking import SingleModel, Speaker

FORMAT = 2


class LanguageModel(SingleModel):
    def __init__(self, automaton: Automaton, vocabulary: Vocabulary, order: int) -> None:
        self.automaton, self.vocabulary, self.order = automaton, vocabulary, order
        self.begin_state = int(automaton.unigrams[BEGIN]["next"])  # the state after <s>

    @classmethod
    def from_ngrams(cls, ngrams: NGrams, scratch: Scratch = Scratch()) -> "LanguageModel":
        return cls(build_automaton(ngrams, scratch), ngrams.vocabulary, ngrams.order)

    @classmethod
    def from_arpa(cls, path: Path, progress: Progress = silent) -> "LanguageModel":
        return cls.from_ngrams(read_arpa(path, progress))

    @classmethod
    def load(cls, directory: Path) -> "LanguageModel":
        """Maps a saved model into memory; pages are read at first use."""
        header, arrays, vocabularies = load_arrays(directory, FORMAT, automaton_laws)
        return cls(Automaton(**arrays), vocabularies["vocabulary"], header["order"])

    def save(self, directory: Path) -> None:
        words = {"vocabulary": self.vocabulary}
        save_arrays(directory, FORMAT, {"order": self.order}, self.automaton._asdict(), words)

    def ngrams(self) -> NGrams:
        """All n-grams of the model, for an ARPA file."""
        return list_ngrams(self.automaton, self.vocabulary, self.order)

    def encode(self, words: Iterable[str]) -> Int32Array:
        return self.vocabulary.encode(words)

    def speaker(self, weights: FloatArray) -> Speaker:
        return Speaker(self.automaton, self.begin_state, float(weights[0]), self._gains)

    def feature_scores(
        self, sentences: Ragged, *, end: bool = True, after: Sequence[int] = ()
    ) -> FloatArray:
        words = sentences.values
        if len(words) and not 0 <= words.min() <= words.max() < len(self.vocabulary):
            raise IndexError("a word id is not in this model's vocabulary")
        return super().feature_scores(sentences, end=end, after=after)

    @cached_property
    def _gains(self) -> FloatArray:
        return context_gains(self.automaton)

    def own_speaker(self) -> AbstractContextManager[Speaker]:
        return nullcontext(self.speaker(np.ones(1)))


def automaton_laws(arrays: CheckedArrays, n_words: int | None = None) -> None:
    """`n_words`: number of words, by default that of the vocabulary."""
    n_words = arrays.words("vocabulary") if n_words is None else n_words
    states = arrays.array("states", STATE, (None,))
    n = len(states) - 1  # the last row only marks the end of the transitions
    arrays.that("states", n > 0, "has no state")
    transitions = arrays.array("transitions", TRANSITION, (None,))
    unigrams = arrays.array("unigrams", UNIGRAM, (n_words,))
    for name, records in (("transitions", transitions), ("unigrams", unigrams)):
        arrays.within(f"{name}.next", records["next"], 0, n)
        arrays.finite(f"{name}.logprob", records["logprob"])
    arrays.finite("states.backoff", states["backoff"][:n])
    arrays.never_falls("states.first", states["first"], 0, len(transitions))
    shorter = states["suffix"][1:n]
    arrays.within("states.suffix", shorter, 0, n)
    ends = np.all(shorter < np.arange(1, n, dtype=np.int32))  # backing off leads to state 0
    arrays.that("states.suffix", ends, "has a state that is not longer than its suffix")
    promised = np.any((states["signature"][:n] != 0) & (np.diff(states["first"]) == 0))
    arrays.that("states.signature", not promised, "marks words in a state without transitions")
    arrays.number("order", low=1)
