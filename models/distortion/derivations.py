"""The features of whole derivations, computed step by step for all of them at once."""

from collections.abc import Iterator

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.coverage import cover_spans, empty_coverage
from hyperbaton.models.distortion.interface import START, OptionTable, SentenceScorer, Steps


def derivation_features(
    scorer: SentenceScorer, options: OptionTable, derivations: Ragged
) -> FloatArray:
    """Sums a scorer's features over the steps and the end of each derivation, (n, F)."""
    values = np.zeros((len(derivations), scorer.n_features))
    last = np.full(len(derivations), scorer.initial_state, np.int64)
    for going, steps, state in walk(scorer, options, derivations):
        values[going] += scorer.features(steps)
        last[going] = state
    return values + scorer.finish(last)


def walk(
    scorer: SentenceScorer, options: OptionTable, derivations: Ragged
) -> Iterator[tuple[Int64Array, Steps, Int64Array]]:
    """Yields the first steps of all derivations, then the second ones, and so on: the derivations
    with such a step, the steps with the scorer's states, and the states after them.

    A row of `derivations` has the options of one derivation, in target order.
    """
    n = len(derivations)
    state = np.full(n, scorer.initial_state, np.int64)
    previous = np.full(n, START, np.int32)
    coverage = empty_coverage(n, options.n_words)
    for number in range(int(derivations.lengths.max(initial=0))):
        going = np.flatnonzero(derivations.lengths > number)
        option: Int32Array = derivations.values[derivations.offsets[going] + number]
        steps = Steps(previous[going], option, coverage[going], state[going])
        state[going], previous[going] = scorer.advance(steps), option
        yield going, steps, state[going]
        covered = coverage[going]
        cover_spans(covered, options.start[option], options.end[option])
        coverage[going] = covered
