"""Charts are well-formed SVG that shows the numbers it was given, in the colours of the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hyperbaton.tuning.evaluation.charts import Chart, Series, _looks, chart_svg
from hyperbaton.tuning.evaluation.figures import VARIABLES

CSS = Path(__file__).parents[3] / "tuning/report/page.css"


def drawn(places, series, **look):
    return chart_svg(Chart("a <caption>", list(places), series, "x <1>", "y", **look))


def parsed(*given, **look):
    return ElementTree.fromstring(drawn(*given, **look))


def heights(root):
    """Of the points, by their tooltips; y grows downwards."""
    return {
        tip.find("title").text: float(next(tip.iter("use")).get("y"))
        for tip in root.iter("g")
        if tip.find("title") is not None
    }


def texts(root):
    return [element.text for element in root.iter("text")]


def test_on_a_logarithmic_axis_equal_factors_are_equally_far():
    values = [0.01, 0.1, 1.0, 0.0, -1.0]
    points = heights(parsed("abcde", [Series("s", values)], is_log=True))
    assert list(points) == ["s, a: 0.01", "s, b: 0.10", "s, c: 1.00"]
    low, middle, high = points.values()
    assert low - middle == pytest.approx(middle - high, abs=0.02)  # places have two decimals
    assert high < middle
    assert "s, a: 0.00123" in drawn("a", [Series("s", [0.00123])], is_log=True)


@pytest.mark.parametrize(
    ("values", "ticks"), [((0.001, 10), ["0.001", "0.01", "0.1", "1", "10"]),
                          ((0.03, 0.4), ["0.05", "0.1", "0.2"])]
)  # fmt: skip
def test_a_logarithmic_axis_has_plain_numbers(values, ticks):
    shown = texts(parsed("ab", [Series("s", values)], is_log=True))
    assert [text for text in shown if text[0].isdigit()] == ticks


def test_a_chart_shows_every_point_and_leaves_gaps_out():
    root = parsed("6∞", [Series("A<b>", [1.0, 2.0]), Series("B", [None, 3.5])])
    assert list(heights(root)) == ["A<b>, 6: 1.00", "A<b>, ∞: 2.00", "B, ∞: 3.50"]
    for words in ("A<b>", "B", "x <1>", "y", "6", "∞"):
        assert texts(root).count(words) == 1


def test_higher_values_are_drawn_higher():
    low, high = heights(parsed("ab", [Series("s", [1.0, 2.0])])).values()
    assert high < low


def test_people_who_do_not_see_it_are_told():
    root = parsed("ab", [Series("A", [1.0, 2.0]), Series("B", [1.0, 2.0])])
    assert (root.get("role"), root.get("aria-label")) == ("img", "a <caption>")
    assert root.find("desc").text == "y by x <1>: A, B"


def test_empty_charts_are_charts():
    for series in ([], [Series("s", [])], [Series("s", [None])]):
        root = parsed("a", series)
        assert texts(root).count("a") == 1  # the axis is there
        assert not heights(root)


def test_places_that_are_numbers_are_where_they_belong():
    root = parsed(["100", "200", "1,000"], [Series("s", [1.0, 2.0, 3.0])])
    first, second, third = (float(e.get("x")) for e in root.iter("use") if len(e.get("href")) and
                            "opacity: 0" in e.get("style"))  # fmt: skip
    assert third - second == pytest.approx(8 * (second - first), abs=0.1)


def test_equal_charts_are_equal_and_others_share_no_names():
    series = [Series("s", [1.0, 2.0])]
    assert drawn("ab", series) == drawn("ab", series)
    other = chart_svg(Chart("another", ["a", "b"], series, "x", "y"))
    names = [set(re.findall(r' id="([^"]*)"', text)) for text in (drawn("ab", series), other)]
    assert names[0]
    assert not names[0] & names[1]


def test_colours_are_those_of_the_page_in_light():
    light = CSS.read_text(encoding="utf-8").split("@media")[0]
    known = dict(re.findall(r"(--[a-z0-9]+): (#[0-9a-f]{6});", light))
    assert {name: known[name] for name in VARIABLES.values()} == {
        name: colour for colour, name in VARIABLES.items()
    }
    reference = Series("r", [1.0], is_reference=True)
    text = drawn("a", [reference, *(Series(str(n), [1.0], deviations=[0.1]) for n in range(9))])
    assert not re.search(r"[\"\s]#[0-9a-f]{6}", text)
    assert {f"--s{n}" for n in range(8)} | {"--text"} <= set(re.findall(r"var\(([^)]*)\)", text))


@pytest.mark.parametrize("n", [1, 8, 9, 16])
def test_up_to_sixteen_series_can_be_told_apart_without_colour(n):
    looks = _looks([Series(str(number), ()) for number in range(n)])
    assert len({(look["linestyle"], look["marker"]) for look in looks}) == n


def test_references_can_be_told_apart():
    first, second = _looks([Series(name, (), is_reference=True) for name in "ab"])
    assert first["linestyle"] != second["linestyle"]


def test_error_bars_stay_inside_the_axes():
    """On a logarithmic axis, what is below 0 is far away."""
    root = parsed("ab", [Series("s", [1.0, 2.0], deviations=[1.5, 0.1])], is_log=True)
    far = [
        g for g in root.iter("g") if any(float(use.get("y", 0)) > 1000 for use in g.findall("use"))
    ]
    assert far
    assert all(g.get("clip-path") for g in far)


def test_a_reference_does_not_change_how_others_look():
    with_reference = _looks([Series("r", (), is_reference=True), Series("s", ())])
    assert with_reference[1] == _looks([Series("s", ())])[0]
