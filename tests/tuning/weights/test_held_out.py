"""Parts that judge what the others have taught, by hand, and what the loop makes of it."""

from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.foundation.progress import Reporter
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.optimisers.interface import Optimiser
from hyperbaton.tuning.optimisers.objective import Objective, Term
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights import loop
from hyperbaton.tuning.weights.held_out import WeightChange, judge_unseen
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import HeldOut, read_trace
from tests.tuning.optimisers.pools import planted_pool
from tests.tuning.small_language import development_set, make_translator
from tests.tuning.weights.test_loop import QUICK, Noting

SOURCE, REFERENCES = development_set()
MEAN = Objective([Term(1.0, Ribes())])


@pytest.fixture(scope="module")
def translator():
    return make_translator()


def make_task(translator, method="mert", talk=lambda _: None):
    dev = Sentences("dev", SOURCE, REFERENCES)
    return TuningTask(translator, dev, replace(QUICK, method=method), reporter=Reporter(talk))


class Counting(Optimiser):
    """Weights that tell how many hypotheses there are, one step at a time."""

    name = "counting"
    gradual = True

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return start.weights + np.arange(len(start.weights)) * (len(pool) % 7 - 3.5)


def own_task(translator, method=f"{__name__}:Counting", seed=1):
    task = make_task(translator, method)
    task = replace(task, settings=replace(task.settings, seed=seed))
    task.__dict__["objective"] = MEAN  # a mean, so that parts can be added by hand
    return task


def test_what_teachers_gain_more_than_others_does_not_count(translator):
    task = own_task(translator)
    pool, _ = planted_pool(3, n_sentences=len(SOURCE), n_features=6)
    features = np.random.default_rng(1).normal(size=(len(pool), len(task.vector.names)))
    pool = Pool(features, pool.statistics, pool.keys, pool.offsets)
    before = np.linspace(-1, 1, len(task.vector.names))
    after, n_rounds = before[::-1], 3
    found = judge_unseen(task, pool, WeightChange(before, after, 40.0, 60.0), n_rounds)
    lists = [range(*pair) for pair in zip(pool.offsets, pool.offsets[1:], strict=False)]

    def scores(point):
        best = [max(rows, key=lambda row: features[row] @ point) for rows in lists]
        return np.array([100 * pool.statistics[row, 0] for row in best])

    teachers, others = [], 0.0
    for part in range(5):
        unseen = [sentence % 5 == part for sentence in range(len(lists))]
        size = sum(len(rows) for rows, out in zip(lists, unseen, strict=True) if not out)
        learned = before
        for _ in range(n_rounds):
            learned = task.vector.normalise(learned + np.arange(len(before)) * (size % 7 - 3.5))
        gains = scores(learned) - scores(before)
        teachers.append(np.mean([gain for gain, out in zip(gains, unseen, strict=True) if not out]))
        others += sum(gain for gain, out in zip(gains, unseen, strict=True) if out)
    flattery = np.mean(teachers) - others / len(lists)
    assert flattery > 0.1
    assert (found.before, found.after) == pytest.approx((40, 60 - flattery))
    gains = scores(after) - scores(before)
    assert found.error == pytest.approx(gains.std() / np.sqrt(len(gains)), rel=0.15)


def test_every_part_and_every_round_has_a_chance_of_its_own(translator):
    pool, _ = planted_pool(3, n_sentences=len(SOURCE))

    def drawn(seed):
        task = own_task(translator, f"{Noting.__module__}:Noting", seed)
        own = np.zeros((len(pool), len(task.vector.names)))
        own[:, :6] = pool.features[:, :6]
        before = np.ones(len(task.vector.names))
        Noting.drawn.clear()
        change = WeightChange(before, before, 1.0, 2.0)
        judge_unseen(task, replace(pool, features=own), change, n_rounds=3)
        return Noting.drawn.copy()

    first, second = drawn(1), drawn(2)
    assert len(first) == 5 * 3
    assert len({*first, *second}) == 2 * 5 * 3
    assert drawn(1) == first


class Last(Optimiser):
    """Only the last feature counts."""

    name = "last"

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return np.where(np.arange(len(start.weights)) == len(start.weights) - 1, 1.0, 0.0)


@pytest.mark.parametrize(
    ("gain", "loss", "is_gain"), [(10.2, -9.8, False), (10.7, -9.3, False), (11.3, -8.7, True)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_gain_counts_if_it_is_sure(translator, gain, loss, is_gain, sign):
    """Two hypotheses for each of 100 sentences; the second one is better or worse in turn. The
    deviation of the gains is 10, so the standard error of their mean is 1. All parts teach the same
    and gain the same, so nobody is flattered."""
    found = judge_two(translator, [gain] * 5 + [loss] * 5, (gain + loss) / 2, sign)
    assert (found.before, found.after) == pytest.approx((50, 50 + sign * (gain + loss) / 2))
    assert found.error == pytest.approx(1, rel=0.15)
    assert found.is_gain == is_gain


@pytest.mark.parametrize("shown", [5.0, -3.0])
def test_what_decoding_has_shown_counts_and_not_what_the_pool_says(translator, shown):
    found = judge_two(translator, [11.0] * 5 + [-9.0] * 5, shown, 1)
    assert (found.after, found.is_gain) == (pytest.approx(50 + shown), shown > 0)


def judge_two(translator, gains, shown, sign):
    """What is said of weights that choose the second of two hypotheses, with these gains in turn,
    when decoding has shown another gain; an error rate if the sign is negative."""
    task = own_task(translator, f"{__name__}:Last")
    n = len(task.vector.names)
    features = np.zeros((200, n))
    features[0::2, 0], features[1::2, -1] = 1, 1
    scores = np.full(200, 0.5)
    scores[1::2] += sign * np.tile(gains, 10) / 100
    statistics = np.stack([scores, np.ones(200)], axis=1)
    pool = Pool(features, statistics, np.arange(200).astype(np.uint64), np.arange(0, 201, 2))
    first, last = (np.where(np.arange(n) == k, 1.0, 0.0) for k in (0, n - 1))
    task = replace(task, dev=replace(task.dev, sources=[None] * 100, references=[[]] * 100))
    task.__dict__.update(objective=Objective([Term(sign, Ribes())]), sizes=np.ones(100))
    return judge_unseen(task, pool, WeightChange(first, last, 50.0, 50.0 + sign * shown), 1)


def test_nobody_is_flattered_by_less_than_nothing(translator, monkeypatch):
    monkeypatch.setattr("hyperbaton.tuning.weights.held_out._optimism", lambda *_: -2.0)
    assert judge_two(translator, [11.0] * 5 + [-9.0] * 5, 3.0, 1).after == 53.0


def test_too_few_sentences_to_part(translator):
    pool, _ = planted_pool(1, n_sentences=3)
    assert judge_unseen(make_task(translator), pool, None, 1) is None


def test_the_best_step_is_judged(translator, monkeypatch):
    asked = []

    def note(task, pool, change, n_rounds):
        asked.append((change, len(pool), n_rounds))
        return judge_unseen(task, pool, change, n_rounds)

    monkeypatch.setattr(loop, "judge_unseen", note)
    task = make_task(translator)
    trace = loop.tune(task).trace
    steps = trace.steps[0], trace.steps[trace.best]
    [(change, n, n_rounds)] = asked
    for weights, step in zip(change[:2], steps, strict=True):
        assert task.vector.by_name(weights) == step.weights
    assert change[2:] == tuple(step.score for step in steps)
    assert (n, n_rounds) == (trace.steps[-1].pool_size, len(trace.steps) - 1)
    assert trace.held_out.before == trace.steps[0].score


def test_a_comparison_does_without_confirmation(translator, monkeypatch):
    def judge(*_):
        raise AssertionError

    monkeypatch.setattr(loop, "judge_unseen", judge)
    task = make_task(translator)
    task = replace(task, settings=replace(task.settings, confirm=False))
    result = loop.tune(task)
    assert result.trace.best > 0
    assert result.weights == result.trace.steps[result.trace.best].weights
    assert not COMPARE_SETTINGS.confirm


@pytest.mark.parametrize("is_gain", [True, False])
def test_what_is_not_confirmed_is_not_kept(translator, monkeypatch, tmp_path, is_gain):
    monkeypatch.setattr(loop, "judge_unseen", lambda *_: HeldOut(41.0, 42.0, 0.5, is_gain))
    said = []
    task = make_task(translator, talk=said.append)
    result = loop.tune(task, tmp_path)
    trace = result.trace
    assert trace.best > 0
    kept = trace.steps[trace.best if is_gain else 0]
    assert (result.weights, result.dev_score) == (kept.weights, kept.score)
    verdict = "the new weights are kept" if is_gain else "not enough, the old weights are kept"
    assert said[-1] == (
        f"expected on unseen sentences: BLEU 41.00 → 42.00, standard error 0.50: {verdict}"
    )
    assert read_trace(tmp_path / "trace.json") == trace
