"""Lexicalised reordering (Koehn et al. 2005): log p of a step's orientation.

Backward features score the next option's orientation towards the previous phrase; forward features
score the previous option's towards its successor. The probabilities come with the phrase table
(`models/phrases/reordering.py`). For word-based and phrase-based tables, orientations are
those of the phrases themselves: monotone if the next phrase begins where the last one ended, swap
if it ends where that one began. Hierarchical ones look at blocks of phrases (`hierarchical.py`).
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array
from models.data.sentence import Sentence
from models.distortion.interface import DistortionModel, OptionTable, SentenceScorer, Steps
from models.distortion.msd.hierarchical import HierarchicalScorer, class_of_orientation
from models.distortion.tables import TableScorer
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
    """Tables over spans and options, one for each direction, made when the weights are known."""

    def __init__(self, kind: ReorderingType, options: OptionTable) -> None:
        start = np.concatenate([[-1], options.start])  # nothing is swapped with the beginning
        end = np.concatenate([[0], options.end])
        keys = (start + 1) * (options.n_words + 1) + end
        _, first, span = np.unique(keys, return_index=True, return_inverse=True)
        self._span = span.astype(np.int32)  # (N + 1,) span of each option, the beginning first
        moves = _orientations(start[first], end[first])
        self._class = class_of_orientation(kind.classes)[moves]  # of moves between spans
        self._scores = options.reordering
        self._n_classes = len(CLASSES[kind.classes])
        self._directions = tuple(dict.fromkeys(direction for direction, _ in kind.columns))
        self.n_features = len(kind.columns)
        self.finish_values = None
        # forward features look at the previous option, backward ones only at its span
        places = np.arange(len(options) + 1)
        self.state_of_option = places if "forward" in self._directions else span

    def features(self, steps: Steps) -> FloatArray:
        values = np.zeros((len(steps.option), self.n_features))
        step = np.arange(len(steps.option))
        class_ = self._class[self._span[steps.previous + 1], self._span[steps.option + 1]]
        for number, direction in enumerate(self._directions):
            column = number * self._n_classes + class_
            asked = steps.option if direction == "backward" else steps.previous
            values[step, column] = np.where(asked >= 0, self._scores[asked, column], 0.0)
        return values

    def projected(self, weights: FloatArray) -> list[tuple[Int32Array, Int32Array, FloatArray]]:
        weighted = self._scores * weights
        options = np.arange(len(weighted) + 1, dtype=np.int32)
        result = []
        for number, direction in enumerate(self._directions):
            asked = weighted[:, number * self._n_classes : (number + 1) * self._n_classes]
            if direction == "backward":
                # rows: span of the previous option; columns: options
                values = _backward_table(asked, self._span, self._class)
                result.append((self._span, options[:-1], values))
            else:
                # rows: previous option, the beginning first; columns: span of the next option
                values = _forward_table(asked, self._span, self._class)
                result.append((options, self._span[1:], values))
        return result


@kernel
def _backward_table(scores, span, class_of_move):
    """Each next option's score of the move from each span, (n_spans, N)."""
    values = np.empty((len(class_of_move), len(scores)))
    for before in range(len(class_of_move)):
        for option in range(len(scores)):
            values[before, option] = scores[option, class_of_move[before, span[option + 1]]]
    return values


@kernel
def _forward_table(scores, span, class_of_move):
    """Each previous option's score of the move to each span, (N + 1, n_spans)."""
    values = np.zeros((len(scores) + 1, len(class_of_move)))
    for option in range(len(scores)):
        for after in range(len(class_of_move)):
            values[option + 1, after] = scores[option, class_of_move[span[option + 1], after]]
    return values


def _orientations(start: Int32Array, end: Int32Array) -> NDArray[np.int64]:
    """Orientation of the move from span i to span j, (i, j)."""
    result = np.where(start[None, :] >= end[:, None], RIGHT, LEFT)
    result[end[None, :] == start[:, None]] = SWAP
    result[start[None, :] == end[:, None]] = MONOTONE
    return result
