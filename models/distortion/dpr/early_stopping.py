"""How many rounds the perceptron `mms` should make, and how large its steps should be.

It has to stop early, or it learns its examples by heart. The phrase pairs of a sentence overlap and
share their contexts, so that examples held out at random look like those that were learned, and it
seems best never to stop. Here whole sentences are held out: the number of rounds, a power of two,
and the learning rate are those whose model makes fewest errors on sentences it has not seen, as Ni
et al. (2011, footnote 6) choose both on a validation set. Whoever gives `held_out`, `max_rounds` or
`learning_rate` decides that for themselves.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from models.arrays import Int32Array, Int64Array
from models.learning.catalogue import make_learner
from models.learning.clusters import ClusteredLearner

PERCEPTRON = "mms"
LEARNING_RATES = (0.01, 0.03)  # small steps keep the margins Δ in view
ROUNDS = (2, 4, 8, 16)
HELD_OUT = 0.1  # share of the sentences
MOST_EXAMPLES = 100_000  # that are looked at for it


def clustered(name: str, settings: Mapping[str, Any], min_examples: int) -> ClusteredLearner:
    """A learner with a sub-model for each cluster and a pooled one."""
    return ClusteredLearner(lambda: make_learner(name, **settings), min_examples)


def with_rounds(
    name: str,
    settings: Mapping[str, Any],
    examples: csr_matrix,
    classes: Int64Array,
    n_classes: int,
    cluster: Int64Array,
    sentence: Int32Array,
    min_examples: int,
    seed: int,
    threads: int,
) -> dict[str, Any]:
    """The settings, for the perceptron with the rounds and steps that unseen sentences like."""
    settings = dict(settings)
    if name != PERCEPTRON or "held_out" in settings:
        return settings
    settings["held_out"] = 0.0
    rates = (settings["learning_rate"],) if "learning_rate" in settings else LEARNING_RATES
    rounds = (settings["max_rounds"],) if "max_rounds" in settings else ROUNDS
    best = settings | {"learning_rate": rates[0], "max_rounds": rounds[len(rounds) // 2]}
    if len(rates) == len(rounds) == 1:
        return best
    numbers, sizes = np.unique(sentence, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(numbers))
    numbers = numbers[order[np.cumsum(sizes[order]) <= MOST_EXAMPLES]]
    n_held_out = int(HELD_OUT * len(numbers))
    held_out = np.flatnonzero(np.isin(sentence, numbers[:n_held_out]))
    train = np.flatnonzero(np.isin(sentence, numbers[n_held_out:]))
    if not len(held_out) or not len(train):
        return best  # too little to tell
    seen, unseen = examples[train], examples[held_out]

    def n_errors(candidate: Mapping[str, Any]) -> int:
        learner = clustered(name, candidate, min_examples)
        learner.fit(seen, classes[train], n_classes, cluster[train], seed=seed, threads=threads)
        found = learner.decision(unseen, cluster[held_out]).argmax(axis=1)
        return int(np.count_nonzero(found != classes[held_out]))

    fewest = len(held_out) + 1
    for rate in rates:
        for n_rounds in rounds:  # all: after a bad number by chance a good one may follow
            candidate = settings | {"learning_rate": rate, "max_rounds": n_rounds}
            n_wrong = n_errors(candidate)
            if n_wrong < fewest:
                fewest, best = n_wrong, candidate
    return best
