"""Significance tests: laws, planted differences, and sacrebleu's own tests."""

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.evaluation.significance import (
    exchanges,
    find_test,
    interval,
    mean_of_runs,
    p_text,
    paired_bootstrap,
    permutations,
    randomisation,
    resampled_scores,
    resampling_counts,
)
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.wer import Wer
from tests.refusals import refusals


class Mean(Metric):
    """The mean of one number per sentence, whose distribution is known."""

    name = "mean"
    signature = "mean"

    def statistics(self, outputs):
        values = [float(hypothesis) for hypothesis in outputs.hypotheses]
        return np.column_stack([values, np.ones(len(values))])

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]


def numbers(values):
    return np.column_stack([values, np.ones(len(values))]).astype(float)


def noisy(lines, probability, seed):
    """Every word is replaced with this probability."""
    draw = np.random.default_rng(seed)
    return [
        " ".join("x" if draw.random() < probability else word for word in line.split())
        for line in lines
    ]


@pytest.fixture(scope="module")
def texts():
    draw = np.random.default_rng(7)
    return [" ".join(draw.integers(40, size=draw.integers(5, 20)).astype(str)) for _ in range(150)]


def statistics_of(metric, hypotheses, lines):
    return metric.statistics(Outputs(hypotheses, [[line] for line in lines]))


def test_resamples_have_as_many_sentences_and_are_uniform():
    [counts] = resampling_counts(50, 400, seed=3)
    assert counts.shape == (400, 50)
    assert (counts.sum(axis=1) == 50).all()
    # Each sentence is drawn 400 times on average, with deviation sqrt(400 · 49/50) < 20
    assert np.abs(counts.sum(axis=0) - 400).max() < 5 * 20


def test_exchanges_are_fair():
    [masks] = exchanges(50, 400, seed=3)
    assert set(masks.ravel().tolist()) == {0, 1}
    assert np.abs(masks.sum(axis=0) - 200).max() < 5 * 10


def test_permutations_are_fair():
    orders = np.stack(list(permutations(30, 3, 500, seed=3)))
    assert (np.sort(orders, axis=2) == np.arange(3)).all()
    share = (orders[..., 0] == 2).mean()
    assert share == pytest.approx(1 / 3, abs=5 * (2 / 9 / 15_000) ** 0.5)


def test_chunks_change_nothing(monkeypatch):
    whole = [np.concatenate(list(draw(20, 30, seed=5))) for draw in (resampling_counts, exchanges)]
    monkeypatch.setattr("hyperbaton.tuning.evaluation.significance.NUMBERS_AT_ONCE", 64)
    parts = [list(draw(20, 30, seed=5)) for draw in (resampling_counts, exchanges)]
    assert all(len(part) == 10 for part in parts)
    for one, several in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(np.concatenate(several), one)


def test_resampled_scores_are_scores_of_resampled_sentences(texts):
    metric = Bleu()
    statistics = statistics_of(metric, noisy(texts, 0.3, 1), texts)
    [scores] = resampled_scores(metric, [statistics], n_resamples=20, seed=4)
    [counts] = resampling_counts(len(texts), 20, seed=4)
    expected = [
        float(metric.score(np.repeat(statistics, row.astype(int), axis=0).sum(axis=0)))
        for row in counts
    ]
    np.testing.assert_allclose(scores, expected)


def test_interval_of_a_mean_is_that_of_the_normal_distribution():
    values = np.random.default_rng(1).normal(10, 2, size=400)
    [scores] = resampled_scores(Mean(), [numbers(values)], n_resamples=4000, seed=1)
    error = values.std() / 20
    assert scores.mean() == pytest.approx(values.mean(), abs=0.01)
    assert scores.std() == pytest.approx(error, rel=0.05)
    low, high = interval(scores)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.02)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.02)
    low, high = interval(scores, 0.5)
    assert high - low == pytest.approx(2 * 0.674 * error, rel=0.1)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
@pytest.mark.parametrize("metric", [Bleu(), Wer()])
def test_equal_systems(test, metric, texts):
    statistics = statistics_of(metric, noisy(texts, 0.3, 1), texts)
    result = test(metric, [statistics], [statistics.copy()], n_resamples=200)
    assert (result.p_value, result.difference) == (1, 0)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
@pytest.mark.parametrize("metric", [Bleu(), Wer()])
def test_a_planted_difference_is_found_in_both_directions(test, metric, texts):
    better, worse = (
        statistics_of(metric, noisy(texts, probability, 2), texts) for probability in (0.1, 0.3)
    )
    for first, second in ((better, worse), (worse, better)):
        result = test(metric, [first], [second], n_resamples=999)
        assert result.p_value == 1 / 1000
        assert result.difference == pytest.approx(
            float(metric.score(second.sum(axis=0)) - metric.score(first.sum(axis=0)))
        )


def test_randomisation_by_counting_all_exchanges():
    # Two sentences with gains 3 and 1: the differences of the four exchanges are ±4 and ±2
    result = randomisation(Mean(), [numbers([0, 0])], [numbers([3, 1])], n_resamples=4000)
    assert result.p_value == pytest.approx(0.5, abs=5 * 0.5 / 4000**0.5)


def test_bootstrap_by_counting_all_resamples():
    """One-sided, from the differences as they are. Three sentences with gains 2, 2 and −1 are
    drawn three times: the difference is 2 in 8 of 27 cases, 1 in 12, 0 in 6 and −1 in 1. So the
    better system does not win in 7 of 27. Shifted by their mean, 1, and in absolute value, the
    differences reach the real one in 15 of 27 cases and exceed it in 1; by sacrebleu's definition,
    absolute values shifted by their own mean, 29/27, they never do."""
    n = 4000
    for baseline, system in (([0, 0, 0], [2, 2, -1]), ([2, 2, -1], [0, 0, 0])):
        result = paired_bootstrap(Mean(), [numbers(baseline)], [numbers(system)], n_resamples=n)
        assert abs(result.difference) == 1
        assert result.p_value == pytest.approx(7 / 27, abs=5 * (7 * 20 / 27**2 / n) ** 0.5)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_one_is_added_to_cases_and_to_resamples(test, texts):
    """So p (n + 1) − 1 is a whole number of cases, which p n is not."""
    first, second = (statistics_of(Bleu(), noisy(texts, 0.3, seed), texts) for seed in (2, 3))
    result = test(Bleu(), [first], [second], n_resamples=10)
    cases = result.p_value * 11 - 1
    assert cases == pytest.approx(round(cases), abs=1e-9)
    assert 0 < cases < 10


def test_p_values_are_uniform_when_there_is_no_difference():
    draw = np.random.default_rng(3)
    p_values = [
        randomisation(Mean(), [numbers(before)], [numbers(after)], n_resamples=99).p_value
        for before, after in draw.normal(size=(300, 2, 40))
    ]
    # 5% of 300 are 15, with deviation sqrt(300 · 0.05 · 0.95) = 3.8
    assert abs(sum(p <= 0.05 for p in p_values) - 15) < 4 * 3.8
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.08)


# sacrebleu's bootstrap looks at absolute differences (Riezler and Maxwell 2005), which is the same
# as ours only where one system nearly always wins
@pytest.mark.parametrize(
    ("kind", "test", "probability"),
    [("bs", paired_bootstrap, probability) for probability in (0.33, 0.34, 0.35)]
    + [("ar", randomisation, probability) for probability in (0.29, 0.3, 0.32, 0.34, 0.35)],
)
def test_p_values_are_those_of_sacrebleu(kind, test, probability, texts, monkeypatch):
    monkeypatch.setenv("SACREBLEU_SEED", "17")
    hypotheses = [noisy(texts, 0.3, 2), noisy(texts, probability, 3)]
    metrics = {"BLEU": BLEU(tokenize="none", force=True)}
    systems = list(zip("ab", hypotheses, strict=True))
    n = 1500
    _, results = PairedTest(systems, metrics, [texts], test_type=kind, n_samples=n)()
    theirs = results["BLEU"][1].p_value
    statistics = [statistics_of(Bleu(), lines, texts) for lines in hypotheses]
    ours = test(Bleu(), statistics[:1], statistics[1:], n_resamples=n).p_value
    error = (2 * theirs * (1 - theirs) / n) ** 0.5  # of the difference of two estimates
    assert ours == pytest.approx(theirs, abs=3 * error)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_seeds(test, texts):
    metric = Bleu()
    first, second = (
        statistics_of(metric, noisy(texts, 0.3 + 0.02 * i, i), texts) for i in range(2)
    )
    p_values = {
        seed: test(metric, [first], [second], n_resamples=500, seed=seed).p_value
        for seed in range(6)
    }
    again = test(metric, [first], [second], n_resamples=500, seed=0)
    assert again.p_value == p_values[0]  # 0 is a seed like any other
    assert len(set(p_values.values())) > 1


def test_runs_that_are_all_alike_are_plain_randomisation():
    # exchanging a sentence among 2 + 1 runs is another test, but about the same difference
    draw = np.random.default_rng(5)
    before, after = numbers(draw.normal(size=60)), numbers(draw.normal(0.2, 1, size=60))
    plain = randomisation(Mean(), [before], [after])
    runs = randomisation(Mean(), [before, before], [after])
    assert runs.difference == pytest.approx(plain.difference)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_means_of_runs(test):
    baseline = [numbers([1, 1]), numbers([3, 3])]
    system = [numbers([4, 4]), numbers([5, 5]), numbers([6, 6])]
    result = test(Mean(), baseline, system, n_resamples=10)
    assert (result.baseline, result.system) == (2, 5)


def test_runs_by_counting_all_exchanges():
    # One sentence, runs 0 0 and 1 1: of the 6 ways to share them out, 2 give a difference of ±1
    runs = [numbers([value]) for value in (0, 0, 1, 1)]
    result = randomisation(Mean(), runs[:2], runs[2:], n_resamples=4000)
    assert result.p_value == pytest.approx(1 / 3, abs=5 * 0.5 / 4000**0.5)


def test_runs_by_counting_all_draws():
    """Runs of the baseline score 0 and 2 on every sentence, those of the system 1.8 and 2.2. The
    mean of two that are drawn is 0, 1, 1 or 2, and 1.8, 2, 2 or 2.2; about the means 1 and 2, twice
    their variance is that of two new runs, so deviations grow by √2: 1 ± √2 and 2 ± 0.2 √2, each
    end in a quarter of the draws. The system does not win where the baseline has 2.41: always
    against 1.72 and 2, and against 2.28, so in a quarter of all cases."""
    runs = [numbers([value] * 3) for value in (0, 2, 1.8, 2.2)]
    result = paired_bootstrap(Mean(), runs[:2], runs[2:], n_resamples=4000)
    assert result.difference == pytest.approx(1)
    assert result.p_value == pytest.approx(1 / 4, abs=5 * 0.5 / 4000**0.5)


def test_the_variance_of_drawn_runs_is_that_of_new_ones():
    draw = np.random.default_rng(4)
    for n_runs in (2, 3, 10):
        scores = [np.full(20_000, score) for score in draw.normal(size=n_runs)]
        mean = mean_of_runs(scores, 1, 0)
        expected = np.var([own[0] for own in scores], ddof=1) / n_runs
        assert mean.var() == pytest.approx(expected, rel=0.05)
    one = draw.normal(size=50)
    assert mean_of_runs([one], 1, 0).tolist() == one.tolist()


def test_a_difference_that_only_one_tuning_run_shows_is_not_significant():
    # every sentence gains in the second run and loses in the others: sentences alone would be sure
    draw = np.random.default_rng(8)
    noise = draw.normal(0, 0.01, size=(6, 200))
    baseline = [numbers(noise[run]) for run in range(3)]
    system = [numbers(noise[3 + run] + shift) for run, shift in enumerate((-0.2, 0.9, -0.3))]
    assert paired_bootstrap(Mean(), baseline[:1], system[1:2]).p_value == 1 / 1001
    several = paired_bootstrap(Mean(), baseline, system)
    assert several.difference == pytest.approx(0.4 / 3, abs=0.01)
    assert several.p_value > 0.2


def test_a_shift_moves_what_is_tested():
    values = np.random.default_rng(1).normal(0.3, 1, size=100)
    zeros = [numbers(np.zeros(100))]
    error = values.std() / 10
    for shift in (0.0, 0.2, -0.1, -0.8):
        found = paired_bootstrap(Mean(), zeros, [numbers(values)], n_resamples=4000, shift=shift)
        assert found.difference == pytest.approx(values.mean())  # itself it does not move
        z = abs(values.mean() + shift) / error
        expected = NormalDist().cdf(-z)
        assert found.p_value == pytest.approx(expected, abs=0.01 + 5 * (expected / 4000) ** 0.5)


@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_equal_runs_and_planted_differences(test):
    draw = np.random.default_rng(6)
    runs = [numbers(draw.normal(size=80)) for _ in range(3)]
    assert test(Mean(), runs, runs, n_resamples=200).p_value == 1
    better = [numbers(run[:, 0] + 1) for run in runs]
    assert test(Mean(), runs, better, n_resamples=199).p_value == 1 / 200
    same = test(Mean(), runs, better, n_resamples=50, seed=0)
    assert same == test(Mean(), runs, better, n_resamples=50, seed=0)


@pytest.mark.parametrize(
    ("p_value", "n_resamples", "text"),
    [
        (1 / 1001, 1000, "p ≤ 0.001"),
        (2 / 1001, 1000, "p 0.002"),
        (1 / 10_001, 10_000, "p ≤ 0.0001"),
        (3 / 10_001, 10_000, "p < 0.001"),
        (0.0321, 0, "p 0.032"),
        (1e-9, 0, "p < 0.001"),
    ],
)
def test_p_values_in_words(p_value, n_resamples, text):
    assert p_text(p_value, n_resamples) == text


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8), st.integers(1, 30))
def test_p_values_are_probabilities_and_never_zero(values, n_resamples):
    zeros = numbers(np.zeros(len(values)))
    for test in (paired_bootstrap, randomisation):
        p_value = test(Mean(), [zeros], [numbers(values)], n_resamples=n_resamples).p_value
        assert 1 / (n_resamples + 1) <= p_value <= 1


TWO, THREE = numbers([1, 2]), numbers([1, 2, 3])


@refusals(
    (lambda: paired_bootstrap(Mean(), [TWO], [THREE]), "2 sentences, another 3"),
    (lambda: randomisation(Mean(), [TWO], [TWO], n_resamples=0), "0 resamples", SettingError),
    (lambda: resampled_scores(Mean(), [numbers([])]), "no sentences to resample"),
    (lambda: randomisation(Mean(), [], [TWO]), "a system has no runs … at least one"),
    (lambda: find_test("bootstrp"), "'bootstrp' … did you mean bootstrap?", SettingError),
)
def test_errors(attempt):
    attempt()


@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("test", [paired_bootstrap, randomisation])
def test_seeds_decide_what_is_drawn(test, n_runs):
    draw = np.random.default_rng(3)
    runs = [[numbers(draw.normal(mean, 1, 40)) for _ in range(n_runs)] for mean in (0.0, 0.2)]
    found = [test(Mean(), *runs, n_resamples=300, seed=seed).p_value for seed in (1, 2, 3, 1)]
    assert found[3] == found[0]
    assert len(set(found)) > 1
