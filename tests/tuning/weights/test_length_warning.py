"""Weights that only lengthen translations: BLEU rises, TER gets worse, and that is said."""

from dataclasses import replace

import pytest

from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.weights.length_warning import length_warning
from hyperbaton.tuning.weights.loop import TuneResult
from hyperbaton.tuning.weights.protocol import Replicas
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import Trace, TraceStep
from tests.tuning.small_language import development_set, make_translator

BEFORE, AFTER = {"lm": 1.0}, {"lm": 2.0}


def result(first=0.8, last=1.1, score=30.0):
    steps = [
        TraceStep(weights, one, length, 1, 1, 0.0, 0.0)
        for weights, one, length in ((BEFORE, 20.0, first), (AFTER, score, last))
    ]
    trace = Trace("mert", "BLEU", "", True, 1, 15, steps=tuple(steps))
    run = TuneResult(AFTER, score, 20.0, trace)
    return Replicas((run,), "best", AFTER, score, 20.0, (), "the run")


@pytest.fixture
def task(monkeypatch):
    """Decoding gives references without their last word, or with words that nobody wants."""
    sources, references = development_set()
    made = TuningTask(make_translator(), Sentences("dev", sources, references), TuneSettings())
    decoded = []

    class Decoded:
        offsets = range(len(references) + 1)

        def __init__(self, weights):
            self.is_long = weights == AFTER
            decoded.append(self.is_long)

        def statistics(self, _, metric, dev):
            words = [group[0].split() for group in dev.references]
            texts = [" ".join([*own, "of", "of"] if self.is_long else own[:-1]) for own in words]
            return metric.statistics(Outputs(texts, dev.references))

        def length_ratio(self, _):
            return 1.5 if self.is_long else 0.75

    place = "hyperbaton.tuning.weights.length_warning.decode"
    monkeypatch.setattr(place, lambda _task, weights, n_best: (Decoded(weights), []))  # noqa: ARG005
    return made, decoded


def test_longer_and_worse(task):
    made, decoded = task
    words = [len(group[0].split()) for group in made.dev.references]
    before, after = (100 * n * len(words) / sum(words) for n in (1, 2))  # one missing, two too many
    said = length_warning(made, BEFORE, result())
    assert said.startswith("warning: BLEU rose because translations became longer (0.75 → 1.50")
    assert f"TER got worse: {before:.1f} → {after:.1f} (p ≤ 0.001)" in said
    assert decoded == [False, True]


def test_what_gives_no_warning(task):
    made, decoded = task
    assert length_warning(made, AFTER, result()) == ""  # as long before
    decoded.clear()
    assert length_warning(made, BEFORE, result(last=0.81)) == ""
    assert length_warning(made, BEFORE, result(score=20.0)) == ""  # nothing was gained
    for metric in ("ter", "0.5*bleu-0.5*ter"):
        other = replace(made, settings=replace(made.settings, metric=metric))
        assert length_warning(other, BEFORE, result()) == ""
    assert decoded == []  # nobody waits for it
