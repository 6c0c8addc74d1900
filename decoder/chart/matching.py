"""Finds the source sides that match a sentence, with the cells of their gaps.

The chart is filled without binarisation: start positions are taken from right to left, and from
each the trie of rules is walked depth first (Sennrich 2014). A gap is a cell with items. Cells of
later starts are complete; a cell of the same start is complete before longer ones are filled, so
source sides that begin with a gap are matched when that cell is.

    start 2   word 2 …              matched at once: gaps begin after 2
              X[2:3] word 3 …       when cell 2:3 is filled
              X[2:4] word 4 …       when cell 2:4 is filled, and so on
"""

import numpy as np

from hyperbaton.decoder.chart.workspace import HERE, MATCHES, NO_MATCHES, NO_MEMO
from hyperbaton.decoder.ranking.entry_memo import UNKNOWN_WORD, remember
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.phrases.sorted_trie import ROOT, child
from hyperbaton.models.rules.settings import GAP


@uncounted
def cell_of(space, start, length):
    """The number of a cell of gaps and rules."""
    return start * (space.longest + 1) + length


@uncounted
def match_words(space, lm, ws, start):
    """Finds the matches that begin with a word; returns 0, or the code of a full array."""
    for length in range(space.longest + 1):
        ws.heads[length] = EMPTY
    ws.counters[HERE] = 0
    trie, begin = space.source.trie, space.source.entry_begin
    node = child(trie, np.int32(ROOT), space.words[start])
    if node == EMPTY or begin[node] == begin[node + 1]:
        add_match(ws, 1, UNKNOWN_WORD, EMPTY, EMPTY)
    return 0 if node == EMPTY else _walk(space, lm, ws, start, node, start + 1, EMPTY)


@uncounted
def match_gap(space, lm, ws, start, length):
    """Finds the matches that begin with a gap of this length, whose cell has items."""
    trie = space.source.trie
    node = _gap_below(trie, np.int32(ROOT))
    if node == EMPTY:
        return 0
    return _walk(space, lm, ws, start, node, start + length, cell_of(space, start, length))


@uncounted
def _gap_below(trie, node):
    """The node that a gap leads to, or EMPTY. No symbol sorts before a gap."""
    below = trie.children[node]
    if below < trie.children[node + 1] and trie.word[below] == GAP:
        return np.int32(below)
    return np.int32(EMPTY)


@uncounted
def _walk(space, lm, ws, start, first, end, gap):
    """Walks the trie from a node that matches start:end, perhaps with a gap."""
    source = space.source
    last = min(len(space.words), start + space.longest)
    n = 1
    ws.walk[0].node, ws.walk[0].end, ws.walk[0].one, ws.walk[0].two = first, end, gap, EMPTY
    while n > 0:
        n -= 1
        node, end = ws.walk[n].node, ws.walk[n].end
        one, two = ws.walk[n].one, ws.walk[n].two
        if source.entry_begin[node] < source.entry_begin[node + 1]:
            if space.memo.number[node] == EMPTY and not remember(
                source, lm, space.memo, space.weights, node
            ):
                return NO_MEMO
            if ws.counters[HERE] == len(ws.matches):
                return NO_MATCHES
            add_match(ws, end - start, space.memo.number[node], one, two)
        if end == last:
            continue
        below = _gap_below(source.trie, node)
        if below != EMPTY:
            for after in range(end + 1, last + 1):
                cell = cell_of(space, end, after - end)
                if ws.cells[cell].begin < ws.cells[cell].end:
                    here = ws.walk[n]
                    here.node, here.end = below, after
                    here.one, here.two = (cell, EMPTY) if one == EMPTY else (one, cell)
                    n += 1
        below = child(source.trie, node, space.words[end])
        if below != EMPTY:
            here = ws.walk[n]
            here.node, here.end, here.one, here.two = below, end + 1, one, two
            n += 1
    return 0


@uncounted
def add_match(ws, length, memo, one, two):
    """Adds a match to the cell of its length."""
    number = ws.counters[HERE]
    match = ws.matches[number]
    match.memo, match.one, match.two = memo, one, two
    match.following = ws.heads[length]
    ws.heads[length] = number
    ws.counters[HERE] += 1
    ws.counters[MATCHES] += 1
