"""chrF (Popović 2015), the same number that sacrebleu gives.

F_β of the precision and the recall of character n-grams, averaged over n = 1..6, β = 2, white space
left out. Orders without n-grams in the hypothesis or the reference do not count. With several
references, every sentence takes the one with which it scores best.

The word n-grams of chrF++ and sacrebleu's "eps" smoothing are left out. Tokenisation does not
matter, so none is done.
"""

import numpy as np

from models.arrays import FloatArray
from tuning.metrics.ngram_matches import matches_by_reference, ngram_totals
from tuning.metrics.words import Batch, TextOptions, WordMetric

ORDER = 6
BETA = 2


class Chrf(WordMetric):
    """Statistics: for every order n-grams of the hypothesis, of the reference, matches."""

    name = "chrF"
    n_statistics = 3 * ORDER

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        super().__init__(options)
        self._preprocess = (lambda line: _spaced(line.lower())) if options.lowercase else _spaced

    @property
    def signature(self) -> str:
        from sacrebleu.metrics.chrf import CHRF

        metric = CHRF(lowercase=self.options.lowercase)
        metric.num_refs = self.options.n_references
        signature: str = metric.get_signature().format()
        return signature

    def count(self, batch: Batch) -> FloatArray:
        matches = matches_by_reference(batch, ORDER)
        in_reference = ngram_totals(batch.references.lengths, ORDER)
        totals = ngram_totals(batch.hypotheses.lengths, ORDER)[batch.sentence_of_reference]
        # As in sacrebleu: orders that the reference is too short for do not count
        in_hypothesis = np.where(in_reference > 0, totals, 0)
        triples = np.stack([in_hypothesis, in_reference, matches], axis=-1)  # (refs, order, 3)
        statistics = triples.reshape(-1, 3 * ORDER).astype(np.float64)
        return statistics[batch.best_references(self.score(statistics))]

    def score(self, sums: FloatArray) -> FloatArray:
        triples = sums.reshape(*sums.shape[:-1], ORDER, 3)
        hypothesis, reference, matches = np.moveaxis(triples, -1, 0)  # (..., order) each
        counts = (hypothesis > 0) & (reference > 0)
        n_orders = np.maximum(counts.sum(axis=-1), 1)
        precision = np.where(counts, matches / np.maximum(hypothesis, 1), 0.0).sum(-1) / n_orders
        recall = np.where(counts, matches / np.maximum(reference, 1), 0.0).sum(-1) / n_orders
        denominator = BETA**2 * precision + recall
        product = 100 * (1 + BETA**2) * precision * recall
        result: FloatArray = product / np.where(denominator > 0, denominator, 1.0)
        return result


def _spaced(line: str) -> str:
    """Every character becomes a word."""
    return " ".join("".join(line.split()))
