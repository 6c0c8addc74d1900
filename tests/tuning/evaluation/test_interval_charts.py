"""Scores with intervals: where points, whiskers and the baseline's line stand."""

import re
from xml.etree import ElementTree

import pytest

from hyperbaton.tuning.evaluation.interval_charts import intervals_svg, span
from hyperbaton.tuning.evaluation.scoring import Score


def drawn(scores, scale):
    return ElementTree.fromstring(intervals_svg("a <caption>", "BLEU ↑", scores, "A", scale))


def points(root):
    """x and y by tooltip."""
    return {
        tip.find("title").text: tuple(float(next(tip.iter("use")).get(axis)) for axis in "xy")
        for tip in root.iter("g")
        if tip.find("title") is not None
    }


def test_a_row_for_each_system_with_its_interval():
    scores = {"A": Score(30.0, 28.0, 33.0), "B & C": Score(34.0, 31.0, 37.0), "D": Score(32.0)}
    assert span(scores) == (28.0, 37.0)
    root = drawn(scores, span(scores))
    text = ElementTree.tostring(root, "unicode")
    found = points(root)
    assert list(found) == [
        "A: 30.00, 95% interval 28.00 to 33.00",
        "B & C: 34.00, 95% interval 31.00 to 37.00",
        "D: 32.00, 95% interval 32.00 to 32.00",
    ]
    (ax, ay), (bx, by), (dx, dy) = found.values()
    assert ay < by < dy
    assert dx - ax == pytest.approx(bx - dx, abs=0.02)  # 30, 32, 34
    # the whisker of A reaches from 28 to 33: the points give the scale
    unit = (bx - ax) / 4
    ends_of_lines = re.findall(r"M ([\d.]+) ([\d.]+) *\n?L ([\d.]+) ([\d.]+)", text)
    lines = [tuple(map(float, line)) for line in ends_of_lines]
    ends = [(x, z) for x, y, z, w in lines if y == w == pytest.approx(ay)]
    assert ends == [pytest.approx((ax - 2 * unit, ax + 3 * unit), abs=0.05)]
    # the baseline's line is upright through its score
    upright = [x for x, y, z, w in lines if x == z and abs(y - w) > 20]
    assert pytest.approx(ax, abs=0.02) in upright
    texts = [element.text for element in root.iter("text")]
    for words in ("A", "B & C", "D", "30.0", "34.0", "BLEU ↑"):
        assert words in texts


def test_charts_of_one_scale_can_be_compared():
    one = {"A": Score(10.0, 9.0, 11.0), "B": Score(20.0, 19.0, 21.0)}
    other = {"A": Score(12.0, 11.0, 13.0), "B": Score(14.0, 13.0, 15.0)}
    (a, _), (b, _) = points(drawn(one, (9.0, 21.0))).values()
    (c, _), (d, _) = points(drawn(other, (9.0, 21.0))).values()
    assert c - a == pytest.approx((b - a) / 5, abs=0.05)
    assert d - a == pytest.approx(2 * (b - a) / 5, abs=0.05)


def test_scores_that_are_all_equal_have_a_scale_too():
    [(x, _)] = points(drawn({"A": Score(10.0, 10.0, 10.0)}, (10.0, 10.0))).values()
    assert x > 0
