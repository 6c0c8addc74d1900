"""Pictures of derivations as files: that they are repeatable, and words without glyphs."""

import io
import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.views.explanation_picture import draw_derivation, fonts_for, picture_of
from hyperbaton.views.heat_map_picture import (
    draw_heat_map,
    heat_map_fonts,
    number_text,
    picture_of_heat_maps,
)
from hyperbaton.views.picture_files import save_picture
from hyperbaton.views.picture_fonts import Fonts
from tests.decoder.drawing.derivations import make_explanation as make

HAN = "\U00020000"  # a rare character, which no usual font has


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_equal_derivations_give_equal_files(tmp_path, kind):
    explanation = make([2, 1, 2], [1, 2, 0], [1, 2, 0]).derivation
    files = [tmp_path / f"{n}.{kind}" for n in range(2)]
    for path in files:
        save_picture(picture_of([explanation, explanation], ["1", "2"]), path)
    first, second = (path.read_bytes() for path in files)
    assert first == second
    assert len(first) > 1000


def test_one_wide_above_the_other_and_upright_side_by_side():
    wide = make([2, 2], [1, 0], [1, 1]).derivation
    upright = make([8, 8], [1, 0], [1, 1]).derivation
    one, two = (picture_of([wide] * n).get_size_inches() for n in (1, 2))
    assert two[0] == one[0]
    assert two[1] == pytest.approx(2 * one[1])
    one, two = (picture_of([upright] * n).get_size_inches() for n in (1, 2))
    assert two[0] == pytest.approx(2 * one[0])
    assert two[1] == one[1]


def test_axes_of_any_size_hold_the_picture():
    explanation = make([2, 1, 2], [0, 2, 1], [1, 2, 1]).derivation
    sizes = []
    for inches in (2.0, 8.0):
        figure = Figure(figsize=(inches, inches))
        axes = figure.add_subplot()
        draw_derivation(axes, explanation)
        [word] = [text for text in axes.texts if text.get_text() == "w0"]
        sizes.append(word.get_fontsize())
        figure.savefig(io.BytesIO())
    assert sizes[1] == pytest.approx(4 * sizes[0])


def test_words_without_glyphs_are_numbers_or_left_to_the_viewer(tmp_path):
    explanation = make([1, 2], [1, 0], [1, 1], letter=HAN).derivation
    fonts = fonts_for([explanation])
    assert fonts.missing == {HAN}
    assert f"no installed font has {HAN!r}: in the picture, words with them are numbers" in (
        fonts.message()
    )
    figure = picture_of([explanation], fonts=fonts)
    shown = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert shown[:5] == ["[0]", "[1]", "[2]", "t0", "t1"]
    save_picture(figure, tmp_path / "picture.png")
    path = tmp_path / "picture.svg"
    kept = fonts_for([explanation], path)
    assert "the picture keeps the text" in kept.message()
    save_picture(picture_of([explanation], fonts=kept), path)
    assert f"{HAN}0</text>" in path.read_text(encoding="utf-8")


def test_unknown_words_are_marked():
    derivation = replace(make([1, 1], [1, 0], [1, 1]).derivation, unknown=(0,))
    [axes] = picture_of([derivation]).axes
    shown = [text.get_text() for text in axes.texts]
    assert sorted(text for text in shown if len(text) < 3 and text[0].isdigit()) == [
        "1?", "1?", "2", "2"
    ]  # fmt: skip
    boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert [box.get_linestyle() == "solid" for box in boxes].count(False) == 2


def test_widths_of_words():
    fonts = Fonts(["mmm", HAN])
    assert fonts.width("mmm", 10) == pytest.approx(3 * fonts.width("m", 10))
    assert fonts.width("m", 10) > 2 * fonts.width("i", 10)
    assert fonts.width("mi", 20) == pytest.approx(2 * fonts.width("mi", 10))
    assert fonts.width(HAN, 10) == 10.0  # two cells


def test_dollars_are_not_formulas(tmp_path):
    explanation = make([1, 1], [0, 1], [1, 1], letter="$x$_").derivation
    save_picture(picture_of([explanation]), tmp_path / "picture.png")
    save_picture(picture_of([explanation], ["$"]), tmp_path / "picture.svg")
    assert "$x$_0" in (tmp_path / "picture.svg").read_text()


def heat_map(n, title="P(next | current)"):
    values = np.arange(float(n * n)).reshape(n, n) / n
    values[0, 0] = np.nan
    words = tuple(f"w{i}" for i in range(n))
    return HeatMap(title, words, words, values, "current", "next")


def test_heat_maps_have_words_and_small_ones_values(tmp_path):
    small, large = heat_map(4), heat_map(21)
    for shown, n_values in ((small, 15), (large, 0)):
        axes = Figure().add_subplot()
        draw_heat_map(axes, shown, heat_map_fonts([shown]))
        assert [text.get_text() for text in axes.get_xticklabels()] == list(shown.columns)
        assert [text.get_text() for text in axes.get_yticklabels()] == list(shown.rows)
        assert axes.get_title() == "P(next | current)"
        assert (axes.get_ylabel(), axes.get_xlabel()) == ("current", "next")
        assert len(axes.texts) == n_values
    save_picture(picture_of_heat_maps([small, large]), tmp_path / "maps.png")
    save_picture(picture_of_heat_maps([heat_map(2, HAN)]), tmp_path / "title.png")


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
