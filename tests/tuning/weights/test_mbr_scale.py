"""The scale for minimum Bayes risk: on a list made by hand, and on a real one by brute force."""

from types import SimpleNamespace

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.progress import SILENT
from hyperbaton.tuning.evaluation.consensus import Scored, expected_gains
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.optimisers.objective import make_objective
from hyperbaton.tuning.weights.hypotheses import Hypotheses
from hyperbaton.tuning.weights.loop import decode
from hyperbaton.tuning.weights.mbr_scale import SCALES, choose_scale
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.vector import make_weight_vector
from tests.tuning.small_language import development_set, make_translator


def made_by_hand(texts, scores, references, metric="bleu"):
    """A list of one sentence, with the score as its only feature, and what is chosen from it."""
    words = sorted({word for text in texts for word in text.split()})
    vocabulary = Vocabulary(words)
    rows = [[vocabulary.words.index(word) for word in text.split()] for text in texts]
    offsets = np.cumsum([0, *map(len, rows)])
    ragged = Ragged(np.array([word for row in rows for word in row], np.int64), offsets)
    features = np.array(scores)[:, None]
    lists = Hypotheses([()], vocabulary, features, ragged, None, np.array([0, len(texts)]))
    weights = {"lm": 2.0}  # twice the usual size: scales are divided by it
    task = SimpleNamespace(
        objective=make_objective(metric, [references]),
        vector=make_weight_vector(weights, weights),
        dev=Sentences("dev", [()], [references]),
        reporter=SILENT,
    )
    return choose_scale(lists, weights, task)


def test_few_alike_or_the_best_by_itself():
    """By hand: BLEU+1 of two that are alike is g = (3/4 · 3/4 · 2/3 · 1/2)^(1/4) = 0.658, so one of
    the three wins as long as exp(−0.1 · scale) (1 + 2g) > 1, that is for scales below 8.4."""
    texts = ["x y z w", "a b c d", "a b c e", "a b c f"]
    scores = [0.0, -0.1, -0.1, -0.1]
    alike = made_by_hand(texts, scores, ["a b c d"])
    assert alike.without == 0
    alone = made_by_hand(texts, scores, ["x y z w"])
    assert alone.without == pytest.approx(100)
    assert (alike.kept, alone.kept) == (5.0, 20.0)
    for scale in SCALES:
        expected = (100, 0) if scale < 8.4 else (0, 100)
        assert (alike.scores[scale], alone.scores[scale]) == pytest.approx(expected)


def test_error_rates_are_minimised_and_shown_as_they_are():
    texts, scores = ["x y z w", "a b c d", "a b c e", "a b c f"], [0.0, -0.1, -0.1, -0.1]
    found = made_by_hand(texts, scores, ["a b c d"], "ter")
    assert (found.without, found.scores[1.0]) == (100, 0)
    assert found.scores[found.kept] == 0


def test_of_equal_scales_the_usual_one():
    assert made_by_hand(["a b", "c d"], [0.0, -9.0], ["z"]).kept == 20


def test_scores_are_those_of_every_scale_by_itself():
    translator = make_translator(linear=0.4)
    sources, references = development_set()
    task = TuningTask(translator, Sentences("dev", sources, references))
    weights = {name: translator.weights[name] for name in translator.feature_names}
    lists, _ = decode(task, weights, 20)
    found = choose_scale(lists, weights, task)
    size = sum(abs(weight) for name, weight in weights.items() if name != "unknown")
    metric, expected = BLEU(tokenize="none"), {}
    for scale in SCALES:
        chosen = []
        for sentence in sources:
            results = translator.results(translator.decode(sentence, 20))
            scored = Scored([r.text for r in results], np.array([r.score for r in results]))
            gains = expected_gains([scored], scale / size)
            chosen.append(gains.texts[gains.best])
        expected[scale] = metric.corpus_score(chosen, [[one for [one] in references]]).score
    assert found.scores == pytest.approx(expected)
    assert len({round(score, 6) for score in expected.values()}) > 1
    assert expected[found.kept] == pytest.approx(max(expected.values()))
