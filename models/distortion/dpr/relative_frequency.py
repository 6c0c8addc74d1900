"""LR: the lexicalised reordering model as a classifier (Ni et al. 2011, section 1.1).

p(o | phrase pair) is the relative frequency of the class among the examples of the pair. The paper
mentions heuristics for sparse data without details. Two out of five test examples have a phrase
pair that does not occur in training, although its source phrase does; without a heuristic they
would all get the same class. Here each context adds half an example to the more specific one, in
proportion to its probabilities:

    p(o | phrase) = (count(o, phrase) + ½ p(o)) / (count(phrase) + ½)
    p(o | pair)   = (count(o, pair) + ½ p(o | source phrase)) / (count(pair) + ½)

A more frequent class stays ahead of a less frequent one; ties and unseen pairs follow the source
phrase, and unseen source phrases the overall frequencies.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.errors import DataError

SMOOTHING = 0.5  # examples


class RelativeFrequency:
    name = "lr"

    def fit(self, contexts: Sequence[Int64Array], y: NDArray[Any], n_classes: int) -> Self:
        """Learns from the classes of examples and the numbers of their contexts, the most general
        context first: source phrases, then phrase pairs."""
        if not len(y):
            raise DataError("nothing to learn from: 0 examples")
        self.share_ = np.bincount(y, minlength=n_classes) / len(y)
        self.contexts_ = [_count(numbers, y, n_classes) for numbers in contexts]
        return self

    def probabilities(self, contexts: Sequence[Int64Array]) -> FloatArray:
        """p(o | contexts), (n, K)."""
        p: FloatArray = np.tile(self.share_, (len(contexts[0]), 1))
        for numbers, (known, counts) in zip(contexts, self.contexts_, strict=True):
            row = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
            count = np.where((known[row] == numbers)[:, None], counts[row], 0)
            p = (count + SMOOTHING * p) / (count.sum(axis=1, keepdims=True) + SMOOTHING)
        return p


def _count(numbers: Int64Array, y: NDArray[Any], n_classes: int) -> tuple[Int64Array, Int64Array]:
    """The sorted contexts, and the number of their examples by class."""
    known, row = np.unique(numbers, return_inverse=True)
    counts = np.bincount(row * n_classes + y, minlength=len(known) * n_classes)
    return known, counts.reshape(-1, n_classes)
