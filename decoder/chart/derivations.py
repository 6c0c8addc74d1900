"""Derivations of the chart as arrays: trees of rules, each before those in its gaps."""

from typing import NamedTuple

import numpy as np

from hyperbaton.decoder.chart.workspace import ARCS, ITEMS, ChartWorkspace
from hyperbaton.decoder.ranking.nbest import NONE, Forest, best_derivations
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.interface import UNKNOWN_ENTRY
from hyperbaton.models.rules.settings import GAP, MOST_SYMBOLS
from hyperbaton.models.rules.table import RuleTable

N_SPECIAL = len(SPECIAL)


class Derivations(NamedTuple):
    """D derivations with R rules in all."""

    entry: Int64Array  # (R,) of the table, or a negative number as in `rules.py`
    start: Int32Array  # (R,) first source word
    end: Int32Array
    n_gaps: Int32Array
    offsets: Int64Array  # (D + 1,) first rule of each derivation

    def take(self, numbers: Int64Array) -> "Derivations":
        entry, start, end, n_gaps = (Ragged(c, self.offsets).take(numbers) for c in self[:-1])
        return Derivations(entry.values, start.values, end.values, n_gaps.values, entry.offsets)


def best_of(workspace: ChartWorkspace, item: int, n: int) -> tuple[Derivations, FloatArray]:
    """The `n` best derivations of an item, or all if there are fewer, and their scores."""
    items = workspace.items[: workspace.counters[ITEMS]]
    arcs = workspace.arcs[: workspace.counters[ARCS]]
    if n == 1:
        rows, score = _best_tree(items, arcs, item)
        found, scores = Ragged(rows, np.array([0, len(rows)])), np.array([score])
    else:
        forest = Forest(items["score"], *(arcs[name] for name in ("to", "one", "two", "score")))
        found, scores = best_derivations(forest, item, n)
    taken = arcs[found.values]
    spans = items[taken["to"]]
    start, end = (np.ascontiguousarray(spans[name]) for name in ("start", "end"))
    n_gaps = (taken["one"] != NONE).astype(np.int32) + (taken["two"] != NONE)
    return Derivations(taken["entry"].copy(), start, end, n_gaps, found.offsets), scores


@kernel
def _best_tree(items, arcs, goal):
    """The arcs of the best derivation and its score, as `best_derivations` finds them, but in one
    pass over the arcs: those of an item come after those of the items in its gaps."""
    is_wanted = np.zeros(goal + 1, np.bool_)
    best, chosen = np.full(goal + 1, -np.inf), np.empty(goal + 1, np.int64)
    is_wanted[goal] = True
    n = 1
    for number in range(len(arcs) - 1, -1, -1):
        arc = arcs[number]
        if arc.to > goal or not is_wanted[arc.to]:
            continue
        score = arc.score + (items[arc.one].score if arc.one != NONE else 0.0)
        score += items[arc.two].score if arc.two != NONE else 0.0
        if score >= best[arc.to]:
            best[arc.to], chosen[arc.to] = score, number
        if arc.is_first:  # the last one to be seen
            for inside in (arcs[chosen[arc.to]].one, arcs[chosen[arc.to]].two):
                if inside != NONE:
                    is_wanted[inside] = True
                    n += 1
    rows, waiting = np.empty(n, np.int64), np.empty(n, np.int64)
    waiting[0], n_waiting = goal, 1
    for place in range(n):
        n_waiting -= 1
        rows[place] = chosen[waiting[n_waiting]]
        arc = arcs[rows[place]]
        for inside in (arc.two, arc.one):
            if inside != NONE:
                waiting[n_waiting] = inside
                n_waiting += 1
    return rows, best[goal]


class Spelled(NamedTuple):
    """The translations of derivations."""

    words: Ragged  # D rows of ids of the target vocabulary; −1 − (source position) if copied
    links: Ragged  # D rows of (source, target) positions
    # (R, 2) first target word of each rule, and one past the last
    target: Int32Array


def n_target_words(derivations: Derivations, table: RuleTable, *, drop_unknown: bool) -> Int64Array:
    """The target words of each rule, without those in its gaps, (R,)."""
    known = derivations.entry >= 0
    side = table.target[np.maximum(derivations.entry, 0)]
    lengths = table.target_offsets[side + 1] - table.target_offsets[side] - derivations.n_gaps
    copied = (derivations.entry == UNKNOWN_ENTRY) & (not drop_unknown)
    return np.where(known, lengths, copied).astype(np.int64)


def spell(derivations: Derivations, table: RuleTable, *, drop_unknown: bool) -> Spelled:
    n_words = n_target_words(derivations, table, drop_unknown=drop_unknown)
    ends = np.concatenate([[0], np.cumsum(n_words)])
    inner = table.inner_of(np.maximum(derivations.entry, 0))
    inner[derivations.entry < 0] = 0
    bits = np.unpackbits(inner.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=1, dtype=np.int64)
    bits[derivations.entry == UNKNOWN_ENTRY] = not drop_unknown
    words, links = np.empty(ends[-1], np.int32), np.empty((bits.sum(), 2), np.uint16)
    target, offsets = np.zeros((len(n_words), 2), np.int32), derivations.offsets
    link_offsets = np.zeros(len(offsets), np.int64)
    _spell(
        *derivations, table.target, table.target_words, table.target_offsets, inner, n_words,
        words, links, link_offsets, target,
    )  # fmt: skip
    return Spelled(Ragged(words, ends[offsets]), Ragged(links, link_offsets), target)


@kernel
def _spell(
    entry, start, end, n_gaps, offsets, side, target_words, target_offsets, inner, n_words,
    words, links, link_offsets, target,
):  # fmt: skip
    """Fills in words, links and target spans."""
    after = np.empty(len(entry), np.int64)  # one past the last rule inside of each
    position = np.empty(MOST_SYMBOLS, np.int64)  # of the source symbols
    n_written, n_links = 0, 0
    waiting = [(0, 0)]  # rule and target symbol
    for row in range(len(entry) - 1, -1, -1):
        last = row + 1
        for _ in range(n_gaps[row]):
            last = after[last]
        after[row] = last
    for derivation in range(len(offsets) - 1):
        begin = n_written
        waiting.clear()
        waiting.append((offsets[derivation], 0))
        while waiting:
            row, symbol = waiting.pop()
            if symbol == 0:
                target[row, 0] = n_written - begin
            one = row + 1
            two = after[one] if n_gaps[row] > 1 else one
            if entry[row] < 0:  # S → X, S → S X, or an unknown word
                if symbol < n_gaps[row]:
                    waiting.append((row, symbol + 1))
                    waiting.append((one if symbol == 0 else two, 0))
                    continue
                if n_words[row]:
                    words[n_written] = -1 - start[row]
                    links[n_links, 0], links[n_links, 1] = start[row], n_written - begin
                    n_written, n_links = n_written + 1, n_links + 1
                target[row, 1] = n_written - begin
                continue
            place, n_symbols = start[row], 0
            while place < end[row]:
                position[n_symbols] = place
                n_symbols += 1
                if n_gaps[row] > 0 and place == start[one]:
                    place = end[one]
                elif n_gaps[row] > 1 and place == start[two]:
                    place = end[two]
                else:
                    place += 1
            at = target_offsets[side[entry[row]]]
            n_target = target_offsets[side[entry[row]] + 1] - at
            while symbol < n_target and target_words[at + symbol] >= N_SPECIAL:
                words[n_written] = target_words[at + symbol]
                for k in range(n_symbols):
                    if (inner[row] >> np.uint64(MOST_SYMBOLS * symbol + k)) & np.uint64(1):
                        links[n_links, 0] = position[k]
                        links[n_links, 1] = n_written - begin
                        n_links += 1
                n_written += 1
                symbol += 1
            if symbol < n_target:
                waiting.append((row, symbol + 1))
                waiting.append((one if target_words[at + symbol] == GAP else two, 0))
            else:
                target[row, 1] = n_written - begin
        link_offsets[derivation + 1] = n_links
