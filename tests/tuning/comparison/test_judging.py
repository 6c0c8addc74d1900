"""Scores and p-values of a grid are those of the tests, one by one."""

from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.tuning.comparison.judging import judge
from hyperbaton.tuning.evaluation.significance import find_test, interval, resampled_scores
from tests.tuning.report.comparisons import make_comparison

ERRORS = {"A": 0.35, "B": 0.3, "C": 0.1}


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_intervals_and_p_values_are_those_of_the_tests(test):
    comparison = make_comparison(
        ERRORS, (6, -1), n_sentences=25, significance=test, baseline="B", metrics=("bleu", "ter")
    )
    compare_two = find_test(test)
    [data] = comparison.tests
    for place, metric in enumerate(comparison.metrics["test"]):
        for cell in comparison.cells:
            score = comparison.scores["test"][cell.name][place]
            [rows] = cell.statistics(data.name, metric)
            expected = float(metric.score(rows.sum(axis=0)))
            low, high = interval(*resampled_scores(metric, [rows]))
            assert (score.score, score.low, score.high) == pytest.approx((expected, low, high))
            baseline = comparison.cell("B", cell.limit)
            if cell is baseline:
                assert (score.difference, score.p_value) == (None, None)
            else:
                found = compare_two(metric, baseline.statistics(data.name, metric), [rows])
                assert score.p_value == found.p_value
                assert score.difference == pytest.approx(found.difference)


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_the_matrix_of_all_pairs(test):
    comparison = make_comparison(ERRORS, n_sentences=25, significance=test, metrics=("bleu",))
    matrix = comparison.p_values["test"][6]
    [metric], [data] = comparison.metrics["test"], comparison.tests
    rows = [cell.statistics(data.name, metric) for cell in comparison.cells]
    assert np.isnan(np.diag(matrix)).all()
    for i in range(3):
        for j in range(3):
            if i != j:  # whichever of the two comes first
                assert matrix[i, j] == find_test(test)(metric, rows[i], rows[j]).p_value


def test_scores_of_all_replicas():
    comparison = make_comparison(ERRORS, n_sentences=10, replicas=3, metrics=("bleu", "ter"))
    [data] = comparison.tests
    for cell in comparison.cells:
        table = comparison.replica_scores["test"][cell.name]
        assert table.shape == (3, 2)
        for replica, row in zip(cell.replicas, table, strict=True):
            for metric, score in zip(comparison.metrics["test"], row, strict=True):
                statistics = replica.statistics[data.name][metric.name]
                assert score == pytest.approx(float(metric.score(statistics.sum(axis=0))))


def test_differences_and_p_values_are_those_of_all_tuning_runs():
    comparison = make_comparison(
        {"A": 0.3, "B": 0.25}, n_sentences=20, replicas=3, baseline="A", metrics=("bleu",)
    )
    [metric], (first, second) = comparison.metrics["test"], comparison.cells
    score = comparison.scores["test"][second.name][0]
    means = [
        np.mean([metric.score(run.statistics["test"]["BLEU"].sum(axis=0)) for run in cell.replicas])
        for cell in (first, second)
    ]
    assert score.difference == pytest.approx(means[1] - means[0])
    assert [comparison.mean("test", cell) for cell in (first, second)] == pytest.approx(means)
    chosen = second.replicas[second.chosen].statistics["test"]["BLEU"].sum(axis=0)
    assert score.score == pytest.approx(float(metric.score(chosen)))
    runs = [cell.statistics("test", metric) for cell in (first, second)]
    assert score.p_value == find_test("bootstrap")(metric, *runs).p_value
    one = find_test("bootstrap")(metric, runs[0][:1], runs[1][:1])
    assert score.p_value != one.p_value


def test_a_chosen_run_comes_first_and_averaged_weights_are_one_run():
    [cell] = make_comparison({"A": 0.3}, n_sentences=5, replicas=3).cells
    cell = replace(cell, chosen=1)
    assert [run.seed for run in cell.runs] == [2, 1, 3]
    assert replace(cell, average=cell.replicas[2]).runs == [cell.replicas[2]]


def test_p_values_against_the_best_cell_of_all_limits():
    comparison = make_comparison(ERRORS, (6, -1), n_sentences=25, metrics=("ter",))
    [metric] = comparison.metrics["test"]
    best = min(comparison.cells, key=lambda cell: comparison.mean("test", cell))  # of errors
    found = comparison.against_best["test"]
    assert found[best.name] == 1
    for cell in comparison.cells:
        if cell is not best:
            both = best.statistics("test", metric), cell.statistics("test", metric)
            assert found[cell.name] == find_test("bootstrap")(metric, *both).p_value
    assert min(found.values()) < 0.05 < max(p for p in found.values() if p < 1)


def test_the_replica_that_is_chosen_is_judged_or_the_average_if_there_is_one():
    made = make_comparison(ERRORS, n_sentences=10, replicas=3, metrics=("bleu",))
    [a, b, c] = made.cells
    cells = [replace(a, chosen=2), b, replace(c, average=c.replicas[1])]
    found = judge(made.configuration, made.tests, cells, ())
    scores = [found.scores["test"][cell.name][0].score for cell in cells]
    expected = [made.replica_scores["test"][cell.name][:, 0] for cell in cells]
    assert scores == pytest.approx([expected[0][2], expected[1][0], expected[2][1]])
    assert len({*expected[0]}) == len({*expected[2]}) == 3
