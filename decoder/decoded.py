"""What came out of a search: derivations of one sentence, best first, and all that they say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from decoder.features import feature_values
from decoder.options import SentenceOptions
from models.arrays import Int64Array, Ragged
from models.distortion.interface import SentenceScorer
from models.language_model.model import LanguageModel
from models.phrases.extraction import GRID
from models.sentence import Sentence

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Decoded:
    sentence: Sentence
    options: SentenceOptions
    scorers: Sequence[SentenceScorer]
    chosen: Ragged  # options of each derivation, in target order
    scores: FloatArray
    lm: LanguageModel
    feature_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.chosen)

    def words(self, number: int = 0) -> list[str]:
        """The translation; unknown words are copied."""
        table = self.options.table
        vocabulary = table.phrases.target_vocabulary
        result = []
        for option in self.chosen[number].tolist():
            ids = table.target_words[option].tolist()
            if table.is_unknown[option]:
                result += [self.sentence.words[table.start[option]] for _ in ids]
            else:
                result += vocabulary.decode(ids)
        return result

    def spans(self, number: int = 0) -> list[tuple[int, int, int, int]]:
        """Source start and end, target start and end of every phrase, in target order."""
        table, at, spans = self.options.table, 0, []
        for option in self.chosen[number].tolist():
            length = len(table.target_words[option])
            spans.append((int(table.start[option]), int(table.end[option]), at, at + length))
            at += length
        return spans

    def links(self, number: int = 0) -> list[tuple[int, int]]:
        """Word alignment from the phrases' inner alignments, sorted."""
        links = []
        rows = zip(self.chosen[number].tolist(), self.spans(number), strict=True)
        for option, (source, _, target, _) in rows:
            bits = int(self.options.table.inner[option])
            for bit in range(GRID * GRID):
                if bits >> bit & 1:
                    links.append((source + bit % GRID, target + bit // GRID))
        return sorted(links)

    def features(self) -> FloatArray:
        """(derivations, features), in the order of `feature_names`."""
        if not len(self.sentence):
            return np.zeros((1, len(self.feature_names)))
        return feature_values(self.options, self.chosen, self.lm, self.scorers)

    def first_of_each_translation(self) -> Int64Array:
        """The numbers of derivations whose translation no better one has."""
        seen: dict[tuple[str, ...], int] = {}
        for number in range(len(self)):
            seen.setdefault(tuple(self.words(number)), number)
        return np.array(list(seen.values()), dtype=np.int64)

    def take(self, numbers: Int64Array) -> "Decoded":
        return replace(self, chosen=self.chosen.take(numbers), scores=self.scores[numbers])
