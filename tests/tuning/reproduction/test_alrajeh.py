"""Primal against dual: what is shown, worked out by hand."""

from dataclasses import replace

import pytest

from tests.tuning.reproduction.experiments import made_experiment
from tuning.reproduction.alrajeh import (
    COARSE,
    DUAL,
    FINE,
    PRIMAL,
    SETTINGS,
    STOPPED,
    alrajeh_exhibit,
)

SMALL = replace(SETTINGS, sizes=(10,), repeats=2, test_size=5)
SECONDS = {PRIMAL: 4.0, DUAL: 1.0, COARSE: 0.5, FINE: 2.0, STOPPED: 1.5}
RIGHT = {PRIMAL: 82, DUAL: 82, COARSE: 79, FINE: 82, STOPPED: 81}
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
    lines = [finding.line for finding in exhibit().findings]
    assert [finding.verdict for finding in exhibit().findings] == ["holds"] * 4
    assert lines[0].endswith(
        "— holds (1.000 s against 4.000 s, 4.0 times as fast; a primal that stops by itself: "
        "1.500 s)"
    )
    assert lines[1].endswith("— holds (18.00% against 18.00%)")
    assert lines[3].endswith("— holds (1.0% in round 4, below 5% from round 3 on)")


@pytest.mark.parametrize(
    ("place", "changes", "verdict"),
    [
        (0, {"seconds": {DUAL: 2.5}}, "does not hold"),  # 1.6 times as fast
        (1, {"right": {DUAL: 81}}, "does not hold"),  # one point worse
        (2, {"right": {COARSE: 83}}, "holds in some cases"),
        (3, {"active": {DUAL: [1.0, 0.06]}}, "does not hold"),
        (3, {"active": {DUAL: None}}, "cannot be tested here"),
    ],
)
def test_what_does_not_hold(place, changes, verdict):
    assert exhibit(**changes).findings[place].verdict == verdict
