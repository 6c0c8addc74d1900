"""The best point on a line through the weights, exactly (Och 2003).

At w + x·d the score of hypothesis h is a line in x, a_h + b_h x with a_h = w·f_h and b_h = d·f_h.
The best one, as x grows from −r to r, is their upper envelope: from left to right lines of growing
slope, which change at thresholds.

            L ╲                 ╱ R
               ╲       M       ╱       L and R are best at −r and r, M is best where these two
                ╲_____________╱        meet; a line that is below L-M-R at the corner between the
                ╱             ╲        slopes next to its own is below everywhere
           x = −r              r

Most sentences have one best hypothesis on the whole line, which the first pass over the lines
finds. Otherwise two more passes find M and discard nearly all other lines; the rest is sorted by
slope and scanned. So a sentence costs O(n) plus O(k log k) for the k lines that remain, and
O(n log n) at worst. Of equal lines the first is taken, as everywhere in the pool.

Between two thresholds no best hypothesis changes, so neither does the score of the corpus: all
intervals are scored at once from running sums of statistics, and the middle of the best one is
taken. Of equal scores the interval nearest to the start wins, and a point that is not better than
the start is not a move at all.

The line ends at `REACH` times the size of the weights, which gives the outermost intervals a
middle; a farther point takes another step. Intervals shorter than `NARROW` are skipped: a score
that vanishes with the next digit is worth nothing.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import FloatArray, Int32Array, Int64Array
from models.kernels import inner, kernel
from tuning.metrics.base import Metric

MOST_ROWS = 2**31 - 1
REACH = 1.0  # times the sum of the weights' absolute values: how far a step may go
NARROW = 1e-6  # in the same unit
BETTER = 1e-9  # smaller differences of scores are rounding errors
CHUNK = 1 << 16  # intervals that are scored at once


class Thresholds(NamedTuple):
    """Where the best hypothesis of any sentence changes, sorted by x."""

    first: Int64Array  # (n_sentences,) rows that are best at x = −r
    x: FloatArray  # (T,)
    before: Int32Array  # (T,) the row that is best left of it
    after: Int32Array  # (T,) and right of it


class Room(NamedTuple):
    """Memory for the envelopes of a pool, reused for every line."""

    x: FloatArray  # (H,)
    before: Int32Array
    after: Int32Array
    left: Int64Array  # (longest n-best list,) lines that are not discarded
    hull: Int64Array


class Point(NamedTuple):
    x: float  # 0 if nothing is better
    score: float


class LineSearch:
    """Searches among the hypotheses of one pool, by one metric."""

    def __init__(self, statistics: FloatArray, offsets: Int64Array, metric: Metric) -> None:
        self._statistics, self._offsets, self._metric = statistics, offsets, metric
        self._room = make_room(offsets)

    def best(self, a: FloatArray, b: FloatArray, start: float, unit: float) -> Point:
        """The best point on the line where hypotheses score `a` + `b` x, (H,) each.

        `start` is the metric at x = 0, `unit` the step that changes the weights by their own size.
        """
        reach = REACH * unit
        thresholds = find_thresholds(a, b, self._offsets, reach, self._room)
        if not len(thresholds.x):
            return Point(0.0, start)
        scores = interval_scores(thresholds, self._statistics, self._metric)
        ends = np.concatenate([[-reach], np.clip(thresholds.x, -reach, reach), [reach]])
        wide = np.diff(ends) > NARROW * unit
        best = scores[wide].max(initial=-np.inf)
        if not best > start + BETTER:
            return Point(0.0, start)
        middle = (ends[1:] + ends[:-1]) / 2
        equal = np.flatnonzero(wide & (scores >= best - BETTER))
        chosen = equal[np.argmin(np.abs(middle[equal]))]
        return Point(float(middle[chosen]), float(scores[chosen]))


def make_room(offsets: Int64Array) -> Room:
    n, longest = int(offsets[-1]), int(np.diff(offsets).max(initial=0))
    if n > MOST_ROWS:
        raise MemoryError(f"a pool of {n} hypotheses")
    return Room(
        np.empty(n),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(longest + 3, np.int64),
        np.empty(longest + 3, np.int64),
    )


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
    sums = statistics[thresholds.first].sum(axis=0)
    scores = [metric.score(sums[None])]
    for begin in range(0, len(thresholds.x), CHUNK):
        part = slice(begin, begin + CHUNK)
        running = _running_sums(sums, statistics, thresholds.before[part], thresholds.after[part])
        scores.append(metric.score(running))
        sums = running[-1]
    return np.concatenate(scores)


@kernel
def _running_sums(sums, statistics, before, after):
    """The sums behind each threshold, where one row takes the place of another."""
    running = np.empty((len(after), len(sums)))
    for number in range(len(after)):
        for k in range(len(sums)):
            last = running[number - 1, k] if number else sums[k]
            running[number, k] = last - statistics[before[number], k] + statistics[after[number], k]
    return running


@kernel
def _envelopes(a, b, offsets, reach, room, first):
    """Fills `room` and `first`; returns the number of thresholds."""
    n = 0
    for sentence in range(len(first)):
        begin, end = offsets[sentence], offsets[sentence + 1]
        size = _hull(a, b, begin, end, reach, room.left, room.hull)
        first[sentence] = room.hull[0]
        for k in range(1, size):
            low, high = room.hull[k - 1], room.hull[k]
            room.x[n] = (a[low] - a[high]) / (b[high] - b[low])
            room.before[n], room.after[n] = low, high
            n += 1
    return n


@inner
def _hull(a, b, begin, end, reach, left, hull):
    """The rows of the lines on the envelope from left to right, into `hull`; their number."""
    a, b = a[begin:end], b[begin:end]
    low, high = _highest(a, b, -reach), _highest(a, b, reach)
    hull[0] = begin + low
    if not b[high] > b[low]:
        return 1
    x = (a[low] - a[high]) / (b[high] - b[low])
    middle = _highest(a, b, x)
    if b[middle] <= b[low] or b[middle] >= b[high]:  # nothing is above where these two meet
        hull[1] = begin + high
        return 2
    # Where the corners of low-middle-high are, and how high
    x_low = (a[low] - a[middle]) / (b[middle] - b[low])
    y_low = a[low] + b[low] * x_low
    x_high = (a[middle] - a[high]) / (b[high] - b[middle])
    y_high = a[high] + b[high] * x_high
    n = 0
    for row in range(len(a)):
        left[n] = row
        # A line that is above at the wrong corner for its slope is above at the other one as well
        n += (a[row] + b[row] * x_low > y_low) | (a[row] + b[row] * x_high > y_high)
    n_left = n
    n = 0
    for k in range(n_left):
        row = left[k]  # lines as steep as the outermost ones, or steeper, are not best inside
        if b[low] < b[row] < b[high] and row != middle:
            left[n] = row
            n += 1
    left[n], left[n + 1], left[n + 2] = low, middle, high
    size = _scan(a, b, _sorted_by_slope(a, b, left[: n + 3]), hull)
    for k in range(size):
        hull[k] += begin
    return size


@inner
def _highest(a, b, x):
    """The first of the lines that are highest at x."""
    best = _height(a, b, x)
    for row in range(len(a)):
        if a[row] + b[row] * x == best:
            return row
    return 0  # scores that are not numbers


# A maximum does not depend on the order, so the processor may compare many values at once
@kernel(fastmath={"nnan", "nsz"})
def _height(a, b, x):
    best = a[0] + b[0] * x
    for row in range(len(a)):
        best = max(best, a[row] + b[row] * x)
    return best


@inner
def _sorted_by_slope(a, b, rows):
    """By slope; of equal slopes the highest line comes first, of equal lines the first row."""
    if len(rows) > 64:
        rows = np.sort(rows)  # the next sort is stable
        rows = rows[np.argsort(-a[rows], kind="mergesort")]
        return rows[np.argsort(b[rows], kind="mergesort")]
    for k in range(1, len(rows)):
        row, place = rows[k], k
        while place > 0:
            other = rows[place - 1]
            if b[other] < b[row] or (
                b[other] == b[row] and (a[other] > a[row] or (a[other] == a[row] and other < row))
            ):
                break
            rows[place] = other
            place -= 1
        rows[place] = row
    return rows


@inner
def _scan(a, b, rows, hull):
    """The envelope of lines that are sorted by slope, the highest of each slope first."""
    n = 0
    for row in rows:
        if n and b[row] == b[hull[n - 1]]:
            continue
        # The last line is dropped if the new one overtakes the line before it earlier than it does
        while n > 1:
            low, last = hull[n - 2], hull[n - 1]
            if (a[low] - a[row]) * (b[last] - b[low]) > (a[low] - a[last]) * (b[row] - b[low]):
                break
            n -= 1
        hull[n] = row
        n += 1
    return n
