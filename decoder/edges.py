"""The edges of the search: which groups of hypotheses may be followed by which spans.

A group is known by its coverage and by where the last phrase ends. Taking a span leads to another
group; what the words left over will cost at best changes only in the gap that the span lies in:

    covered ■■□□□□□■■     future = before − future[gap] + future[left part] + future[right part]
                ▒▒
"""

import numpy as np

from decoder.workspace import EDGES, EMPTY, FULL, GROUPS, MIXER, ONE
from models.kernels import kernel, uncounted


@kernel
def collect_edges(problem, ws, n_covered, distortion_limit):
    """All edges into the stack; their number, or FULL."""
    n_edges, n_rows = 0, 0
    ws.group_slots[:] = EMPTY
    first_group = ws.counters[GROUPS]
    longest = len(problem.length_span) - 2
    for length in range(1, min(longest, n_covered) + 1):
        stack = n_covered - length
        for number in range(ws.stacks[stack].group, ws.stacks[stack + 1].group):
            group = ws.groups[number]
            if group.size == 0:
                continue
            for span in range(problem.length_span[length], problem.length_span[length + 1]):
                start = problem.spans[span].start
                if not _allowed(ws, number, start, length, distortion_limit):
                    continue
                if n_edges == len(ws.edges) or n_rows + group.size > len(ws.seen):
                    return FULL
                target = _target_group(problem, ws, number, start, length, first_group)
                if target < 0:
                    return FULL
                edge = ws.edges[n_edges]
                edge.score = problem.edge_scores[group.end, span]
                edge.future = ws.groups[target].future
                edge.target = target
                edge.member, edge.member_end = group.begin, group.begin + group.size
                edge.option = problem.spans[span].option
                edge.option_end = problem.spans[span + 1].option
                edge.row = n_rows
                edge.group, edge.span = number, span
                n_edges += 1
                n_rows += group.size
    ws.seen[:n_rows] = 0
    ws.counters[EDGES] += n_edges
    return n_edges


@uncounted
def _allowed(ws, group, start, length, distortion_limit):
    """Whether the span is free and near enough.

    Moses' rule: the jump from the last phrase is limited, and whoever leaves the first gap open
    must be able to come back to it.
    """
    end, gap = start + length, ws.groups[group].gap
    if start < gap or abs(start - ws.groups[group].end) > distortion_limit:
        return False
    if start != gap and end - gap > distortion_limit:
        return False
    return _uncovered(ws, group, start, length)


@uncounted
def _uncovered(ws, group, start, length):
    word, bit = start >> 6, np.uint64(start & 63)
    mask = (ONE << np.uint64(length)) - ONE
    if (ws.coverage[group, word] >> bit) & mask:
        return False
    over = (start & 63) + length - 64  # words of the span in the next 64
    return over <= 0 or not ws.coverage[group, word + 1] & ((ONE << np.uint64(over)) - ONE)


@uncounted
def _is_covered(ws, group, place):
    return (ws.coverage[group, place >> 6] >> np.uint64(place & 63)) & ONE != 0


@uncounted
def _target_group(problem, ws, group, start, length, first_group):
    """The group that the span leads to, made if it is new; FULL if there is no room."""
    n_words, end = problem.n_words, start + length
    new = ws.counters[GROUPS]
    if new == len(ws.groups) or 2 * (new - first_group + 1) > len(ws.group_slots):
        return FULL
    hashed = np.uint64(end)
    for word in range(ws.coverage.shape[1]):
        ws.coverage[new, word] = ws.coverage[group, word]
    for place in range(start, end):
        ws.coverage[new, place >> 6] |= ONE << np.uint64(place & 63)
    for word in range(ws.coverage.shape[1]):
        hashed = (hashed ^ ws.coverage[new, word]) * MIXER
        hashed ^= hashed >> np.uint64(29)
    mask = np.uint64(len(ws.group_slots) - 1)
    slot = hashed & mask
    while ws.group_slots[slot] != EMPTY:
        known = ws.group_slots[slot]
        same = ws.groups[known].end == end
        for word in range(ws.coverage.shape[1]):
            same = same and ws.coverage[known, word] == ws.coverage[new, word]
        if same:
            return known
        slot = (slot + ONE) & mask
    left, right = start, end  # the gap that the span lies in
    while left > 0 and not _is_covered(ws, group, left - 1):
        left -= 1
    while right < n_words and not _is_covered(ws, group, right):
        right += 1
    gap = ws.groups[group].gap
    if start == gap:
        gap = end
        while gap < n_words and _is_covered(ws, new, gap):
            gap += 1
    future = problem.future
    ws.groups[new].future = (
        ws.groups[group].future - future[left, right] + future[left, start] + future[end, right]
    )
    ws.groups[new].end = end
    ws.groups[new].gap = gap
    ws.group_slots[slot] = new
    ws.counters[GROUPS] += 1
    return new
