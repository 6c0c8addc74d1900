"""Several language models, each a feature with a weight.

The search sees one model, whose log probabilities are the weighted sums. Its vocabulary is the
union of the models' vocabularies.
"""

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN, Vocabulary
from hyperbaton.foundation.hashing import DistinctRows, add_one_row, enlarged, no_rows
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import SingleModel, Speaker, SpeakingModel
from hyperbaton.models.language_model.stepping import WeightedSum

FIRST_ROOM = 1 << 16  # initial capacity for pairs of states
MOST_STATES = 1 << 21  # of a speaker, between two sentences


class LanguageModels(SpeakingModel):
    def __init__(self, models: Mapping[str, SingleModel]) -> None:
        """Two or more models by the names of their features."""
        self.feature_names, self.models = tuple(models), tuple(models.values())
        self.order = max(model.order for model in self.models)
        self._vocabulary = Vocabulary()
        # (models, words) word ids in each model
        self.numbers = np.array([model.encode(SPECIAL) for model in self.models], np.int32)
        self._lock = Lock()

    def encode(self, words: Iterable[str]) -> Int32Array:
        words = list(words)
        with self._lock:
            new = list(dict.fromkeys(word for word in words if word not in self._vocabulary))
            if new:
                numbers = np.array([model.encode(new) for model in self.models], np.int32)
                is_known = np.any(numbers != self.numbers[:, [UNKNOWN]], axis=0)
                self.numbers = np.concatenate([self.numbers, numbers[:, is_known]], axis=1)
                self._vocabulary.extend(np.array(new, object)[is_known].tolist())
            return self._vocabulary.encode(words)

    def speaker(self, weights: FloatArray) -> Speaker:
        first, *others = (model.speaker(np.ones(1)) for model in self.models)
        for row, other in enumerate(others, 1):
            factors = np.array([weights[0] if row == 1 else 1.0, weights[row]])
            first = SumSpeaker(self, first, other, row, factors)
        return first

    def feature_scores(
        self, sentences: Ragged, *, end: bool = True, after: Sequence[int] = ()
    ) -> FloatArray:
        before = np.array(after, np.int64)
        columns = []
        for model, ids in zip(self.models, self.numbers, strict=True):
            words = Ragged(ids[sentences.values], sentences.offsets)
            columns.append(model.feature_scores(words, end=end, after=ids[before].tolist()))
        return np.concatenate(columns, axis=1)


class SumSpeaker(Speaker):
    """The sum of a speaker for the models before `row` and one for the model of this row."""

    def __init__(
        self, models: LanguageModels, first: Speaker, second: Speaker, row: int, factors: FloatArray
    ) -> None:
        self._models, self._row, self._factors = models, row, factors
        self._parts = first, second
        self._n_missing = np.zeros(1, np.int64)
        self.weight = 1.0
        self.falls = first.falls and bool(np.all(factors >= 0))
        self._begin()

    def _begin(self) -> None:
        self._states: DistinctRows = no_rows(np.int32, FIRST_ROOM)
        for pair in ([EMPTY_STATE] * 2, [part.begin_state for part in self._parts]):
            self.begin_state = int(add_one_row(self._states, np.array(pair, np.int32), 2))

    @property
    def lm(self) -> WeightedSum:
        """The weighted sum for compiled code, with all words encoded so far."""
        numbers = self._models.numbers
        first, second = self._parts
        return WeightedSum(
            first.lm,
            second.lm,
            numbers[0] if self._row == 1 else np.arange(numbers.shape[1], dtype=np.int32),
            numbers[self._row],
            self._factors,
            self._states,
            np.empty(2, np.int32),
            self._n_missing,
        )

    def gains(self, words: Int32Array) -> FloatArray:
        numbers = self._models.numbers
        inner = words if self._row > 1 else numbers[0][words]
        values = self._parts[0].gains(inner), self._parts[1].gains(numbers[self._row][words])
        return self._factors @ values

    def forgets(self) -> bool:
        parts = [part.forgets() for part in self._parts]
        if not any(parts) and self._states.total[0] <= MOST_STATES:
            return False
        self._begin()
        return True

    def has_grown(self) -> bool:
        parts = [part.has_grown() for part in self._parts]
        if not self._n_missing[0]:
            return any(parts)
        self._states = enlarged(enlarged(self._states))
        self._n_missing[0] = 0
        return True

    def check(self) -> None:
        for part in self._parts:
            part.check()
