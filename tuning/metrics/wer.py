"""Word error rates: WER and the position-independent PER.

WER: the fewest insertions, deletions and substitutions that turn the hypothesis into the reference
(Levenshtein 1966), per reference word. PER (Tillmann et al. 1997) does the same for bags of words:
max(hypothesis length, reference length) − words in common.

With several references, every sentence is compared with the closest one: fewest errors, then the
longest (the lowest rate). Errors and lengths are summed over sentences.
"""

from abc import abstractmethod

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.tuning.metrics.ngram_matches import matches_by_reference
from hyperbaton.tuning.metrics.words import Batch, WordMetric

_LONG = np.int64(1) << 32  # longer than any sentence


class ErrorRate(WordMetric):
    """Statistics: errors against the closest reference, its length."""

    higher_is_better = False
    n_statistics = 2

    @property
    def signature(self) -> str:
        return f"{self.options.signature}|reference:closest"

    @abstractmethod
    def errors(self, batch: Batch) -> Int64Array:
        """Errors against every reference, (n_references,)."""

    def count(self, batch: Batch) -> FloatArray:
        # One minimum finds both: the errors decide, then the length
        key = self.errors(batch) * _LONG + (_LONG - 1 - batch.references.lengths)
        best = np.minimum.reduceat(key, batch.first_reference[:-1])
        return np.column_stack([best // _LONG, _LONG - 1 - best % _LONG]).astype(np.float64)

    def score(self, sums: FloatArray) -> FloatArray:
        return error_rate(sums[..., 0], sums[..., 1])


class Wer(ErrorRate):
    name = "WER"

    def errors(self, batch: Batch) -> Int64Array:
        distances: Int64Array = _edit_distances(*batch.arrays, batch.sentence_of_reference)
        return distances


class Per(ErrorRate):
    name = "PER"

    def errors(self, batch: Batch) -> Int64Array:
        common = matches_by_reference(batch, 1)[:, 0]
        hypothesis = batch.hypotheses.lengths[batch.sentence_of_reference]
        return np.maximum(hypothesis, batch.references.lengths) - common.astype(np.int64)


def error_rate(errors: FloatArray, length: FloatArray) -> FloatArray:
    """Percent of the reference words; without any, 100 if there are errors (as sacrebleu's TER)."""
    rate = errors / np.where(length > 0, length, 1.0)
    return 100 * np.where(length > 0, rate, errors > 0)


@kernel
def _edit_distances(hypotheses, hypothesis_offsets, references, reference_offsets, sentence):
    """Edit distances of all references, computed row by row with only one row in memory."""
    distances = np.empty(len(sentence), np.int64)
    row = np.empty(np.max(np.diff(reference_offsets)) + 1, np.int64)
    for number in range(len(sentence)):
        reference = references[reference_offsets[number] : reference_offsets[number + 1]]
        start, end = hypothesis_offsets[sentence[number]], hypothesis_offsets[sentence[number] + 1]
        for j in range(len(reference) + 1):
            row[j] = j
        for at in range(start, end):
            diagonal = row[0]  # of the previous row, one to the left
            row[0] += 1
            for j in range(len(reference)):
                substituted = diagonal + (hypotheses[at] != reference[j])
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
        distances[number] = row[len(reference)]
    return distances
