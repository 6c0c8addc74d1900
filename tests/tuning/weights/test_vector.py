"""Weights as vectors, and `--fix`: names, patterns, values, messages."""

import numpy as np
import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.weights.vector import make_weight_vector, read_fixed
from tests.refusals import refusals

WEIGHTS = {"lm": 0.5, "unknown": 1.0, "linear": -1.5, "swap": 0.0}
NAMES = ("translation.direct", "translation.inverse", "lm", "linear")


def test_tuned_weights_sum_up_to_one_and_unknown_stays():
    vector = make_weight_vector(WEIGHTS, WEIGHTS)
    assert vector.tuned.tolist() == [True, False, True, True]
    normal = vector.normalise(vector.vector(WEIGHTS))
    assert normal.tolist() == [0.25, 1.0, -0.75, 0.0]
    assert vector.by_name(normal) == {"lm": 0.25, "unknown": 1.0, "linear": -0.75, "swap": 0.0}


def test_a_fixed_weight_sets_the_scale():
    vector = make_weight_vector(WEIGHTS, WEIGHTS, ["lm"])
    assert vector.normalise(vector.vector(WEIGHTS)).tolist() == [0.5, 1.0, -1.5, 0.0]


def test_a_weight_fixed_at_nothing_does_not():
    vector = make_weight_vector(WEIGHTS, WEIGHTS, ["swap", "unknown"])
    assert vector.normalise(vector.vector(WEIGHTS)).tolist() == [0.25, 1.0, -0.75, 0.0]


@refusals(
    (["lnear"], "'lnear' to fix … did you mean linear?"),
    (["lm", "linear", "swap"], "all features are fixed … at least one must be tuned"),
    error=SettingError,
)
def test_fixing_what_cannot_be(fixed):
    make_weight_vector(WEIGHTS, WEIGHTS, fixed)


@refusals(
    ([0.0, 1.0, 0.0, 0.0], "all weights that can be tuned are 0 … at least one"),
    ([1.0, 1.0, np.nan, np.inf], "weights that are not finite … linear, swap"),
)
def test_weights_without_any_preference_are_an_error(weights):
    make_weight_vector(WEIGHTS, WEIGHTS).normalise(np.array(weights))


@pytest.mark.parametrize(
    ("texts", "fixed", "values"),
    [
        ([], (), {}),
        (["lm"], ("lm",), {}),
        (["lm=0.5", "linear"], ("lm", "linear"), {"lm": 0.5}),
        (["translation.*=0"], NAMES[:2], {NAMES[0]: 0.0, NAMES[1]: 0.0}),
        (["translation.*=0", "translation.direct=-1"], NAMES[:2], {NAMES[0]: -1.0, NAMES[1]: 0.0}),
        (["l*"], ("lm", "linear"), {}),
        (["lm", "l*"], ("lm", "linear"), {}),
    ],
)
def test_names_patterns_and_values(texts, fixed, values):
    assert read_fixed(texts, NAMES) == (fixed, values)


@refusals(
    ("lmm", "'lmm' to fix … did you mean lm?"),
    ("lmm=1", "'lmm' to fix … did you mean lm?"),
    ("msd.*=0", "'msd.*' to fix"),
    ("lm=", "--fix lm=: '' is not a weight"),
    ("lm=much", "--fix lm=much: 'much' is not a weight … a number, as in --fix lm=0.5"),
    ("lm=inf", "--fix lm=inf: 'inf' is not a weight"),
    error=SettingError,
)
def test_messages_about_what_to_fix(text):
    read_fixed([text], NAMES)
