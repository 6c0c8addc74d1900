"""Classifiers side by side: means, deviations and p-values, by hand."""

import math

import numpy as np
import pytest

from hyperbaton.tuning.reproduction.experiment_figures import p_values, quality
from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings
from hyperbaton.tuning.reproduction.repetitions import paired_p_value
from hyperbaton.tuning.reproduction.trials import Experiment, Trial, judge

TRUE = [0] + [1] * 9


def experiment(runs):
    """Runs with n of ten examples right, by learner, repetition and size: class 0 is always found,
    class 1 in n − 1 of nine."""
    trials = []
    for learner, repetitions in runs.items():
        for repeat, by_size in enumerate(repetitions):
            for size, n in enumerate(by_size, 1):
                result = judge(TRUE, [0] + [1] * (n - 1) + [0] * (10 - n), ("a", "b"))
                none = np.zeros(0, bool)
                trials.append(
                    Trial(learner, 3, size, repeat, none, 0, 1.0, 0.0, result, (), none, none)
                )
    sizes = tuple(range(1, len(by_size) + 1))
    settings = ExperimentSettings(
        learners=tuple(runs), classes=(3,), sizes=sizes, repeats=len(repetitions)
    )
    return Experiment(settings, tuple(trials), None)


def p_texts(runs):
    [table] = p_values(experiment(runs), 3)
    return [row[1:] for row in table.rows]


def test_comparison_by_hand():
    one_size = {"lr": [[5], [6], [5]], "mms": [[7], [7], [8]]}
    table = quality(experiment(one_size), 3)
    # Class b: found in n − 1 of 9 and never wrongly, F1 = 2(n − 1)/(n + 8); a: 2/(12 − n)
    assert [list(row) for row in table.rows] == [
        ["overall, 1", "53.3 ± 5.8", "73.3 ± 5.8"],
        ["F1 a, 1", "30.2 ± 2.7", "43.3 ± 5.8"],
        ["F1 b, 1", "64.8 ± 5.7", "82.5 ± 4.3"],
    ]
    done = experiment(one_size)
    assert done.values("F1 b", "mms", 3, 1) == pytest.approx([12 / 15, 12 / 15, 14 / 16])
    assert done.values("F1 a", "lr", 3, 1) == pytest.approx([2 / 7, 2 / 6, 2 / 7])
    # Differences 2 1 3: p as for 1 2 3
    t = 2 * math.sqrt(3)
    overall = [done.values("overall", name, 3, 1) for name in ("mms", "lr")]
    assert paired_p_value(np.subtract(*overall)) == pytest.approx(1 - t / math.sqrt(2 + t * t))
    # The other p-values by scipy.stats.ttest_rel from the same formulas
    assert p_texts(one_size) == [["7.4e-02"], ["9.4e-02"], ["7.3e-02"]]


def test_single_runs_have_no_p_values():
    assert p_values(experiment({"lr": [[5, 6]], "mms": [[7, 8]]}), 3) == []


def test_sizes_on_one_test_set_were_taken_for_independent_runs():
    """Twice the same size is no more evidence than once."""
    lr, mms = (5, 6, 5), (7, 7, 8)
    once = {"lr": [[n] for n in lr], "mms": [[n] for n in mms]}
    twice = {"lr": [[n, n] for n in lr], "mms": [[n, n] for n in mms]}
    assert p_texts(once) == p_texts(twice)
    # means of two sizes: 5.5 6.5 against 7 8, both 1.5 apart
    apart = {"lr": [[5, 6], [6, 7]], "mms": [[6, 8], [7, 9]]}
    assert float(p_texts(apart)[0][0]) < 1e-9
