"""Primal against dual: what is shown, worked out by hand."""

from dataclasses import replace

import pytest

from hyperbaton.tuning.reproduction.alrajeh import (
    COARSE,
    DUAL,
    FINE,
    PRIMAL,
    SETTINGS,
    STOPS_BY_ITSELF,
    alrajeh_exhibit,
)
from tests.tuning.reproduction.experiments import made_experiment

SMALL = replace(SETTINGS, sizes=(10,), repeats=2, test_size=5)
SECONDS = {PRIMAL: 4.0, DUAL: 1.0, COARSE: 0.5, FINE: 2.0, STOPS_BY_ITSELF: 1.5}
RIGHT = {PRIMAL: 82, DUAL: 82, COARSE: 79, FINE: 82, STOPS_BY_ITSELF: 81}
ACTIVE = {COARSE: [1.0, 0.0], DUAL: [1.0, 0.5, 0.04, 0.01], FINE: [1.0, 0.75]}


def exhibit(right=None, seconds=None, active=None):
    right, seconds = RIGHT | (right or {}), SECONDS | (seconds or {})
    return alrajeh_exhibit(
        made_experiment(
            SMALL,
            lambda learner, *_: right[learner],
            lambda learner, *_: seconds[learner],
            ACTIVE | (active or {}),
        )
    )


def test_table_2():
    [_, shares, table] = exhibit().tables
    assert [row[0] for row in shares.rows] == ["monotone", "swap", "discontinuous"]
    assert table.rows[0] == ["primal", "4.000", "1.0", "18.00", "25.00"]
    assert table.rows[1] == ["dual, ε 0.1", "1.000", "4.0", "18.00", "25.00"]
    assert table.rows[2] == ["dual, ε 1", "0.500", "8.0", "21.00", "25.00"]
    assert table.rows[4][0] == "primal, stops by itself"


def test_figure_1_has_gaps_where_a_curve_has_ended():
    [chart] = exhibit().charts
    assert chart.places == ["1", "2", "3", "4"]
    lines = {one.name: one.values for one in chart.series}
    assert lines == {
        "dual, ε 1": [100.0, 0.0],
        "dual, ε 0.1": [100.0, 50.0, 4.0, 1.0],
        "dual, ε 0.01": [100.0, 75.0],
    }
    assert not chart.is_shown(0.0)  # on a logarithmic axis
    assert chart.table.rows[1][1:] == ["50.00", "0.00", "75.00"]
    assert chart.table.rows[3][1:] == ["1.00", "-", "-"]


def test_what_holds():
    found = exhibit().findings
    assert [finding.verdict for finding in found] == ["holds"] * 4
    assert found[0].cases == ("1.000 s against 4.000 s, p < 0.001",)
    assert found[1].cases == ("18.00% against 18.00%, p < 0.001",)
    assert found[2].cases == (
        "0.500 s against 1.000 s, p < 0.001: holds",
        "18.00% against 21.00%, p < 0.001: holds",
    )
    assert found[3].cases == ("1.0% at last, p < 0.001",)


@pytest.mark.parametrize(
    ("place", "changes", "verdict"),
    [
        (0, {"seconds": {DUAL: 2.5}}, "does not hold"),  # 1.6 times as fast
        (1, {"right": {DUAL: 81}}, "does not hold"),  # one point worse
        (2, {"right": {COARSE: 83}}, "does not hold"),
        (2, {"right": {COARSE: 82}}, "not established"),
        (3, {"active": {DUAL: [1.0, 0.06]}}, "does not hold"),
    ],
)
def test_what_does_not_hold(place, changes, verdict):
    assert exhibit(**changes).findings[place].verdict == verdict


def test_without_repetitions_or_an_active_set_nothing_is_claimed():
    assert len(exhibit(active={DUAL: None}).findings) == 3
    one = replace(SMALL, repeats=1)
    made = made_experiment(one, lambda *_: 80, lambda *_: 1.0, ACTIVE)
    assert alrajeh_exhibit(made).findings == []


def test_repetitions_that_differ_are_tested_as_such():
    # the dual is 2 to 8 times as fast: 4 on average, but far from surely more than 2
    seconds = {0: 2.0, 1: 0.5}
    made = made_experiment(
        SMALL,
        lambda learner, *_: RIGHT[learner],
        lambda learner, *case: seconds[case[-1]] if learner == DUAL else SECONDS[learner],
        ACTIVE,
    )
    assert alrajeh_exhibit(made).findings[0].verdict == "not established"
