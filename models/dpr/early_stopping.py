"""How many rounds the perceptron `mms` should make.

It has to stop early, or it learns its examples by heart. The phrase pairs of a sentence overlap and
share their contexts, so that examples held out at random look like those that were learned, and it
seems best never to stop. Here whole sentences are held out: the number of rounds, a power of two,
is the one whose model makes fewest errors on sentences it has not seen (Ni et al. 2011, footnote 6,
choose it on a validation set as well). Whoever gives `held_out` or `max_rounds` decides that for
themselves.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from models.arrays import Int32Array, Int64Array
from models.learning.catalogue import make_learner
from models.learning.clusters import ClusteredLearner

PERCEPTRON = "mms"
LEARNING_RATE = 0.003  # small steps keep the margins Δ in view; found on held-out sentences
ROUNDS = (2, 4, 8, 16, 32)
HELD_OUT = 0.1  # share of the sentences
MOST_SENTENCES = 10_000  # that the number of rounds is looked for on


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
    """The settings, for the perceptron with the number of rounds that unseen sentences like."""
    settings = dict(settings)
    if name != PERCEPTRON:
        return settings
    settings.setdefault("learning_rate", LEARNING_RATE)
    if "held_out" in settings or "max_rounds" in settings:
        return settings
    settings["held_out"] = 0.0
    numbers = np.unique(sentence)
    numbers = np.random.default_rng(seed).permutation(numbers)[:MOST_SENTENCES]
    n_held_out = int(HELD_OUT * len(numbers))
    held_out = np.flatnonzero(np.isin(sentence, numbers[:n_held_out]))
    train = np.flatnonzero(np.isin(sentence, numbers[n_held_out:]))
    settings["max_rounds"] = ROUNDS[len(ROUNDS) // 2]
    if not len(held_out) or not len(train):
        return settings  # too little to tell
    examples_seen, unseen = examples[train], examples[held_out]
    fewest = len(held_out) + 1
    for n_rounds in ROUNDS:
        learner = clustered(name, settings | {"max_rounds": n_rounds}, min_examples)
        learner.fit(
            examples_seen, classes[train], n_classes, cluster[train], seed=seed, threads=threads
        )
        found = learner.decision(unseen, cluster[held_out]).argmax(axis=1)
        n_errors = int(np.count_nonzero(found != classes[held_out]))
        if n_errors >= fewest:
            break
        fewest, settings["max_rounds"] = n_errors, n_rounds
    return settings
