"""Exhibits as text, as JSON and back."""

import json

from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Finding
from hyperbaton.tuning.reproduction.exhibit import (
    Exhibit,
    as_record,
    exhibit_text,
    load_exhibit,
    save_exhibit,
)

CHART = Chart(
    "curves",
    ["1", "2", "3"],
    [
        Series("A", [1.0, float("nan"), 0.25]),
        Series("B", [2.0], is_reference=True, deviations=[0.5]),
    ],
    "place",
    "value",
    digits=2,
    is_log=True,
)
EXHIBIT = Exhibit(
    "name",
    "A title",
    ["what was done"],
    [Table(["t", "x"], [["a", "1"]], ["note"], "a table")],
    [CHART],
    [Finding("A beats B", "holds", ("once", "twice"), ("in May",), 2)],
    [Table(["p"], [["theirs"]], (), "the paper's")],
)


def test_a_chart_as_a_table_has_gaps_where_nothing_is_known():
    table = CHART.table
    assert table.header == ["place", "A", "B"]
    assert table.rows == [["1", "1.00", "2.00"], ["2", "-", "-"], ["3", "0.25", "-"]]
    assert table.title == "curves"


def test_a_chart_as_a_table_tells_how_many_examples_a_place_has():
    table = Chart("c", ["1", "2"], [Series("A", [0.5])], "d", "y", n_examples=[1234, 5]).table
    assert table.header == ["d", "examples", "A"]
    assert table.rows == [["1", "1,234", "0.5"], ["2", "5", "-"]]


def test_of_a_long_chart_the_table_has_fewer_and_fewer_places():
    places = [str(number) for number in range(1, 61)]
    chart = Chart("c", places, [Series("A", list(range(1, 61)))], "round", "y", digits=0)
    rows = [tuple(map(int, row)) for row in chart.table.rows]
    assert rows == [(k, k) for k in (1, 2, 3, 5, 8, 10, 15, 20, 30, 50, 60)]


def test_text():
    assert (
        exhibit_text(EXHIBIT)
        == """\
A title
what was done

a table
t  x
a  1

note

curves
place     A     B
1      1.00  2.00
2         -     -
3      0.25     -

the paper's
p
theirs

A beats B — holds, in May (once; twice)
Verdicts at p < 0.05, with Holm's correction for 2 tests."""
    )


def test_text_without_findings_ends_with_the_tables():
    assert exhibit_text(Exhibit("n", "T", ["done"])) == "T\ndone"


def test_there_and_back(tmp_path):
    save_exhibit(EXHIBIT, tmp_path)
    record = json.loads((tmp_path / "exhibit.json").read_text(encoding="utf-8"))
    assert record["charts"][0]["series"][0]["values"] == [1.0, None, 0.25]
    assert "figures" not in record
    read = load_exhibit(tmp_path)
    assert read.figures == ()
    assert json.loads(json.dumps(as_record(read))) == record
    assert read.findings == EXHIBIT.findings
    assert read.charts[0].series[1] == CHART.series[1]
    assert read.charts[0].table == CHART.table
    assert read.tables == EXHIBIT.tables
