"""LRscore (Birch and Osborne 2010, 2011): word order and word choice in one number.

LRscore = α · mean of (order score × brevity penalty) + (1 − α) · BLEU
"""

import numpy as np

from models.arrays import FloatArray
from models.errors import SettingError
from tuning.metrics.base import Metric, Outputs, ratio
from tuning.metrics.bleu import closest_lengths
from tuning.metrics.order import PermutationMetric
from tuning.metrics.words import batches


class LRscore(Metric):
    """Lexical and reordering score: an order metric and BLEU (or another), interpolated.

    Birch and Osborne fit α to human judgements for each language pair; 0.5 is nobody's fit. Their
    brevity penalty for each sentence keeps short translations, which have little to get wrong, from
    scoring well.
    """

    needs_visits = True

    def __init__(self, order: PermutationMetric, lexical: Metric, *, alpha: float = 0.5) -> None:
        if not 0 <= alpha <= 1:
            raise SettingError(
                f"the weight alpha of LRscore is {alpha}",
                expected="from 0 (only the lexical score) to 1 (only the order)",
            )
        if not lexical.higher_is_better:
            raise SettingError(
                f"LRscore cannot use {lexical.name}", expected="a lexical score that rises, as BLEU"
            )
        self.order, self.lexical, self.alpha = order, lexical, alpha
        self.name = f"LRscore ({order.name}, {lexical.name})"

    @property
    def signature(self) -> str:
        parts = f"order:[{self.order.signature}]|lexical:[{self.lexical.signature}]"
        return f"LRscore|alpha:{self.alpha:g}|brevity:sentence|{parts}"

    def statistics(self, outputs: Outputs) -> FloatArray:
        """The order score times brevity penalty, 1, and those of the lexical score."""
        order = self.order.statistics(outputs)
        order[:, 0] *= _brevity_penalties(outputs)
        return np.concatenate([order, self.lexical.statistics(outputs)], axis=1)

    def score(self, sums: FloatArray) -> FloatArray:
        return self._interpolate(sums, self.lexical.score(sums[..., 2:]))

    def sentence_scores(self, statistics: FloatArray) -> FloatArray:
        lexical = self.lexical.sentence_scores(statistics[:, 2:])
        return self._interpolate(statistics, lexical)

    def _interpolate(self, sums: FloatArray, lexical: FloatArray) -> FloatArray:
        order = ratio(sums[..., 0], sums[..., 1])
        lexical = lexical / self.lexical.scale
        return self.scale * (self.alpha * order + (1 - self.alpha) * lexical)


def _brevity_penalties(outputs: Outputs) -> FloatArray:
    """For each sentence of t words min(1, exp(1 − r/t)), r the nearest length of a reference."""
    penalties = [np.zeros(0)]
    for batch in batches(outputs, str):
        length, nearest = batch.hypotheses.lengths, closest_lengths(batch)
        excess = ratio(nearest, length) - 1
        penalty = np.exp(-np.maximum(excess, 0))
        penalties.append(np.where((length == 0) & (nearest > 0), 0.0, penalty))
    return np.concatenate(penalties)
