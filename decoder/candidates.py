"""All options that may extend a hypothesis, with their features.

`decoder/explanation.py` walks along one derivation and compares every step with its alternatives.
The arithmetic is that of the search, but features stay separate and nothing is pruned.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hyperbaton.decoder.constraints.zones import keeps_to_zones, zones_of
from hyperbaton.decoder.edges import distance_limit, within_limit
from hyperbaton.decoder.features import dense_features, lm_columns, option_values
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.decoder.search_space import best_futures, jump_estimates
from hyperbaton.foundation.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
)
from hyperbaton.foundation.coverage import free_spans, pack_coverage
from hyperbaton.models.distortion.interface import START, Steps


class Candidates(NamedTuple):
    """B options that may extend the same hypothesis."""

    option: Int32Array  # (B,)
    values: FloatArray  # (B, F) features of the step
    end_values: FloatArray  # (B, F) features of the sentence's end, 0 while words are uncovered
    states: Int64Array  # (B, models) states of the distortion models after the step
    future: FloatArray  # (B,) the search's future estimate


class Walk:
    """A hypothesis that is extended option by option."""

    def __init__(self, decoded: PhraseDecoded, weights: FloatArray, distortion_limit: int) -> None:
        self.decoded, self.weights = decoded, weights
        self._options, self._table = decoded.options, decoded.options.table
        self._words = self._options.texts
        n_words = self._table.n_words
        self._limit = distance_limit(distortion_limit, n_words)
        self._zones = zones_of(decoded.sentence.markup, n_words)
        self.covered: BoolArray = np.zeros(n_words, np.bool_)
        self.previous = START
        self.previous_end = 0
        self.score = 0.0  # so far
        self._said = list[int]()  # target words so far
        self._n_dense = len(dense_features(decoded.lm))
        self._states = np.array([scorer.initial_state for scorer in decoded.scorers], np.int64)
        sizes = [scorer.n_features for scorer in decoded.scorers]
        distortion = weights[self._n_dense :]
        self._distortion_weights = np.split(distortion, np.cumsum(sizes)[:-1]) if sizes else []
        self._future = best_futures(self._options, decoded.scorers, self._distortion_weights)
        self._jumps = jump_estimates(n_words, decoded.scorers, self._distortion_weights)

    def candidates(self, chosen: int) -> Candidates:
        """All options that the reordering limits allow, and always the chosen one."""
        start, end = self._table.start, self._table.end
        gap = int(np.argmin(self.covered))  # the first uncovered word
        allowed = free_spans(self.covered, start, end)
        allowed &= within_limit(start, end, self.previous_end, gap, self._limit)
        if len(self._zones):
            packed = pack_coverage(self.covered[None])[0]
            spans = zip(start.tolist(), end.tolist(), strict=True)
            limits = gap, self._limit
            allowed &= [keeps_to_zones(self._zones, packed, *span, *limits) for span in spans]
        allowed[chosen] = True
        option = np.flatnonzero(allowed).astype(np.int32)
        is_last: BoolArray = (end - start)[option] == int((~self.covered).sum())
        values = np.zeros((len(option), len(self.weights)))
        end_values = np.zeros_like(values)
        self._dense_values(option, is_last, values, end_values)
        coverage = np.repeat(pack_coverage(self.covered[None]), len(option), axis=0)
        states = self._distortion_values(option, coverage, is_last, values, end_values)
        return Candidates(option, values, end_values, states, self._rest(option))

    def events(self, option: int) -> list[Sequence[tuple[str, float]]]:
        """What each distortion model scores if the option is next, one by one."""
        coverage = pack_coverage(self.covered[None])
        previous, taken = np.array([[self.previous], [option]], np.int32)
        every = []
        for scorer, state in zip(self.decoded.scorers, self._states, strict=True):
            found = scorer.events(Steps(previous, taken, coverage, np.array([state])))
            every.append(found[0] if found else ())
        return every

    def take(self, candidates: Candidates, row: int) -> FloatArray:
        """Extends the hypothesis by a candidate; returns log p of each of its words in the first
        language model."""
        option = int(candidates.option[row])
        words = self._words[option]
        ends = np.arange(1, len(words) + 1)
        beginnings = Ragged.gather(words, np.zeros_like(ends), ends)
        sums = self.decoded.lm.feature_scores(beginnings, end=False, after=self._said)[:, 0]
        scores: FloatArray = np.diff(sums, prepend=0.0)
        self._said += words.tolist()
        self._states = candidates.states[row]
        self.covered = self.covered.copy()
        self.covered[self._table.start[option] : self._table.end[option]] = True
        self.previous, self.previous_end = option, int(self._table.end[option])
        self.score += float(candidates.values[row] @ self.weights)
        return scores

    def _dense_values(
        self, option: Int32Array, is_last: BoolArray, values: FloatArray, end_values: FloatArray
    ) -> None:
        """Fills in all features except those of distortion models."""
        words = self._words.take(option.astype(np.int64))
        lm, said = self.decoded.lm, self._said
        columns = lm_columns(lm)
        values[:, : self._n_dense] = option_values(self._options, option, lm)
        values[:, columns] = lm.feature_scores(words, end=False, after=said)
        last = np.flatnonzero(is_last)
        ending = np.ix_(last, np.array(columns))
        end_values[ending] = lm.feature_scores(words.take(last), after=said) - values[ending]

    def _distortion_values(
        self,
        option: Int32Array,
        coverage: UInt64Array,  # (B, W)
        is_last: BoolArray,
        values: FloatArray,
        end_values: FloatArray,
    ) -> Int64Array:
        """Fills in the features of the distortion models; returns their states after each step."""
        n = len(option)
        previous = np.full(n, self.previous, np.int32)
        states = np.empty((n, len(self._states)), np.int64)
        first = self._n_dense
        for column, scorer in enumerate(self.decoded.scorers):
            after = first + scorer.n_features
            steps = Steps(previous, option, coverage, np.full(n, self._states[column]))
            values[:, first:after] = scorer.features(steps)
            states[:, column] = scorer.advance(steps)
            end_values[is_last, first:after] = scorer.finish(states[is_last, column])
            first = after
        return states

    def _rest(self, option: Int32Array) -> FloatArray:
        """The search's estimate for the remaining words and jumps after each option."""
        rest = np.zeros(len(option))
        for row, (start, end) in enumerate(
            zip(self._table.start[option], self._table.end[option], strict=True)
        ):
            covered = self.covered.copy()
            covered[start:end] = True
            edges = np.flatnonzero(np.diff(np.concatenate([[True], covered, [True]])))
            lefts, rights = edges[::2], edges[1::2]  # of the gaps, half-open
            rest[row] = self._future[lefts, rights].sum()
            rest[row] += self._jumps[[end, *rights], [*lefts, len(covered)]].sum()
        return rest
