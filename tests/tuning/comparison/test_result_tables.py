"""Tables of a comparison, and the files read back."""

import csv
import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hyperbaton.tuning.comparison.configuration import ComparedSystem
from hyperbaton.tuning.comparison.result_tables import (
    limits_table,
    mark,
    significance_table,
    spread,
    summary_table,
    way_tables,
    write_files,
)
from hyperbaton.tuning.evaluation.scoring import Score
from hyperbaton.tuning.evaluation.significance import p_text
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ter import Ter
from tests.tuning.report.comparisons import make_comparison


@pytest.fixture(scope="module")
def comparison():
    return make_comparison(
        {"A_1 & B": 0.5, "C|D": 0.02},
        (6, -1),
        n_sentences=20,
        tests=("one", "two"),
        replicas=2,
        metrics=("bleu", "ter"),
    )


@pytest.fixture(scope="module")
def folder(comparison, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    files = write_files(comparison, folder)
    assert [path.name for path in files] == [
        f"results.{end}" for end in ("json", "csv", "md", "tex")
    ]
    return folder


@pytest.mark.parametrize(
    ("score", "metric", "alpha", "expected"),
    [
        (Score(31.416), Bleu(), 0.05, "31.42"),
        (Score(31.4, 30, 32, 1.0, 0.049), Bleu(), 0.05, "31.40*"),
        (Score(31.4, 30, 32, 1.0, 0.05), Bleu(), 0.05, "31.40"),
        (Score(31.4, 30, 32, 1.0, 0.049), Bleu(), 0.01, "31.40"),
        (Score(31.4, 30, 32, -1.0, 0.01), Bleu(), 0.05, "31.40†"),
        (Score(31.4, 30, 32, -1.0, 0.01), Ter(), 0.05, "31.40*"),
        (Score(31.4, 30, 32, 1.0, 0.01), Ter(), 0.05, "31.40†"),
    ],
)
def test_marks(score, metric, alpha, expected):
    assert mark(score, metric, alpha) == expected


@pytest.mark.parametrize(("alpha", "marks"), [(0.9999, 2), (0.05, 1), (1e-9, 0)])
def test_a_comparison_has_its_own_level_of_significance(alpha, marks):
    errors = {"A": 0.3, "B": 0.26, "C": 0.05}
    comparison = make_comparison(errors, n_sentences=20, metrics=("bleu",), alpha=alpha)
    p_values = comparison.p_values["test"][6][0, 1:]
    assert p_values[1] < 0.05 < p_values[0]
    summary = summary_table(comparison, "test")
    assert sum(row[2][-1] in "*†" for row in summary.rows) == marks
    assert summary.notes[1].endswith(f"p < {alpha:g} (bootstrap, untuned weights)")
    limits = limits_table(comparison, "test")
    assert [[text.rstrip("°") for text in row[1:]] for row in limits.rows] == [
        row[2:] for row in summary.rows
    ]
    # the best one always is, the others by their p against it
    against = comparison.against_best["test"]
    assert [row[1].endswith("°") for row in limits.rows] == [
        against[f"{name} @ 6"] >= alpha for name in errors
    ]
    assert limits.rows[2][1].endswith("°")
    assert limits.notes == [f"° no significant difference from the best, p ≥ {alpha:g}"]


def test_the_summary(comparison):
    table = summary_table(comparison, "one")
    assert table.title == "one: 20 sentences"
    assert table.header == ["system", "limit", "BLEU ↑", "TER ↓", "BLEU of all replicas"]
    assert [row[:2] for row in table.rows] == [
        ["A_1 & B", "6"], ["A_1 & B", "∞"], ["C|D", "6"], ["C|D", "∞"]
    ]  # fmt: skip
    assert all(row[2].endswith("*") and row[3].endswith("*") for row in table.rows[2:])
    cell = comparison.cells[0]
    first, second = comparison.replica_scores["one"][cell.name][:, 0]
    deviation = abs(first - second) / np.sqrt(2)  # of a sample of two
    assert spread(comparison, "one", cell) == f"{(first + second) / 2:.2f} ± {deviation:.2f}"
    assert table.rows[0][4] == spread(comparison, "one", cell)
    assert table.notes[-1] == (
        "* better, † worse than A_1 & B at the same limit, p < 0.05 (bootstrap, untuned weights)"
    )


def test_limits_and_significance(comparison):
    table = limits_table(comparison, "two")
    assert table.header == ["system", "limit 6", "limit ∞"]
    summary = summary_table(comparison, "two").rows
    assert [[text.rstrip("°") for text in row] for row in table.rows] == [
        ["A_1 & B", summary[0][2], summary[1][2]], ["C|D", summary[2][2], summary[3][2]]
    ]  # fmt: skip
    table = significance_table(comparison, "two", -1)
    p = comparison.p_values["two"][-1][0, 1]
    assert [list(row) for row in table.rows] == [
        ["A_1 & B", "", p_text(p, 1000)[2:]],
        ["C|D", p_text(p, 1000)[2:], ""],
    ]


def test_csv_read_back(comparison, folder):
    with (folder / "results.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert " ".join(rows[0]) == (
        "test system limit metric score low high difference p_value "
        "replicas_mean replicas_deviation replicas"
    )
    assert len(rows) == 2 * 4 * 2  # test sets, cells, metrics
    for row in rows:
        cell = comparison.cell(row["system"], int(row["limit"]))
        place = ["BLEU", "TER"].index(row["metric"])
        score = comparison.scores[row["test"]][cell.name][place]
        assert float(row["score"]) == score.score  # not rounded
        assert row["p_value"] == ("" if score.p_value is None else repr(score.p_value))
        replicas = comparison.replica_scores[row["test"]][cell.name][:, place]
        assert float(row["replicas_mean"]) == pytest.approx(replicas.mean())
        assert row["replicas"] == "2"


def test_one_replica_had_a_deviation_of_zero(comparison):
    first = {name: rows[:1] for name, rows in comparison.replica_scores["one"].items()}
    alone = replace(comparison, replica_scores={"one": first, "two": first})
    assert {record["replicas_deviation"] for record in alone.records()} == {None}
    assert None not in {record["replicas_deviation"] for record in comparison.records()}


def test_a_data_frame_if_pandas_is_there(comparison, monkeypatch):
    made = SimpleNamespace(DataFrame=SimpleNamespace(from_records=lambda records: records[0]))
    monkeypatch.setitem(sys.modules, "pandas", made)
    assert comparison.to_frame() == comparison.records()[0]
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not installed
    assert comparison.to_frame() == comparison.records()


def test_json_read_back(comparison, folder):
    record = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert [(cell["system"], cell["limit"]) for cell in record["cells"]] == [
        (cell.system, cell.limit) for cell in comparison.cells
    ]
    assert record["cells"][0]["replicas"][1]["weights"] == comparison.cells[0].replicas[1].weights
    assert record["tests"]["one"]["p_values"]["∞"][0][0] is None
    assert record["tests"]["one"]["n_sentences"] == 20
    assert record["configuration"]["tune"]["replicas"] == 2
    assert set(record["versions"]) >= {"hyperbaton", "sacrebleu"}
    with (folder / "results.csv").open(encoding="utf-8") as stream:
        table = list(csv.DictReader(stream))
    written = [
        {key: "" if row[key] is None else str(row[key]) for key in row} for row in record["scores"]
    ]
    assert written == table


def markdown_rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_markdown_read_back(comparison, folder):
    rows = markdown_rows((folder / "results.md").read_text(encoding="utf-8"))
    table = summary_table(comparison, "one")
    assert rows[0] == table.header
    assert rows[2] == table.rows[0]
    assert rows[4] == [r"C\|D", *table.rows[2][1:]]


def test_the_best_are_bold(comparison):
    table = summary_table(comparison, "one")
    numbers = [[float(text.rstrip("*†")) for text in row[2:4]] for row in table.rows]
    bleu, ter = zip(*numbers, strict=True)
    assert table.bold == {(bleu.index(max(bleu)), 2), (ter.index(min(ter)), 3)}
    limits = limits_table(comparison, "one")
    [(row, column)] = limits.bold
    assert float(limits.rows[row][column].rstrip("*†°")) == max(bleu)


def test_nothing_is_bold_where_all_are_equal():
    equal = make_comparison({"A": 0.0, "B": 0.0}, n_sentences=5, metrics=("ter",))
    assert not summary_table(equal, "test").bold


def test_latex_read_back(comparison, folder):
    text = (folder / "results.tex").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    table = summary_table(comparison, "one")
    cells = [cell.strip() for cell in re.split(r"(?<!\\)&", rows[1].removesuffix(r"\\"))]
    scores = comparison.scores["one"][comparison.cells[0].name]
    halves = [f"{(score.high - score.low) / 2:.2f}" for score in scores]
    limit, bleu, ter, mean = table.rows[0][1:]
    expected = [limit, f"{bleu} ± {halves[0]}", f"{ter} ± {halves[1]}", mean]
    assert cells == [r"A\_1 \& B", *(cell.replace("±", r"$\pm$") for cell in expected)]
    assert r"BLEU $\uparrow$ & TER $\downarrow$" in rows[0]
    assert text.count(r"\textbf{") == 2 * 3  # in both test sets: BLEU, TER, BLEU by limit
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 4
    assert r"$\infty$" in text


def test_cells_that_kept_their_starting_weights_are_named(comparison):
    assert not any("initial weights" in note for note in summary_table(comparison, "one").notes)
    cell = comparison.cells[1]
    trace = [{"score": 30.0, "weights": {"lm": 0.5}}, {"score": 31.0, "weights": {"lm": 0.6}}]
    untuned = replace(cell.best, weights={"lm": 0.5}, trace=trace)
    replicas = [untuned if own is cell.best else own for own in cell.replicas]
    cells = [replace(own, replicas=replicas) if own is cell else own for own in comparison.cells]
    notes = summary_table(replace(comparison, cells=cells), "one").notes
    assert [note for note in notes if "initial weights" in note and note.endswith(cell.name)]
    chosen_by_tuning = replace(untuned, weights={"lm": 0.6})
    assert untuned.is_as_before
    assert not chosen_by_tuning.is_as_before


@pytest.mark.parametrize("metric", ["BLEU", "WER"])  # of errors, few are better
def test_the_way_from_linear_to_the_oracle(comparison, metric, monkeypatch):
    assert way_tables(comparison, "one") == []
    names = ("ORACLE", "MIDDLE", "LOW")
    models = ("linear", "oracle,price=9"), ("linear", "msd"), ("linear",)
    systems = tuple(map(ComparedSystem, names, models))
    limits = (6, 9, 12, -1)
    made = make_comparison(
        dict(zip(names, (0.0, 0.2, 0.5), strict=True)), limits, n_sentences=20,
        metrics=(metric.lower(),),
    )  # fmt: skip
    configuration = replace(made.configuration, system=systems)
    [test] = made.scores
    columns = (30.0, 22.5, 20.0), (19.0, 22.0, 20.0), (21.0, 22.0, 20.0), (20.0, 19.0, 20.0)
    means = {
        (name, limit): score if metric == "BLEU" else -score
        for limit, column in zip(limits, columns, strict=True)
        for name, score in zip(names, column, strict=True)
    }
    p = np.full((3, 3), 0.9)
    sure = p.copy()
    sure[0, 2] = sure[2, 0] = 0.01  # of ORACLE against LOW
    p_values = {test: {6: sure, 9: sure, 12: p, -1: sure}}
    made = replace(made, configuration=configuration, p_values=p_values)
    monkeypatch.setattr(type(made), "mean", lambda *own: means[own[2].system, own[2].limit])
    [table] = way_tables(made, test)
    assert table.title == f"share of the gain from LOW to ORACLE, by {metric} on {test}"
    assert table.header == ["system", "limit 6", "limit 9", "limit 12", "limit ∞"]
    # the wrong way, one that may be none, none: no share
    assert [list(row) for row in table.rows] == [["MIDDLE", "25%", "", "", ""]]
