"""Scores and p-values of a grid are those of the tests, one by one."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tuning.report.comparisons import make_comparison
from tuning.comparison.judging import judge
from tuning.evaluation.significance import find_test, interval, resampled_scores

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
            rows = comparison.statistics(cell, data, metric)
            expected = float(metric.score(rows.sum(axis=0)))
            low, high = interval(*resampled_scores(metric, [rows]))
            assert (score.score, score.low, score.high) == pytest.approx((expected, low, high))
            baseline = comparison.cell("B", cell.limit)
            if cell is baseline:
                assert (score.difference, score.p_value) == (None, None)
            else:
                other = comparison.statistics(baseline, data, metric)
                found = compare_two(metric, other, rows)
                assert score.p_value == found.p_value
                assert score.difference == pytest.approx(found.difference)


@pytest.mark.parametrize("test", ["bootstrap", "randomisation"])
def test_the_matrix_of_all_pairs(test):
    comparison = make_comparison(ERRORS, n_sentences=25, significance=test, metrics=("bleu",))
    matrix = comparison.p_values["test"][6]
    [metric], [data] = comparison.metrics["test"], comparison.tests
    rows = [comparison.statistics(cell, data, metric) for cell in comparison.cells]
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


def test_the_replica_that_is_chosen_is_judged_or_the_average_if_there_is_one():
    made = make_comparison(ERRORS, n_sentences=10, replicas=3, metrics=("bleu",))
    [a, b, c] = made.cells
    cells = [replace(a, chosen=2), b, replace(c, average=c.replicas[1])]
    found = judge(made.configuration, made.tests, cells, ())
    scores = [found.scores["test"][cell.name][0].score for cell in cells]
    expected = [made.replica_scores["test"][cell.name][:, 0] for cell in cells]
    assert scores == pytest.approx([expected[0][2], expected[1][0], expected[2][1]])
    assert len({*expected[0]}) == len({*expected[2]}) == 3
