"""Language models that score words: our automaton with its vocabulary, which the decoder uses, and
KenLM for files in its own binary format (and ARPA files)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.foundation.errors import DataError, missing_file
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import BEGIN, Vocabulary
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.arpa import read_arpa
from hyperbaton.models.language_model.automaton import (
    EMPTY_STATE,
    STATE,
    TRANSITION,
    UNIGRAM,
    Automaton,
    build_automaton,
    score_words,
)
from hyperbaton.models.language_model.listing import list_ngrams
from hyperbaton.models.language_model.ngrams import LN10, NGrams

FORMAT = 2


class LanguageModel:
    """Read-only. Scores are natural logarithms; unknown words are <unk>.

    Compiled code takes `automaton` and calls `advance` of `models/language_model/automaton.py`.
    """

    def __init__(self, automaton: Automaton, vocabulary: Vocabulary, order: int) -> None:
        self.automaton, self.vocabulary, self.order = automaton, vocabulary, order
        self.begin_state = int(automaton.unigrams[BEGIN]["next"])  # the state after <s>

    @classmethod
    def from_ngrams(cls, ngrams: NGrams) -> "LanguageModel":
        return cls(build_automaton(ngrams), ngrams.vocabulary, ngrams.order)

    @classmethod
    def from_arpa(cls, path: Path, progress: Progress = silent) -> "LanguageModel":
        return cls.from_ngrams(read_arpa(path, progress))

    @classmethod
    def load(cls, directory: Path) -> "LanguageModel":
        """Maps a saved model into memory; pages are read when they are first used."""
        header, arrays, vocabularies = load_arrays(directory, FORMAT, automaton_laws)
        return cls(Automaton(**arrays), vocabularies["vocabulary"], header["order"])

    def save(self, directory: Path) -> None:
        words = {"vocabulary": self.vocabulary}
        save_arrays(directory, FORMAT, {"order": self.order}, self.automaton._asdict(), words)

    def ngrams(self) -> NGrams:
        """All that the model knows, for an ARPA file."""
        return list_ngrams(self.automaton, self.vocabulary, self.order)

    def score(self, words: Sequence[str], begin: bool = True, end: bool = True) -> float:
        """log p of a sentence: after <s> if `begin`, with </s> if `end`."""
        return float(self.word_scores(words, begin, end).sum())

    def word_scores(self, words: Sequence[str], begin: bool = True, end: bool = True) -> FloatArray:
        """log p of each word, (words,) or, with `end`, (words + 1,)."""
        ids = self.vocabulary.encode(words)
        state = self.begin_state if begin else EMPTY_STATE
        scores: FloatArray = score_words(self.automaton, ids, np.array([0, len(ids)]), state, end)
        return scores

    def score_sentences(
        self, sentences: Ragged, end: bool = True, state: int | None = None
    ) -> FloatArray:
        """log p of sentences of word numbers, (sentences,), after `state` or else <s>."""
        words = sentences.values
        if len(words) and not 0 <= words.min() <= words.max() < len(self.vocabulary):
            raise IndexError("a word number is not in this model's vocabulary")
        first = self.begin_state if state is None else state
        scores = score_words(self.automaton, words, sentences.offsets, first, end)
        row = np.repeat(np.arange(len(sentences)), sentences.lengths + int(end))
        return np.bincount(row, scores, minlength=len(sentences)).astype(np.float64)


def automaton_laws(arrays: CheckedArrays) -> None:
    states = arrays.array("states", STATE, (None,))
    n = len(states) - 1  # the last one only ends the transitions
    arrays.that("states", n > 0, "has no state")
    transitions = arrays.array("transitions", TRANSITION, (None,))
    unigrams = arrays.array("unigrams", UNIGRAM, (arrays.words("vocabulary"),))
    for name, records in (("transitions", transitions), ("unigrams", unigrams)):
        arrays.within(f"{name}.next", records["next"], 0, n)
        arrays.finite(f"{name}.logprob", records["logprob"])
    arrays.finite("states.backoff", states["backoff"][:n])
    arrays.never_falls("states.first", states["first"], 0, len(transitions))
    shorter = states["suffix"][1:n]
    arrays.within("states.suffix", shorter, 0, n)
    ends = np.all(shorter < np.arange(1, n, dtype=np.int32))  # backing off leads to state 0
    arrays.that("states.suffix", ends, "has a state that is no longer than its suffix")
    promised = np.any((states["signature"][:n] != 0) & (np.diff(states["first"]) == 0))
    arrays.that("states.signature", not promised, "promises words where there are none")
    arrays.number("order", low=1)


class KenlmModel:
    """Scores like `LanguageModel`: natural logarithms, unknown words are <unk>."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise missing_file(path)
        import kenlm  # takes as long to load as our own model

        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        try:
            self._model, self._new_state = kenlm.Model(str(path), config), kenlm.State
        except (OSError, RuntimeError) as error:
            reason = str(error.__cause__ or error).splitlines()[-1]
            raise DataError(
                f"KenLM refuses the file: {reason}",
                where=str(path),
                expected="an ARPA file, or a binary file of the same version of KenLM",
            ) from None

    @property
    def order(self) -> int:
        return int(self._model.order)

    def score(self, words: Sequence[str], begin: bool = True, end: bool = True) -> float:
        """log p of a sentence: after <s> if `begin`, with </s> if `end`."""
        return float(self.word_scores(words, begin, end).sum())

    def word_scores(self, words: Sequence[str], begin: bool = True, end: bool = True) -> FloatArray:
        """log p of each word, (words,) or, with `end`, (words + 1,)."""
        state, following = self._new_state(), self._new_state()
        if begin:
            self._model.BeginSentenceWrite(state)
        else:
            self._model.NullContextWrite(state)
        scores = []
        # word by word, because a whole sentence would be split at more than spaces
        for word in [*words, "</s>"] if end else words:
            scores.append(self._model.BaseScore(state, word, following))
            state, following = following, state
        return LN10 * np.array(scores, dtype=np.float64)
