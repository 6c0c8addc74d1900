"""What a perfect distortion model would say: it knows the order of the reference.

Sentences bring that order as a layer: a rank for each source word, read off a word alignment of the
source and its reference (`corpus/corpora/alignment.py`). No word should be translated before all
words of lower rank are; words that are FREE may come at any time.
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

LEFT, RIGHT, NOWHERE = "left", "right", "free"  # where words without links belong


class Oracle(DistortionModel):
    """A price for every word that comes too late.

    With the price above all that other models can say, the search comes as near to the order as
    phrases and distortion limit allow; with a lower one the other models may object.
    """

    name: ClassVar[str] = "oracle"

    def __init__(
        self,
        price: float = 1e4,  # of each word that comes too late
        # words without links go with the one to the `left` or `right`, or are `free`
        unaligned: str = NOWHERE,
    ) -> None:
        self.price, self.unaligned = price, unaligned
        self._check("unaligned", unaligned in (LEFT, RIGHT, NOWHERE), "left, right or free")
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
        assert sentence.order is not None  # `check` has seen to it
        ranks = np.array(sentence.order, np.int64)
        if self.unaligned == LEFT:
            ranks = _as_before(ranks)
        elif self.unaligned == RIGHT:
            ranks = _as_before(ranks[::-1])[::-1]
        return InOrder(options, ranks)


class InOrder(SentenceScorer):
    """How many words come too late.

    A phrase is translated at once, so its words may have different ranks. Each phrase that comes
    too early counts every word that should have come before.
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
    """Words that are FREE with the rank of the last word before them that is not."""
    place = np.maximum.accumulate(np.where(ranks == FREE, 0, np.arange(len(ranks))))
    return ranks[place]
