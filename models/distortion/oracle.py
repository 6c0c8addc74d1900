"""The oracle: a perfect distortion model, which knows the order of the reference.

The order is a layer of the sentence: a rank for each source word, from a word alignment of the
source and its reference (`corpus/corpora/alignment.py`). No word should be translated before all
words of lower rank; words that are FREE may come at any time.
"""

from typing import ClassVar

import numpy as np

from hyperbaton.corpus.sentences.sentence import FREE, Sentence
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged, UInt64Array
from hyperbaton.foundation.coverage import cover_spans, pack_coverage
from hyperbaton.models.distortion.interface import (
    DistortionModel,
    OptionTable,
    SentenceScorer,
    Steps,
)

LEFT, RIGHT, NOWHERE = "left", "right", "free"  # the neighbour of words without links


class Oracle(DistortionModel):
    """A penalty for every word that comes too late.

    If the penalty exceeds all other scores, the search comes as near to the order as phrases and
    distortion limit allow; with a lower one, other models can outweigh it.
    """

    name: ClassVar[str] = "oracle"

    def __init__(
        self,
        price: float = 1e4,  # of each word that comes too late
        # words without links go with the one to the `left` or `right`, or are `free`
        unaligned: str = NOWHERE,
    ) -> None:
        self.price, self.unaligned = price, unaligned
        is_known = unaligned in (LEFT, RIGHT, NOWHERE)
        self._check("unaligned", is_known, "expected left, right or free")
        self._check_positive("price")

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({"order"})

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("oracle",)

    @property
    def initial_weights(self) -> tuple[float, ...]:
        return (self.price,)

    def prepare(self, sentence: Sentence, options: OptionTable) -> "InOrder":
        assert sentence.order is not None  # guaranteed by `check`
        ranks = np.array(sentence.order, np.int64)
        if self.unaligned == LEFT:
            ranks = _as_before(ranks)
        elif self.unaligned == RIGHT:
            ranks = _as_before(ranks[::-1])[::-1]
        return InOrder(options, ranks)


class InOrder(SentenceScorer):
    """The number of words that come too late.

    A phrase is translated at once, so its words may have different ranks. Each phrase that comes
    too early counts every word that should have come before it.
    """

    n_features = 1

    def __init__(self, options: OptionTable, ranks: Int64Array, price: float = 1.0) -> None:
        self._options, self._price = options, price
        spans = Ragged.gather(ranks, options.start.astype(np.int64), options.end - options.start)
        highest = np.maximum.reduceat(spans.values, spans.offsets[:-1])
        self._before: UInt64Array = pack_coverage(
            (ranks[None, :] != FREE) & (ranks[None, :] < highest[:, None])
        )

    def features(self, steps: Steps) -> FloatArray:
        covered = steps.coverage.copy()
        options = self._options
        cover_spans(covered, options.start[steps.option], options.end[steps.option])
        too_late = np.bitwise_count(self._before[steps.option] & ~covered).sum(axis=1)
        values: FloatArray = -self._price * too_late[:, None].astype(np.float64)
        return values

    def advance(self, steps: Steps) -> Int64Array:
        return np.zeros(len(steps.option), np.int64)


def _as_before(ranks: Int64Array) -> Int64Array:
    """Gives FREE words the rank of the last word before them that is not FREE."""
    place = np.maximum.accumulate(np.where(ranks == FREE, 0, np.arange(len(ranks))))
    return ranks[place]
