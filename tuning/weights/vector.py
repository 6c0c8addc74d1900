"""Converts weights between names and vectors; knows which are tuned, and normalises them.

Only the ratios of weights matter to the decoder, so tuned weights are scaled until their absolute
values sum to 1. Two kinds are not scaled: penalties that express no preference (for unknown words,
for leaving the order of the reference), and weights fixed by the user. A fixed weight other than 0
sets the scale for all; then nothing is scaled.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isfinite

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray
from hyperbaton.foundation.errors import DataError, SettingError, nearest

NEVER_TUNED = ("unknown", "oracle")


@dataclass(frozen=True, eq=False)
class WeightVector:
    """The features of a run: their order, and which weights are tuned and scaled."""

    names: tuple[str, ...]  # features, in the decoder's order
    tuned: BoolArray  # (features,)
    scaled: bool  # whether the scale is free

    def vector(self, weights: Mapping[str, float]) -> FloatArray:
        return np.array([weights[name] for name in self.names], dtype=np.float64)

    def by_name(self, vector: FloatArray) -> dict[str, float]:
        return dict(zip(self.names, vector.tolist(), strict=True))

    def normalise(self, vector: FloatArray) -> FloatArray:
        """Scales tuned weights to sum to 1 in absolute value; raises if all are 0."""
        size = np.abs(vector[self.tuned]).sum()
        if not np.isfinite(vector).all():
            bad = [name for name, value in self.by_name(vector).items() if not isfinite(value)]
            raise DataError(
                f"tuning produced weights that are not finite: {', '.join(bad)}",
                advice="try another method, or smaller steps",
            )
        if size == 0:
            raise DataError(
                "all weights that can be tuned are 0",
                expected="at least one must differ from 0, or all translations score the same",
                advice="set initial weights in model.toml",
            )
        return np.where(self.tuned & self.scaled, vector / size, vector)


def make_weight_vector(
    names: Iterable[str], weights: Mapping[str, float], fixed: Iterable[str] = ()
) -> WeightVector:
    """The vector for the features and weights of a system; weights in `fixed` are not tuned."""
    names, fixed = tuple(names), tuple(fixed)
    for name in fixed:
        if name not in names:
            raise _nothing_to_fix(name, names)
    tuned = np.array([name not in (*fixed, *NEVER_TUNED) for name in names])
    if not tuned.any():
        raise SettingError("all features are fixed", expected="at least one must be tuned")
    kept = [name for name in fixed if name not in NEVER_TUNED]
    return WeightVector(names, tuned, scaled=all(weights[name] == 0 for name in kept))


def read_fixed(
    texts: Iterable[str], names: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """Parses `lm`, `lm=0.5`, `translation.*=0`: the features that are not tuned, and the weights
    that some of them get.

    >>> read_fixed(["lm", "translation.*=0"], ["lm", "linear", "translation.lexical"])
    (('lm', 'translation.lexical'), {'translation.lexical': 0.0})
    """
    fixed: dict[str, None] = {}  # in order, each once
    values: dict[str, float] = {}
    for text in texts:
        pattern, has_value, value = text.partition("=")
        matching = [name for name in names if fnmatchcase(name, pattern)]
        if not matching:
            raise _nothing_to_fix(pattern, names)
        fixed |= dict.fromkeys(matching)
        if has_value:
            values |= dict.fromkeys(matching, _number(value, text))
    return tuple(fixed), values


def _number(value: str, text: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise SettingError(
            f"{value!r} is not a weight",
            where=f"--fix {text}",
            expected="a number, as in --fix lm=0.5",
        )
    return number


def _nothing_to_fix(name: str, names: Sequence[str]) -> SettingError:
    return SettingError(f"there is no feature {name!r} to fix", expected=nearest(name, list(names)))
