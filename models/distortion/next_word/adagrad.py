"""A start for L-BFGS where there is much data: some passes of AdaGrad (Duchi et al. 2011).

One pass of L-BFGS is one step. Here a pass is as many steps as there are batches of sentences, each
as long as the gradients that its weight has met so far allow:

    G ← G + g²,      w ← w − η g / √(δ + G),      g: gradient of a batch with its share of the prior

The weights that are returned are the mean over the steps of the last pass, which single batches
shake less. Batches come in an order that depends on their number only.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from models.arrays import FloatArray

STEP = 0.03  # η; dozens of features fire together, so larger steps add up to too much
SMOOTHING = 1.0  # δ: keeps the first steps of rare features short
ORDER_SEED = 0


class Batched(Protocol):
    """Minus a log likelihood that is a sum over batches of events."""

    @property
    def n_batches(self) -> int: ...

    def batch_gradient(self, weights: FloatArray, batch: int) -> FloatArray: ...


def adagrad(
    likelihood: Batched,
    start: FloatArray,
    prior: float,
    passes: int,
    report: Callable[[int], None] | None = None,
) -> FloatArray:
    """Weights after so many passes over all batches; the last row, of features that do not exist,
    stays 0."""
    weights, squares = start.copy(), np.full_like(start, SMOOTHING)
    mean = np.zeros_like(start)
    share = prior / max(likelihood.n_batches, 1)
    order = np.random.default_rng(ORDER_SEED)
    for number in range(passes):
        for done, batch in enumerate(order.permutation(likelihood.n_batches).tolist()):
            gradient = likelihood.batch_gradient(weights, batch)
            gradient += share * weights
            gradient[-1] = 0.0
            squares += gradient * gradient
            weights -= STEP * gradient / np.sqrt(squares)
            if number == passes - 1:
                mean += (weights - mean) / (done + 1)
        if report:
            report(number + 1)
    return mean if likelihood.n_batches else weights
