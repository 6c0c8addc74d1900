"""Metrics and their combinations as objectives of tuning."""

import math

import numpy as np
import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.metrics.ter import Ter
from hyperbaton.tuning.optimisers.objective import make_objective, parse_objective
from tests.refusals import refusals

OUTPUTS = Outputs(["a b c d e", "x b c"], [["a b c d f"], ["a b c", "c b"]])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bleu", {"bleu": 1}),
        ("BLEU", {"bleu": 1}),
        ("ter", {"ter": -1}),
        ("-ter", {"ter": -1}),
        ("2*wer", {"wer": -2}),
        ("bleu-1", {"bleu-1": 1}),
        ("bleu-ter", {"bleu": 1, "ter": -1}),
        ("bleu-1-ter", {"bleu-1": 1, "ter": -1}),
        ("bleu + ribes", {"bleu": 1, "ribes": 1}),
        ("0.5*bleu-.5*ter", {"bleu": 0.5, "ter": -0.5}),
        ("meteor-exact-stem+bleu-1", {"meteor-exact-stem": 1, "bleu-1": 1}),
        ("bleu4-ter", {"bleu": 1, "ter": -1}),
        ("bleu+chrf++", {"bleu": 1, "chrf++": 1}),
        ("-ter+bleu+2*lrscore-hamming", {"ter": -1, "bleu": 1, "lrscore-hamming": 2}),
    ],
)
def test_texts(text, expected):
    assert parse_objective(text) == expected


@refusals(
    ("bleuu", "'bleuu' in 'bleuu' … did you mean bleu"),
    ("bleu-tre", "'tre' in 'bleu-tre' … did you mean ter?"),
    ("metor-exact", "did you mean meteor-exact-stem?"),
    ("", "a metric is missing in ''"),
    ("bleu+", "a metric is missing in 'bleu+'"),
    ("bleu ter", "unknown metric 'bleuter'"),
    ("bleu+ter", "ter has the wrong sign in 'bleu+ter': lower is better … subtract it: bleu-ter"),
    ("ter-bleu", "lower is better"),
    ("-bleu", "bleu has the wrong sign in '-bleu': higher is better … add it"),
    ("ribes-bleu", "higher is better"),
    ("bleu+bleu", "bleu occurs twice in the metric 'bleu+bleu'"),
    ("bleu-0*ter", "ter has the factor 0"),
    ("0*bleu", "bleu has the factor 0"),
    error=SettingError,
)
def test_texts_that_mean_nothing(text):
    parse_objective(text)


def test_a_combination_is_the_sum_of_its_terms():
    objective = make_objective("2*bleu-0.5*ter+ribes", OUTPUTS.references)
    expected = (
        2 * Bleu().corpus_score(OUTPUTS)
        - 0.5 * Ter().corpus_score(OUTPUTS)
        + Ribes().corpus_score(OUTPUTS)
    )
    assert objective.corpus_score(OUTPUTS) == pytest.approx(expected)
    assert objective.name == "2·BLEU − 0.5·TER + RIBES"
    assert objective.scale == 350
    assert "TER: nrefs:var" in objective.signature
    statistics = objective.statistics(OUTPUTS)
    alone = [metric.sentence_scores(metric.statistics(OUTPUTS)) for metric in (Bleu(), Ter())]
    ribes = Ribes().statistics(OUTPUTS)[:, 0] * 100
    np.testing.assert_allclose(
        objective.sentence_scores(statistics), 2 * alone[0] - 0.5 * alone[1] + ribes
    )


def test_errors_alone_are_minimised_and_shown_as_they_are():
    objective = make_objective("ter", OUTPUTS.references)
    score = objective.corpus_score(OUTPUTS)
    assert score == -Ter().corpus_score(OUTPUTS)
    assert objective.shown(score) == Ter().corpus_score(OUTPUTS)
    assert (objective.name, objective.higher_is_better) == ("TER", True)
    assert str(objective.shown(0.0)) == "0.0"


def test_bleu_plus_one_by_hand():
    # 4 of 5 words, 3 + 1 of 4 + 1 bigrams, 2 + 1 of 3 + 1 trigrams, 1 + 1 of 2 + 1 four-grams
    statistics = Bleu().statistics(Outputs(["a b c d e", "", "x"], [["a b c d f g"], ["a"], ["a"]]))
    scores = Bleu().smooth_sentence_scores(statistics)
    expected = 100 * math.exp(1 - 6 / 5) * (4 / 5 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    np.testing.assert_allclose(scores, [expected, 0, 0])
    objective = make_objective("bleu+ribes", OUTPUTS.references)
    parts = objective.statistics(OUTPUTS)
    np.testing.assert_allclose(
        objective.smooth_sentence_scores(parts),
        Bleu().smooth_sentence_scores(parts[:, :10]) + 100 * parts[:, 10],
    )
