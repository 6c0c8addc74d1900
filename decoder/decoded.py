"""The result of a search: the derivations of one sentence, best first."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from hyperbaton.corpus.raw_text.numbers import NUMBER
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.features import feature_values
from hyperbaton.decoder.lattice import Lattice
from hyperbaton.decoder.options import SentenceOptions
from hyperbaton.decoder.statistics import NO_RECORD, SearchRecord, SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged
from hyperbaton.models.distortion.interface import FIRST_GIVEN, SentenceScorer
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.settings import GRID


@dataclass(frozen=True, eq=False)
class Decoded:
    sentence: Sentence
    options: SentenceOptions
    scorers: Sequence[SentenceScorer]
    chosen: Ragged  # options of each derivation, in target order
    scores: FloatArray
    lm: SpeakingModel
    feature_names: tuple[str, ...]
    record: SearchRecord = NO_RECORD
    lattice: Lattice | None = None  # if `search.lattice` is set
    # difference from a requested translation that the search could not produce
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    _phrases: dict[int, list[str]] = field(default_factory=dict)  # cache of the words of options

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def statistics(self) -> SearchStatistics:
        if self.record is NO_RECORD:
            return SearchStatistics(sentences=1)
        table, spans = self.options.table, self.options.spans
        return self.record.statistics(len(self.sentence), len(table), len(spans) - 1)

    @property
    def n_pieces(self) -> int:
        """The number of separately translated pieces."""
        return 1

    def words(self, number: int = 0) -> list[str]:
        """The translation; unknown words are copied."""
        return [word for option in self.chosen[number].tolist() for word in self.phrase(option)]

    def phrase(self, option: int) -> list[str]:
        """The target words of an option."""
        known = self._phrases.get(option)
        if known is None:
            table = self.options.table
            phrases, entry = table.phrases, table.entry[option]
            if entry <= FIRST_GIVEN:
                known = list(table.given_at(option).words)
            elif entry >= 0:
                ids = phrases.target_phrases[phrases.target[entry]]
                known = phrases.target_vocabulary.decode(ids.tolist())
                if self.sentence.written and NUMBER in known:  # in tokenised input it is a word
                    known = self._with_numbers(option, known)
            elif table.drop_unknown:
                known = []
            else:
                known = [self.sentence.copy_of(table.start[option])]
            self._phrases[option] = known
        return known

    def _with_numbers(self, option: int, words: list[str]) -> list[str]:
        """Replaces placeholders by the numbers that they are linked to."""
        places = np.arange(len(words))
        sources = self.options.table.linked_source(np.full(len(words), option), places).tolist()
        return [
            self.sentence.copy_of(source) if word == NUMBER else word
            for word, source in zip(words, sources, strict=True)
        ]

    def spans(self, number: int = 0) -> list[tuple[int, int, int, int]]:
        """Source start and end, target start and end of every phrase, in target order."""
        table, at, spans = self.options.table, 0, []
        for option in self.chosen[number].tolist():
            length = len(self.phrase(option))
            spans.append((int(table.start[option]), int(table.end[option]), at, at + length))
            at += length
        return spans

    def unknown(self, number: int = 0) -> tuple[int, ...]:
        """The steps, from 0, that copy or drop an unknown word."""
        is_unknown = self.options.table.is_unknown[self.chosen[number]]
        return tuple(np.flatnonzero(is_unknown).tolist())

    def copied(self, number: int = 0) -> list[str]:
        """The source words without a translation."""
        spans = self.spans(number)
        places = [spans[step][:2] for step in self.unknown(number)]
        return [word for start, end in places for word in self.sentence.words[start:end]]

    def links(self, number: int = 0) -> list[tuple[int, int]]:
        """Word alignment from the phrases' inner alignments, sorted; all words of a term are
        linked with all of a translation that was given for it."""
        links, table = [], self.options.table
        rows = zip(self.chosen[number].tolist(), self.spans(number), strict=True)
        for option, (source, end, target, target_end) in rows:
            if table.entry[option] <= FIRST_GIVEN:
                links += list(product(range(source, end), range(target, target_end)))
            bits = int(table.inner[option])
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
        """The numbers of the best derivations of each distinct translation."""
        seen: dict[tuple[str, ...], int] = {}
        for number in range(len(self)):
            seen.setdefault(tuple(self.words(number)), number)
        return np.array(list(seen.values()), dtype=np.int64)

    def take(self, numbers: Int64Array) -> "Decoded":
        return replace(self, chosen=self.chosen.take(numbers), scores=self.scores[numbers])
