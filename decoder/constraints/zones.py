"""Zones and walls: which source words may be translated next.

The words of a phrase count as translated from left to right. So a phrase may extend into a zone
that is still uncovered, and beyond a zone that it completes:

    zone     [□□□□]        [□□■□]         [■□□□]
              ▒▒▒           ▒▒▒             ▒▒▒       no: words of the zone are left behind
           ▒▒▒▒             ▒▒              ▒▒▒▒▒▒▒   yes: the last one completes the zone

The search can reach a dead end if it enters a zone while words before it are uncovered: they must
wait until the zone is complete, and the end of the zone may then be farther away than the
distortion limit allows. Such a zone is not entered before those words are translated:

    □□■■[□□□□]   limit 6: the first gap is 8 words from the end of the zone, so the gap comes first

This rule suffices: from any other hypothesis, the first uncovered word of the innermost unfinished
zone, or else of the sentence, can come next.
"""

import numpy as np

from hyperbaton.corpus.sentences.markup import Markup
from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.coverage import covered_end, is_free
from hyperbaton.foundation.kernels import uncounted

START, END, WALL = range(3)  # columns; START and END of a wall are the span that it divides
NO_WALL = -1  # the row is a zone
NO_ZONES = np.empty((0, 3), np.int32)


def zones_of(markup: Markup, n_words: int) -> Int32Array:
    """Zones and walls, (Z, 3)."""
    if not (markup.zones or markup.walls):
        return NO_ZONES
    rows = [(start, end, NO_WALL) for start, end in markup.zones]
    rows += [(start, end, wall) for wall, (start, end) in markup.scopes(n_words)]
    return np.array(rows, np.int32).reshape(-1, 3)


@uncounted
def keeps_to_zones(zones, coverage, start, end, gap, limit):
    """Whether the free span start:end may be translated next; `gap` is the first uncovered word."""
    for number in range(len(zones)):
        first, last = np.int64(zones[number, START]), np.int64(zones[number, END])
        wall = np.int64(zones[number, WALL])
        if wall != NO_WALL:
            is_behind = end > wall and start < last
            if is_behind and covered_end(coverage, first, min(start, wall)) < min(start, wall):
                return False
            continue
        if is_free(coverage, first, last):
            if start >= last or end <= first:
                continue
            if end > last and start > first:
                return False
            is_done = start <= first and end >= last
            if not is_done and start != gap and gap < first and last - gap > limit:
                return False
        elif covered_end(coverage, first, last) < last:
            if start < first or start >= last:
                return False
            if end > last and covered_end(coverage, first, start) < start:
                return False
    return True
