"""Systems × metrics."""

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.evaluation.scoring import evaluate
from hyperbaton.tuning.evaluation.significance import (
    interval,
    paired_bootstrap,
    randomisation,
    resampled_scores,
)
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.wer import Wer
from tests.refusals import refusals

REFERENCES = [["a b c d e"], ["b c d e"], ["c d e f g"]]
OLD = Outputs(["a b c d", "b c d e", "c d x f g"], REFERENCES)
NEW = Outputs(["a b c d e", "b c d e", "c d e f g"], REFERENCES)
SYSTEMS = {"old": OLD, "new": NEW}


@pytest.mark.parametrize(
    ("name", "test"), [("bootstrap", paired_bootstrap), ("randomisation", randomisation)]
)
def test_numbers_are_those_of_metrics_and_tests(name, test):
    metrics = [Bleu(), Wer()]
    result = evaluate(SYSTEMS, metrics, baseline="old", test=name, n_resamples=50, seed=0)
    assert (result.systems, result.n_sentences) == (("old", "new"), 3)
    for place, metric in enumerate(metrics):
        old, new = metric.statistics(OLD), metric.statistics(NEW)
        before, after = result.scores["old"][place], result.scores["new"][place]
        assert before.score == pytest.approx(metric.corpus_score(OLD))
        low, high = interval(*resampled_scores(metric, [new], n_resamples=50, seed=0))
        assert (after.low, after.high) == pytest.approx((low, high))
        assert after.half_width == pytest.approx((high - low) / 2)
        expected = test(metric, [old], [new], n_resamples=50, seed=0)
        assert after.difference == pytest.approx(expected.difference)
        assert after.p_value == expected.p_value
        assert (before.difference, before.p_value) == (None, None)


def test_without_baseline_or_resamples():
    score = evaluate(SYSTEMS, [Bleu()], n_resamples=10).scores["new"][0]
    assert (score.difference, score.p_value) == (None, None)
    assert score.low is not None
    score = evaluate(SYSTEMS, [Bleu()], baseline="old", n_resamples=0).scores["new"][0]
    assert (score.low, score.high, score.p_value, score.half_width) == (None,) * 4
    assert score.difference == pytest.approx(100 - Bleu().corpus_score(OLD))


def test_scores_of_sentences():
    result = evaluate(SYSTEMS, [Bleu(), Wer()], n_resamples=0)
    # the second sentence is right; one of five words is missing or wrong in the others
    assert result.sentence_scores("old")[:, 1].tolist() == pytest.approx([20, 0, 20])
    assert result.sentence_scores("new")[:, 0].tolist() == pytest.approx([100, 100, 100])


def test_progress_is_reported():
    heard = []
    evaluate(SYSTEMS, [Bleu()], n_resamples=0, progress=lambda *news: heard.append(news))
    assert heard == [("BLEU of old, sentences", 3), ("BLEU of new, sentences", 3)]


@refusals(
    ({"baseline": "odl"}, "'odl' … did you mean old?"), ({"test": "x"}, "'x'"), error=SettingError
)
def test_errors(options):
    evaluate(SYSTEMS, [Bleu()], **options)
