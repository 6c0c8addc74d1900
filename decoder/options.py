"""The options of a sentence: the translations of its spans in the phrase table, best first."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.ranking.entry_memo import (
    UNKNOWN_WORD,
    EntryWeights,
    empty_memo,
    enlarged_memo,
    entry_source,
    remember,
)
from hyperbaton.foundation.arrays import Int32Array, Ragged
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted, uncounted_kernel
from hyperbaton.models.distortion.interface import OptionTable
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import Speaker
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import ROOT, child
from hyperbaton.models.phrases.table import PhraseTable

MOST_OPTIONS = 64  # per source phrase; further ones hardly ever win
# Share of the first word's gain (`Speaker.gains`) that is added in advance; chosen as EARLY
EARLY_GAIN = 0.5

SPAN = np.dtype([("start", np.int32), ("end", np.int32), ("option", np.uint32)])
OPTION = np.dtype(
    [
        ("base", np.float64),  # weighted score without language model and distortion
        ("estimate", np.float64),  # weighted language model score of the option without context
        ("word_begin", np.uint32),
        ("word_end", np.uint32),
        ("lm_state", np.int32),  # after the option without context
        ("unused", np.int32),
    ]
)
WORD = np.dtype(
    [
        ("tail", np.float64),  # weighted language model score of the following words, likewise
        ("word", np.int32),  # language model id
        ("state", np.int32),  # after this word, without context before the option
    ]
)


@dataclass(frozen=True, eq=False)
class SentenceOptions:
    """The options of one sentence with their scores; spans by length, then start."""

    table: OptionTable
    spans: NDArray[Any]  # (S + 1,) SPAN; the last row marks the end of the options
    # (longest + 1, n_words + 1) the first span of each length that starts there or later
    first_span: Int32Array
    options: NDArray[Any]  # (N,) OPTION, in each span best first
    option_words: NDArray[Any]  # WORD, of all options

    @cached_property
    def texts(self) -> Ragged:
        """The words of each option, as ids of the language model."""
        begin = np.append(self.options["word_begin"], len(self.option_words)).astype(np.int64)
        return Ragged(self.option_words["word"], begin)


class OptionFinder:
    """Finds options under given weights. Use one per thread, because it caches its results."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm_word: Int32Array,
        speaker: Speaker,
        weights: EntryWeights,
        limit: int = 20,
        *,
        drop_unknown: bool = False,
    ) -> None:
        self.phrases, self.weights, self.limit = phrases, weights, limit
        self.drop_unknown = drop_unknown
        self._speaker = speaker
        gain = EARLY_GAIN * speaker.gains(lm_word)
        self._source = entry_source(phrases, lm_word, speaker, gain)
        self.forget()

    def forget(self) -> None:
        """Clears the cache."""
        self._memo = empty_memo(
            len(self.phrases.trie_word),
            self.limit,
            self._speaker,
            self.weights,
            drop_unknown=self.drop_unknown,
        )

    def find(self, words: Int32Array) -> SentenceOptions:
        """The options for a sentence of source word ids."""
        # Arrays are allocated here, because kernels that allocate are slow to compile.
        found = np.empty((GRID, len(words)), np.int32)  # memo by length − 1 and start
        while True:
            memo, lm = self._memo, self._speaker.lm
            looked_up = _look_up(self._source, lm, memo, self.weights, words, found)
            room, n_spans, n_options, n_words, longest = looked_up
            if self._speaker.has_grown():
                self.forget()
            elif room:
                break
            else:
                self._memo = enlarged_memo(memo)
        start, end = np.empty(n_options, np.int32), np.empty(n_options, np.int32)
        entry = np.empty(n_options, np.int64)
        arrays = (
            np.zeros(n_spans + 1, SPAN),
            np.zeros((longest + 1, len(words) + 1), np.int32),
            np.empty(n_options, OPTION),
            np.empty(n_words, WORD),
        )
        _lay_out(memo, found, self.weights.lm, start, end, entry, *arrays)
        table = OptionTable(len(words), start, end, entry, self.phrases, self.drop_unknown)
        return SentenceOptions(table, *arrays)


@uncounted_kernel
def _lay_out(memo, found, lm_weight, start, end, entry, spans, first_span, options, option_words):
    """Fills in the options of all spans."""
    n_places = found.shape[1]
    longest = len(first_span) - 1
    n, word, row = 0, 0, 0
    for length in range(1, longest + 1):
        for place in range(n_places):
            first_span[length, place] = row
            number = found[length - 1, place]
            if number == EMPTY:
                continue
            spans[row].start, spans[row].end, spans[row].option = place, place + length, n
            row += 1
            for k in range(memo.begin[number], memo.begin[number + 1]):
                known, option = memo.entries[k], options[n]
                start[n], end[n], entry[n] = place, place + length, known.entry
                option.base, option.estimate = known.base, known.estimate
                option.word_begin, option.lm_state = word, EMPTY_STATE
                total, before = 0.0, 0.0
                for at in range(known.begin, known.end):
                    total += memo.symbols[at].logprob
                for at in range(known.begin, known.end):
                    symbol = memo.symbols[at]
                    before += symbol.logprob
                    option_words[word].word, option_words[word].state = symbol.word, symbol.state
                    option_words[word].tail = lm_weight * (total - before)
                    option.lm_state = symbol.state
                    word += 1
                option.word_end = word
                n += 1
        first_span[length, n_places] = row
    spans[row].option = n


@uncounted_kernel
def _look_up(source, lm, memo, weights, words, found):
    """Finds or makes the memos of all spans with options; returns whether they fit, and the counts
    of `_sizes`."""
    room = _all_found(source, lm, memo, weights, words, found)
    return room, *_sizes(memo, found)


@uncounted
def _all_found(source, lm, memo, weights, words, found):
    """Finds or makes the memo of every span with options; False if the memo is full."""
    found[:] = EMPTY
    found[0] = UNKNOWN_WORD
    for start in range(len(words)):
        node = np.int32(ROOT)
        for length in range(1, min(len(words) - start, GRID) + 1):
            node = child(source.trie, node, words[start + length - 1])
            if node == EMPTY:
                break
            if source.entry_begin[node] == source.entry_begin[node + 1]:
                continue
            if memo.number[node] == EMPTY and not remember(source, lm, memo, weights, node):
                return False
            found[length - 1, start] = memo.number[node]
    return True


@uncounted
def _sizes(memo, found):
    """The numbers of spans, options and target words, and the longest span."""
    n_spans, n_options, n_words, longest = 0, 0, 0, 1
    for length in range(1, GRID + 1):
        for start in range(found.shape[1]):
            number = found[length - 1, start]
            if number != EMPTY:
                first, last = memo.begin[number], memo.begin[number + 1]
                n_spans += 1
                n_options += last - first
                n_words += np.int64(memo.entries[last - 1].end)
                n_words -= np.int64(memo.entries[first].begin)
                longest = length
    return n_spans, n_options, n_words, longest
