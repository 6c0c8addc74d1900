"""Sentences as rows of the network's arrays, with the moves that were made in them."""

from dataclasses import dataclass

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.next_word.attention.gradients import Moves
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.symbols import NO_SYMBOL
from hyperbaton.models.distortion.next_word.templates import BEGIN, END, PAD, Symbols

UNKNOWN_ROW, BEGIN_ROW, END_ROW, FIRST_ROW = range(4)  # of words


@dataclass(frozen=True, eq=False)
class Places:
    """The words of sentences by row, and their second layer, concatenated."""

    words: Int32Array
    symbols: Int32Array
    offsets: Int64Array
    n_rows: int
    n_symbols: int
    events: NextWordEvents

    @property
    def lengths(self) -> Int64Array:
        return self.events.lengths

    def n_moves(self, sentences: Int64Array) -> int:
        return int(np.diff(self.events.offsets)[sentences].sum())

    def moves(self, sentences: Int64Array) -> Moves:
        """Some sentences of equal length."""
        n_words = int(self.lengths[sentences[0]])
        at = self.offsets[sentences][:, None] + np.arange(n_words)
        counts = np.zeros((len(sentences), n_words + 2, n_words + 2), np.float32)
        events = self.events
        _count(events.current, events.next, events.offsets, sentences, counts)
        words = with_ends(self.words[at], BEGIN_ROW, END_ROW)
        return Moves(words, with_ends(self.symbols[at], BEGIN, END), counts)


@kernel
def _count(current, following, offsets, sentences, counts):
    for row in range(len(sentences)):
        for event in range(offsets[sentences[row]], offsets[sentences[row] + 1]):
            counts[row, current[event], following[event]] += 1


def with_ends(symbols: Int32Array, begin: int, end: int) -> Int32Array:
    """(B, n) → (B, n + 2)."""
    result = np.empty((len(symbols), symbols.shape[1] + 2), np.int32)
    result[:, 0], result[:, 1:-1], result[:, -1] = begin, symbols, end
    return result


def rows_of_words(counts: Int64Array, min_count: int) -> Int32Array:
    """The row of every word id: its own if the word is frequent enough, else that of unknown
    words."""
    is_known = counts >= min_count
    rows = np.where(is_known, FIRST_ROW - 1 + np.cumsum(is_known), UNKNOWN_ROW)
    return rows.astype(np.int32)


def coded(symbols: Symbols, row_of_word: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Rows of words and of their second layer; unknown tags are like padding."""
    words = np.where(symbols.words == NO_SYMBOL, UNKNOWN_ROW, row_of_word[symbols.words])
    return words.astype(np.int32), np.where(symbols.tags == NO_SYMBOL, PAD, symbols.tags)
