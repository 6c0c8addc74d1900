"""Lexicalised reordering (Koehn et al. 2005): log p of a step's orientation.

Backward features score the next option's orientation towards the previous phrase; forward features
score the previous option's towards its successor. The probabilities come with the phrase table
(`models/phrases/reordering.py`). For word-based and phrase-based tables, orientations are
those of the phrases themselves: monotone if the next phrase begins where the last one ended, swap
if it ends where that one began. Hierarchical ones look at blocks of phrases (`hierarchical.py`).
"""

from typing import ClassVar

import numpy as np

from models.arrays import FloatArray, Int32Array
from models.data.sentence import Sentence
from models.distortion.interface import DistortionModel, OptionTable, SentenceScorer, Steps
from models.distortion.msd.hierarchical import HierarchicalScorer, class_of_orientation
from models.distortion.tables import Moves, TableScorer
from models.errors import DataError
from models.kernels import kernel
from models.phrases.orientation import LEFT, MONOTONE, RIGHT, SWAP
from models.phrases.reordering import CLASSES, ReorderingType


class Lexicalised(DistortionModel):
    name: ClassVar[str] = "msd"
    in_phrase_table: ClassVar[bool] = True

    def __init__(self, type: str = "wbe-msd-bidirectional-fe") -> None:  # noqa: A002
        self.type = type

    @property
    def feature_names(self) -> tuple[str, ...]:
        kind = ReorderingType.parse(self.type)
        return tuple(f"{kind.classes}.{direction}.{name}" for direction, name in kind.columns)

    def prepare(self, sentence: Sentence, options: OptionTable) -> SentenceScorer:  # noqa: ARG002
        found = options.phrases.reordering_type
        if found != self.type:
            raise DataError(
                f"the model {self.name} needs reordering scores of type {self.type}",
                expected=f"the phrase table has {found or 'none'}",
            )
        kind = ReorderingType.parse(self.type)
        if kind.orientation == "hier" and kind.classes != "leftright":
            return HierarchicalScorer(kind, options)
        return LexicalisedScorer(kind, options)  # blocks do not change what is left or right


class LexicalisedScorer(TableScorer):
    """Scores of moves between spans, in classes."""

    def __init__(self, kind: ReorderingType, options: OptionTable) -> None:
        self._span, self._class = _moves(
            options.n_words, options.start, options.end, class_of_orientation(kind.classes)
        )
        self._scores = options.reordering
        self._n_classes = len(CLASSES[kind.classes])
        self._directions = tuple(dict.fromkeys(direction for direction, _ in kind.columns))
        self.n_features = len(kind.columns)
        self.finish_values = None
        # forward features look at the previous option, backward ones only at its span
        places = np.arange(len(options) + 1)
        self.state_of_option = places if "forward" in self._directions else self._span

    def features(self, steps: Steps) -> FloatArray:
        values = np.zeros((len(steps.option), self.n_features))
        step = np.arange(len(steps.option))
        class_ = self._class[self._span[steps.previous + 1], self._span[steps.option + 1]]
        for number, direction in enumerate(self._directions):
            column = number * self._n_classes + class_
            asked = steps.option if direction == "backward" else steps.previous
            values[step, column] = np.where(asked >= 0, self._scores[asked, column], 0.0)
        return values

    def projected(self, weights: FloatArray) -> list[tuple[Int32Array, Int32Array, FloatArray]]:  # noqa: ARG002
        return []

    def moves(self, weights: FloatArray) -> list[Moves]:
        weighted = self._scores * weights
        after = np.zeros((len(weighted), self._n_classes))
        before = np.zeros((len(weighted) + 1, self._n_classes))
        for number, direction in enumerate(self._directions):
            own = weighted[:, number * self._n_classes : (number + 1) * self._n_classes]
            if direction == "backward":
                after += own
            else:
                before[1:] += own
        return [Moves(self._span, self._class, before, after)]


@kernel
def _moves(n_words, start, end, class_of_orientation):
    """The span of each option, (N + 1,), the beginning first, and the class of the move from one
    span to another."""
    number = np.zeros((n_words, n_words + 1), np.int32)  # by start and end; 0 is the beginning's
    span = np.zeros(len(start) + 1, np.int32)
    starts, ends = np.empty(len(span), np.int32), np.empty(len(span), np.int32)
    starts[0], ends[0] = -1, 0  # nothing is swapped with the beginning
    n_spans = 1
    for option in range(len(start)):
        if number[start[option], end[option]] == 0:
            number[start[option], end[option]] = n_spans
            starts[n_spans], ends[n_spans] = start[option], end[option]
            n_spans += 1
        span[option + 1] = number[start[option], end[option]]
    class_of = np.empty((n_spans, n_spans), np.uint8)
    for before in range(n_spans):
        for after in range(n_spans):
            if starts[after] == ends[before]:
                orientation = MONOTONE
            elif ends[after] == starts[before]:
                orientation = SWAP
            else:
                orientation = RIGHT if starts[after] >= ends[before] else LEFT
            class_of[before, after] = class_of_orientation[orientation]
    return span, class_of
