import pytest

from tests.tuning.report.comparisons import make_comparison


@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_the_best_cell_has_the_highest_score_or_the_lowest_error_rate(metric):
    comparison = make_comparison({"A": 0.3, "B": 0.02, "C": 0.5}, n_sentences=20, metrics=[metric])
    assert comparison.best_cell("test").system == "B"
    others = [cell for cell in comparison.cells if cell.system != "B"]
    assert comparison.best_cell("test", others).system == "A"
