"""Weights by name as vectors: which of them are tuned, and how large they are.

Only the ratios of weights matter to the decoder, so tuned weights are scaled until their absolute
values sum to 1. Two kinds stay as they are: penalties that are no preferences (for unknown words,
for leaving the order of the reference), and weights that the user has fixed. A fixed weight other
than 0 sets the scale for all, so nothing is scaled then.
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
    """What stays the same during a run."""

    names: tuple[str, ...]  # features, in the decoder's order
    tuned: BoolArray  # (features,)
    scaled: bool  # whether the scale is free

    def vector(self, weights: Mapping[str, float]) -> FloatArray:
        return np.array([weights[name] for name in self.names], dtype=np.float64)

    def by_name(self, vector: FloatArray) -> dict[str, float]:
        return dict(zip(self.names, vector.tolist(), strict=True))

    def normalise(self, vector: FloatArray) -> FloatArray:
        """The same preferences at the usual size; an error if there are none."""
        size = np.abs(vector[self.tuned]).sum()
        if not np.isfinite(vector).all():
            bad = [name for name, value in self.by_name(vector).items() if not isfinite(value)]
            raise DataError(
                "tuning has reached weights that are not numbers", expected=", ".join(bad)
            )
        if size == 0:
            raise DataError(
                "all weights that can be tuned are 0",
                expected="at least one must not be, or every translation is as good as any other",
                advice="give the features weights to start from, in model.toml",
            )
        return np.where(self.tuned & self.scaled, vector / size, vector)


def make_weight_vector(
    names: Iterable[str], weights: Mapping[str, float], fixed: Iterable[str] = ()
) -> WeightVector:
    """For the features of a system, with its weights; those in `fixed` must not change."""
    names, fixed = tuple(names), tuple(fixed)
    for name in fixed:
        if name not in names:
            raise _nothing_to_fix(name, names)
    tuned = np.array([name not in (*fixed, *NEVER_TUNED) for name in names])
    if not tuned.any():
        raise SettingError("all features are fixed", expected="leave at least one to be tuned")
    kept = [name for name in fixed if name not in NEVER_TUNED]
    return WeightVector(names, tuned, scaled=all(weights[name] == 0 for name in kept))


def read_fixed(
    texts: Iterable[str], names: Sequence[str]
) -> tuple[tuple[str, ...], dict[str, float]]:
    """The features that tuning leaves alone, and the weights that some of them get first, from
    `lm`, `lm=0.5`, `translation.*=0`.

    >>> read_fixed(["lm", "translation.*=0"], ["lm", "linear", "translation.lexical"])
    (('lm', 'translation.lexical'), {'translation.lexical': 0.0})
    """
    fixed: dict[str, None] = {}  # in order, each once
    values: dict[str, float] = {}
    for text in texts:
        pattern, has_value, value = text.partition("=")
        found = [name for name in names if fnmatchcase(name, pattern)]
        if not found:
            raise _nothing_to_fix(pattern, names)
        fixed |= dict.fromkeys(found)
        if has_value:
            values |= dict.fromkeys(found, _number(value, text))
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
