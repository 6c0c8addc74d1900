"""How much of the change is kept: halves judged by hand, and what the loop makes of the scores."""

from dataclasses import replace

import numpy as np
import pytest

from tests.tuning.optimisers.pools import planted_pool
from tests.tuning.small_language import development_set, make_translator
from tests.tuning.weights.test_loop import QUICK
from tuning.evaluation.data_sets import Sentences
from tuning.metrics.ribes import Ribes
from tuning.optimisers.interface import Optimiser
from tuning.optimisers.objective import Objective, Term
from tuning.optimisers.pool import Pool
from tuning.weights import loop
from tuning.weights.held_out import SHARES, best_share, held_out_scores
from tuning.weights.task import Listeners, TuningTask

SOURCE, REFERENCES = development_set()
MEAN = Objective([Term(1.0, Ribes())])
N_FEATURES = 9


@pytest.fixture(scope="module")
def translator():
    return make_translator()


def make_task(translator, method="mert", talk=lambda _: None):
    dev = Sentences("dev", SOURCE, REFERENCES)
    listeners = Listeners(talk)
    return TuningTask(translator, dev, replace(QUICK, method=method), listeners=listeners)


class Counting(Optimiser):
    """Weights that tell how many hypotheses there are, one step at a time."""

    name = "counting"
    gradual = True

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return start.weights + np.arange(len(start.weights)) * (len(pool) % 7 - 3.5)


def test_the_largest_of_equal_shares_and_all_without_scores():
    assert best_share([1, 2, 5, 4, 3]) == 0.5
    assert best_share([1, 5, 2, 5, 4]) == 0.75
    assert best_share([5, 4, 3, 2, 1]) == 0
    assert best_share([5, 5, 5, 5, 5]) == 1
    assert best_share([]) == 1


def test_every_half_is_judged_by_what_the_other_one_says(translator):
    """Walks through the sentences one by one; RIBES is a mean, so halves can be added by hand."""
    task = make_task(translator, f"{__name__}:Counting")
    task.__dict__["objective"] = MEAN
    pool, _ = planted_pool(3, n_sentences=len(SOURCE), n_features=6)
    features = np.random.default_rng(1).normal(size=(len(pool), len(task.vector.names)))
    pool = Pool(features, pool.statistics, pool.keys, pool.offsets)
    before = np.linspace(-1, 1, len(task.vector.names))
    n_rounds = 3
    found = held_out_scores(task, pool, before, n_rounds)
    lists = [range(*pair) for pair in zip(pool.offsets, pool.offsets[1:], strict=False)]
    expected = np.zeros(len(SHARES))
    for sentence, rows in enumerate(lists):
        size = sum(len(other) for k, other in enumerate(lists) if k % 2 != sentence % 2)
        learned = before
        for _ in range(n_rounds):
            learned = task.vector.normalise(learned + np.arange(len(before)) * (size % 7 - 3.5))
        for k, share in enumerate(SHARES):
            point = (1 - share) * before + share * learned
            best = max(rows, key=lambda row: features[row] @ point)
            expected[k] += 100 * pool.statistics[best, 0] / len(lists)
    np.testing.assert_allclose(found, expected)
    assert len(set(found)) > 1


def test_too_few_sentences_to_part(translator):
    pool, _ = planted_pool(1, n_sentences=3)
    assert held_out_scores(make_task(translator), pool, np.zeros(7), 1) == ()


@pytest.mark.parametrize("best", range(len(SHARES)))
def test_the_best_share_of_the_change_is_kept(translator, monkeypatch, best):
    scores = np.where(np.arange(len(SHARES)) == best, 50.0, 40.0)
    monkeypatch.setattr(loop, "held_out_scores", lambda *_: tuple(scores.tolist()))
    said = []
    task = make_task(translator, talk=said.append)
    result = loop.tune(task)
    trace = result.trace
    assert trace.share == SHARES[best]
    first, top = (task.vector.vector(trace.steps[n].weights) for n in (0, trace.best))
    assert trace.best > 0
    expected = task.vector.normalise(first + SHARES[best] * (top - first))
    if result.dev_score > result.initial_score or best == 0:
        np.testing.assert_allclose(task.vector.vector(result.weights), expected)
    assert result.dev_score == pytest.approx(loop.measure(task, result.weights))
    kept = {0: "none", 1: "25%", 2: "50%", 3: "75%", 4: "all"}[best]
    assert said[-1].startswith("on halves that the other half has not seen: BLEU ")
    assert f"; {kept} of the change is kept" in said[-1]


def test_a_part_that_is_worse_than_nothing_is_not_kept(translator, monkeypatch):
    monkeypatch.setattr(loop, "held_out_scores", lambda *_: (0.0, 0.0, 1.0, 0.0, 0.0))
    monkeypatch.setattr(loop, "_measured", lambda *_: (0.5, 1.0))
    result = loop.tune(make_task(translator))
    assert result.trace.steps[-1].score == 0.5
    assert result.dev_score == result.initial_score > 0.5
    assert result.weights == result.trace.steps[0].weights
