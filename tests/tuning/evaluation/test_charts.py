"""Charts are well-formed SVG that shows the numbers it was given."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.tuning.evaluation.charts import (
    Chart,
    Series,
    heat_map,
    legend,
    line_chart,
    log_ticks,
    nice_ticks,
)

NUMBERS = st.floats(-1e6, 1e6)


def drawn(places, series, **look):
    return line_chart(Chart("c", list(places), series, "x", "y", **look))


@given(NUMBERS, NUMBERS)
def test_ticks_are_even_and_hold_all_values(one, other):
    low, high = sorted((one, other))
    ticks = nice_ticks(low, high)
    assert ticks[0] <= low + 1e-6 * max(1, abs(low))
    assert ticks[-1] >= high - 1e-6 * max(1, abs(high))
    assert 2 <= len(ticks) <= 12
    steps = {round(b - a, 6) for a, b in pairwise(ticks)}
    assert max(steps) - min(steps) <= 1e-5 * max(1, max(steps))


def test_ticks_by_hand():
    assert nice_ticks(0, 100) == [0, 20, 40, 60, 80, 100]
    assert nice_ticks(5, 5) == pytest.approx([4.4, 4.6, 4.8, 5.0, 5.2, 5.4, 5.6])


@given(st.floats(1e-8, 1e8), st.floats(1e-8, 1e8))
def test_ticks_of_a_logarithmic_axis_hold_all_values(one, other):
    low, high = sorted((one, other))
    ticks = log_ticks(low, high)
    assert ticks[0] <= low * (1 + 1e-6)
    assert ticks[-1] >= high * (1 - 1e-6)
    assert 2 <= len(ticks) <= 18
    assert all(1.5 < b / a <= 10.01 for a, b in pairwise(ticks))


def test_ticks_of_a_logarithmic_axis_by_hand():
    assert log_ticks(0.03, 0.4) == pytest.approx([0.02, 0.05, 0.1, 0.2, 0.5])
    assert log_ticks(0.5, 0.5) == pytest.approx([0.5, 1])
    assert log_ticks(0.02, 300) == pytest.approx([0.01, 0.1, 1, 10, 100, 1000])


def test_on_a_logarithmic_axis_equal_factors_are_equally_far():
    values = [0.01, 0.1, 1.0, 0.0, -1.0]
    chart = drawn("abcde", [Series("s", values)], is_log=True)
    root = ElementTree.fromstring(f"<div>{chart}</div>")
    low, middle, high = [float(circle.get("cy")) for circle in root.find("svg").iter("circle")]
    assert low - middle == pytest.approx(middle - high, abs=0.2)  # places have one decimal
    assert high < middle
    titles = [element.text for element in root.iter("title")]
    assert titles == ["s, a: 0.01", "s, b: 0.10", "s, c: 1.00"]
    tiny = drawn("a", [Series("s", [0.00123])], is_log=True)
    assert "s, a: 0.00123" in tiny


def test_a_line_chart_shows_every_point_and_leaves_gaps_out():
    chart = drawn("6∞", [Series("A<b>", [1.0, 2.0]), Series("B", [None, 3.5])])
    root = ElementTree.fromstring(f"<div>{chart}</div>")
    titles = [element.text for element in root.iter("title")]
    assert titles == ["A<b>, 6: 1.00", "A<b>, ∞: 2.00", "B, ∞: 3.50"]
    names = [item.text or item[-1].tail for item in root.iter("li")]
    assert names == ["A<b>", "B"]


def test_higher_values_are_drawn_higher():
    root = ElementTree.fromstring(f"<div>{drawn('ab', [Series('s', [1.0, 2.0])])}</div>")
    low, high = [float(circle.get("cy")) for circle in root.find("svg").iter("circle")]
    assert high < low  # y grows downwards


def test_empty_charts_are_charts():
    for series in ([], [Series("s", [])], [Series("s", [None])]):
        root = ElementTree.fromstring(f"<div>{drawn('a', series)}</div>")
        svg = root.find("svg")
        assert [text.text for text in svg.iter("text")].count("a") == 1  # the axis is there
        assert not list(svg.iter("circle"))


def test_a_heat_map_has_its_shares_as_numbers():
    root = ElementTree.fromstring(heat_map(["a", "b"], [[0.25, 0.75], [0.0, 1.0]], "t"))
    values = [e.text for e in root.iter("text") if e.get("class") == "value"]
    assert values == ["25", "75", None, "100"]


@pytest.mark.parametrize("n", [1, 8, 9, 16])
def test_up_to_sixteen_series_can_be_told_apart_without_colour(n):
    root = ElementTree.fromstring(legend([Series(str(number), ()) for number in range(n)]))
    looks = []
    for item in root:
        line, marker = item.find("svg")
        shape = {key: value for key, value in marker.items() if key != "class"}
        looks.append((line.get("stroke-dasharray"), marker.tag, *sorted(shape.items())))
    assert len(looks) == len(set(looks)) == n
