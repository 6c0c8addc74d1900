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
from models.distortion.msd.hierarchical import HierarchicalScorer
from models.distortion.span_moves import class_of_orientation, moves_between_spans
from models.distortion.tables import Moves, TableScorer
from models.errors import DataError
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
        self._span, self._class = moves_between_spans(
            options.n_words, options.start, options.end, class_of_orientation(kind.classes)
        )
        self._scores = options.reordering
        self._n_classes = len(CLASSES[kind.classes])
        self._directions = tuple(dict.fromkeys(direction for direction, _ in kind.columns))
        self.n_features = len(kind.columns)
        self.finish_values = None
        # forward features look at the previous option, backward ones only at its span
        places = np.arange(len(options) + 1)
        spans = self._span.astype(np.int64)
        self.state_of_option = places if "forward" in self._directions else spans

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
