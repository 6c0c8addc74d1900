"""BLEU (Papineni et al. 2002), equal to the score of sacrebleu (Post 2018).

BLEU = BP · exp(1/N Σ_n log p_n), BP = min(1, exp(1 − r/c)), where c is the length of all
hypotheses and r that of the references closest in length (of two equally close, the shorter). A
precision of zero is smoothed as in mteval-v13a ("exp": 1/(2^k · total) for the k-th such order).
N = 4; N = 1 is BLEU-1, unigram precision with brevity penalty.

Counting is implemented here; tokenisers, smoothing and signature are sacrebleu's. The only
smoothing is "exp".
"""

import math

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import kernel, uncounted
from hyperbaton.tuning.metrics.base import Details
from hyperbaton.tuning.metrics.ngram_matches import clipped_matches, ngram_totals
from hyperbaton.tuning.metrics.words import Batch, TextOptions, WordMetric

ORDER = 4
_FAR = np.int64(1) << 32  # longer than any sentence


class Bleu(WordMetric):
    """Statistics: hypothesis length, reference length, N matches, N totals; as in sacrebleu."""

    def __init__(self, options: TextOptions = TextOptions(), *, order: int = ORDER) -> None:
        super().__init__(options)
        self.order, self.n_statistics = order, 2 + 2 * order
        self.name = "BLEU" if order == ORDER else f"BLEU-{order}"

    @property
    def signature(self) -> str:
        from sacrebleu.metrics.bleu import BLEU

        metric = BLEU(
            tokenize=self.options.tokenize,
            lowercase=self.options.lowercase,
            max_ngram_order=self.order,
        )
        metric.num_refs = self.options.n_references
        signature: str = metric.get_signature().format()
        # sacrebleu's signature does not include the order
        return signature if self.order == ORDER else f"order:{self.order}|{signature}"

    def count(self, batch: Batch) -> FloatArray:
        lengths = batch.hypotheses.lengths
        return np.column_stack(
            [
                lengths,
                closest_lengths(batch),
                clipped_matches(batch, self.order),
                ngram_totals(lengths, self.order),
            ]
        ).astype(np.float64)

    def score(self, sums: FloatArray) -> FloatArray:
        scores: FloatArray = _scores(sums.reshape(-1, self.n_statistics).astype(np.float64))
        return scores.reshape(sums.shape[:-1])

    def sentence_scores(self, statistics: FloatArray) -> FloatArray:
        """Sentence scores with at most as many orders as the sentence has words, as in
        sacrebleu."""
        length, closest = statistics[..., 0], statistics[..., 1]
        matches, exists = statistics[..., 2 : 2 + self.order], statistics[..., 2 + self.order :] > 0
        logarithms = np.where(exists, np.log(self._precisions(statistics)), 0.0)
        mean = logarithms.sum(axis=-1) / np.maximum(exists.sum(axis=-1), 1)
        penalty = np.minimum(0.0, 1 - closest / np.maximum(length, 1))
        return np.where((matches != 0).any(axis=-1), 100 * np.exp(mean + penalty), 0.0)

    def smooth_sentence_scores(self, statistics: FloatArray) -> FloatArray:
        """BLEU+1 (Lin and Och 2004): adds one to matches and totals of all n-grams longer than a
        word, so that a sentence without a matching 4-gram beats one without a matching word."""
        length, closest = statistics[:, 0], statistics[:, 1]
        added = np.where(np.arange(self.order) > 0, 1.0, 0.0)
        matches = statistics[:, 2 : 2 + self.order] + added
        totals = statistics[:, 2 + self.order :] + added
        possible = matches[:, 0] > 0
        precisions = np.where(possible[:, None], matches, 1.0) / np.maximum(totals, 1.0)
        penalty = np.minimum(0.0, 1 - closest / np.maximum(length, 1))
        return np.where(possible, 100 * np.exp(np.log(precisions).mean(axis=1) + penalty), 0.0)

    def details(self, sums: FloatArray) -> Details:
        """Precisions, brevity penalty and lengths, under sacrebleu's names."""
        length, closest = int(sums[0]), int(sums[1])
        counts = (sums[2 + self.order :] > 0) & bool(sums[2 : 2 + self.order].any())
        brief = length < closest
        return {
            "precisions": np.where(counts, 100 * self._precisions(sums), 0.0).tolist(),
            "BP": (math.exp(1 - closest / length) if length else 0.0) if brief else 1.0,
            "ratio": length / closest if closest else 0.0,
            "hyp_len": length,
            "ref_len": closest,
        }

    def _precisions(self, sums: FloatArray) -> FloatArray:
        """Smoothed precisions, (..., order); meaningless for orders without n-grams."""
        matches, totals = sums[..., 2 : 2 + self.order], sums[..., 2 + self.order :]
        none = matches == 0
        smoothing = np.exp2(np.cumsum(none, axis=-1))
        precisions: FloatArray = np.where(none, 1 / smoothing, matches) / np.maximum(totals, 1)
        return precisions


@kernel
def _scores(sums):
    scores = np.empty(len(sums))
    for row in range(len(sums)):
        scores[row] = bleu_of(sums[row])
    return scores


@uncounted
def bleu_of(sums):
    """BLEU of one row of sums, for compiled code."""
    order = (len(sums) - 2) // 2
    product, smoothing, is_possible = 1.0, 1.0, False
    for n in range(2, 2 + order):
        matches, total = sums[n], sums[n + order]
        if total <= 0:
            return 0.0
        if matches == 0:
            smoothing *= 2.0
            matches = 1 / smoothing
        else:
            is_possible = True
        product *= matches / total
    if not is_possible:
        return 0.0
    mean = math.sqrt(math.sqrt(product)) if order == 4 else product ** (1 / order)  # faster
    if sums[0] >= sums[1]:
        return 100 * mean
    return 100 * mean * math.exp(1 - sums[1] / max(sums[0], 1.0))


def closest_lengths(batch: Batch) -> Int64Array:
    """The reference length closest to each hypothesis; of two equally close, the shorter."""
    reference = batch.references.lengths
    distance = np.abs(reference - batch.hypotheses.lengths[batch.sentence_of_reference])
    # One minimum finds both: the distance decides, then the length
    best: Int64Array = np.minimum.reduceat(distance * _FAR + reference, batch.first_reference[:-1])
    return best % _FAR
