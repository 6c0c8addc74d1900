"""The edges of the search: spans that may follow a group of hypotheses.

A group is defined by its coverage and the end of the last phrase. Translating a span leads to
another group; the estimate for the remaining words changes only in the gap that contains the span:

    covered ■■□□□□□■■     words = before − future[gap] + future[left part] + future[right part]
                ▒▒

Gaps also cost jumps: one to the first gap, then one from each gap to the next. Counting them in
advance (Moore and Quirk 2007) keeps a stack from filling with hypotheses that have translated only
the easy words of the sentence and postponed all jumps:

    covered ■■□□■■■□□■    jumps = [end of the last phrase → first gap] + [first gap → second gap]

The distortion limit is applied as in Moses, so that results are comparable. It limits the jump from
the last phrase. If a phrase leaves the first gap open, it also limits the distance from the gap to
the phrase's end, because the search must return to the gap:

    covered ■■□□■■□□□□     gap = 2, previous_end = 6, limit 5: the phrase 6:7 may be next, but not
              ^   ▒▒       6:8, whose end would be 6 words away from the gap
"""

from typing import Any

import numpy as np

from hyperbaton.decoder.constraints.zones import keeps_to_zones
from hyperbaton.decoder.search_space import N_ROWS, table_score
from hyperbaton.decoder.workspace import (
    EDGES,
    GROUPS,
    NO_EDGES,
    NO_GROUPS,
    NO_SLOTS,
)
from hyperbaton.foundation.coverage import (
    ONE,
    cover,
    covered_end,
    covered_start,
    open_end,
    open_start,
)
from hyperbaton.foundation.hashing import EMPTY, mix_in
from hyperbaton.foundation.kernels import uncounted


def distance_limit(limit: int, n_words: int) -> int:
    """The limit in words; a negative setting means no limit."""
    return limit if limit >= 0 else n_words


@uncounted
def within_limit(start: Any, end: Any, previous_end: int, gap: int, limit: int) -> Any:
    """Whether the distortion limit allows a free span start:end, or each of several, to be next."""
    return (abs(start - previous_end) <= limit) & ((start == gap) | (end - gap <= limit))


@uncounted
def collect_edges(space, ws, n_covered, distortion_limit):
    """Collects all edges into the stack; returns their number, or NO_EDGES."""
    n_edges = 0
    longest = len(space.first_span) - 1
    for length in range(1, min(longest, n_covered) + 1):
        stack = n_covered - length
        for number in range(ws.stacks[stack].group, ws.stacks[stack + 1].group):
            if ws.groups[number].size == 0:
                continue
            if n_edges + space.n_words > len(ws.edges):
                return NO_EDGES
            n_edges = _edges_of_group(space, ws, number, length, distortion_limit, n_edges)
    ws.counters[EDGES] += n_edges
    return n_edges


@uncounted
def _edges_of_group(space, ws, number, length, distortion_limit, n_edges):
    """Adds the edges from a group along spans of one length."""
    group, covered = ws.groups[number], ws.coverage[number]
    best = ws.members[group.begin]
    row = _row_after(space, best.last)
    # the end of the gap before this one, and the first and last start of a span that may be next
    before, left = space.n_words + 1, np.int64(group.gap)
    nearest, farthest = group.end - distortion_limit, group.end + distortion_limit
    while left <= min(farthest, space.n_words - length):
        right = open_end(covered, left, space.n_words)
        after = covered_end(covered, right, space.n_words)
        first = space.first_span[length, min(max(left, nearest), right)]
        last = space.first_span[length, max(0, min(right - length, farthest) + 1)]
        for span in range(np.uint64(first), np.uint64(last)):
            start = np.int64(space.spans[span].start)
            end = start + length
            if not within_limit(start, end, group.end, group.gap, distortion_limit):
                continue
            if len(space.zones) and not keeps_to_zones(
                space.zones, covered, start, end, group.gap, distortion_limit
            ):
                continue
            if np.isnan(space.first_scores[row, span]):
                space.first_scores[row, span] = _first_score(space, group.end, best.last, span)
            words, jumps = _left_over(
                space.future, space.jumps, group, before, left, right, after, start, end
            )
            gap = (after if end == right else end) if start == group.gap else group.gap
            total = best.score + words + jumps + space.jumps[np.uint64(end), np.uint64(gap)]
            edge = ws.edges[n_edges]
            edge.total = total + space.first_scores[row, span]
            edge.group, edge.span = number, span
            n_edges += 1
        before, left = right, after
    return n_edges


@uncounted
def _row_after(space, last):
    """The row of `first_scores` for the spans after an option; NaN: unknown. Most groups of a
    sentence end with the same few options."""
    row = np.uint64(last) % np.uint64(N_ROWS)
    if space.last_of_row[row] != last:
        space.last_of_row[row] = last
        space.first_scores[row, :] = np.nan
    return row


@uncounted
def _first_score(space, place, last, span):
    """The score of a span's best option after the option `last`, which ends at `place`."""
    option = space.spans[span].option
    score = space.distortion.by_place[place, span] + table_score(space.distortion, last, option)
    return score + space.options[option].base + space.options[option].estimate


@uncounted
def _left_over(future, jumps, group, before, left, right, after, start, end):
    """Estimates for the remaining words and for the jumps between gaps after translating the span
    start:end in the gap left:right."""
    before, left, right, after = (
        np.uint64(before),
        np.uint64(left),
        np.uint64(right),
        np.uint64(after),
    )
    start, end = np.uint64(start), np.uint64(end)
    words = group.words - future[left, right] + future[left, start] + future[end, right]
    # a remainder of the gap takes its place; otherwise the gaps on both sides become neighbours
    between = group.jumps + jumps[start if left < start else before, end if end < right else after]
    if left == start:
        between -= jumps[before, left]
    if end == right:
        between -= jumps[right, after]
    return words, between


@uncounted
def open_edge(space, ws, number, n_grids, first_group):
    """Makes the grid of an edge; returns 0, or the code of the array that is full."""
    edge, grid = ws.edges[number], ws.grids[n_grids]
    group, span = ws.groups[edge.group], space.spans[edge.span]
    start, end = np.int64(span.start), np.int64(span.end)
    target = _target_group(space.future, space.jumps, ws, edge.group, start, end, first_group)
    if target < 0:
        return target
    grid.score = space.distortion.by_place[group.end, edge.span]
    grid.future = ws.groups[target].future
    grid.target = target
    grid.member, grid.member_end = group.begin, group.begin + group.size
    grid.option, grid.option_end = span.option, space.spans[edge.span + ONE].option
    grid.first_answer = edge.first_answer
    return 0


@uncounted
def _target_group(future, jumps, ws, number, start, end, first_group):
    """The group that the span leads to, created if it is new; or the code of the array that is
    full."""
    new = ws.counters[GROUPS]
    if new == len(ws.groups):
        return NO_GROUPS
    if 2 * (new - first_group + 1) > len(ws.group_slots):
        return NO_SLOTS
    before, after = ws.coverage[number], ws.coverage[new]
    for word in range(len(after)):
        after[word] = before[word]
    cover(after, start, end)
    hashed = np.uint64(end)
    for word in range(len(after)):
        hashed = mix_in(hashed, after[word])
    mask = np.uint64(len(ws.group_slots) - 1)
    slot = hashed & mask
    while ws.group_slots[slot] != EMPTY:
        known = ws.group_slots[slot]
        same = ws.groups[known].end == end
        for word in range(len(after)):
            same = same and ws.coverage[known, word] == after[word]
        if same:
            return known
        slot = (slot + ONE) & mask
    group, target, n_words = ws.groups[number], ws.groups[new], len(future) - 1
    left, right = open_start(before, start), open_end(before, end, n_words)
    gap_before = n_words + 1 if left == group.gap else covered_start(before, left)
    gap_after = covered_end(before, right, n_words)
    target.words, target.jumps = _left_over(
        future, jumps, group, gap_before, left, right, gap_after, start, end
    )
    target.end = end
    target.gap = covered_end(after, end, n_words) if start == group.gap else group.gap
    target.future = target.words + target.jumps + jumps[end, target.gap]
    ws.group_slots[slot] = new
    ws.counters[GROUPS] += 1
    return new
