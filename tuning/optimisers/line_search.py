"""The best point on a line through the weights, exactly.

Between two thresholds (`envelope.py`) no best hypothesis changes, so neither does the score
of the corpus: all intervals are scored at once from running sums of statistics, and the middle of
the best one is taken. Of equal scores the interval nearest to the start wins, and a point that is
not better than the start is no move at all.

The line ends at `REACH` times the size of the weights, which gives the outermost intervals a
middle; a farther point takes another step. Intervals shorter than `NARROW` are passed over: a score
that vanishes with the next digit is worth nothing.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import FloatArray, Int64Array
from models.kernels import kernel
from tuning.metrics.base import Metric
from tuning.optimisers.envelope import Room, Thresholds, find_thresholds

REACH = 1.0  # times the sum of the weights' absolute values: how far a step may go
NARROW = 1e-6  # in the same unit
BETTER = 1e-9  # differences of scores that are smaller come from rounding
CHUNK = 1 << 16  # intervals that are scored at once


class Point(NamedTuple):
    x: float  # 0 if nothing is better
    score: float


def search_line(
    a: FloatArray,  # (H,) scores of the hypotheses at the start
    b: FloatArray,  # (H,) and how they change along the line
    statistics: FloatArray,  # (H, statistics)
    offsets: Int64Array,
    metric: Metric,
    start: float,  # the score at x = 0
    unit: float,  # the length of a step that changes the weights by their own size
    room: Room,
) -> Point:
    reach = REACH * unit
    thresholds = find_thresholds(a, b, offsets, reach, room)
    if not len(thresholds.x):
        return Point(0.0, start)
    scores = interval_scores(thresholds, statistics, metric)
    ends = np.concatenate([[-reach], np.clip(thresholds.x, -reach, reach), [reach]])
    wide = np.diff(ends) > NARROW * unit
    if not wide.any():
        return Point(0.0, start)
    best = scores[wide].max()
    if not best > start + BETTER:
        return Point(0.0, start)
    middle = (ends[1:] + ends[:-1]) / 2
    equal = np.flatnonzero(wide & (scores >= best - BETTER))
    chosen = equal[np.argmin(np.abs(middle[equal]))]
    return Point(float(middle[chosen]), float(scores[chosen]))


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
