"""Scores with intervals: where points, whiskers and the baseline's line stand."""

import re
from xml.etree import ElementTree

import pytest

from hyperbaton.tuning.evaluation.interval_charts import intervals_svg
from hyperbaton.tuning.evaluation.scoring import Score


def drawn(panels, baseline="A"):
    return ElementTree.fromstring(intervals_svg("a <caption>", "BLEU ↑", panels, baseline))


def points(root):
    """x and y by tooltip."""
    return {
        tip.find("title").text: tuple(float(next(tip.iter("use")).get(axis)) for axis in "xy")
        for tip in root.iter("g")
        if tip.find("title") is not None
    }


def test_a_row_for_each_system_with_its_interval():
    scores = {"A": Score(30.0, 28.0, 33.0), "B & C": Score(34.0, 31.0, 37.0), "D": Score(32.0)}
    root = drawn({"limit 6": scores})
    text = ElementTree.tostring(root, "unicode")
    found = points(root)
    assert list(found) == [
        "A, limit 6: 30.00, 95% interval 28.00 to 33.00",
        "B & C, limit 6: 34.00, 95% interval 31.00 to 37.00",
        "D, limit 6: 32.00, 95% interval 32.00 to 32.00",
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
    for words in ("A", "B & C", "D", "30.0", "34.0", "limit 6", "BLEU ↑"):
        assert words in texts


def test_panels_share_their_scale():
    one = {"A": Score(10.0, 9.0, 11.0), "B": Score(20.0, 19.0, 21.0)}
    other = {"A": Score(12.0, 11.0, 13.0), "B": Score(14.0, 13.0, 15.0)}
    root = drawn({"limit 6": one, "limit 10": other, "limit ∞": one})
    (a, _), (b, _), (c, height), (d, _), (e, below), (f, _) = points(root).values()
    assert (d - c) * 5 == pytest.approx(b - a, abs=0.1)
    assert (e, f) == pytest.approx((a, b), abs=0.05)  # in the second row
    assert below > height
