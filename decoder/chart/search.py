"""The chart search, compiled: a loop over the starts of spans, from right to left, and one over
the ends of the chain that covers the sentence.

    cells of rules    start and length, up to the longest span
    cells of chains   0:end with the sentence's beginning as context, for each end
"""

from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

from hyperbaton.decoder.chart.cubes import fill_cell
from hyperbaton.decoder.chart.matching import add_match, cell_of, match_gap, match_words
from hyperbaton.decoder.chart.rules import BEGINNING, GLUE
from hyperbaton.decoder.chart.workspace import (
    CELLS,
    HERE,
    NARROWED,
    NO_MATCHES,
    ChartWorkspace,
)
from hyperbaton.decoder.ranking.entry_memo import EntryMemo, EntrySource, EntryWeights
from hyperbaton.foundation.arrays import FloatArray, Int32Array
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted_kernel

STOPPED = -4  # instead of a result
NARROW_POPS, NARROW_ITEMS = 20, 10  # limits after the deadline


class ChartSpace(NamedTuple):
    """A sentence and all that is known of it before the search."""

    words: Int32Array  # source words
    longest: int  # words of a span that a rule may cover
    source: EntrySource
    memo: EntryMemo
    weights: EntryWeights
    gain: FloatArray  # (language model vocabulary,) weighted gain of the first word of an item
    begin_state: int
    end_word: int
    unit: float  # of scores
    patience: float  # neighbours of a step are evaluated this much below its expected score


class ChartLimits(NamedTuple):
    pops: int  # steps taken for each cell
    items: int  # kept in each cell
    beam: float

    def narrowed(self) -> "ChartLimits":
        """Limits after the deadline."""
        return self._replace(pops=min(self.pops, NARROW_POPS), items=min(self.items, NARROW_ITEMS))


def search_chart(
    space: ChartSpace,
    lm: Any,  # a language model for compiled code
    ws: ChartWorkspace,
    limits: ChartLimits,
    is_stopped: Callable[[], bool] = lambda: False,
    deadline: float = inf,
) -> int:
    """The cell of complete translations, the code of a full array, or STOPPED.

    After the `deadline`, on the clock `perf_counter`, few steps are taken.
    """
    ws.counters[:] = 0
    ws.slots[:] = EMPTY
    ws.cells[:] = 0
    for start in range(len(space.words) - 1, -1, -1):
        full = _fill_start(space, lm, ws, limits, start)
        if full:
            return int(full)
        if is_stopped():
            return STOPPED
        if perf_counter() > deadline:
            limits = limits.narrowed()
            ws.counters[NARROWED] += 1
    return int(_fill_chain(space, lm, ws, limits))


@uncounted_kernel
def _fill_start(space, lm, ws, limits, start):
    """Fills all cells with this start; returns 0, or the code of a full array."""
    full = match_words(space, lm, ws, start)
    if full:
        return full
    for length in range(1, min(space.longest, len(space.words) - start) + 1):
        cell = cell_of(space, start, length)
        full = fill_cell(
            space, lm, ws, limits, ws.heads[length], cell, (start, start + length, False)
        )
        if full:
            return full
        if ws.cells[cell].begin < ws.cells[cell].end:
            ws.counters[CELLS] += 1
            full = match_gap(space, lm, ws, start, length)
            if full:
                return full
    return 0


@uncounted_kernel
def _fill_chain(space, lm, ws, limits):
    """Fills the cells of the chain; returns the last cell, or the code of a full array."""
    n_words = len(space.words)
    chain = n_words * (space.longest + 1)  # cell of the chain 0:0
    for end in range(1, n_words + 1):
        ws.heads[0] = EMPTY
        ws.counters[HERE] = 0
        if end > len(ws.matches):
            return NO_MATCHES
        for start in range(max(0, end - space.longest), end):
            last, before = cell_of(space, start, end - start), chain + start
            if ws.cells[last].begin < ws.cells[last].end:
                if start == 0:
                    add_match(ws, 0, BEGINNING, last, EMPTY)
                elif ws.cells[before].begin < ws.cells[before].end:
                    add_match(ws, 0, GLUE, before, last)
        full = fill_cell(space, lm, ws, limits, ws.heads[0], chain + end, (0, end, True))
        if full:
            return full
    return chain + n_words
