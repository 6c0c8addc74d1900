"""Envelopes and line search against dense grids and brute force."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.optimisers.line_search import (
    LEAST_GAIN,
    REACH,
    LineSearch,
    find_thresholds,
    interval_scores,
    make_room,
)
from hyperbaton.tuning.optimisers.pool import best_of_each

coarse = st.integers(-4, 4).map(float)  # many ties and parallel lines
fine = st.floats(-10, 10).map(lambda value: round(value, 3))
lines = st.one_of(
    st.lists(st.lists(st.tuples(coarse, coarse), min_size=1, max_size=12), min_size=1, max_size=4),
    st.lists(st.lists(st.tuples(fine, fine), min_size=1, max_size=12), min_size=1, max_size=4),
)


def arrays(of):
    a = np.array([line[0] for row in of for line in row])
    b = np.array([line[1] for row in of for line in row])
    return a, b, np.cumsum([0, *map(len, of)])


def thresholds_of(of, reach=1e4):
    a, b, offsets = arrays(of)
    return find_thresholds(a, b, offsets, reach, make_room(offsets))


def slow_envelope(row):
    """The highest line at every point halfway between all crossings, and far outside."""
    crossings = sorted({(a - c) / (d - b) for a, b in row for c, d in row if abs(b - d) > 0})
    if not crossings:
        points = [0.0]
    else:
        points = [crossings[0] - 1]
        points += [(one + two) / 2 for one, two in pairwise(crossings)]
        points.append(crossings[-1] + 1)
    return [(x, max(a + b * x for a, b in row)) for x in points]


@given(lines, st.sampled_from([0.7, 3.0, 1e4]))
def test_the_envelope_is_the_highest_line_everywhere(of, reach):
    a, b, offsets = arrays(of)
    found = thresholds_of(of, reach)
    assert (np.diff(found.x) >= 0).all()
    row_of = np.repeat(np.arange(len(of)), np.diff(offsets))
    for sentence, row in enumerate(of):
        mine = row_of[found.after] == sentence
        path = [found.first[sentence], *found.after[mine]]
        assert path[:-1] == found.before[mine].tolist()
        assert (np.diff(b[path]) > 0).all()
        for x, expected in slow_envelope(row):
            if abs(x) > reach:
                continue
            on = path[np.searchsorted(found.x[mine], x)]
            assert a[on] + b[on] * x == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_many_lines_on_the_envelope():
    # Tangents of a parabola: all of them are on it, in whatever order they come
    slopes = np.random.default_rng(1).permutation(np.arange(-500.0, 501))
    a, b = -(slopes**2) / 2, slopes
    offsets = np.array([0, len(slopes)])
    found = find_thresholds(a, b, offsets, 1000.0, make_room(offsets))
    assert len(found.x) == 1000
    np.testing.assert_allclose(found.x, np.arange(-499.5, 500))


def test_of_equal_lines_the_first():
    of = [[(0.0, 1.0), (0.0, 1.0), (5.0, 0.0), (5.0, 0.0), (0.0, -1.0), (0.0, -1.0)]]
    found = thresholds_of(of)
    assert found.first.tolist() == [4]
    assert found.after.tolist() == [2, 0]
    assert found.x.tolist() == [-5, 5]


def random_pool(seed, n_sentences=12, n_features=4, longest=40):
    draw = np.random.default_rng(seed)
    counts = draw.integers(1, longest, size=n_sentences)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    features = draw.normal(size=(offsets[-1], n_features))
    lengths = draw.integers(6, 12, size=(offsets[-1], 1))
    totals = lengths - np.arange(4)
    matches = np.minimum.accumulate(draw.integers(0, totals + 1), axis=1)
    statistics = np.concatenate([lengths, np.full_like(lengths, 9), matches, totals], axis=1)
    return features, statistics.astype(np.float64), offsets


@pytest.mark.parametrize("seed", range(20))
def test_the_search_is_a_dense_grid_search(seed):
    features, statistics, offsets = random_pool(seed)
    draw = np.random.default_rng(seed)
    w, d = draw.normal(size=(2, 4))
    a, b = features @ w, features @ d
    metric = Bleu()

    def at(x):
        return float(metric.score(statistics[best_of_each(a + x * b, offsets)].sum(axis=0)))

    start, unit = at(0), float(np.abs(w).sum() / np.abs(d).sum())
    point = LineSearch(statistics, offsets, metric).best(a, b, start, unit)
    assert at(point.x) == pytest.approx(point.score)
    assert point.score >= start
    assert abs(point.x) <= REACH * unit
    places = np.linspace(-REACH * unit, REACH * unit, 2001)
    sums = np.array([statistics[best_of_each(a + x * b, offsets)].sum(axis=0) for x in places])
    assert point.score >= metric.score(sums).max() - LEAST_GAIN
    assert point.score > start or point.x == 0


@given(lines)
def test_running_sums_are_the_sums_of_the_best(of):
    a, b, offsets = arrays(of)
    statistics = np.stack([np.arange(len(a)) % 7 / 7, np.ones(len(a))], axis=1)
    found = thresholds_of(of)
    scores = interval_scores(found, statistics, Ribes())
    edges = np.concatenate([[found.x.min(initial=0) - 1], found.x, [found.x.max(initial=0) + 1]])
    for k, score in enumerate(scores):
        if edges[k + 1] - edges[k] < 1e-6:
            continue
        x = (edges[k] + edges[k + 1]) / 2
        rows = best_of_each(a + x * b, offsets)
        highest = (a + x * b)[rows]
        unique = all(
            (np.abs((a + x * b)[offsets[i] : offsets[i + 1]] - highest[i]) < 1e-7).sum() == 1
            for i in range(len(of))
        )
        if unique:
            assert score == pytest.approx(Ribes().score(statistics[rows].sum(axis=0)))


def test_intervals_are_scored_in_chunks(monkeypatch):
    features, statistics, offsets = random_pool(3)
    room = make_room(offsets)
    a, b = features[:, 0].copy(), features[:, 1].copy()
    found = find_thresholds(a, b, offsets, 10.0, room)
    whole = interval_scores(found, statistics, Bleu())
    monkeypatch.setattr("hyperbaton.tuning.optimisers.line_search.INTERVALS_AT_ONCE", 5)
    np.testing.assert_allclose(interval_scores(found, statistics, Bleu()), whole)
    assert len(whole) > 20


def one_sentence(*lines):
    """Search among lines (a, b, score) of one sentence, from x = 0, with a reach of 10."""
    a, b, scores = np.array(lines, dtype=np.float64).T
    statistics = np.stack([scores, np.ones(len(a))], axis=1)
    offsets = np.array([0, len(a)])
    start = float(Ribes().score(statistics[int(np.argmax(a))]))
    return LineSearch(statistics, offsets, Ribes()).best(a, b, start, 10.0)


def test_the_middle_of_the_best_interval():
    # best from x = 2 (0 + 2x against 4) to x = 6 (−6 + 3x)
    assert one_sentence((4, 0, 0.1), (0, 2, 0.9), (-6, 3, 0.2)) == (4.0, pytest.approx(90))


def test_an_interval_without_end_is_cut_off():
    # best from x = 2 on, 10 is as far as it goes
    assert one_sentence((4, 0, 0.1), (0, 2, 0.9)) == (6.0, pytest.approx(90))


def test_what_is_out_of_reach_is_not_taken():
    assert one_sentence((400, 0, 0.1), (0, 2, 0.9)) == (0.0, pytest.approx(10))


def test_of_equal_scores_the_nearest():
    # the same from x = 2 and, in the other direction, from x = −1
    assert one_sentence((4, 0, 0.1), (0, 2, 0.9), (3, -1, 0.9)).x == pytest.approx(-5.5)
    assert one_sentence((4, 0, 0.9), (0, 2, 0.9)) == (0.0, pytest.approx(90))  # no move


def test_intervals_narrower_than_the_digits_of_a_weight():
    tiny = 1e-7
    # best between x = 2 and x = 2 + tiny only
    lines = (4, 0, 0.1), (0, 2, 0.9), (-4 - 2 * tiny, 4 + 0.0, 0.1)
    assert one_sentence(*lines) == (0.0, pytest.approx(10))
    assert one_sentence(lines[0], lines[1], (-5, 4, 0.1)).score == pytest.approx(90)


def test_all_hypotheses_alike():
    assert one_sentence((1, 1, 0.5), (1, 1, 0.5)) == (0.0, pytest.approx(50))


def test_of_equally_good_intervals_the_nearest_to_the_start_wins():
    # the first line is best from −7 to 3; those on both sides, up to ±10, are equally good
    assert one_sentence((0, 0, 0.1), (-7, -1, 0.9), (-3, 1, 0.9)) == (6.5, pytest.approx(90))
