"""Exhibits as picture files: a file for each name, a panel for each chart."""

import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.reproduction.exhibit import Exhibit
from hyperbaton.views.exhibit_pictures import draw_charts, draw_exhibit

LINES = [
    Series("first <A>", [1.0, None, 0.0], deviations=[0.1, 0.1, 0.1]),
    Series("known", [2.0], is_reference=True),
]


def chart(caption, name, **look):
    return Chart(
        caption, ["1,000", "2,000", "4,000"], LINES, "sentences", "percent", name=name, **look
    )


def test_charts_of_one_name_are_panels_of_one_picture(tmp_path):
    charts = [
        chart("three", "precision"),
        chart("time", "time", is_log=True),
        chart("five", "precision"),
    ]
    folder = tmp_path / "new" / "figures"
    drawn = draw_exhibit(Exhibit("e", "T", [], (), charts), folder)
    assert drawn == [folder / "precision.png", folder / "time.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_what_is_drawn(tmp_path):
    path = tmp_path / "p.svg"
    draw_charts([chart("three classes", "p"), chart("five classes", "p", is_log=True)], path)
    text = path.read_text(encoding="utf-8")
    for words in ("three classes", "five classes"):
        assert text.count(f">{words}<") == 1
    for words in ("sentences", "percent"):
        assert text.count(f">{words}<") == 2
    for words in ("first &lt;A&gt;", "known"):
        assert text.count(f">{words}<") == 1  # one legend for both
    assert ">2000<" in text  # places that are numbers are where they belong
    named = Chart("c", ["all", "none"], [Series("s", [1.0, 2.0])], "x", "y")
    draw_charts([named], path)
    assert ">none<" in path.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="file: is not a folder"):
        draw_exhibit(Exhibit("e", "T", [], (), [chart("c", "n")]), tmp_path / "file")
