"""Parts that judge what the others have taught, by hand, and what the loop makes of it."""

from dataclasses import replace

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from tests.tuning.optimisers.pools import planted_pool
from tests.tuning.small_language import development_set, make_translator
from tests.tuning.weights.test_loop import QUICK
from tuning.evaluation.data_sets import Sentences
from tuning.metrics.ribes import Ribes
from tuning.optimisers.interface import Optimiser
from tuning.optimisers.objective import Objective, Term
from tuning.optimisers.pool import Pool
from tuning.weights import loop
from tuning.weights.held_out import judge_unseen
from tuning.weights.settings import COMPARE_SETTINGS
from tuning.weights.task import Listeners, TuningTask
from tuning.weights.trace import HeldOut, read_trace

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


def own_task(translator, method=f"{__name__}:Counting"):
    task = make_task(translator, method)
    task.__dict__["objective"] = MEAN  # a mean, so that parts can be added by hand
    return task


def among(pool, vector):
    """Instead of decoding: the best of the pool."""

    def decode(which, weights):
        fifth = pool.part(np.arange(pool.n_sentences)[which])
        return fifth.statistics[fifth.best_rows(vector.vector(weights))]

    return decode


def test_every_part_judges_what_the_others_say(translator):
    task = own_task(translator)
    pool, _ = planted_pool(3, n_sentences=len(SOURCE), n_features=6)
    features = np.random.default_rng(1).normal(size=(len(pool), len(task.vector.names)))
    pool = Pool(features, pool.statistics, pool.keys, pool.offsets)
    before = np.linspace(-1, 1, len(task.vector.names))
    n_rounds = 3
    found = judge_unseen(task, pool, before, n_rounds, among(pool, task.vector))
    lists = [range(*pair) for pair in zip(pool.offsets, pool.offsets[1:], strict=False)]
    scores = np.empty((2, len(lists)))
    for sentence, rows in enumerate(lists):
        size = sum(len(other) for k, other in enumerate(lists) if k % 5 != sentence % 5)
        learned = before
        for _ in range(n_rounds):
            learned = task.vector.normalise(learned + np.arange(len(before)) * (size % 7 - 3.5))
        for k, point in enumerate((before, learned)):
            best = max(rows, key=lambda row, point=point: features[row] @ point)
            scores[k, sentence] = 100 * pool.statistics[best, 0]
    assert (found.before, found.after) == pytest.approx(scores.mean(axis=1))
    assert found.before != found.after
    gains = scores[1] - scores[0]
    assert found.error == pytest.approx(gains.std() / np.sqrt(len(gains)), rel=0.15)
    assert found.is_gain == (gains.mean() > 1.64 * found.error)


class Last(Optimiser):
    """Only the last feature counts."""

    name = "last"

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return np.where(np.arange(len(start.weights)) == len(start.weights) - 1, 1.0, 0.0)


@pytest.mark.parametrize(
    ("gain", "loss", "is_gain"), [(10.2, -9.8, False), (11.2, -8.8, False), (12.2, -7.8, True)]
)
def test_a_gain_counts_if_it_is_sure(translator, gain, loss, is_gain):
    """Two hypotheses for each of 100 sentences; the second one is better or worse in turn. The
    deviation of the gains is 10, so the standard error of their mean is 1."""
    task = own_task(translator, f"{__name__}:Last")
    n = len(task.vector.names)
    features = np.zeros((200, n))
    features[0::2, 0], features[1::2, -1] = 1, 1
    # in fives, so that every part has its share
    scores = np.full(200, 0.5)
    scores[1::2] += np.tile([gain] * 5 + [loss] * 5, 10) / 100
    statistics = np.stack([scores, np.ones(200)], axis=1)
    offsets = np.arange(0, 201, 2)
    pool = Pool(features, statistics, np.arange(200).astype(np.uint64), offsets)
    first = np.where(np.arange(n) == 0, 1.0, 0.0)
    decode = among(pool, task.vector)
    task = replace(task, dev=replace(task.dev, sources=[None] * 100, references=[[]] * 100))
    task.__dict__.update(objective=MEAN, sizes=np.ones(100))
    found = judge_unseen(task, pool, first, 1, decode)
    assert (found.before, found.after) == pytest.approx((50, 50 + (gain + loss) / 2))
    assert found.error == pytest.approx(1, rel=0.15)
    assert found.is_gain == is_gain


def test_too_few_sentences_to_part(translator):
    pool, _ = planted_pool(1, n_sentences=3)
    assert judge_unseen(make_task(translator), pool, np.zeros(7), 1, None) is None


def test_each_part_is_decoded_with_what_the_others_have_taught(translator, monkeypatch):
    asked, decoded = [], loop._decoded

    def note(part, weights):
        asked.append((part.dev, weights))
        return decoded(part, weights)

    monkeypatch.setattr(loop, "_decoded", note)
    found = loop.tune(make_task(translator)).trace.held_out
    outputs, references = [], []
    for number, (dev, weights) in enumerate(asked):
        expected = [sentence.words for sentence in SOURCE[number::5]]
        assert [sentence.words for sentence in dev.sources] == expected
        own = translator.with_weights(weights)
        outputs += [own.translate(sentence).text for sentence in dev.sources]
        references += [first for first, *_ in dev.references]
    assert len(outputs) == len(SOURCE)
    scored = BLEU(tokenize="none", force=True).corpus_score(outputs, [references])
    assert found.after == pytest.approx(scored.score)


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
    verdict = "the new weights are kept" if is_gain else "not enough, the weights before stay"
    assert said[-1] == (
        f"on sentences that had no part in it: BLEU 41.00 → 42.00, standard error 0.50: {verdict}"
    )
    assert read_trace(tmp_path / "trace.json") == trace
