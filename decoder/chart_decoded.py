"""The derivations of the chart search: trees of rules."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from hyperbaton.corpus.raw_text.numbers import NUMBER
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart.derivations import Derivations, Spelled, n_target_words, spell
from hyperbaton.decoder.chart.rules import BEGINNING_ENTRY, GLUE_ENTRY
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.features import dense_features, lm_columns
from hyperbaton.decoder.ranking.entry_memo import UNKNOWN_SCORE
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import UNKNOWN
from hyperbaton.models.distortion.interface import UNKNOWN_ENTRY
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.entries import SCORES
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import GLUE


def chart_features(lm: SpeakingModel) -> tuple[str, ...]:
    return (*dense_features(lm), GLUE)


@dataclass(frozen=True, eq=False)
class ChartDecoded(Decoded):
    sentence: Sentence
    derivations: Derivations
    scores: FloatArray
    table: RuleTable
    lm: SpeakingModel
    lm_word: Int32Array  # language model id of each target word
    drop_unknown: bool = False
    statistics: SearchStatistics = SearchStatistics(sentences=1)

    @property
    def feature_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return chart_features(self.lm)

    @cached_property
    def spelled(self) -> Spelled:
        """Words, links and target spans of all derivations."""
        spelled = spell(self.derivations, self.table, drop_unknown=self.drop_unknown)
        vocabulary = self.table.target_vocabulary
        if not (self.sentence.written and NUMBER in vocabulary):
            return spelled
        # a number copies its linked source word
        words, links = spelled.words, spelled.links
        values = words.values.copy()
        place = words.offsets[links.row_of_value] + links.values[:, 1]
        is_number = values[place] == vocabulary.encode([NUMBER])
        values[place[is_number]] = -1 - links.values[is_number, 0].astype(np.int32)
        return spelled._replace(words=Ragged(values, words.offsets))

    def words(self, number: int = 0) -> list[str]:
        known = self.table.target_vocabulary.words
        return [
            known[word] if word >= 0 else self.sentence.copy_of(-1 - word)
            for word in self.spelled.words[number].tolist()
        ]

    def spans(self, number: int = 0) -> list[tuple[int, int, int, int]]:
        rows = self._chain(number)
        columns = self.derivations.start[rows], self.derivations.end[rows]
        first, last = self.spelled.target[rows].T
        spans = zip(*(column.tolist() for column in (*columns, first, last)), strict=True)
        return list(spans)

    def unknown(self, number: int = 0) -> tuple[int, ...]:
        is_unknown = self.derivations.entry[self._chain(number)] == UNKNOWN_ENTRY
        return tuple(np.flatnonzero(is_unknown).tolist())

    def copied(self, number: int = 0) -> list[str]:
        """Also those inside of rules."""
        entry, start, _, _ = (
            Ragged(column, self.derivations.offsets)[number] for column in self.derivations[:-1]
        )
        places = np.sort(start[entry == UNKNOWN_ENTRY]).tolist()
        return [self.sentence.words[place] for place in places]

    def links(self, number: int = 0) -> list[tuple[int, int]]:
        return sorted((source, target) for source, target in self.spelled.links[number].tolist())

    def all_words(self) -> Ragged:
        return self.spelled.words

    def all_links(self) -> Ragged:
        return self.spelled.links

    def rule_values(self) -> FloatArray:
        """Features of all rules of all derivations; the columns of language models are 0."""
        names = self.feature_names
        entry, n_scores = self.derivations.entry, len(SCORES)
        values = np.zeros((len(entry), len(names)))
        known, is_unknown = entry >= 0, entry == UNKNOWN_ENTRY
        values[known, :n_scores] = self.table.scores_of(entry[known])
        values[:, n_scores] = known | is_unknown
        n_words = n_target_words(self.derivations, self.table, drop_unknown=self.drop_unknown)
        values[:, n_scores + 1] = -n_words
        values[is_unknown, -2] = UNKNOWN_SCORE
        values[entry == GLUE_ENTRY, -1] = 1.0
        return values

    def features(self) -> FloatArray:
        if not len(self.sentence):
            return np.zeros((1, len(self.feature_names)))
        begin = self.derivations.offsets[:-1]
        sums: FloatArray = np.add.reduceat(self.rule_values(), begin, axis=0)
        spelled = spell(self.derivations, self.table, drop_unknown=self.drop_unknown).words
        ids = np.where(spelled.values < 0, UNKNOWN, self.lm_word[np.maximum(spelled.values, 0)])
        texts = Ragged(ids.astype(np.int32), spelled.offsets)
        sums[:, lm_columns(self.lm)] = self.lm.feature_scores(texts)
        return sums

    def take(self, numbers: Int64Array) -> Self:
        derivations = self.derivations.take(numbers)
        return replace(self, derivations=derivations, scores=self.scores[numbers])

    def _chain(self, number: int) -> Int64Array:
        """The rules whose spans follow one another, in order."""
        first, last = self.derivations.offsets[number : number + 2].tolist()
        entry, end = self.derivations.entry, self.derivations.end
        rows, n_glue = list[int](), first
        while n_glue < last and entry[n_glue] in (GLUE_ENTRY, BEGINNING_ENTRY):
            n_glue += 1
        row, n_words = n_glue, 0
        while row < last:  # the rules inside of a rule do not end after it
            rows.append(row)
            n_words = int(end[row])
            row += 1
            while row < last and end[row] <= n_words:
                row += 1
        return np.array(rows, np.int64)
