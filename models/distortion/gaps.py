"""How many gaps a step leaves open: stretches of untranslated words before a translated one.

The search must return to every gap, so good translations leave few open. This small model is also
the example of a model that depends on the coverage.
"""

from typing import ClassVar

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.coverage import unpack_coverage
from hyperbaton.models.distortion.interface import (
    DistortionModel,
    OptionTable,
    SentenceScorer,
    Steps,
)


class Gaps(DistortionModel):
    name: ClassVar[str] = "gaps"

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("gaps",)

    def prepare(self, sentence: Sentence, options: OptionTable) -> "GapScorer":  # noqa: ARG002
        return GapScorer(options)


class GapScorer(SentenceScorer):
    n_features = 1

    def __init__(self, options: OptionTable) -> None:
        self._options = options
        self._places = np.arange(options.n_words)

    def features(self, steps: Steps) -> FloatArray:
        covered = unpack_coverage(steps.coverage, self._options.n_words)  # (B, n_words)
        start = self._options.start[steps.option][:, None]
        end = self._options.end[steps.option][:, None]
        covered |= (self._places >= start) & (self._places < end)
        # a gap ends where an open word is followed by a covered one
        gaps: FloatArray = (covered[:, 1:] & ~covered[:, :-1]).sum(axis=1, dtype=np.float64)
        return -gaps[:, None]

    def advance(self, steps: Steps) -> Int64Array:
        return np.zeros(len(steps.option), np.int64)  # no state besides the coverage
