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
from tuning.weights.held_out import SHARES, HeldOut, best_share, judge_halves
from tuning.weights.task import Listeners, TuningTask

SOURCE, REFERENCES = development_set()
MEAN = Objective([Term(1.0, Ribes())])


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


def statistics_of(*rows):
    """Of sentences whose scores are given, for each share; the metric is their mean."""
    return np.stack([np.array(rows, float) / 100, np.ones((len(SHARES), len(rows[0])))], axis=2)


def test_a_gain_counts_beyond_its_standard_error():
    none = np.tile([50.0, 50.0], 50)
    change = np.tile([4.0, 2.0], 50)
    sure = statistics_of(*(none + k * change for k in range(5)))
    assert best_share(MEAN, sure) == 1
    # the mean gain is 0.1 k, the standard error of 100 sentences 1 k (10 k / √100): not enough
    unsure = statistics_of(*(none + k * np.tile([10.1, -9.9], 50) for k in range(5)))
    assert best_share(MEAN, unsure) == 0
    # gains of 3, 5, 7, 5 with errors of 1, 2, 3, 4: 7 − 3 is most
    rows = [
        none + gain + np.tile([10.0 * error, -10.0 * error], 50)
        for gain, error in ((0, 0), (3, 1), (5, 2), (7, 3), (5, 4))
    ]
    assert best_share(MEAN, statistics_of(*rows)) == 0.75


def test_of_equal_shares_the_largest():
    assert best_share(MEAN, statistics_of(*[np.arange(20.0)] * 5)) == 1


def test_every_half_is_judged_by_what_the_other_one_says(translator):
    """Walks through the sentences one by one; RIBES is a mean, so halves can be added by hand."""
    task = make_task(translator, f"{__name__}:Counting")
    task.__dict__["objective"] = MEAN
    pool, _ = planted_pool(3, n_sentences=len(SOURCE), n_features=6)
    features = np.random.default_rng(1).normal(size=(len(pool), len(task.vector.names)))
    pool = Pool(features, pool.statistics, pool.keys, pool.offsets)
    before = np.linspace(-1, 1, len(task.vector.names))
    n_rounds = 3
    found = judge_halves(task, pool, before, n_rounds).scores
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
    assert judge_halves(make_task(translator), pool, np.zeros(7), 1) == ((), 1.0)


@pytest.mark.parametrize("best", range(len(SHARES)))
def test_the_best_share_of_the_change_is_kept(translator, monkeypatch, best):
    scores = (41.0, 42.0, 43.0, 44.0, 45.0)
    monkeypatch.setattr(loop, "judge_halves", lambda *_: HeldOut(scores, SHARES[best]))
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
    assert said[-1] == (
        "on halves that the other half has not seen: BLEU 41.00 with the weights before, 45.00 "
        f"with new ones; {kept} of the change is kept"
    )


def test_a_part_that_is_worse_than_nothing_is_not_kept(translator, monkeypatch):
    monkeypatch.setattr(loop, "judge_halves", lambda *_: HeldOut((0.0,) * 5, 0.5))
    monkeypatch.setattr(loop, "_measured", lambda *_: (0.5, 1.0))
    result = loop.tune(make_task(translator))
    assert result.trace.steps[-1].score == 0.5
    assert result.dev_score == result.initial_score > 0.5
    assert result.weights == result.trace.steps[0].weights
