"""Quality by size of the training data, by hand."""

import numpy as np
import pytest

from tests.tuning.report.comparisons import make_comparison
from tuning.reproduction.data_sizes import Measured, sizes_exhibit


class Mean:
    """Of numbers from 0 to 100."""

    higher_is_better = True

    def __init__(self, name="BLEU"):
        self.name = name

    def score(self, statistics):
        """For one row or many."""
        return statistics[..., 0] / statistics[..., 1]


class Errors(Mean):
    higher_is_better = False


def measured(moses, dpr, metric=None):
    rows = {
        name: np.array([[value, 1.0]] * 20) for name, value in (("MOSES", moses), ("DPR-3", dpr))
    }
    return Measured(metric or Mean(), rows)


def test_a_gain_is_what_is_better():
    assert measured(30.0, 32.0).gain == 2
    assert measured(30.0, 32.0, Errors("WER")).gain == -2


def test_charts_and_findings():
    wer = Errors("WER")
    by_size = {
        100: [measured(30.0, 29.0), measured(50.0, 51.0, wer)],
        200: [measured(31.0, 32.0), measured(48.0, 47.0, wer)],
        400: [measured(32.0, 35.0), measured(46.0, 44.0, wer)],
    }
    exhibit = sizes_exhibit({"news": by_size}, "bootstrap")
    assert [chart.y_title for chart in exhibit.charts] == ["BLEU", "WER"]
    assert exhibit.charts[0].places == ["100", "200", "400"]
    assert [one.values for one in exhibit.charts[0].series] == [[30, 31, 32], [29, 32, 35]]
    beats, grows = exhibit.findings
    assert beats.verdict == "does not hold"
    # all sentences say the same, so do all of 1000 resamples
    assert beats.cases == (
        "news, 100 pairs: -1.00, p ≤ 0.001: does not hold",
        "news, 200 pairs: +1.00, p ≤ 0.001: holds",
        "news, 400 pairs: +3.00, p ≤ 0.001: holds",
    )
    assert grows.verdict == "not established"
    assert grows.cases == ("news: -1.00 with 100 pairs, +3.00 with all, not tested",)


def test_the_first_tuning_run_stands_for_a_system():
    from tuning.reproduction.data_sizes import _measured

    comparison = make_comparison(
        {"MOSES": 0.4, "OTHER": 0.1, "DPR-3": 0.2}, (6, -1), n_sentences=10, replicas=2
    )
    [bleu] = _measured(comparison)["test"]  # the only metric of the figure
    scores = comparison.replica_scores["test"]
    assert bleu.score("MOSES") == pytest.approx(scores["MOSES @ 6"][0, 0], rel=1e-12)
    assert bleu.score("DPR-3") == pytest.approx(scores["DPR-3 @ 6"][0, 0], rel=1e-12)
