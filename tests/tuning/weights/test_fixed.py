"""`--fix`: names, patterns, values, messages."""

import pytest

from models.errors import SettingError
from tuning.weights.fixed import read_fixed

NAMES = ("translation.direct", "translation.inverse", "lm", "linear")


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lmm", "there is no feature 'lmm' to fix\n  did you mean lm?"),
        ("lmm=1", "there is no feature 'lmm' to fix\n  did you mean lm?"),
        ("msd.*=0", "there is no feature 'msd.*' to fix"),
        ("lm=", "--fix lm=: '' is not a weight"),
        ("lm=much", "--fix lm=much: 'much' is not a weight\n  a number, as in --fix lm=0.5"),
        ("lm=inf", "--fix lm=inf: 'inf' is not a weight"),
    ],
)
def test_messages(text, message):
    with pytest.raises(SettingError) as error:
        read_fixed([text], NAMES)
    assert str(error.value).startswith(message)
