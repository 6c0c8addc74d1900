"""What distortion models expect of the words that are left, beside what their options cost.

Estimates decide which hypotheses are tried first and which are pruned. They never become part of a
score.
"""

from collections.abc import Sequence

import numpy as np

from models.arrays import FloatArray
from models.distortion.interface import SentenceScorer


def estimates_options(scorer: SentenceScorer) -> bool:
    return type(scorer).option_estimate is not SentenceScorer.option_estimate


def estimates_coverage(scorer: SentenceScorer) -> bool:
    return type(scorer).coverage_estimate is not SentenceScorer.coverage_estimate


def option_estimates(
    scorers: Sequence[SentenceScorer], weights: Sequence[FloatArray], n_options: int
) -> FloatArray:
    """The weighted estimates of each option, or none at all if no model makes any."""
    estimates = np.empty(0)
    for scorer, own in zip(scorers, weights, strict=True):
        if estimates_options(scorer):
            estimates = estimates if len(estimates) else np.zeros(n_options)
            estimates += scorer.option_estimate(n_options) @ own
    return estimates
