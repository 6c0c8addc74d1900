"""Lexicalised reordering: how phrase pairs were oriented, as smoothed probabilities.

A table is described by a name in Moses' manner, `wbe-msd-bidirectional-fe`:

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

from models.arrays import FloatArray
from models.errors import SettingError, nearest
from models.phrases.extraction import Occurrences
from models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from models.phrases.scoring import PhrasePairs

SMOOTHING = 0.5
ORIENTATIONS = {"wbe": "word", "phrase": "phrase", "hier": "hierarchical"}
# Names of the classes and the orientations in each of them
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
CONDITIONS = ("fe", "f")


@dataclass(frozen=True)
class ReorderingType:
    """What a reordering table holds, by name."""

    orientation: str = "wbe"
    classes: str = "msd"
    direction: str = "bidirectional"
    condition: str = "fe"

    @classmethod
    def parse(cls, name: str) -> "ReorderingType":
        """From `wbe-msd-bidirectional-fe`; every part must be known. As in Moses, `wbe` may be left
        out."""
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
                    f"{part!r} in {name!r} is not known", expected=nearest(part, names)
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


def reordering_scores(
    kind: ReorderingType, occurrences: Occurrences, pairs: PhrasePairs
) -> FloatArray:
    """Probabilities, (n_pairs, columns of the kind)."""
    parts = []
    for direction in DIRECTIONS[kind.direction]:
        orientation = getattr(occurrences, direction)
        counts = np.zeros((len(pairs.source), 4))
        np.add.at(counts, (pairs.pair_of, orientation), 1.0)
        if kind.condition == "f":
            first = np.flatnonzero(np.diff(pairs.source, prepend=-1))  # pairs of a source: a run
            sums = np.add.reduceat(counts, first, axis=0) if len(first) else counts
            counts = np.repeat(sums, np.diff(np.append(first, len(counts))), axis=0)
        members = CLASSES[kind.classes].values()
        smoothed = np.stack([counts[:, list(m)].sum(axis=1) for m in members], 1) + SMOOTHING
        parts.append(smoothed / smoothed.sum(axis=1, keepdims=True))
    return np.concatenate(parts, axis=1)
