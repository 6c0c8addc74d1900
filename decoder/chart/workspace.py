"""The memory of a chart search, allocated once and reused for all sentences.

An item is a partial translation of a span. Its score has the language model's score of its words
as if nothing came before them. So an item keeps its first words, whose scores change when words
come before it, with the state after each, and its right state:

    item      his book …                  left words: his, book   right state: after …
    context   he bought ▸ his book …      the words are scored again until the state after one of
                                          them is the stored one: from there on nothing changes

With an order of N there are at most N − 1 left words, so this is exact.

Items of a cell are compared by their ranks, which expect the first word to gain from its context
what it gains on average (Heafield, Koehn and Lavie 2012): otherwise those that begin with a word
that hardly ever comes first would be pruned. Ranks are not part of any score.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.ranking.buckets import N_BUCKETS
from hyperbaton.decoder.ranking.entry_memo import SYMBOL
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.models.language_model.asking import no_answers
from hyperbaton.models.language_model.stepping import MEMORY_BITS

# Counts of the whole search; but `here` are the matches of the current start
COUNTERS = (
    "items", "arcs", "members", "matches", "here", "opened", "steps", "lm_words", "cells",
    "pruned", "largest", "narrowed",
)  # fmt: skip
(
    ITEMS, ARCS, MEMBERS, MATCHES, HERE, OPENED, STEPS, LM_WORDS, CELLS, PRUNED, LARGEST, NARROWED,
) = range(len(COUNTERS))  # fmt: skip

ITEM = np.dtype(
    [
        ("score", np.float64),  # of the best derivation
        ("rank", np.float64),  # the score, and what the first word gains on average from context
        ("start", np.int32),
        ("end", np.int32),
        ("right", np.int32),  # language model state after the last word
        ("n_left", np.int32),
        ("is_whole", np.int32),  # whether the left words are all words
        ("below", np.int32),  # next item in the bucket of the item
    ]
)
# A rule with items in its gaps
ARC = np.dtype(
    [
        ("score", np.float64),  # of the rule, with the words that it brings together
        ("entry", np.int64),
        ("to", np.int32),
        ("one", np.int32),  # item in the first gap, or EMPTY
        ("two", np.int32),
        ("is_first", np.int32),  # of its item
    ]
)
# A source side at a place of the sentence, with cells for its gaps: a grid of rules and items
MATCH = np.dtype(
    [
        ("total", np.float64),  # the rank of its first step, by the ranks of the items in it
        ("memo", np.int32),  # number of the source side
        ("one", np.int32),  # cell of the first gap, or EMPTY
        ("two", np.int32),
        ("following", np.int32),  # next match of the cell
        ("below", np.int32),  # next item in the bucket of the match
        ("unused", np.int32),
    ]
)
# A rule of a match with an item for each gap
STEP = np.dtype(
    [
        ("total", np.float64),
        ("rank", np.float64),  # as of an item
        ("match", np.int32),
        ("rule", np.int32),
        ("one", np.int32),  # place in the members
        ("two", np.int32),
        ("right", np.int32),
        ("n_left", np.int32),
        ("is_whole", np.int32),
        ("below", np.int32),  # next item in the bucket of the step
        ("below_due", np.int32),  # next item in the bucket at which its neighbours are evaluated
        ("has_neighbours", np.int32),  # whether its neighbours were added
    ]
)
CELL = np.dtype([("begin", np.int32), ("end", np.int32)])  # its items among the members
# A source side that the walk through the trie has matched up to a place
WALK = np.dtype([("node", np.int32), ("end", np.int32), ("one", np.int32), ("two", np.int32)])


class ChartWorkspace(NamedTuple):
    items: NDArray[Any]  # ITEM
    left: NDArray[Any]  # (items, order − 1) SYMBOL, the left words of each item
    arcs: NDArray[Any]  # ARC
    members: Int32Array  # items kept in each cell, best first
    cells: NDArray[Any]  # CELL
    walk: NDArray[Any]  # WALK
    # of the current start
    matches: NDArray[Any]  # MATCH
    heads: Int32Array  # first match of the cells by length
    # of the current cell
    steps: NDArray[Any]  # STEP
    step_left: NDArray[Any]  # (steps, order − 1) SYMBOL
    bucket: Int32Array  # queue items by score: four times their number, plus their kind
    slots: Int32Array  # hash table of items
    # of the whole search
    counters: Int64Array  # as in COUNTERS
    memory: NDArray[Any]  # recent answers of the language model


class ChartCapacity(NamedTuple):
    items: int  # and arcs
    matches: int
    steps: int
    slots: int

    def enlarged(self, result: int) -> "ChartCapacity":
        """Twice the capacity of the array that was full."""
        name = self._fields[FULL - result]
        return self._replace(**{name: 2 * getattr(self, name)})


# FULL − n: field n of the capacity is too small; enlarge it and search again
FULL = -10
NO_ITEMS, NO_MATCHES, NO_STEPS, NO_SLOTS = (
    FULL - field for field in range(len(ChartCapacity._fields))
)
NO_MEMO = FULL - len(ChartCapacity._fields)  # the memo of rules is full


def workspace_bytes(capacity: ChartCapacity, n_left: int) -> int:
    """Memory of a workspace without its small arrays."""
    left = SYMBOL.itemsize * n_left
    items = capacity.items * (ITEM.itemsize + ARC.itemsize + 4 + left)
    steps = capacity.steps * (STEP.itemsize + left)
    return items + steps + capacity.matches * MATCH.itemsize + 4 * capacity.slots


def make_workspace(
    n_words: int, longest: int, n_left: int, capacity: ChartCapacity
) -> ChartWorkspace:
    return ChartWorkspace(
        np.zeros(capacity.items, ITEM),
        np.zeros((capacity.items, n_left), SYMBOL),
        np.zeros(capacity.items, ARC),
        np.zeros(capacity.items, np.int32),
        np.zeros(n_words * (longest + 1) + n_words + 1, CELL),
        np.zeros(8 * (longest + 2), WALK),
        np.zeros(capacity.matches, MATCH),
        np.zeros(longest + 1, np.int32),
        np.zeros(capacity.steps, STEP),
        np.zeros((capacity.steps, n_left), SYMBOL),
        np.zeros(N_BUCKETS, np.int32),
        np.zeros(capacity.slots, np.int32),
        np.zeros(len(COUNTERS), np.int64),
        no_answers(MEMORY_BITS),
    )
