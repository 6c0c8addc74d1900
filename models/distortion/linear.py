"""Linear distortion (Ni et al. 2011, eq. 1): −|jump|, the distance from the end of the last phrase
to the start of the next. The first phrase jumps from position 0.

With `future=true` the search also sees the least distance that remains until all words are covered,
after an idea of Moore and Quirk (2007): a search that leaves words behind has to come back. This
affects which hypotheses are pruned and is not part of any score.
"""

from functools import lru_cache
from typing import ClassVar

import numpy as np

from models.arrays import FloatArray, Int64Array, UInt64Array
from models.coverage import unpack_coverage
from models.data.sentence import Sentence
from models.distortion.interface import DistortionModel, OptionTable
from models.distortion.tables import Table, TableScorer


class Linear(DistortionModel):
    name: ClassVar[str] = "linear"

    def __init__(self, future: bool = False) -> None:
        self.future = future

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("linear",)

    def prepare(self, sentence: Sentence, options: OptionTable) -> TableScorer:  # noqa: ARG002
        rows = np.empty(len(options) + 1, np.int32)
        rows[0], rows[1:] = 0, options.end
        tables = [Table(rows, options.start, _distances(options.n_words))]
        if self.future:
            return FarSightedScorer(options.n_words, tables)
        return TableScorer(1, tables)


class FarSightedScorer(TableScorer):
    """Linear distortion with an estimate of the rest. Its state is the end of the last phrase."""

    def __init__(self, n_words: int, tables: list[Table]) -> None:
        super().__init__(1, tables)
        self._n_words = n_words

    def coverage_estimate(self, coverage: UInt64Array, state: Int64Array) -> FloatArray:
        """The least distance still to jump if single words could be taken in any order.

        Jumps back B and forward F lead from the last end e over all open words, n of them, to the
        end of the last one: F − B + n = last − e, so F + B = 2B + last − e − n. With a the first
        open word, z one past the last one, and words open before e,

            a□■□□■■e■□z     back to a, then all to the right:           B = e − a, last = z
                            or first to the right, then back to a, and on to some open word p < e:
                            B = z − a + (open words between p and e, taken on the way back)
        """
        is_open = ~unpack_coverage(coverage, self._n_words)  # (B, n_words)
        places = np.arange(self._n_words)
        before = is_open & (places < state[:, None])
        first = np.where(is_open, places, self._n_words).min(axis=1)
        last = np.where(is_open, places + 1, 0).max(axis=1)
        taken_back = before.sum(axis=1, keepdims=True) - before.cumsum(axis=1)
        ends = np.where(before, 2 * taken_back + places + 1, 3 * self._n_words).min(axis=1)
        straight = 2 * (state - first) + last
        detour = 2 * (np.maximum(last, state) - first) + ends
        cost = np.where(before.any(axis=1), np.minimum(straight, detour), last)
        cost -= state + is_open.sum(axis=1)
        estimate: FloatArray = -np.where(is_open.any(axis=1), cost, 0)[:, None].astype(np.float64)
        return estimate


@lru_cache(maxsize=256)
def _distances(n_words: int) -> FloatArray:
    """−|jump| by previous end and start, (n_words + 1, n_words + 1, 1)."""
    places = np.arange(n_words + 1, dtype=np.float64)
    distances: FloatArray = -np.abs(places[None, :] - places[:, None])[:, :, None]
    distances.setflags(write=False)
    return distances
