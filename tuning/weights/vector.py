"""Weights by name as vectors: which of them are tuned, and how large they are.

Only the ratios of weights matter to the decoder, so tuned weights are scaled until their absolute
values sum to 1. Two kinds stay as they are: `unknown`, which is a penalty and not a preference, and
weights that the user has fixed. A fixed weight other than 0 sets the scale for all, so that nothing
is scaled.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from models.arrays import BoolArray, FloatArray
from models.errors import DataError, SettingError, nearest

NEVER_TUNED = ("unknown",)


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
            raise DataError(
                "tuning has come to weights that are not numbers",
                expected=", ".join(
                    name
                    for name, value in zip(self.names, vector, strict=True)
                    if not np.isfinite(value)
                ),
            )
        if size == 0:
            raise DataError(
                "all weights that can be tuned are 0",
                expected="one at least must not be, or every translation is as good as any other",
                advice="give the features weights to start from, in model.toml",
            )
        return np.where(self.tuned & self.scaled, vector / size, vector)


def make_weight_vector(
    names: Iterable[str], weights: Mapping[str, float], fixed: Iterable[str] = ()
) -> WeightVector:
    """For the features of a system, its weights, and those that shall not change."""
    names, fixed = tuple(names), tuple(fixed)
    for name in fixed:
        if name not in names:
            raise SettingError(
                f"there is no feature {name!r} to fix", expected=nearest(name, list(names))
            )
    tuned = np.array([name not in (*fixed, *NEVER_TUNED) for name in names])
    if not tuned.any():
        raise SettingError("all features are fixed", expected="leave one at least to be tuned")
    kept = [name for name in fixed if name not in NEVER_TUNED]
    return WeightVector(names, tuned, scaled=all(weights[name] == 0 for name in kept))
