"""Lexicalised reordering (Koehn et al. 2005): log p of a step's orientation.

Backward features score the next option's orientation towards the previous phrase; forward features
score the previous option's towards its successor. The probabilities come with the phrase table
(`models/phrases/reordering.py`). For word-based and phrase-based tables, orientations are
those of the phrases themselves: monotone if the next phrase begins where the last one ended, swap
if it ends where that one began. Hierarchical ones look at blocks of phrases (`hierarchical.py`).
"""

from typing import ClassVar

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable, SentenceScorer
from hyperbaton.models.distortion.msd.hierarchical import HierarchicalScorer
from hyperbaton.models.distortion.span_moves import OrientationScorer
from hyperbaton.models.phrases.reordering import ReorderingType


class Lexicalised(DistortionModel):
    name: ClassVar[str] = "msd"
    in_phrase_table: ClassVar[bool] = True

    def __init__(
        self,
        # type of the reordering scores, the same as `phrases.reordering`
        type: str = "wbe-msd-bidirectional-fe",  # noqa: A002
    ) -> None:
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
        # left and right do not depend on blocks
        return OrientationScorer(kind, options, options.reordering)
