"""Linear distortion (Ni et al. 2011, eq. 1): −|jump|, the distance from the end of the last phrase
to the start of the next. The first phrase jumps from position 0.
"""

from functools import lru_cache
from typing import ClassVar

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import FloatArray, Int32Array
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable
from hyperbaton.models.distortion.tables import Table, TableScorer


class Linear(DistortionModel):
    name: ClassVar[str] = "linear"

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("linear",)

    def prepare(self, sentence: Sentence, options: OptionTable) -> TableScorer:  # noqa: ARG002
        rows = np.empty(len(options) + 1, np.int32)
        rows[0], rows[1:] = 0, options.end
        return LinearScorer(1, [Table(rows, options.start, _distances(options.n_words))])


class LinearScorer(TableScorer):
    def projected(self, weights: FloatArray) -> list[tuple[Int32Array, Int32Array, FloatArray]]:
        (table,) = self.tables
        return [(table.rows, table.columns, self.jump_estimate(weights))]

    def jump_estimate(self, weights: FloatArray) -> FloatArray:
        return _weighted(self.tables[0].values.shape[1], float(weights[0]))


@lru_cache(maxsize=256)
def _distances(n_words: int) -> FloatArray:
    """−|jump| by previous end and start, (n_words + 1, n_words, 1)."""
    places = np.arange(n_words + 1, dtype=np.float64)
    distances: FloatArray = -np.abs(places[None, :-1] - places[:, None])[:, :, None]
    distances.setflags(write=False)
    return distances


@lru_cache(maxsize=256)
def _weighted(n_words: int, weight: float) -> FloatArray:
    # not made read-only: kernels would be compiled once more for such arrays
    weighted: FloatArray = _distances(n_words)[:, :, 0] * weight
    return weighted
