"""Language models in KenLM's binary format, or as ARPA files, queried through the package kenlm.

States of KenLM are numbered in order of first use. The file is mapped into memory, so a model
larger than memory can be used and loads at once.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array
from hyperbaton.foundation.errors import DataError, missing_file
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN
from hyperbaton.models.language_model.asking import (
    ASKED_BITS,
    FUNCTION,
    NO_KEY,
    Asked,
    address_of,
    no_answers,
)
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.ngrams import LN10
from hyperbaton.models.language_model.speaking import SingleModel, Speaker

MAGIC = b"mmap lm http://kheafield.com/code"
MOST_STATES = 1 << 19  # of a speaker, about 150 MB
BEGIN_STATE = 1


def is_kenlm_binary(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


class KenlmModel(SingleModel):
    def __init__(self, path: Path) -> None:
        if not path.exists():
            raise missing_file(path)
        import kenlm  # takes as long to load as one of our models

        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        config.load_method = kenlm.LoadMethod.LAZY
        try:
            self._model = kenlm.Model(str(path), config)
        except (OSError, RuntimeError) as error:
            reason = str(error.__cause__ or error).splitlines()[-1]
            raise DataError(
                f"KenLM cannot load the file: {reason}",
                where=str(path),
                expected="expected an ARPA file, or a binary file of the same version of KenLM",
            ) from None
        self.path, self.order = path, int(self._model.order)
        self._words = list(SPECIAL)  # known words, in order of first use
        self._numbers = {word: number for number, word in enumerate(SPECIAL)}
        self._lock = Lock()
        self._speaker: KenlmSpeaker | None = None

    def encode(self, words: Iterable[str]) -> Int32Array:
        words = list(words)
        with self._lock:
            for word in words:
                if word not in self._numbers and word in self._model:
                    self._numbers[word] = len(self._words)
                    self._words.append(word)
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int32)

    def speaker(self, weights: FloatArray) -> "KenlmSpeaker":
        return KenlmSpeaker(self._model, self._words, float(weights[0]))

    @contextmanager
    def own_speaker(self) -> Iterator[Speaker]:
        with self._lock:
            if self._speaker is None:
                self._speaker = self.speaker(np.ones(1))
            self._speaker.forgets()
            yield self._speaker


class KenlmSpeaker(Speaker):
    def __init__(self, model: Any, words: list[str], weight: float) -> None:
        import kenlm

        self._model, self._new_state = model, kenlm.State
        self._states: list[Any] = []  # of KenLM, by number
        self._numbers: dict[Any, int] = {}
        self._failures: list[BaseException] = []
        logprob = np.zeros(1)
        self._function = FUNCTION(self._answering(words, logprob))
        asked = Asked(address_of(self._function), logprob, no_answers(ASKED_BITS))
        super().__init__(asked, BEGIN_STATE, weight)
        self._begin()

    def _begin(self) -> None:
        empty, begin = self._new_state(), self._new_state()
        self._model.NullContextWrite(empty)
        self._model.BeginSentenceWrite(begin)
        self._states[:] = [empty, begin]
        self._numbers.clear()
        self._numbers |= {begin: BEGIN_STATE, empty: EMPTY_STATE}

    def forgets(self) -> bool:
        if len(self._states) <= MOST_STATES:
            return False
        self.lm.answers["key"] = NO_KEY
        self._begin()
        return True

    def check(self) -> None:
        if self._failures:
            first = self._failures[0]
            self._failures.clear()
            self.lm.answers["key"] = NO_KEY
            raise first

    def _answering(self, words: list[str], logprob: FloatArray) -> Callable[[int, int], int]:
        score, new_state = self._model.BaseScore, self._new_state
        states, numbers, failures = self._states, self._numbers, self._failures

        def answer(state: int, word: int) -> int:
            try:
                following = new_state()
                logprob[0] = LN10 * score(states[state], words[word], following)
                number = numbers.setdefault(following, len(states))
                if number == len(states):
                    states.append(following)
            except BaseException as error:  # the C code that calls this function would lose it
                failures.append(error)
                return EMPTY_STATE
            return number

        return answer
