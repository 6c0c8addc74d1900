"""The language model that the decoder asks: an automaton, and the words that its numbers mean."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models.arrays import FloatArray, Ragged
from models.data.array_files import load_arrays, save_arrays
from models.data.vocabulary import BEGIN, Vocabulary
from models.language_model.arpa_reading import read_arpa
from models.language_model.automaton import EMPTY_STATE, Automaton, hash_shift, score_words
from models.language_model.building import build_automaton
from models.language_model.ngrams import NGrams
from models.progress import Progress

FORMAT = 1
ARRAYS = ("states", "unigrams", "transitions", "tags")  # of the automaton


class LanguageModel:
    """Read-only. Scores are natural logarithms; unknown words are <unk>.

    Compiled code takes `automaton` and calls `models.language_model.automaton.advance` with it.
    """

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary, order: int) -> None:
        self.automaton, self.vocabulary, self.order = automaton, vocabulary, order
        self.begin_state = int(automaton.unigrams[BEGIN]["next"])  # the state after <s>

    @classmethod
    def from_ngrams(cls, ngrams: NGrams) -> "LanguageModel":
        return cls(build_automaton(ngrams), ngrams.vocabulary, ngrams.order)

    @classmethod
    def from_arpa(cls, path: Path, progress: Progress | None = None) -> "LanguageModel":
        return cls.from_ngrams(read_arpa(path, progress))

    @classmethod
    def load(cls, directory: Path) -> "LanguageModel":
        """Maps a saved model into memory; nothing is read before it is used."""
        header, arrays, vocabularies = load_arrays(directory, FORMAT)
        shift = hash_shift(len(arrays["tags"]))
        return cls(Automaton(**arrays, shift=shift), vocabularies["vocabulary"], header["order"])

    def save(self, directory: Path) -> None:
        arrays = {name: getattr(self.automaton, name) for name in ARRAYS}
        words = {"vocabulary": self.vocabulary}
        save_arrays(directory, FORMAT, {"order": self.order}, arrays, words)

    def score(self, words: Sequence[str], begin: bool = True, end: bool = True) -> float:
        """log p of a sentence: after <s> if `begin`, with </s> if `end`."""
        return float(self.word_scores(words, begin, end).sum())

    def word_scores(self, words: Sequence[str], begin: bool = True, end: bool = True) -> FloatArray:
        """log p of each word, (words,) or, with `end`, (words + 1,)."""
        ids = self.vocabulary.encode(words)
        state = self.begin_state if begin else EMPTY_STATE
        return self._scores(Ragged(ids, np.array([0, len(ids)])), state, end)

    def score_sentences(
        self, sentences: Ragged, end: bool = True, state: int | None = None
    ) -> FloatArray:
        """log p of many sentences of word numbers, (sentences,), after `state`, or else <s>."""
        words = sentences.values
        if len(words) and not 0 <= words.min() <= words.max() < len(self.vocabulary):
            raise IndexError("a word number is not of this model's vocabulary")
        scores = self._scores(sentences, self.begin_state if state is None else state, end)
        lengths = sentences.lengths + int(end)
        row = np.repeat(np.arange(len(sentences)), lengths)
        return np.bincount(row, scores, minlength=len(sentences)).astype(np.float64)

    def _scores(self, sentences: Ragged, state: int, end: bool) -> FloatArray:
        scores: FloatArray = score_words(
            self.automaton, sentences.values, sentences.offsets, state, end
        )
        return scores
