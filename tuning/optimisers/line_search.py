"""Finds the best point on a line through the weights, exactly (Och 2003).

At w + x·d the score of hypothesis h is a line in x, a_h + b_h x with a_h = w·f_h and b_h = d·f_h.
The best hypotheses, as x grows from −r to r, form the upper envelope: from left to right, lines of
increasing slope, which change at thresholds.

            L ╲                 ╱ R
               ╲       M       ╱       L and R are best at −r and r, M is best where these two
                ╲_____________╱        meet; all other lines of the envelope are above this point
                 ╲           ╱         as well
           x = −r              r

One pass over the lines finds L and R, which are often the same. A second pass keeps the lines above
the point where these meet, usually very few. M is the highest of them there; the pairs L, M and M,
R are treated alike until no line is above the meeting point of neighbours. So a sentence with n
lines, of which k are kept and h are best somewhere, costs O(n + kh). The first of equal lines is
taken, as everywhere in the pool.

Between two thresholds no best hypothesis changes, and neither does the corpus score: all intervals
are scored at once from running sums of statistics, and the middle of the best one is taken. Of
equal scores, the interval closest to the start wins; if none is better than the start, the search
does not move.

The line ends at `REACH` times the size of the weights, which gives the outermost intervals a
middle; reaching farther takes another step. Intervals shorter than `NARROW` are skipped, because
rounding the weights could leave them.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import MOST_NUMBERED, FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.metrics.base import Metric

REACH = 1.0  # longest step, relative to the sum of the weights' absolute values
NARROW = 1e-6  # in the same unit
LEAST_GAIN = 1e-9  # smaller differences of scores are rounding errors
INTERVALS_AT_ONCE = 1 << 16  # intervals scored together


class Thresholds(NamedTuple):
    """Where the best hypothesis of any sentence changes, sorted by x."""

    first: Int64Array  # (n_sentences,) rows that are best at x = −r
    x: FloatArray  # (T,)
    before: Int32Array  # (T,) the best row to the left
    after: Int32Array  # (T,) the best row to the right


class Scratch(NamedTuple):
    """Memory for one envelope; arrays with at least one element per line."""

    above: Int64Array  # lines that may be best somewhere
    best: Int64Array  # the lines of the envelope, from left to right
    n_between: Int64Array


class Room(NamedTuple):
    """Memory for the envelopes of a pool, reused for every line."""

    x: FloatArray  # (H,)
    before: Int32Array
    after: Int32Array
    scratch: Scratch


class LinePoint(NamedTuple):
    x: float  # 0 if nothing is better
    score: float


class LineSearch:
    """Line search on one pool by one metric."""

    def __init__(self, statistics: FloatArray, offsets: Int64Array, metric: Metric) -> None:
        self._statistics, self._offsets, self._metric = statistics, offsets, metric
        self._room = make_room(offsets)

    def best(self, a: FloatArray, b: FloatArray, start: float, unit: float) -> LinePoint:
        """The best point on the line where hypotheses score `a` + `b` x, (H,) each.

        `start` is the metric at x = 0, `unit` the step that is as long as the weights.
        """
        reach = REACH * unit
        thresholds = find_thresholds(a, b, self._offsets, reach, self._room)
        if not len(thresholds.x):
            return LinePoint(0.0, start)
        scores = interval_scores(thresholds, self._statistics, self._metric)
        ends = np.concatenate([[-reach], np.clip(thresholds.x, -reach, reach), [reach]])
        wide = np.diff(ends) > NARROW * unit
        best = scores[wide].max(initial=-np.inf)
        if not best > start + LEAST_GAIN:
            return LinePoint(0.0, start)
        middle = (ends[1:] + ends[:-1]) / 2
        equal = np.flatnonzero(wide & (scores >= best - LEAST_GAIN))
        chosen = equal[np.argmin(np.abs(middle[equal]))]
        return LinePoint(float(middle[chosen]), float(scores[chosen]))


def make_room(offsets: Int64Array) -> Room:
    n, longest = int(offsets[-1]), int(np.diff(offsets).max(initial=0))
    if n > MOST_NUMBERED:
        raise MemoryError(f"a pool of {n} hypotheses")
    return Room(np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), make_scratch(longest))


@inner
def make_scratch(n):
    return Scratch(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64))


def find_thresholds(
    a: FloatArray, b: FloatArray, offsets: Int64Array, reach: float, room: Room
) -> Thresholds:
    """The thresholds of all sentences between −reach and reach.

    Lines have intercepts `a` and slopes `b`, (H,) each.
    """
    first = np.empty(len(offsets) - 1, np.int64)
    n = _envelopes(a, b, offsets, reach, room, first)
    order = np.argsort(room.x[:n], kind="stable")
    return Thresholds(first, room.x[order], room.before[order], room.after[order])


def interval_scores(thresholds: Thresholds, statistics: FloatArray, metric: Metric) -> FloatArray:
    """The metric between all thresholds and beyond them, (T + 1,)."""
    sums, scores = statistics[thresholds.first].sum(axis=0), list[FloatArray]()
    for begin in range(0, max(len(thresholds.x), 1), INTERVALS_AT_ONCE):
        part = slice(begin, begin + INTERVALS_AT_ONCE)
        running = _running_sums(sums, statistics, thresholds.before[part], thresholds.after[part])
        scores.append(metric.score(running[min(begin, 1) :]))
        sums = running[-1]
    return np.concatenate(scores)


@kernel
def _running_sums(sums, statistics, before, after):
    """The given sums, and those after each threshold, where one row replaces another."""
    running = np.empty((len(after) + 1, len(sums)))
    running[0] = sums
    for number in range(len(after)):
        for k in range(len(sums)):
            changed = running[number, k] - statistics[before[number], k]
            running[number + 1, k] = changed + statistics[after[number], k]
    return running


@kernel
def _envelopes(a, b, offsets, reach, room, first):
    """Fills `room` and `first`; returns the number of thresholds."""
    n = 0
    for sentence in range(len(first)):
        begin, end = offsets[sentence], offsets[sentence + 1]
        size = envelope(a[begin:end], b[begin:end], reach, room.scratch)
        best = room.scratch.best
        first[sentence] = begin + best[0]
        for k in range(1, size):
            low, high = begin + best[k - 1], begin + best[k]
            room.x[n] = (a[low] - a[high]) / (b[high] - b[low])
            room.before[n], room.after[n] = low, high
            n += 1
    return n


@inner
def envelope(a, b, reach, scratch):
    """Writes the lines a + b x of the envelope, from left to right, into `scratch.best`; returns
    their number."""
    above, best, n_between = scratch
    low, high = _highest(a, b, reach)
    best[0] = low
    if not b[high] > b[low]:
        return 1
    x, y = _meeting(a, b, low, high)
    n_above = 0
    for row in range(len(a)):
        above[n_above] = row
        n_above += a[row] + b[row] * x > y
    # The left end of `best` holds the finished part of the envelope; its right end holds a stack of
    # lines to the right, each with the number of lines that may lie between it and its neighbour
    size, right = 1, len(best) - 1
    best[right], n_between[right] = high, n_above
    while right < len(best):
        middle, n_above = _above(a, b, best[size - 1], best[right], above[: n_between[right]])
        if n_above:
            n_between[right] = n_above
            right -= 1
            best[right], n_between[right] = middle, n_above
        else:
            best[size] = best[right]
            size += 1
            right += 1
    return size


@inner
def _highest(a, b, reach):
    """The first of the highest lines at −reach, and at reach."""
    low = high = 0
    low_score, high_score = a[0] - b[0] * reach, a[0] + b[0] * reach
    for row in range(len(a)):
        if a[row] - b[row] * reach > low_score:
            low, low_score = row, a[row] - b[row] * reach
        if a[row] + b[row] * reach > high_score:
            high, high_score = row, a[row] + b[row] * reach
    return low, high


@inner
def _meeting(a, b, low, high):
    """The point where two lines meet; the higher y if they differ by rounding."""
    x = (a[low] - a[high]) / (b[high] - b[low])
    return x, max(a[low] + b[low] * x, a[high] + b[high] * x)


@inner
def _above(a, b, low, high, rows):
    """The highest line above the point where two others meet, and the number of lines above it.

    Moves the latter to the front of `rows`. Lines whose slope is not between the two do not count:
    only rounding can put them above.
    """
    x, y = _meeting(a, b, low, high)
    n, best, best_score = 0, -1, y
    for k in range(len(rows)):
        row = rows[k]
        score = a[row] + b[row] * x
        if score > y and b[low] < b[row] < b[high]:
            rows[k], rows[n] = rows[n], row
            n += 1
            if score > best_score or (score == best_score and row < best):
                best, best_score = row, score
    return best, n
