"""The edges of the search: which spans may follow which groups of hypotheses.

A group is known by its coverage and by where the last phrase ends. Taking a span leads to another
group; the estimate for the words that are left changes only in the gap that the span lies in:

    covered ■■□□□□□■■     future = before − future[gap] + future[left part] + future[right part]
                ▒▒

How far a step may jump follows Moses' rule for the distortion limit, so that results compare. The
jump from the last phrase is limited. So is the end of a phrase that leaves the first gap open,
because the search must be able to return to it:

    covered ■■□□■■□□□□     gap = 2, previous_end = 6, limit 5: the phrase 6:7 may be next, but not
              ^   ▒▒       6:8, whose end would be 6 words away from the gap
"""

from typing import Any

import numpy as np

from decoder.workspace import EDGES, EMPTY, FULL, GROUPS, ONE
from models.coverage import cover, covered_end, is_free, open_end, open_start
from models.hashing import mix_in
from models.kernels import uncounted


def distance_limit(limit: int, n_words: int) -> int:
    """The limit of a setting in words; a negative one means none."""
    return limit if limit >= 0 else n_words


@uncounted
def within_limit(start: Any, end: Any, previous_end: int, gap: int, limit: int) -> Any:
    """Whether a free span start:end, or which of several, may be translated next."""
    return (abs(start - previous_end) <= limit) & ((start == gap) | (end - gap <= limit))


@uncounted
def collect_edges(space, ws, n_covered, distortion_limit):
    """All edges into the stack; their number, or FULL."""
    n_edges, n_rows = 0, 0
    ws.group_slots[:] = EMPTY
    first_group = ws.counters[GROUPS]
    longest = len(space.length_span) - 2
    for length in range(1, min(longest, n_covered) + 1):
        stack = n_covered - length
        for number in range(ws.stacks[stack].group, ws.stacks[stack + 1].group):
            group = ws.groups[number]
            if group.size == 0:
                continue
            for span in range(space.length_span[length], space.length_span[length + 1]):
                start = space.spans[span].start
                if not _may_follow(ws, number, start, start + length, distortion_limit):
                    continue
                if n_edges == len(ws.edges) or n_rows + group.size > len(ws.seen):
                    return FULL
                target = _target_group(space, ws, number, start, start + length, first_group)
                if target < 0:
                    return FULL
                edge = ws.edges[n_edges]
                edge.score = space.edge_scores[group.end, span]
                edge.future = ws.groups[target].future
                edge.target = target
                edge.member, edge.member_end = group.begin, group.begin + group.size
                edge.option = space.spans[span].option
                edge.option_end = space.spans[span + 1].option
                edge.row = n_rows
                edge.group, edge.span = number, span
                n_edges += 1
                n_rows += group.size
    ws.seen[:n_rows] = 0
    ws.counters[EDGES] += n_edges
    return n_edges


@uncounted
def _may_follow(ws, number, start, end, distortion_limit):
    """Whether the span is free and near enough."""
    group = ws.groups[number]
    if start < group.gap or not within_limit(start, end, group.end, group.gap, distortion_limit):
        return False
    return is_free(ws.coverage[number], start, end)


@uncounted
def _target_group(space, ws, number, start, end, first_group):
    """The group that the span leads to, created if it is new; FULL if there is no room."""
    new = ws.counters[GROUPS]
    if new == len(ws.groups) or 2 * (new - first_group + 1) > len(ws.group_slots):
        return FULL
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
    group, target, future = ws.groups[number], ws.groups[new], space.future
    left, right = open_start(before, start), open_end(before, end, space.n_words)
    target.future = group.future - future[left, right] + future[left, start] + future[end, right]
    target.end = end
    target.gap = covered_end(after, end, space.n_words) if start == group.gap else group.gap
    ws.group_slots[slot] = new
    ws.counters[GROUPS] += 1
    return new
