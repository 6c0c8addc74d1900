"""Pictures of derivations: where things are, that files are repeatable, words without glyphs."""

import io
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from decoder.explanation import Explanation, Part, Step
from hyperbaton.views.derivation_layout import lay_out
from hyperbaton.views.derivation_svg import derivation_svg, text_width
from hyperbaton.views.explanation_picture import draw_derivation, fonts_for, picture_of
from hyperbaton.views.heat_map_picture import (
    draw_heat_map,
    heat_map_fonts,
    number_text,
    picture_of_heat_maps,
)
from hyperbaton.views.picture_files import save_picture
from hyperbaton.views.picture_fonts import Fonts
from models.distortion.interface import HeatMap

HAN = "\U00020000"  # a rare character, which no usual font has


def make_explanation(lengths, order, target_lengths, letter="w"):
    """Phrases of given lengths in source order, visited in `order`; each word linked to one."""
    starts = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    source = tuple(f"{letter}{n}" for n in range(starts[-1]))
    steps, links, target, end = [], [], [], 0
    covered = [False] * len(source)
    for place, size in zip(order, target_lengths, strict=True):
        span = starts[place], starts[place + 1]
        begin = len(target)
        target += [f"t{n}" for n in range(begin, begin + size)]
        links += [(span[0], begin)] * bool(size)
        covered[span[0] : span[1]] = [True] * (span[1] - span[0])
        steps.append(
            Step(
                span, (begin, len(target)), source[span[0] : span[1]], tuple(target[begin:]),
                False, span[0] - end, tuple(covered), (-1.0,), (-0.5,) * size, 0.0, (),
            )
        )  # fmt: skip
        end = span[1]
    parts = (Part("all", 0, 1, False),)
    return Explanation(
        source, tuple(target), ("lm",), (0.5,), parts, tuple(steps), (-1.0,), tuple(links), -2.0
    )


@st.composite
def explanations(draw):
    n = draw(st.integers(1, 8))
    lengths = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    target = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return make_explanation(lengths, draw(st.permutations(range(n))), target)


def rectangle(box):
    return (*box.corner, box.corner[0] + box.size[0], box.corner[1] + box.size[1])


@settings(max_examples=100)
@given(explanations(), st.booleans())
def test_boxes_hold_their_words_and_do_not_overlap(explanation, vertical):
    layout = lay_out(explanation, text_width, vertical)
    boxes = [rectangle(box) for box in layout.boxes]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    steps = explanation.steps
    assert len(boxes) == len(steps) + sum(bool(step.target_words) for step in steps)
    assert len(layout.words) == len(explanation.source_words) + len(explanation.target_words)
    step_of = {place: n for n, step in enumerate(steps) for place in range(*step.source)}
    for number, word in enumerate(layout.words[: len(explanation.source_words)]):
        [box] = [b for b in layout.boxes[: len(steps)] if b.step == step_of[number]]
        left, top, right, bottom = rectangle(box)
        half = text_width(word.text) / 2
        assert left <= word.at[0] - half
        assert word.at[0] + half <= right
        assert top <= word.at[1] <= bottom
    everything = [point for bracket in layout.brackets for point in bracket.corners]
    everything += [b[:2] for b in boxes] + [b[2:] for b in boxes]
    assert all(0 <= x <= layout.size[0] and 0 <= y <= layout.size[1] for x, y in everything)


@settings(max_examples=100)
@given(explanations(), st.booleans())
def test_brackets_are_the_jumps_and_do_not_lie_on_one_another(explanation, vertical):
    layout = lay_out(explanation, text_width, vertical)
    jumps = [(n, step.jump) for n, step in enumerate(explanation.steps, 1) if step.jump]
    labels = [f"{n}: {jump:+d}".replace("-", "−") for n, jump in jumps]
    assert [bracket.label for bracket in layout.brackets] == labels
    assert [bracket.is_forward for bracket in layout.brackets] == [jump > 0 for _, jump in jumps]
    along, across = (1, 0) if vertical else (0, 1)
    for bracket in layout.brackets:
        begin, first, second, end = bracket.corners
        assert begin[along] == first[along]
        assert second[along] == end[along]
        assert (end[along] > begin[along]) == bracket.is_forward
    for a, b in combinations(layout.brackets, 2):
        if a.corners[1][across] == b.corners[1][across]:
            (a0, a1), (b0, b1) = (
                sorted(corner[along] for corner in bracket.corners[1:3]) for bracket in (a, b)
            )
            assert a1 < b0 or b1 < a0


def test_a_derivation_of_nothing():
    layout = lay_out(make_explanation([], [], []), text_width)
    assert (layout.words, layout.boxes, layout.brackets) == ((), (), ())
    ElementTree.fromstring(derivation_svg(make_explanation([], [], [])))


def test_long_sentences_are_upright():
    short = make_explanation([7, 7], [1, 0], [1, 1])
    long = make_explanation([7, 8], [1, 0], [1, 1])
    assert not lay_out(short, text_width).vertical
    assert lay_out(long, text_width).vertical


@settings(max_examples=50)
@given(explanations(), st.booleans())
def test_inline_svg_is_well_formed_and_says_everything(explanation, vertical):
    root = ElementTree.fromstring(derivation_svg(explanation, vertical))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    words = [*explanation.source_words, *explanation.target_words]
    assert texts[: len(words)] == words
    assert root.get("fill") == "currentColor"
    assert not [element for element in root.iter() if element.get("id")]
    size = [float(root.get(name)) for name in ("width", "height")]
    for element in root.iter():
        if element.get("d"):  # pairs of coordinates between letters
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d"))]
            assert 0 <= min(numbers[::2]) <= max(numbers[::2]) <= size[0]
            assert 0 <= min(numbers[1::2]) <= max(numbers[1::2]) <= size[1]


def test_inline_svg_is_small_and_escapes():
    explanation = make_explanation([2, 1, 2], [0, 2, 1], [1, 2, 1], letter="<&\"'")
    text = derivation_svg(explanation)
    assert len(text) < 3500
    assert "&lt;&amp;" in text
    ElementTree.fromstring(text)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_equal_derivations_give_equal_files(tmp_path, kind):
    explanation = make_explanation([2, 1, 2], [1, 2, 0], [1, 2, 0])
    files = [tmp_path / f"{n}.{kind}" for n in range(2)]
    for path in files:
        save_picture(picture_of([explanation, explanation], ["1", "2"]), path)
    first, second = (path.read_bytes() for path in files)
    assert first == second
    assert len(first) > 1000


def test_one_wide_above_the_other_and_upright_side_by_side():
    wide = make_explanation([2, 2], [1, 0], [1, 1])
    upright = make_explanation([8, 8], [1, 0], [1, 1])
    one, two = (picture_of([wide] * n).get_size_inches() for n in (1, 2))
    assert two[0] == one[0]
    assert two[1] == pytest.approx(2 * one[1])
    one, two = (picture_of([upright] * n).get_size_inches() for n in (1, 2))
    assert two[0] == pytest.approx(2 * one[0])
    assert two[1] == one[1]


def test_axes_of_any_size_hold_the_picture():
    explanation = make_explanation([2, 1, 2], [0, 2, 1], [1, 2, 1])
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
    explanation = make_explanation([1, 2], [1, 0], [1, 1], letter=HAN)
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


def test_widths_of_words():
    fonts = Fonts(["mmm", HAN])
    assert fonts.width("mmm", 10) == pytest.approx(3 * fonts.width("m", 10))
    assert fonts.width("m", 10) > 2 * fonts.width("i", 10)
    assert fonts.width("mi", 20) == pytest.approx(2 * fonts.width("mi", 10))
    assert fonts.width(HAN, 10) == 10.0  # two cells


def test_dollars_are_not_formulas(tmp_path):
    explanation = make_explanation([1, 1], [0, 1], [1, 1], letter="$x$_")
    save_picture(picture_of([explanation]), tmp_path / "picture.png")
    save_picture(picture_of([explanation], ["$"]), tmp_path / "picture.svg")
    assert "$x$_0" in (tmp_path / "picture.svg").read_text()


def heat_map(n, title="P(next | current)"):
    values = np.arange(float(n * n)).reshape(n, n) / n
    values[0, 0] = np.nan
    words = tuple(f"w{i}" for i in range(n))
    return HeatMap(title, words, words, values)


def test_heat_maps_have_words_and_small_ones_values(tmp_path):
    small, large = heat_map(4), heat_map(21)
    for shown, n_values in ((small, 15), (large, 0)):
        axes = Figure().add_subplot()
        draw_heat_map(axes, shown, heat_map_fonts([shown]))
        assert [text.get_text() for text in axes.get_xticklabels()] == list(shown.columns)
        assert [text.get_text() for text in axes.get_yticklabels()] == list(shown.rows)
        assert axes.get_title() == "P(next | current)"
        assert len(axes.texts) == n_values
    save_picture(picture_of_heat_maps([small, large]), tmp_path / "maps.png")
    save_picture(picture_of_heat_maps([heat_map(2, HAN)]), tmp_path / "title.png")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, ".00"), (0.054, ".05"), (-0.5, "−.50"), (1.26, "1.3"), (-12.4, "−12"), (1.0, "1.0")],
)
def test_short_numbers(value, text):
    assert number_text(value) == text
