"""Jumps by tag of the small model, by hand."""

from functools import cache

import pytest

from hyperbaton.tuning.reproduction import xiang
from hyperbaton.tuning.reproduction.xiang import jumps_exhibit, shares
from tests.models.distortion.parse.small import small_model


@cache
def learned():
    return small_model("me").learned_


def test_shares_by_hand():
    # le (AS) follows its verb, six times; every jump counts half a time more
    found = shares(learned(), "AS")
    assert found[6] == pytest.approx(6.5 / 11.5)  # the jump 1
    assert found[:6] + found[7:] == pytest.approx([0.5 / 11.5] * 10)


def test_the_chart():
    exhibit = jumps_exhibit(learned())
    [chart] = exhibit.charts
    assert chart.places == [str(jump) for jump in range(-5, 6)]
    assert chart.series[0].name == "NN"
    assert all(sum(series.values) == pytest.approx(1) for series in chart.series)
    assert exhibit.findings == []  # there are no temporal nouns


@pytest.mark.parametrize(
    ("noun", "temporal", "n", "verdict"),
    [
        ({1: 0.5, -1: 0.3}, {-1: 0.6, 1: 0.3}, 1000, "holds"),
        ({1: 0.5, -1: 0.3}, {-1: 0.6, 1: 0.3}, 10, "not established"),
        ({1: 0.5, 2: 0.3}, {-1: 0.6, 1: 0.3}, 1000, "does not hold"),
        ({1: 0.5, 2: 0.3}, {1: 0.6, -1: 0.3}, 1000, "does not hold"),
    ],
)
def test_the_finding(monkeypatch, noun, temporal, n, verdict):
    rows = {"NN": noun, "NT": temporal}
    monkeypatch.setattr(xiang, "_counts", lambda _: {"NN": n, "NT": n})
    monkeypatch.setattr(
        xiang, "shares", lambda _, tag: [rows[tag].get(j, 0.0) for j in range(-5, 6)]
    )
    [finding] = jumps_exhibit(learned()).findings
    assert finding.verdict == verdict
    _, second = noun
    assert finding.cases[0].startswith(f"NN: 1 50.0%, {second} 30.0%, p ")
