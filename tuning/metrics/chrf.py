"""chrF (Popović 2015) and chrF++ (Popović 2017), equal to the scores of sacrebleu.

F_β of precision and recall of character n-grams, averaged over n = 1..6, with β = 2 and without
white space; chrF++ also averages over n-grams of one and two words. Orders without n-grams in the
hypothesis or the reference do not count. With several references, every sentence uses the one with
the best score.

sacrebleu's "eps" smoothing is not implemented. Text is not tokenised, which does not matter for
characters; punctuation is split from words at one end only, as in sacrebleu.
"""

from collections.abc import Iterator
from string import punctuation

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.ngram_matches import matches_by_reference, ngram_totals
from hyperbaton.tuning.metrics.words import Batch, Preprocess, TextOptions, batches

ORDER = 6
BETA = 2


class Chrf(Metric):
    """Statistics, for every order: n-grams of the hypothesis, of the reference, and matches."""

    def __init__(self, options: TextOptions = TextOptions(), *, word_order: int = 0) -> None:
        self.options, self.word_order = options, word_order
        self.name = "chrF" + "+" * word_order
        case = str.lower if options.lowercase else str
        # the units of n-grams, and their maximum order
        self._units: list[tuple[Preprocess, int]] = [(lambda line: _spaced(case(line)), ORDER)]
        if word_order:
            self._units.append((lambda line: " ".join(_words(case(line))), word_order))

    @property
    def signature(self) -> str:
        from sacrebleu.metrics.chrf import CHRF

        metric = CHRF(lowercase=self.options.lowercase, word_order=self.word_order)
        metric.num_refs = self.options.n_references
        signature: str = metric.get_signature().format()
        return signature

    def statistics(self, outputs: Outputs) -> FloatArray:
        chosen = [np.zeros((0, 3 * (ORDER + self.word_order)))]
        texts = (batches(outputs, preprocess) for preprocess, _ in self._units)
        for same_sentences in zip(*texts, strict=True):
            parts = [
                _triples(batch, order)
                for batch, (_, order) in zip(same_sentences, self._units, strict=True)
            ]
            statistics = np.concatenate(parts, axis=1)  # (references, 3 · orders)
            best = same_sentences[0].best_references(self.score(statistics))
            chosen.append(statistics[best])
        return np.concatenate(chosen)

    def score(self, sums: FloatArray) -> FloatArray:
        triples = sums.reshape(*sums.shape[:-1], -1, 3)
        hypothesis, reference, matches = np.moveaxis(triples, -1, 0)  # (..., order) each
        counts = (hypothesis > 0) & (reference > 0)
        n_orders = np.maximum(counts.sum(axis=-1), 1)
        precision = np.where(counts, matches / np.maximum(hypothesis, 1), 0.0).sum(-1) / n_orders
        recall = np.where(counts, matches / np.maximum(reference, 1), 0.0).sum(-1) / n_orders
        denominator = BETA**2 * precision + recall
        product = 100 * (1 + BETA**2) * precision * recall
        result: FloatArray = product / np.where(denominator > 0, denominator, 1.0)
        return result


def _triples(batch: Batch, order: int) -> FloatArray:
    """n-grams of the hypothesis, of the reference, and matches, (references, 3 · order)."""
    matches = matches_by_reference(batch, order)
    in_reference = ngram_totals(batch.references.lengths, order)
    totals = ngram_totals(batch.hypotheses.lengths, order)[batch.sentence_of_reference]
    # As in sacrebleu, orders longer than the reference do not count
    in_hypothesis = np.where(in_reference > 0, totals, 0)
    triples = np.stack([in_hypothesis, in_reference, matches], axis=-1)
    return triples.reshape(-1, 3 * order).astype(np.float64)


def _spaced(line: str) -> str:
    """Separates all characters by spaces."""
    return " ".join("".join(line.split()))


def _words(line: str) -> Iterator[str]:
    """Words without the punctuation at their end, or else at their beginning."""
    for word in line.split():
        if len(word) > 1 and word[-1] in punctuation:
            yield from (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in punctuation:
            yield from (word[0], word[1:])
        else:
            yield word
