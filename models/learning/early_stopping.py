"""Early stopping: chooses settings that determine the end of learning on held-out examples.

A learner that runs too long over-fits. It lists the settings that determine the end, and the values
to try (`Learner.searched`). The values with the fewest errors on held-out examples are chosen, as
Ni et al. (2011, footnote 6) choose the perceptron's rounds and steps on a validation set. Settings
given by the user are not searched.

Whole sentences are held out: the phrase pairs of a sentence overlap and share their contexts, so
examples held out at random would resemble the training examples and favour over-fitting.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.models.learning.catalogue import make_learner
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner

HELD_OUT_GROUPS = 0.1  # share of the groups
MOST_EXAMPLES = 100_000  # used in the search


def choose_settings(
    name: str,
    settings: Mapping[str, Any],
    examples: ClusteredExamples,
    sentence: Int32Array,  # (n,) the group of each example
    min_examples: int,
    *,
    seed: int = 0,
    threads: int = 2,
) -> dict[str, Any]:
    """The settings of a learner, completed with the best values on held-out sentences, or with its
    defaults if there are too few examples."""
    learner = make_learner(name, **settings)
    usual = learner.settings()
    searched = {
        key: (settings[key],) if key in settings else values
        for key, values in learner.searched.items()
    }
    best = dict(settings) | {key: usual[key] for key in searched}
    candidates = [
        best | dict(zip(searched, values, strict=True)) for values in product(*searched.values())
    ]
    if len(candidates) == 1:
        return best
    train, held_out = _split(sentence, seed)
    if not len(held_out) or not len(train):
        return best
    seen, unseen = examples.take(train), examples.take(held_out)

    def n_wrong(candidate: dict[str, Any]) -> int:
        trained = ClusteredLearner(make_learner(name, **candidate), min_examples)
        return trained.fit(seen, seed=seed, threads=threads).n_errors(unseen)

    return min(candidates, key=n_wrong)  # tries all, because errors may have several minima


def _split(sentence: Int32Array, seed: int) -> tuple[Int64Array, Int64Array]:
    """Rows to train and to test on, from sentences with at most MOST_EXAMPLES examples."""
    numbers, sizes = np.unique(sentence, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(numbers))
    numbers = numbers[order[np.cumsum(sizes[order]) <= MOST_EXAMPLES]]
    n_held_out = int(HELD_OUT_GROUPS * len(numbers))
    held_out, train = numbers[:n_held_out], numbers[n_held_out:]
    return np.flatnonzero(np.isin(sentence, train)), np.flatnonzero(np.isin(sentence, held_out))
