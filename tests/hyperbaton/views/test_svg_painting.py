"""Pictures of derivations as PNG and PDF are painted from their SVG."""

from dataclasses import replace

import pytest
from matplotlib.patches import FancyBboxPatch

from hyperbaton.decoder.drawing.derivation_svg import derivations_svg
from hyperbaton.tuning.evaluation.figures import drawing
from hyperbaton.views.picture_files import save_picture
from hyperbaton.views.svg_painting import picture_of_svg
from tests.decoder.drawing.derivations import make_explanation as make


def painted(*derivations, titles=()):
    with drawing():
        return picture_of_svg(derivations_svg(derivations, titles))


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_equal_derivations_give_equal_files(tmp_path, kind):
    derivation = make([2, 1, 2], [1, 2, 0], [1, 2, 0]).derivation
    files = [tmp_path / f"{n}.{kind}" for n in range(2)]
    for path in files:
        save_picture(painted(derivation, derivation, titles=["1", "2"]), path)
    first, second = (path.read_bytes() for path in files)
    assert first == second
    assert len(first) > 1000


def test_what_is_painted():
    derivation = replace(make([1, 1], [1, 0], [1, 1]).derivation, unknown=(0,))
    [axes] = painted(derivation).axes
    shown = {text.get_text(): text for text in axes.texts}
    assert {"w0", "w1", "t0", "t1", "1?", "2"} < shown.keys()
    # the ground, and four boxes: those of the unknown word are dashed
    ground, *boxes = [patch for patch in axes.patches if isinstance(patch, FancyBboxPatch)]
    assert ground.get_facecolor() == (1, 1, 1, 1)
    assert [box.get_linestyle() == "solid" for box in boxes].count(False) == 2

    # a word stands in its box
    def holds(box, word):
        x, y = shown[word].get_position()
        return (box.get_x() < x < box.get_x() + box.get_width()
                and box.get_y() < y < box.get_y() + box.get_height())  # fmt: skip

    for word in ("w0", "w1", "t0", "t1"):
        assert [holds(box, word) for box in boxes].count(True) == 1
    # a ribbon, a box and a link of each phrase, and a jump with its arrow
    assert len(axes.patches) == 1 + 2 + 4 + len(derivation.links) + 2 * 2


def test_pictures_beside_each_other_are_moved():
    upright = make([8, 8], [1, 0], [1, 1]).derivation
    [axes] = painted(upright, upright).axes
    first, second = (text.get_position()[0] for text in axes.texts if text.get_text() == "w0")
    width = float(painted(upright).get_size_inches()[0]) * 72
    assert second - first == pytest.approx(width, abs=1)


def test_dollars_are_not_formulas(tmp_path):
    explanation = make([1, 1], [0, 1], [1, 1], letter="$x$_").derivation
    save_picture(painted(explanation, titles=["$"]), tmp_path / "picture.png")
