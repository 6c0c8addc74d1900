"""The derivations of the stack search: sequences of options."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.raw_text.numbers import NUMBER
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.features import feature_values
from hyperbaton.decoder.lattice import Lattice
from hyperbaton.decoder.options import SentenceOptions
from hyperbaton.decoder.statistics import NO_RECORD, SearchRecord, SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.interface import COPIED, FIRST_GIVEN, SentenceScorer
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.settings import GRID

ONLY_STACKS = "only the search with phrases has it"


def of_stack_search(decoded: Decoded, what: str) -> "PhraseDecoded":
    """The derivations of a stack search; raises for others, which lack `what`."""
    if isinstance(decoded, PhraseDecoded):
        return decoded
    raise DataError(f"there are no {what} for this sentence", expected=ONLY_STACKS)


@dataclass(frozen=True, eq=False)
class PhraseDecoded(Decoded):
    sentence: Sentence
    options: SentenceOptions
    scorers: Sequence[SentenceScorer]
    chosen: Ragged  # options of each derivation, in target order
    scores: FloatArray
    lm: SpeakingModel
    feature_names: tuple[str, ...]
    record: SearchRecord = NO_RECORD
    lattice: Lattice | None = None  # if `search.lattice` is set
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    _phrases: dict[int, list[str]] = field(default_factory=dict)  # cache of the words of options

    @cached_property
    def statistics(self) -> SearchStatistics:
        if self.record is NO_RECORD:
            return SearchStatistics(sentences=1)
        table, spans = self.options.table, self.options.spans
        return self.record.statistics(len(self.sentence), len(table), len(spans) - 1)

    def words(self, number: int = 0) -> list[str]:
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
                ids = phrases.target_sides[phrases.target[entry]]
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
        table, at, spans = self.options.table, 0, []
        for option in self.chosen[number].tolist():
            length = len(self.phrase(option))
            spans.append((int(table.start[option]), int(table.end[option]), at, at + length))
            at += length
        return spans

    def unknown(self, number: int = 0) -> tuple[int, ...]:
        is_unknown = self.options.table.is_unknown[self.chosen[number]]
        return tuple(np.flatnonzero(is_unknown).tolist())

    def links(self, number: int = 0) -> list[tuple[int, int]]:
        """From the phrases' inner alignments; all words of a term are linked with all of a
        translation that was given for it."""
        links, table = [], self.options.table
        rows = zip(self.chosen[number].tolist(), self.spans(number), strict=True)
        for option, (source, end, target, target_end) in rows:
            if table.entry[option] <= FIRST_GIVEN:
                links += list(product(range(source, end), range(target, target_end)))
            bits = int(table.inner[option])
            while bits:
                bit = (bits & -bits).bit_length() - 1  # the lowest
                links.append((source + bit % GRID, target + bit // GRID))
                bits &= bits - 1
        return sorted(links)

    def features(self) -> FloatArray:
        if not len(self.sentence):
            return np.zeros((1, len(self.feature_names)))
        return feature_values(self.options, self.chosen, self.lm, self.scorers)

    def all_words(self) -> Ragged:
        table, chosen = self.options.table, self.chosen.values.astype(np.int64)
        words = table.target_words.take(chosen)  # one row per chosen option
        option = chosen[words.row_of_value]
        values = np.where(words.values == COPIED, -1 - table.start[option], words.values)
        vocabulary = table.phrases.target_vocabulary
        if self.sentence.written and NUMBER in vocabulary:  # a number copies its linked source word
            at = np.flatnonzero(words.values == vocabulary.encode([NUMBER]))
            place = at - words.offsets[words.row_of_value[at]]
            values[at] = -1 - table.linked_source(option[at], place)
        ends = words.offsets[self.chosen.offsets]
        return Ragged(values, ends - ends[0])

    def all_links(self) -> Ragged:
        """From the inner alignments."""
        table, chosen = self.options.table, self.chosen.values.astype(np.int64)
        lengths = table.target_words.lengths[chosen]
        before = np.concatenate([[0], np.cumsum(lengths)])
        row = self.chosen.row_of_value
        # First target position of each option
        target = before[:-1] - before[self.chosen.offsets[:-1]][row]
        inner = np.ascontiguousarray(table.inner[chosen], dtype="<u8")
        bits = np.unpackbits(inner.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        option, bit = np.nonzero(bits)
        pairs: NDArray[np.uint16] = np.stack(
            [table.start[chosen[option]] + bit % GRID, target[option] + bit // GRID], axis=1
        ).astype(np.uint16)
        n_links = np.bincount(row[option], minlength=len(self))
        return Ragged(pairs, np.concatenate([[0], np.cumsum(n_links)]).astype(np.int64))

    def take(self, numbers: Int64Array) -> Self:
        return replace(self, chosen=self.chosen.take(numbers), scores=self.scores[numbers])
