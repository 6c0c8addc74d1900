"""Heat maps: words, values, sizes."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.tuning.evaluation.heat_map_pictures import (
    draw_heat_map,
    heat_map_svg,
    number_text,
    picture_of_heat_maps,
)


def heat_map(n, title="P(next | current)"):
    values = np.arange(float(n * n)).reshape(n, n) / n
    values[0, 0] = np.nan
    words = tuple(f"w{i}" for i in range(n))
    return HeatMap(title, words, words, values, "current", "next")


def test_heat_maps_have_words_and_small_ones_values():
    small, large = heat_map(4), heat_map(21)
    for shown, n_values in ((small, 15), (large, 0)):
        axes = Figure().add_subplot()
        draw_heat_map(axes, shown)
        assert [text.get_text() for text in axes.get_xticklabels()] == list(shown.columns)
        assert [text.get_text() for text in axes.get_yticklabels()] == list(shown.rows)
        assert (axes.get_ylabel(), axes.get_xlabel()) == ("current", "next")
        assert len(axes.texts) == n_values
    titles = [axes.get_title() for axes in picture_of_heat_maps([small, large]).axes]
    assert titles == ["P(next | current)"] * 2 + [""] * 2  # and their scales


def test_shares_in_a_page_are_numbers_with_tooltips():
    values = np.array([[25.2, 74.8], [0.4, 99.6]])
    shown = HeatMap("A on test", ("a", "b"), ("<c>", "d"), values, "reference", "output")
    root = ElementTree.fromstring(heat_map_svg(shown))
    assert root.get("aria-label") == "A on test"
    assert root.find("desc").text == "rows: reference; columns: output"
    assert [e.text for e in root.iter("title")] == [
        "a → <c>: 25%", "a → d: 75%", "b → <c>: 0%", "b → d: 100%"
    ]  # fmt: skip
    texts = [element.text for element in root.iter("text")]
    for words in ("25", "75", "100", "a", "b", "<c>", "d", "reference", "output"):
        assert texts.count(words) == 1
    assert "0" not in texts
    squares = [e.get("style") for e in root.iter("path") if "--cell" in e.get("style", "")]
    shares = [float(style.rpartition(" ")[2]) for style in squares]
    assert np.argsort(shares).tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize(("n_maps", "n_words"), [(1, 20), (3, 20), (2, 45), (5, 60), (1, 300)])
def test_pictures_of_heat_maps_have_a_bounded_size(n_maps, n_words):
    figure = picture_of_heat_maps([heat_map(n_words)] * n_maps)
    assert max(figure.get_size_inches()) <= 16
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert len(panels) == n_maps
    words = [text.get_text() for text in panels[0].get_yticklabels()]
    # words that are shown have 10 points or more, in a picture of 1152 points at most
    every = n_words // (len(words) - 1)
    assert words == [f"w{n}" for n in range(0, n_words, every)]
    assert len(words) * 10 * math.isqrt(n_maps) <= 1152


def test_a_few_heat_maps_stand_side_by_side():
    one, two, four = (picture_of_heat_maps([heat_map(4)] * n).get_size_inches() for n in (1, 2, 4))
    assert two == pytest.approx([2 * one[0], one[1]])
    assert four == pytest.approx(2 * one)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, ".00"), (0.054, ".05"), (-0.5, "−.50"), (1.26, "1.3"), (-12.4, "−12"), (1.0, "1.0")],
)
def test_short_numbers(value, text):
    assert number_text(value) == text
