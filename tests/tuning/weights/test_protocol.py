"""Replicas: which weights are kept, on made-up and on real runs."""

import math
from dataclasses import replace

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.optimisers.mert import Mert
from hyperbaton.tuning.weights.loop import TuneResult, measure
from hyperbaton.tuning.weights.protocol import best_of, tune_replicas
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import Trace, TraceStep
from hyperbaton.views.tuning_text import tuning_blocks
from tests.refusals import refusals
from tests.tuning.small_language import development_set, make_translator

MERT = Mert(restarts=2, directions=1)
QUICK = TuneSettings("mert", n_best=30, iterations=1).with_optimiser("mert", MERT)
SOURCE, REFERENCES = development_set()
DEV = Sentences("dev", SOURCE, REFERENCES)
NAMES = tuple(make_translator().feature_names)


@pytest.fixture(scope="module")
def translator():
    return make_translator()


def weights(lm):
    """Normalised weights that can be told apart."""
    return dict.fromkeys(NAMES, 0.0) | {"unknown": 1.0, "lm": lm, "linear": 1 - abs(lm)}


def task(translator, dev=DEV, fixed=(), talk=lambda _: None, **settings):
    settings = replace(QUICK, **settings)
    return TuningTask(translator, dev, settings, fixed, reporter=Reporter(talk))


def made_up(monkeypatch, scores, held_out=(), initial=10.0, higher=True):
    """Runs with these scores; measuring gives the others, in this order."""
    seen = []

    def run(task, state):
        seed, dev = task.settings.seed, task.dev
        number = seed - QUICK.seed
        seen.append((len(dev.sources), len(dev.references), seed, state, task.fixed))
        first = TraceStep(weights(0.0), initial, 1.0, 1, 1, 0.0, 0.0)
        trace = Trace("mert", "M", "", higher, seed, 15, steps=(first,))
        return TuneResult(weights(0.1 * (number + 1)), scores[number], initial, trace)

    measured = iter(held_out)
    monkeypatch.setattr("hyperbaton.tuning.weights.protocol.tune", run)
    monkeypatch.setattr(
        "hyperbaton.tuning.weights.protocol.measure", lambda *_, **__: next(measured)
    )
    return seen


def test_the_best_on_the_development_set(translator, monkeypatch, tmp_path):
    seen = made_up(monkeypatch, [20.0, 30.0, 25.0])
    result = tune_replicas(task(translator, fixed=["lm"]), tmp_path)
    assert result.weights["lm"] == pytest.approx(0.2)
    assert (result.score, result.initial_score, result.chosen) == (30, 10, "replica 2")
    assert result.mean == 25
    assert result.deviation == 5
    assert [row[2:] for row in seen] == [
        (seed, tmp_path / f"seed-{seed}", ["lm"]) for seed in (1, 2, 3)
    ]


def test_runs_that_learned_nothing_were_part_of_the_mean(translator, monkeypatch):
    made_up(monkeypatch, [20.0, 10.0, 30.0])
    result = tune_replicas(task(translator))
    [first, second, third] = result.runs
    same = replace(second, weights=second.trace.steps[0].weights)
    result = replace(result, runs=(first, same, third))
    assert (result.learned, result.mean) == ([20, 30], 25)
    none = replace(result, runs=(same,) * 3)
    assert none.mean == 10
    text = next(block for block in tuning_blocks(result, result.weights) if isinstance(block, str))
    assert "mean of 2 replicas: M 25.00 ± 7.07; 1 of 3 kept the old weights" in text


def test_errors_are_better_if_lower(translator, monkeypatch):
    made_up(monkeypatch, [20.0, 30.0], higher=False, initial=40.0)
    result = tune_replicas(task(translator, replicas=2))
    assert (result.score, result.chosen) == (20, "replica 1")


def test_goto_chooses_on_the_second_half(translator, monkeypatch):
    seen = made_up(monkeypatch, [20.0, 30.0, 25.0], [17.0, 12.0, 15.0, 11.0])
    result = tune_replicas(task(translator, protocol="goto"))
    half = len(SOURCE) // 2
    assert {row[:2] for row in seen} == {(half, half)}
    assert (result.score, result.chosen, result.initial_score) == (17, "replica 1", 11)
    assert result.held_out == (17, 12, 15)
    assert result.mean == pytest.approx(44 / 3)


def test_goto_compares_with_the_weights_before_on_the_second_half(translator, monkeypatch):
    made_up(monkeypatch, [20.0, 30.0])
    half = len(SOURCE) // 2
    measured = []

    def score(task, weights):
        measured.append((task.dev.sources, weights["lm"]))
        return 15.0

    monkeypatch.setattr("hyperbaton.tuning.weights.protocol.measure", score)
    tune_replicas(task(translator, replicas=2, protocol="goto"))
    assert {tuple(sources) for sources, _ in measured} == {tuple(SOURCE[half:])}
    assert sorted(lm for _, lm in measured) == [0.0, 0.1, 0.2]  # before, and of both runs


def test_the_average(translator, monkeypatch):
    made_up(monkeypatch, [20.0, 30.0, 25.0], [28.0])
    result = tune_replicas(task(translator, protocol="average"))
    assert result.weights["lm"] == pytest.approx(0.2)
    assert result.weights["unknown"] == 1
    assert (result.score, result.chosen) == (28, "the average of 3 replicas")


@pytest.mark.parametrize(
    ("protocol", "held_out"), [("goto", [5.0, 6.0, 9.0]), ("average", [9.0]), ("average", [10.0])]
)
def test_never_worse_than_the_weights_before(translator, monkeypatch, protocol, held_out):
    made_up(monkeypatch, [20.0, 30.0], held_out)
    talk = []
    result = tune_replicas(task(translator, replicas=2, protocol=protocol, talk=talk.append))
    # as the system has them, not rescaled as tuning does
    assert result.weights == {name: translator.weights[name] for name in NAMES}
    assert result.weights != weights(0.0)
    assert (result.chosen, result.gained) == ("the old weights", False)
    assert talk[-1] == "no weights scored better than the old ones, which are kept"


def test_a_gain_is_a_gain(translator, monkeypatch):
    made_up(monkeypatch, [10.01])
    assert tune_replicas(task(translator, replicas=1)).gained


def test_one_run_has_no_deviation(translator, monkeypatch):
    made_up(monkeypatch, [20.0])
    talk = []
    result = tune_replicas(task(translator, replicas=1, talk=talk.append))
    assert math.isnan(result.deviation)
    assert (result.chosen, talk) == ("the run", [])


@pytest.mark.parametrize("protocol", ["goto", "average"])
def test_real_runs(translator, protocol):
    result = tune_replicas(task(translator, replicas=2, protocol=protocol, confirm=False))
    start = len(SOURCE) // 2 if protocol == "goto" else 0
    score = measure(task(translator, DEV.part(slice(start, None))), result.weights)
    assert result.score == pytest.approx(score)
    assert result.score > result.initial_score
    assert [run.trace.seed for run in result.runs] == [1, 2]


@refusals(
    ("goto", 1, "protocol goto: the development set has only one sentence"),
    ("gto", 9, "'gto' … did you mean goto?", SettingError),
)
def test_protocols_that_cannot_be(translator, protocol, n):
    tune_replicas(task(translator, DEV.part(slice(n)), protocol=protocol))


def test_the_best_of_scores():
    assert best_of([30.1, 31.0, 31.0], higher_is_better=True) == 1
    assert best_of([0.4, 0.3, 0.5], higher_is_better=False) == 1  # an error rate
