"""Lexicalised reordering: smoothed probabilities of the orientations of phrase pairs.

The type of a table is a name as in Moses, `wbe-msd-bidirectional-fe`:

    orientation   wbe (word-based), phrase, hier
    classes       msd (monotone, swap, discontinuous), mslr (discontinuous split: right, left),
                  monotonicity (monotone or not), leftright (right with monotone, left with swap)
    direction     backward (towards the previous phrase), forward, bidirectional (backward, then
                  forward)
    condition     fe: the phrase pair; f: its source phrase

p(class) = (c + 0.5) / Σ (c + 0.5). Forward probabilities belong to the phrase before the move.
"""

from dataclasses import dataclass

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from hyperbaton.models.phrases.orientation import ORIENTATIONS as N_ORIENTATIONS

SMOOTHING = 0.5
ORIENTATIONS = {"wbe": "word", "phrase": "phrase", "hier": "hierarchical"}
# Names of the classes and their orientations
CLASSES: dict[str, dict[str, tuple[int, ...]]] = {
    "msd": {"monotone": (MONOTONE,), "swap": (SWAP,), "discontinuous": (RIGHT, LEFT)},
    "mslr": {"monotone": (MONOTONE,), "swap": (SWAP,), "right": (RIGHT,), "left": (LEFT,)},
    "monotonicity": {"monotone": (MONOTONE,), "other": (SWAP, RIGHT, LEFT)},
    "leftright": {"right": (MONOTONE, RIGHT), "left": (SWAP, LEFT)},
}
DIRECTIONS = {
    "backward": ("backward",),
    "forward": ("forward",),
    "bidirectional": ("backward", "forward"),
}
ROW = {"backward": 0, "forward": 1}  # of `orientation_columns`
BY_PAIR, BY_SOURCE = "fe", "f"
CONDITIONS = (BY_PAIR, BY_SOURCE)


@dataclass(frozen=True)
class ReorderingType:
    """The type of a reordering table."""

    orientation: str = "wbe"
    classes: str = "msd"
    direction: str = "bidirectional"
    condition: str = "fe"

    @classmethod
    def parse(cls, name: str) -> "ReorderingType":
        """Parses `wbe-msd-bidirectional-fe`; as in Moses, `wbe` is optional."""
        parts = name.split("-")
        if parts[0] in CLASSES:
            parts.insert(0, "wbe")
        known = [list(ORIENTATIONS), list(CLASSES), list(DIRECTIONS), list(CONDITIONS)]
        if len(parts) != len(known):
            raise SettingError(
                f"{name!r} is not a type of reordering table",
                expected="expected a name such as wbe-msd-bidirectional-fe",
            )
        for part, names in zip(parts, known, strict=True):
            if part not in names:
                raise SettingError(
                    f"unknown part {part!r} in {name!r}", expected=nearest(part, names)
                )
        return cls(*parts)

    def __str__(self) -> str:
        return f"{self.orientation}-{self.classes}-{self.direction}-{self.condition}"

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """Direction and class of every score, in the order of the table."""
        return tuple(
            (direction, name)
            for direction in DIRECTIONS[self.direction]
            for name in CLASSES[self.classes]
        )


def orientation_columns(kind: ReorderingType | None) -> Int64Array:
    """The column that counts an orientation towards the previous phrase and towards the next one,
    (2, orientations); EMPTY if there is none."""
    columns = np.full((2, N_ORIENTATIONS), EMPTY)
    if kind:
        for number, (direction, name) in enumerate(kind.columns):
            columns[ROW[direction], list(CLASSES[kind.classes][name])] = number
    return columns


def reordering_scores(kind: ReorderingType | None, counts: Int32Array) -> FloatArray:
    """Probabilities of rows of counts, (n, columns of the kind)."""
    if not kind:
        return np.empty((len(counts), 0))
    shape = -1, len(DIRECTIONS[kind.direction]), len(CLASSES[kind.classes])
    smoothed = counts.reshape(shape) + SMOOTHING
    shares: FloatArray = smoothed / smoothed.sum(axis=2, keepdims=True)
    return shares.reshape(counts.shape)
