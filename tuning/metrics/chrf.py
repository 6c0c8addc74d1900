"""chrF (Popović 2015), the same number that sacrebleu gives.

F_β of the precision and the recall of character n-grams, averaged over n = 1..6, β = 2, white space
left out. Orders of which hypothesis or reference have none do not count. With several references
every sentence takes the one with which it scores best.

The word n-grams of chrF++ and sacrebleu's "eps" smoothing are left out. Tokenisation does not
matter, so none is done.
"""

from collections.abc import Sequence

import numpy as np

from models.arrays import FloatArray, Int64Array, Ragged
from tuning.metrics.base import Metric, Outputs
from tuning.metrics.ngram_matches import matches_by_reference, ngram_totals
from tuning.metrics.words import BATCH, TextOptions, check_outputs

ORDER = 6
BETA = 2


class Chrf(Metric):
    """Statistics: for every order n-grams of the hypothesis, of the reference, matches."""

    name = "chrF"

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        self.options = options

    @property
    def signature(self) -> str:
        from sacrebleu.metrics.chrf import CHRF

        metric = CHRF(lowercase=self.options.lowercase)
        metric.num_refs = self.options.n_references
        signature: str = metric.get_signature().format()
        return signature

    def statistics(self, outputs: Outputs) -> FloatArray:
        check_outputs(outputs)
        parts = [
            self._batch(
                outputs.hypotheses[start : start + BATCH], outputs.references[start : start + BATCH]
            )
            for start in range(0, len(outputs), BATCH)
        ]
        return np.concatenate([np.zeros((0, 3 * ORDER)), *parts])

    def _batch(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> FloatArray:
        n_sentences = len(hypotheses)
        first_reference = np.cumsum([0, *map(len, references)])
        lines = [*hypotheses, *(line for group in references for line in group)]
        if self.options.lowercase:
            lines = list(map(str.lower, lines))
        rows = _characters(lines)
        matches = matches_by_reference(rows, first_reference, ORDER)
        totals = ngram_totals(rows.lengths, ORDER)
        sentence = np.repeat(np.arange(n_sentences), np.diff(first_reference))
        in_reference = totals[n_sentences:]
        # As in sacrebleu: what the reference is too short for does not count for the hypothesis
        in_hypothesis = np.where(in_reference > 0, totals[:n_sentences][sentence], 0)
        triples = np.stack([in_hypothesis, in_reference, matches], axis=-1)  # (refs, order, 3)
        statistics = triples.reshape(-1, 3 * ORDER).astype(np.float64)
        return statistics[_first_best(self.score(statistics), first_reference)]

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


def _characters(lines: list[str]) -> Ragged:
    """The characters of each line as their numbers in Unicode, white space left out."""
    joined = ["".join(line.split()) for line in lines]
    values = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    return Ragged(values, np.cumsum([0, *map(len, joined)]))


def _first_best(scores: FloatArray, first_reference: Int64Array) -> Int64Array:
    """For each sentence the number of its best reference, of equal ones the first."""
    best = np.maximum.reduceat(scores, first_reference[:-1])
    is_best = scores == np.repeat(best, np.diff(first_reference))
    candidates = np.where(is_best, np.arange(len(scores)), len(scores))
    first: Int64Array = np.minimum.reduceat(candidates, first_reference[:-1])
    return first
